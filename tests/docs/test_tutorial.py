"""Everything that `docs/plans.md` shows is true: plans, findings, trees, commands, pictures, and how games ended."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import jax
import numpy as np
import pytest
from PIL import Image

import dsl
import hive
import scenarios
from docs.make.games import FOLDER, OUTCOMES, PLAYED, play
from docs.make.tutorial import PAGE, check, context
from dsl import check_plan, format_tree, parse_tree
from hive.engine.plan.arrays import make_orders
from hive.engine.plan.progress import crowd_radius as played_radius
from hive.engine.spawning import reset
from hive.engine.types import Params, Plan
from hive.worlds.battle.briefing import crowd_radius
from tests.cli.reading import understood

TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(
    r"```(\w+)\n(.*?)\n```(?:\n<!-- end -->\n\n<!-- check (\S+) -->\n```text\n(.*?)\n```)?", TEXT, re.DOTALL
)


def blocks(language: str) -> list[tuple[str, str, str]]:
    """Fenced text, and what the page says the checker finds in it: the file's name and the findings."""
    return [(text, file, findings) for kind, text, file, findings in BLOCKS if kind == language]


def test_every_plan_is_clean_or_gives_exactly_the_findings_beside_it() -> None:
    typed = (FOLDER / "typed.plan").read_text(encoding="utf-8")
    assert len(blocks("plan")) >= 12
    for text, file, findings in blocks("plan"):
        where = PLAYED["typed"] if text in typed else "coordinate"
        report = check_plan(text, Path(file).name, context(where))
        assert dsl.render(report.diagnostics) == findings
        assert bool(findings) == (file.startswith("mistakes/"))


def test_every_tree_is_clean_or_gives_exactly_the_findings_beside_it() -> None:
    for text, file, findings in blocks("bt"):
        assert dsl.render(dsl.check_tree(text, Path(file).name).diagnostics) == findings
        if not findings:
            parse_tree(text)


def test_every_file_is_shown_and_every_mistake_has_findings() -> None:
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.suffix in (".plan", ".bt")}
    assert set(re.findall(r"<!-- (?:plan|tree) (\S+) -->", TEXT)) == files
    for file in files:
        assert bool(check(file).diagnostics) == file.startswith("mistakes/")


def test_target_types_replace_what_a_tree_writes_as_any() -> None:
    typed = scenarios.tree("attack_in_close_range").replace("any", "archer or spearmen")
    assert parse_tree(typed) in [parse_tree(text) for text, _, findings in blocks("bt") if not findings]


def test_every_command_is_one() -> None:
    lines = [line for text, _, _ in blocks("bash") for line in text.splitlines()]
    lines += re.findall(r"`(hive \w+ [^`]+)`", TEXT)
    commands = [shlex.split(line, comments=True) for line in lines]
    assert len(commands) >= 4
    for hive_word, name, *words in commands:
        assert hive_word == "hive"
        understood([name, *words])


def test_a_tree_of_your_own_can_be_used_as_the_page_says(tmp_path: Path) -> None:
    own = (FOLDER / "fall_back.bt").read_text(encoding="utf-8")
    (tmp_path / "fall_back.bt").write_text(own, encoding="utf-8")
    ((example, _, _),) = blocks("toml")
    allowed = tomllib.loads(example)["player"]["behaviours"]
    scenario = tmp_path / "coordinate.toml"
    scenario.write_text(scenarios.read("coordinate").replace("[player]", example), encoding="utf-8")
    world = hive.load(scenario, units=20)
    plan = (FOLDER / "smallest.plan").read_text(encoding="utf-8")
    for line in ("- behavior: fall_back", "- behavior: fall_back archer"):
        assert line in TEXT
        hive.read_plan(plan.replace("- behavior: attack_in_close_range", line), world)
    assert world.side(0).behaviours == tuple(Path(name).stem for name in allowed)
    assert format_tree(parse_tree(own)) == own.strip()


@pytest.mark.slow
def test_the_crowd_radius_is_the_engines() -> None:
    world = hive.load("coordinate")
    plan = hive.read_plan(FOLDER / "position.plan", world)

    @jax.jit
    def radius_of(params: Params, plan: Plan) -> jax.Array:
        return played_radius(params, make_orders(params, plan), reset(params, jax.random.key(0)))

    radius = radius_of(world.params, plan)
    mixed = 1 + int(np.ceil(np.sqrt(167 * 0.6**2 + 167 * 0.3**2)))
    assert mixed in np.asarray(radius)
    assert crowd_radius(1, 0.6) == 2
    assert crowd_radius(250, 0.6) == 11
    assert crowd_radius(100, 0.3) == 4  # an exact root is not rounded up


@pytest.mark.parametrize("name", PLAYED)
def test_a_picture_is_whole_and_light(name: str) -> None:
    path = FOLDER / f"{name}.png"
    assert path.stat().st_size < 200_000
    with Image.open(path) as picture:
        assert picture.width > 1000
        picture.verify()


def test_every_reported_game_is_recorded() -> None:
    assert list(json.loads(OUTCOMES.read_text(encoding="utf-8"))) == list(PLAYED)
    assert re.findall(r"<!-- game (\w+) -->", TEXT) == list(PLAYED)


@pytest.mark.long  # that the engine plays as it did is shown by the games of all versions in tests/cli/test_versions.py
@pytest.mark.parametrize("name", PLAYED)
def test_games_end_with_the_given_outcomes(name: str) -> None:
    assert play(name) == json.loads(OUTCOMES.read_text(encoding="utf-8"))[name], "run `python -m docs.make --pictures`"

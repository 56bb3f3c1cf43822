"""The page of rescues: its commands are read as they stand, its code runs, and its table is what the teams do."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

import jax
import pytest

from hive.players.teams.frameworks.turns import silent
from hive.worlds.rescue.agents.policies import heuristic
from hive.worlds.rescue.optimum.play import optimum
from hive.worlds.rescue.shipped import names
from tests.arch.sources import ROOT
from tests.cli.reading import understood
from tests.rescue.episodes import played

PAGE = (ROOT / "docs" / "rescue.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_are_read() -> None:
    commands = re.findall(r"^hive rescue ([^#\n]+)", PAGE.replace("\\\n", " "), re.MULTILINE)
    assert len(commands) >= 6
    for command in commands:
        args = understood(["rescue", *shlex.split(command)])
        assert set(args.instances) <= {*names(), "all"}


def test_its_pictures_and_links_are_there() -> None:
    found = re.findall(r"\]\(([^)#]+)\)", PAGE)
    assert "rescue.png" in found and all((ROOT / "docs" / name).is_file() for name in found)


def test_its_code_runs(capsys: pytest.CaptureFixture[str]) -> None:
    optimal, spoken = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)
    exec(compile(optimal, "docs/rescue.md", "exec"), names_of_block := {})
    assert capsys.readouterr().out.split() == ["3", "7"] and names_of_block["state"].step == 7
    exec(compile(spoken, "docs/rescue.md", "exec"), {})
    assert capsys.readouterr().out.strip() == re.search(r"# (mission ended by the agents)$", spoken, re.MULTILINE)[1]  # type: ignore[index]


def test_the_table_has_the_steps_of_the_heuristic_the_optimum_and_the_scripted_team() -> None:
    rows = dict(re.findall(r"^\| `(map_\S+)` \| (.+) \|$", PAGE, re.MULTILINE))
    assert list(rows) == list(names())
    rule, _ = played(names(), framework=lambda _: silent("heuristic", "", heuristic()))
    spoken, _ = played(names())
    for number, name in enumerate(names()):
        best = optimum(jax.device_get(rule.envs[number].params)).steps
        one, other = rule.results(number), spoken.results(number)

        def cell(run: Mapping[str, Any], best: int = best) -> str:
            if run["success"]:
                return f"{run['steps']} ({run['steps'] / best:.2f})"
            return f"{run['helped']} of {run['victims']} served"

        victims, fewest, literal, *_, speaker = rows[name].split(" | ")
        assert [victims, fewest, literal, speaker] == [str(one["victims"]), str(best), cell(one), cell(other)]

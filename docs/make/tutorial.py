"""The generated blocks of `docs/plans.md`: plans, trees, diagnostics, tables, and how games ended.

A block stands between `<!-- WORD ARGUMENTS -->` and `<!-- end -->`; the text around it is written by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import dsl
import scenarios
from docs.make.games import FOLDER, OUTCOMES, PLAYED, SEEDS, UNITS
from docs.make.reference import fence, table
from dsl import CheckResult, PlanContext
from hive.worlds.battle.briefing import crowd_radius
from hive.worlds.battle.scenario import load_scenario
from hive.worlds.battle.scenario.schema import DEFAULT_TYPES

PAGE = FOLDER.parent / "plans.md"

_BLOCK = re.compile(r"(<!-- (plan|tree|shipped|check|expand|game|radius)((?: \S+)*) -->\n).*?(<!-- end -->)", re.DOTALL)
_CROWDS = (1, 10, 40, 100, 167, 250, 500)


def make_tutorial(page: str) -> str:
    """Return the tutorial with every block generated again."""

    def fill(block: re.Match[str]) -> str:
        return f"{block[1]}{_MAKERS[block[2]](*block[3].split())}\n{block[4]}"

    return _BLOCK.sub(fill, page)


def check(file: str) -> CheckResult:
    """Check a file of `docs/plans` as `hive check` does, and a plan against its scenario."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    if file.endswith(".bt"):
        return dsl.check_tree(text, Path(file).name)
    return dsl.check_plan(text, Path(file).name, context(PLAYED.get(Path(file).stem, "coordinate")))


def context(scenario: str) -> PlanContext:
    """Return the facts about a shipped scenario that its player's plans are checked against."""
    return load_scenario(scenario).context(0)


def _file(language: str, file: str) -> str:
    return fence((FOLDER / file).read_text(encoding="utf-8"), language)


def _shipped(name: str) -> str:
    return fence(scenarios.tree(name), "bt")


def _check(file: str) -> str:
    return fence(dsl.render(check(file).diagnostics))


def _expand(file: str) -> str:
    root = check(file).root
    assert isinstance(root, dsl.PlanSyntax), f"{file} has errors"
    return fence(dsl.format_plan(root), "plan")


def _game(name: str) -> str:
    scenario = PLAYED[name]
    ends = json.loads(OUTCOMES.read_text(encoding="utf-8"))[name]
    endings = ", ".join(f"`{end}` {count}" for end, count in ends.items())
    return (
        f"![`{name}.plan` played in {scenario}](plans/{name}.png)\n\n"
        f"*`{name}.plan` in `{scenario}` with {UNITS} units, seed {SEEDS[0]}. "
        f"Outcomes of {len(SEEDS)} games: {endings}.*"
    )


def _radius() -> str:
    rows = [[f"`{kind.name}`", *(str(crowd_radius(n, kind.radius)) for n in _CROWDS)] for kind in DEFAULT_TYPES[:3]]
    return table(("Units at one target", *map(str, _CROWDS)), rows)


_MAKERS: dict[str, Callable[..., str]] = {
    "plan": lambda file: _file("plan", file),
    "tree": lambda file: _file("bt", file),
    "shipped": _shipped,
    "check": _check,
    "expand": _expand,
    "game": _game,
    "radius": _radius,
}

"""The paper's five ability tests (docs/rules/scenarios.md 2): find plans in folders and play all their games."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

import dsl
import scenarios
from dsl import Diagnostic, UserError
from hive.engine.batch.playing import sweep
from hive.engine.batch.result import ENDS, GameProgress, Result, unplayed
from hive.engine.reading import compile_text
from hive.kit.keep.places import user_text
from hive.kit.plan_text import PlanText
from hive.worlds.battle.world import Battle


@dataclass(frozen=True)
class Ability:
    """A test: a planning skill and the scenario that tests it."""

    name: str
    title: str
    scenario: str
    short: tuple[str, ...] = ()  # other names that a file or folder may begin with


ABILITIES = (
    Ability("coordinate", "Coordinate", "coordinate"),
    Ability("exploit_weakness", "Exploit weakness", "exploit_weakness"),
    Ability("follow_markers", "Follow markers", "markers_terrain", ("markers",)),
    Ability("exploit_terrain", "Exploit terrain", "markers_terrain", ("terrain",)),
    Ability("strategize_points", "Strategize points", "strategize_points", ("strategic_points",)),
)

_ENEMIES = {f"{ability.scenario}_enemy" for ability in ABILITIES}  # plans of the other side may be in the same folder


@dataclass(frozen=True)
class AbilityPlan:
    """A plan to test."""

    ability: Ability
    plan: str  # distinguishes the plans of one ability: the rest of the file name
    file: str
    text: str


@dataclass(frozen=True)
class AbilityTrial:
    """The games of an entry; `findings` come from the check of its plan."""

    entry: AbilityPlan
    result: Result
    findings: tuple[Diagnostic, ...] = ()

    @property
    def played(self) -> bool:
        """Whether there were games: a text held a plan without errors."""
        return bool(np.isfinite(self.result.ticks).any())

    @property
    def wins(self) -> int:
        """Number of games won."""
        return self.result.outcomes["win"]

    def json(self) -> dict[str, Any]:
        """Name, counts and games in plain values."""
        return {
            "plan": self.entry.plan,
            "file": self.entry.file,
            "wins": self.wins,
            **self.result.brief(),
            "diagnostics": [finding.message for finding in self.findings],
        }


def published_wins() -> dict[str, dict[str, int]]:
    """Return the wins of ten prompts in the paper's Table I, by model and ability (docs/rules/scenarios.md 2.2)."""
    found = tomllib.loads(resources.files("hive.worlds.battle").joinpath("published.toml").read_text(encoding="utf-8"))
    rows: dict[str, list[int]] = found["wins"]
    return {model: {name: wins[at] for name, wins in rows.items()} for at, model in enumerate(found["models"])}


def shipped() -> list[AbilityPlan]:
    """Return our own plans, one for each ability."""
    return [AbilityPlan(a, "shipped", f"{a.name}.plan", scenarios.plan(a.name)) for a in ABILITIES]


def collect(folder: Path) -> tuple[list[AbilityPlan], list[str]]:
    """Find plans for the tests in a folder.

    A plan is a file `ABILITY/NAME.plan`, `ABILITY_NAME.plan` or `ABILITY.plan`; its name is NAME, or `plan`. The
    abilities may also be called `markers`, `terrain` and `strategic_points`. Plans of a scenario's enemy are left out.

    Args:
        folder: Folder to search.

    Returns:
        The plans, by ability and then by name, and the paths of `.plan` files that belong to no ability.

    Raises:
        UserError: It is not a folder, a file cannot be read, two plans have the same name, or there is no plan.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}\n  = help: name a folder with plans such as coordinate/mine.plan")
    found: dict[tuple[str, str], AbilityPlan] = {}
    left: list[str] = []
    for path in sorted(path for way in ("*.plan", "*/*.plan") for path in folder.glob(way) if path.is_file()):
        ability, name = _split(path.stem)
        if path.parent != folder:
            home, rest = _split(path.parent.name)
            ability, name = None if rest else home, name if ability is home else path.stem
        if ability is None or path.stem in _ENEMIES:
            left.append(str(path))
            continue
        entry = AbilityPlan(ability, name or "plan", str(path), user_text(path, errors="replace"))
        key = (ability.name, entry.plan)
        if key in found:
            both = f"{found[key].file} and {path}"
            raise UserError(
                f"two plans of {ability.name} are called `{entry.plan}`: {both}\n  = help: rename one of the files"
            )
        found[key] = entry
    if not found:
        names = ", ".join(ability.name for ability in ABILITIES)
        raise UserError(
            f"{folder} holds no plan for any ability\n"
            f"  = help: abilities are {names}; a plan is a file such as {folder / 'coordinate' / 'mine.plan'}"
        )
    return sorted(found.values(), key=lambda entry: (ABILITIES.index(entry.ability), entry.plan)), left


def _split(stem: str) -> tuple[Ability | None, str]:
    """Split a name into the ability that it begins with and the rest."""
    for ability in ABILITIES:
        for head in (ability.name, *ability.short):
            if stem == head or stem.startswith(f"{head}_"):
                return ability, stem[len(head) + 1 :]
    return None, stem


Watcher = Callable[[int], GameProgress | None]
"""Called with the number of games before they are played; returns the function that receives their progress."""


def run(
    world: Battle,
    entries: Sequence[AbilityPlan],
    seeds: Sequence[int],
    watcher: Watcher,
    lenient: bool = False,
    written_for: tuple[int, int] | None = None,
) -> list[AbilityTrial]:
    """Play the plans of one scenario with every seed, in as few batches as memory allows.

    A text whose plan has errors counts as `invalid_plan` in all its games, a text without any plan as `no_plan`; the
    other plans are still played.

    Args:
        world: The scenario of all entries.
        entries: The plans.
        seeds: Seeds of the games.
        watcher: Returns the receiver of progress, see `Watcher`; not called when there are no games.
        lenient: Whether a unit may stand in two groups of a step.
        written_for: Team sizes (player, enemy) that the plans were written for; None: those of the scenario's file.

    Returns:
        A trial for each entry, in their order.
    """
    context = world.context(0, written_for)
    texts = [
        PlanText(entry.plan, entry.text, dsl.check_plan(entry.text, entry.file, context, lenient), written_for)
        for entry in entries
    ]
    good = [text for text in texts if not text.failure]
    plans, names = [compile_text(text, world) for text in good], [text.name for text in good]
    played = iter(
        sweep(world, plans, seeds, names=names, progress=watcher(len(plans) * len(seeds))).results if plans else ()
    )
    trials = []
    for entry, text in zip(entries, texts, strict=True):
        games = unplayed(world, text.name, seeds, text.failure) if text.failure else next(played)
        trials.append(AbilityTrial(entry, games, text.report.diagnostics))
    return trials


@dataclass(frozen=True)
class Scores:
    """All trials of a benchmark, by ability and plan.

    Attributes:
        trials: In the order of the abilities.
        seconds: Wall time of each scenario's games, compilation included.
        ends: Names of the outcomes that are counted.
    """

    trials: tuple[AbilityTrial, ...]
    seconds: dict[str, float]
    ends: tuple[str, ...] = ENDS

    @property
    def abilities(self) -> list[Ability]:
        """The abilities that have a plan."""
        return list(dict.fromkeys(trial.entry.ability for trial in self.trials))

    def of(self, ability: Ability) -> list[AbilityTrial]:
        """The trials of an ability."""
        return [trial for trial in self.trials if trial.entry.ability == ability]

    def outcomes(self, ability: Ability) -> dict[str, int]:
        """Number of an ability's games with each end, over all its plans."""
        return {end: sum(trial.result.outcome.count(end) for trial in self.of(ability)) for end in self.ends}

    def json(self) -> dict[str, Any]:
        """Everything in plain values."""
        return {
            "abilities": [
                {
                    "ability": ability.name,
                    "title": ability.title,
                    "scenario": ability.scenario,
                    "games": sum(self.outcomes(ability).values()),
                    "outcomes": self.outcomes(ability),
                    "plans": [trial.json() for trial in self.of(ability)],
                }
                for ability in self.abilities
            ],
            "seconds": {name: round(spent, 3) for name, spent in self.seconds.items()},
        }

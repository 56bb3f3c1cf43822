"""The plans of a league: those of a folder and the shipped ones, and the reasons why others are left out.

Rules: docs/rules/league.md 1.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import dsl
import scenarios
from dsl import UserError
from hive.kit.keep.places import user_text
from hive.worlds.battle.world import Battle

SEARCHED = "searched-1"
"""Name of the plan that a league searches for."""

_ENEMY = "_enemy"  # how the names of shipped plans for the other side end


@dataclass(frozen=True)
class LeagueEntry:
    """A plan of a league.

    Attributes:
        name: Its name in tables.
        text: The text that it was read from.
        plan: What is played.
    """

    name: str
    text: str = field(repr=False)
    plan: dsl.PlanSyntax = field(repr=False)


@dataclass(frozen=True)
class LeftOut:
    """A plan that does not fit.

    Attributes:
        name: Its name, or its path.
        reason: Why it does not fit, in one line.
    """

    name: str
    reason: str


def enter(
    texts: Iterable[tuple[str, str]], world: Battle, lenient: bool = False, written_for: tuple[int, int] | None = None
) -> tuple[list[LeagueEntry], list[LeftOut]]:
    """Check plans against the player's side of a battle.

    Args:
        texts: Name and text of each plan, such as those of `folder_texts` and `shipped_texts`.
        world: The battle.
        lenient: Whether a unit may stand in two groups of a step.
        written_for: Team sizes that the plans were written for; None: those of the scenario's file.

    Returns:
        The plans that fit, in the order of the names of their files, and those that do not.

    Raises:
        UserError: Two plans have the same name.
    """
    found: dict[str, LeagueEntry | LeftOut] = {}
    context = world.context(0, written_for)
    for name, text in texts:
        if name in found:
            raise UserError(f"two plans are called `{name}`\n  = help: rename the file; shipped plans keep their names")
        found[name] = _check(name, text, context, lenient)
    fits = sorted(
        (each for each in found.values() if isinstance(each, LeagueEntry)), key=lambda each: f"{each.name}.plan"
    )
    return fits, [each for each in found.values() if isinstance(each, LeftOut)]


def folder_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the plans of a folder, its files `*.plan`, in the order of their names.

    Raises:
        UserError: It is not a folder, it holds no plan, or a file cannot be read.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}\n  = help: name a folder of .plan files")
    paths = sorted(path for path in folder.glob("*.plan") if path.is_file())
    if not paths:
        raise UserError(
            f"the folder {folder} holds no .plan file\n"
            "  = help: copy plans there, such as the plan.plan that `hive ask --out` leaves; "
            "--shipped enters the shipped plans"
        )
    for path in paths:
        yield path.stem, user_text(path, errors="replace")


def shipped_texts() -> Iterator[tuple[str, str]]:
    """Yield the shipped plans for a player; those for an enemy are written from the other side."""
    for name in scenarios.plans():
        if not name.endswith(_ENEMY):
            yield name, scenarios.plan(name)


def _check(name: str, text: str, context: dsl.PlanContext, lenient: bool) -> LeagueEntry | LeftOut:
    report = dsl.check_plan(text, f"{name}.plan", context, lenient)
    errors = [finding for finding in report.diagnostics if finding.severity == "error"]
    if isinstance(report.root, dsl.PlanSyntax) and not errors:
        return LeagueEntry(name, text, report.root)
    first = errors[0]
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return LeftOut(name, f"{first.message} (line {first.span.line}{more})")

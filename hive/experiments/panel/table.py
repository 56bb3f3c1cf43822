"""Levels of measured battles as rows, which are printed, kept, and read back to make sets.

Rules: docs/rules/sets.md 2.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsl.wording import columns, is_whole
from hive.experiments.panel.members import (
    BUDGETS,
    HARDEST,
    PLAIN,
    POLICY,
    SEARCH,
    SOLUTION,
    PanelRow,
    level_of,
    level_of_search,
)
from hive.kit.intervals import wilson
from hive.worlds.battle.drawn.classes import CLASSES, read_name
from hive.worlds.battle.drawn.draw import draw_with_facts
from hive.worlds.battle.drawn.sets import LEVELS

UNSOLVED = "unsolved"
COLUMNS = ("battle", "digest", "side", "mission", "family", *PLAIN, SEARCH, "plans", SOLUTION, "level")
"""Columns of the compact form: wins of each member, plans that the search had tried, wins of a solution, the level."""

_UNKNOWN = "not known"
_LEAST = tuple(f"{level} or more" for level in range(1, LEVELS))
KNOWN = (*(f"level {level}" for level in range(LEVELS)), *_LEAST, UNSOLVED, _UNKNOWN)
"""What can be known of a level: one of `N or more` is known where longer searches have not been played."""


@dataclass(frozen=True)
class Measured:
    """A battle and what the panel found out about it.

    Attributes:
        battle: Name of the battle.
        digest: First digits of the SHA-256 of its files.
        side: Of its map, metres.
        mission: Kind of its mission.
        family: Family of the enemy's plan.
        wins: Games won by member, of `hive.experiments.panel.members.GAMES`.
        plans: Plans that the search had tried; 0 without one.
        level: `0` to `5`, `unsolved`, or empty where too little was played.
    """

    battle: str
    digest: str
    side: int
    mission: str
    family: str
    wins: Mapping[str, int]
    plans: int
    level: str

    @property
    def class_name(self) -> str:
        """The class of the battle."""
        return read_name(self.battle)[0]

    @property
    def known(self) -> str:
        """What is known of the level: one of `KNOWN`."""
        if self.level:
            return f"level {self.level}" if is_whole(self.level) else self.level
        if SEARCH in self.wins:
            return f"{min(level_of_search(self.plans), max(BUDGETS)) + 1} or more"
        lost = next((number for number, member in enumerate(PLAIN) if member not in self.wins), len(PLAIN))
        return f"{lost} or more" if lost else _UNKNOWN

    def solved(self, wins: int | None) -> Measured:
        """Return the row with as many wins of a solution, and the level that follows; None: with what it has."""
        if wins is None:
            return self
        row = replace(self, wins={**self.wins, SOLUTION: wins})
        return replace(row, level=row.level_by_wins)

    @property
    def level_by_wins(self) -> str:
        """The level that follows from the wins, in the form of `level`, which alone knows that a search was over."""
        over = self.level == UNSOLVED
        rows = {
            member: PanelRow(self.battle, self.digest, member, wins, 0.0, plans=self.plans, over=over)
            for member, wins in self.wins.items()
        }
        return _in_words(level_of(rows))

    def cells(self) -> list[str]:
        """Return the row in the order of `COLUMNS`; empty where a member did not play."""
        wins = [str(self.wins.get(member, "")) for member in (*PLAIN, SEARCH)]
        search = [str(self.plans or ""), str(self.wins.get(SOLUTION, ""))]
        return [self.battle, self.digest, str(self.side), self.mission, self.family, *wins, *search, self.level]

    @property
    def policies(self) -> list[str]:
        """Names of the policies that played."""
        return [member for member in self.wins if member.startswith(POLICY)]

    def json(self) -> dict[str, Any]:
        """Return the row in plain values."""
        level = int(self.level) if is_whole(self.level) else self.level or None
        return {
            "battle": self.battle, "digest": self.digest, "side": self.side, "mission": self.mission,
            "family": self.family, "wins": dict(self.wins), "plans": self.plans, "level": level,
        }  # fmt: skip


def _in_words(level: int | str | None) -> str:
    return "" if level is None else str(level)


def measured(rows: Mapping[str, Mapping[str, PanelRow]]) -> list[Measured]:
    """Return the battles of a journal in the order of classes and seeds."""
    found = []
    for battle, members in rows.items():
        drawn = draw_with_facts(*read_name(battle))
        found.append(
            Measured(
                battle,
                next(iter(members.values())).sha256[:12],
                drawn.land.size,
                drawn.mission.kind,
                drawn.commander.family,
                {member: row.wins for member, row in members.items()},
                members[SEARCH].plans if SEARCH in members else 0,
                _in_words(level_of(members)),
            )
        )
    classes = list(CLASSES)
    return sorted(found, key=lambda each: (classes.index(each.class_name), read_name(each.battle)[1]))


def with_policies(found: Sequence[Measured]) -> list[list[str]]:
    """Return the heading and the rows of battles, with a column behind `COLUMNS` for each policy that played."""
    policies = list(dict.fromkeys(name for each in found for name in each.policies))
    rows = [[*each.cells(), *(str(each.wins.get(name, "")) for name in policies)] for each in found]
    return [[*COLUMNS, *policies], *rows]


def csv_of(found: Sequence[Measured]) -> str:
    """Return the compact form, a line for each battle."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(with_policies(found))
    return out.getvalue()


def read_csv(text: str) -> list[Measured]:
    """Return the battles of the compact form, without what policies did."""
    rows = csv.DictReader(io.StringIO(text))
    return [
        Measured(
            row["battle"], row["digest"], int(row["side"]), row["mission"], row["family"],
            {member: int(row[member]) for member in (*PLAIN, SEARCH, SOLUTION) if row[member]}, int(row["plans"] or 0),
            row["level"],
        )
        for row in rows
    ]  # fmt: skip


def levels_table(found: Sequence[Measured]) -> str:
    """Return how many battles of each class have which level, as far as it is known."""
    counts = Counter((each.class_name, each.known) for each in found)
    total = Counter(each.known for each in found)
    names = [name for name in KNOWN if total[name]]
    rows = [["class", "battles", *names]]
    for class_name in CLASSES:
        own = [counts[class_name, name] for name in names]
        if sum(own):
            rows.append([class_name, str(sum(own)), *map(str, own)])
    if found:
        rows.append(["all", str(len(found)), *(str(total[name]) for name in names)])
    return columns(rows, left=(0,))


def shares_table(found: Sequence[Measured]) -> str:
    """Return the shares of battles that each member without a search wins first, and that none of them wins.

    Args:
        found: Battles that all of these members have played; at least one.
    """
    counts = Counter(each.level if each.level in map(str, range(len(PLAIN))) else "" for each in found)
    rows = [["level", "won first by", "battles", "share", "95% interval"]]
    for level, member in (*((str(level), member) for level, member in enumerate(PLAIN)), ("", "none of them")):
        low, high = wilson(share := counts[level] / len(found), len(found))
        name = level or f"{len(PLAIN)} or more"
        rows.append([name, member, str(counts[level]), f"{share:.1%}", f"{low:.1%} to {high:.1%}"])
    return columns(rows, left=(0, 1))


def rule_of_levels() -> str:
    """Return in a line for each level by whom its battles are won."""
    lines = [f"{level}: {member}" for level, member in enumerate(PLAIN)]
    lines += [f"{level}: a search of at most {most} plans" for level, most in BUDGETS.items()]
    return "; ".join([*lines, f"{HARDEST}: a search of 2,000 games, or a plan of another origin"])

"""What a command may be about (a battle, a kitchen order, a set of battles), and the options that each does not take.

A command names its `Subjects` once. By them `hive.cli.reading` refuses what is given, and `hive.cli.help_text` leaves
the same options out of the help for one world. What a kind of world does not have, the kind itself says
(`hive.kit.contract.Kind`). Loads no JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from hive.kit.contract import Kind


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a command may be about.

    Attributes:
        noun: What one is called, such as `battle`.
        several: What several are called.
        refused: Fields of options that are not taken where the command is about one.
        advice: What else to do where such an option is given; a sentence without its end, or empty.
        notes: What the help says about these alone; may be empty.
    """

    noun: str
    several: str
    refused: Collection[str]
    advice: str = ""
    notes: str = ""


class Subjects(Protocol):
    """All that a command may be about."""

    def every(self) -> Sequence[Subject]:
        """Return each."""

    def of(self, name: str) -> Subject | None:
        """Return what a name or path belongs to; None where the command takes no such thing, which it says itself.

        Raises:
            UserError: A name has the form of a world's, and there is no such kind of world.
        """


@dataclass(frozen=True, kw_only=True)
class OfKinds:
    """The kinds of worlds as subjects, see `Subjects`.

    Attributes:
        refused: Returns the fields of options that a kind does not take; those that are none of the command do not
            matter.
        takes: Whether the command takes a kind.
        learners: The same fields for tasks for learners that are no single world; None: the command takes none.
        advice: See `Subject`.
        notes: See `Subject`.
    """

    refused: Callable[[Kind], Collection[str]]
    takes: Callable[[Kind], bool] = lambda kind: True
    learners: Collection[str] | None = None
    advice: Callable[[Kind], str] = lambda kind: ""
    notes: Callable[[Kind], str] = lambda kind: ""

    def every(self) -> Sequence[Subject]:
        """Return the kinds, battles first."""
        from hive.worlds import kinds

        found = [self._of(kind) for kind in reversed(kinds().values()) if self.takes(kind)]
        return [*found, *([] if self.learners is None else [self._learners(self.learners)])]

    def of(self, name: str) -> Subject | None:
        """Return the kind that a name or path belongs to, or tasks for learners."""
        from hive.rl.registry import is_for_learners
        from hive.worlds import kind_of

        if self.learners is not None and is_for_learners(name):
            return self._learners(self.learners)
        kind = kind_of(name)
        return self._of(kind) if self.takes(kind) else None

    def _of(self, kind: Kind) -> Subject:
        return Subject(
            noun=kind.noun,
            several=f"{kind.noun}s",
            refused=self.refused(kind),
            advice=self.advice(kind),
            notes=self.notes(kind),
        )

    def _learners(self, refused: Collection[str]) -> Subject:
        return Subject(noun="task for learners", several="tasks for learners", refused=refused)


@dataclass(frozen=True)
class BattlesAndSets:
    """Battles and sets of them as subjects, see `Subjects`.

    Attributes:
        not_of_sets: Fields of options that a set does not take.
    """

    not_of_sets: Collection[str]

    def every(self) -> Sequence[Subject]:
        """Return both."""
        return [
            Subject(noun="battle", several="battles", refused=()),
            Subject(
                noun="set of battles",
                several="sets of battles",
                refused=self.not_of_sets,
                advice="name one battle of the set",
            ),
        ]

    def of(self, name: str) -> Subject | None:
        """Return which of both a name or path belongs to."""
        from hive.worlds import kind_of

        kind = kind_of(name)
        if not kind.compared:
            return None
        return self.every()[kind.set_summary(name) is not None]


def of_planned(kind: Kind) -> Collection[str]:
    """Return the fields that a kind refuses of a command that lets a commander or a plan play."""
    none = [name for name, has in (("plain", kind.readable), ("side", has_enemy(kind))) if not has]
    return (*kind.foreign, *none)


def has_enemy(kind: Kind) -> bool:
    """Return whether its worlds have an enemy that follows plans."""
    return "enemy_swaps" not in kind.foreign


PLANNED = OfKinds(refused=of_planned, takes=lambda kind: kind.planned)
"""The subjects of commands that take worlds that plans command."""

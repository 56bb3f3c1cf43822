"""Tasks for learners: worlds of one kind with the settings of their environments, and what makes these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from dsl import UserError
from dsl.wording import listing, unit_words
from hive.kit.keep.versions import versioned

if TYPE_CHECKING:
    from hive.kit.environment.env import Env

ORDERS = "orders:"
"""Before the name of a battle or of a set of battles: the agents are squads that are given orders."""


@dataclass(frozen=True)
class LearningTask:
    """A world to learn, or several.

    Attributes:
        name: Name in `make` and on the command line.
        summary: One line.
        kind: Its kind of world, a row of `hive.worlds`.
        of: Names of its worlds, of which each game draws one: a scenario, a level, orders, rescues or households;
            or "generated" alone, which stands for as many generated worlds as the task has `maps`.
        options: Further arguments of its environment, such as `nearest`. `maps` is the number of maps, for tasks where
            seeds give these; `orders` says that the agents of a battle are squads, and `set` that
            `of` names a set of battles.
        settings: Settings of training that suit it: fields of `hive.rl.settings.Config`.
        version: Rises whenever the results of the task change, from 1.
    """

    name: str
    summary: str
    kind: str = "battle"
    of: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, float] = field(default_factory=dict)
    version: int = 1

    @property
    def id(self) -> str:
        """Name and version of the task, such as `skirmish_5v5-v1`; a set of battles has its version in its name."""
        return self.name if self.options.get("set") else versioned(self.name, self.version)

    @property
    def mapped(self) -> bool:
        """Whether seeds give the maps of its games."""
        return "maps" in self.options

    @property
    def maps(self) -> int:
        """Number of maps on which it is learnt."""
        return int(self.options.get("maps", 1))


class TaskKind(Protocol):
    """The module of a kind of world that makes its environments: a row of `hive.worlds`."""

    def load_world(self, task: LearningTask, seeds: Sequence[int] | None = None, **overrides: Any) -> Any:
        """Load what a task is played on; overrides are those of `hive.load`, as far as the kind has them.

        Args:
            task: The task.
            seeds: Seeds of generated worlds; None: those of training. Other worlds have no use for them.
            **overrides: Settings by name.

        Raises:
            UserError: An override is unknown, or a number is out of range.
        """

    def make_task_env(self, task: LearningTask, *, sparse: bool, seeds: Sequence[int] | None, **overrides: Any) -> Env:
        """Make the environment; `seeds` are those of the maps, where `LearningTask.mapped`.

        Raises:
            UserError: An override is unknown, or a number is out of range.
        """

    def task_facts(self, task: LearningTask) -> list[tuple[str, str]]:
        """Return what a reader wants to know of a task: what is asked, and the answer."""


def only(name: str, overrides: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse overrides that a kind of task does not have.

    Args:
        name: What messages call the world, with an article.
        overrides: What was given.
        known: The names of those that there are.

    Raises:
        UserError: There is another one.
    """
    for other in sorted(overrides.keys() - set(known)):
        there = f"{listing(known, 'and')} can be set" if known else "there are none"
        raise UserError(f"{name} has no setting `{other}`\n  = help: {there}")


def count_units(groups: Iterable[tuple[str, int]]) -> str:
    """Return groups of units in words, those of one type together: `5 spearmen, 5 archers`."""
    total: dict[str, int] = {}
    for kind, count in groups:
        total[kind] = total.get(kind, 0) + count
    return ", ".join(f"{count} {unit_words(kind, count)}" for kind, count in total.items() if count)

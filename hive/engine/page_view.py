"""A running game as the live page sees it: one tick of it, and what every kind of world does to show its ticks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import jax

from hive.engine.course import PlanTable
from hive.engine.episode import Observer
from hive.engine.live import LiveGame
from hive.engine.types import Plan, State
from hive.engine.world import EngineWorld
from hive.kit.view.frame import Frame

W = TypeVar("W", bound=EngineWorld)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One tick of a game.

    Attributes:
        frame: What browsers draw.
        outcome: How the game stands after the tick.
        alive: Live units by side and type.
        steps: `StepState` of each step of the plan in force.
        score: The player's score; None where it has none.
        fought: Whether a unit attacked in the tick; in a wildfire, whether the team sees a cell that burns.
        counts: Further numbers for curves: in a wildfire the cells that burn and those that the team has explored.
    """

    frame: Frame
    outcome: str
    alive: list[list[int]]
    steps: list[int]
    score: float | None
    fought: bool
    counts: tuple[int, ...] = ()

    @property
    def tick(self) -> int:
        """Its tick."""
        return self.frame.tick

    @property
    def point(self) -> list[float | None]:
        """Its point of the curves: tick, live units of player and enemy, score, and `counts`."""
        player, enemy = (sum(kinds) for kinds in self.alive)
        return [self.tick, player, enemy, self.score, *self.counts]


class PageView(ABC, Generic[W]):
    """One world of kind W as the page sees it.

    Attributes:
        kind: Kind of the world: `battle` or `fire`.
        contact: What the first contact is.
        watch: What the engine keeps of each tick.
        terrain: The picture of the map as a `data:` URL; None: the page draws the map from the codes of its cells.
        data: The arrays that `meta` lists as `arrays`, in base64.
    """

    kind: ClassVar[str]
    contact: ClassVar[str]
    watch: Observer
    terrain: str | None
    data: str

    def __init__(self, world: W) -> None:
        """Keep the world."""
        self._world = world
        self.hidden = False  # whether the enemy's plans are not shown

    def table(self, live: LiveGame) -> PlanTable:
        """Describe what commands the units now."""
        return PlanTable.of(self._world, live.plan, live.own_sizes, live.enemy_plan, self.hidden)

    def table_of(self, plan: Plan) -> PlanTable:
        """Describe a plan that is not followed yet."""
        sizes = plan.exists.shape[0], plan.tree.shape[0]
        return PlanTable.of(self._world, plan, sizes, hidden=self.hidden)

    def now(self, live: LiveGame, table: PlanTable, line: int) -> Snapshot:
        """Return the game's present tick, before the units decide."""
        rows = jax.tree.map(lambda leaf: leaf[None], live.look(self.watch))
        return self.snapshots(rows, 1, table, line)[0]

    @abstractmethod
    def meta(self) -> dict[str, Any]:
        """Return the static part of a replay's `meta`; `arrays` says where in `data` each array lies."""

    @abstractmethod
    def markers(self, world: W) -> dict[str, list[int]]:
        """Return the markers of the world as it is told now."""

    @abstractmethod
    def snapshots(self, seen: Any, count: int, table: PlanTable, line: int) -> list[Snapshot]:
        """Return the ticks that the engine has played.

        Args:
            seen: What `watch` returned, from `LiveGame.play_watched`.
            count: How many of its rows are real.
            table: What commanded the units meanwhile.
            line: Number of the line of the game.
        """

    @abstractmethod
    def start(self, state: State, line: int) -> Snapshot:
        """Return tick 0 of a game that has no plan yet."""

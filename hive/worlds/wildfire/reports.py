"""Commanders of crews, which read reports and write plans, and the contents of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.engine.crews.frames import passengers
from hive.engine.types import Params, State
from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.maps.host_places import TaskPlaces
from hive.worlds.wildfire.maps.site import Site
from hive.worlds.wildfire.task_text import known


class DescribedLevel(Protocol):
    """What is told of a level: its facts, whose owner is `hive.worlds.wildfire.world.Fireground`."""

    @property
    def site(self) -> Site:
        """Level, map and places."""

    @property
    def shared(self) -> bool:
        """Whether its team shares one explored map."""

    @property
    def params(self) -> Params:
        """The same as arrays."""

    @property
    def chance(self) -> float | None:
        """Chance to catch fire, per unit of ratio; None: a threshold decides."""

    @property
    def burnt_kills(self) -> bool:
        """Whether burnt ground kills firefighters."""

    @property
    def behaviours(self) -> Sequence[str]:
        """Behaviours that a plan may name."""

    @property
    def prompt(self) -> int:
        """Version of the prompt that describes it."""

    @property
    def briefing(self) -> str:
        """The task in words."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that a commander may know: the task, the team's explored map, and the state of its units.

    Attributes:
        level: The level's public numbers, without its seeds.
        known: Places that the task text gives.
        tick: Steps of 100 frames so far.
        seen: `[X, Y]` codes of the explored map (`hive.engine.crews.explored`), uint8, 0 in unseen cells.
        kind: `[N]` 0 firefighter, 1 bulldozer, 2 drone, 3 helicopter.
        cell: `[N, 2]` cell of each unit.
        alive: `[N]`.
        water: `[N]` 0 to 5.
        carrying: `[N]` civilians that a firefighter carries, firefighters that a helicopter carries.
        aboard: `[N]` the helicopter that a firefighter is in, or -1.
    """

    level: Level
    known: TaskPlaces
    tick: int
    seen: NDArray[np.uint8]
    kind: NDArray[np.int32]
    cell: NDArray[np.int32]
    alive: NDArray[np.bool_]
    water: NDArray[np.int32]
    carrying: NDArray[np.int32]
    aboard: NDArray[np.int32]


class Commander(Protocol):
    """Commands one game; a new one is made for each."""

    every: int
    """Ticks from one plan to the next."""

    def plan(self, report: Report) -> str:
        """Return the text of the plan to follow from now on."""


def report(world: DescribedLevel, state: State) -> Report:
    """Return what a commander may know of a state.

    Raises:
        UserError: Each unit has its own explored map.
    """
    if not world.shared:
        raise UserError("a commander reads the map that its team shares\n  = help: load the level with `shared=True`")
    assert state.crew is not None
    crew = state.crew
    bearer = np.asarray(crew.bearer)
    burden = np.bincount(bearer[bearer >= 0], minlength=len(state.alive)) + np.asarray(passengers(state))
    return Report(
        level=world.site.level.told,
        known=known(world.site),
        tick=int(state.tick),
        seen=np.asarray(crew.seen),
        kind=np.asarray(world.params.units.type),
        cell=np.asarray(state.position).astype(np.int32),
        alive=np.asarray(state.alive),
        water=np.asarray(crew.water),
        carrying=burden,
        aboard=np.asarray(crew.aboard),
    )

"""The contract between a kind of world and its host (the command line or a web page): what every kind of world offers.

A kind of world (battles, wildfires, kitchen orders, rescues, households) implements `Kind` and has one row in
`hive.worlds`. What plans command offers what `hive.kit.planned_world` states, what agents play what
`hive.kit.team_world` states, and `hive.kit.unplanned` has the answers of a kind that no plan commands. The errors that
are stated here hold for every implementation, whose docstrings need not repeat them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

import dsl
from hive.kit.planned_world import Request, Run, World
from hive.kit.reporting import Scene
from hive.kit.team_world import TeamRequest, TeamWorld


class Kind(Protocol):
    """One kind of world, which a row of `hive.worlds` names."""

    @property
    def noun(self) -> str:
        """The name for one such world, such as `wildfire level`."""

    @property
    def beat(self) -> str:
        """The word for the shortest time in which something happens in such a world, such as `tick` or `step`."""

    @property
    def planned(self) -> bool:
        """Whether plans command its worlds; see `hive.kit.unplanned`."""

    @property
    def sized(self) -> bool:
        """Whether `Request.units` sets the size of its teams."""

    @property
    def compared(self) -> bool:
        """Whether commands that compare plans or explain them take its worlds: `hive sweep`, `improve`, `explain`."""

    @property
    def seeded(self) -> bool:
        """Whether a seed gives the map of one of its worlds; all these maps have arrays of the same shapes."""

    @property
    def foreign(self) -> Collection[str]:
        """Attributes of a `Request` that its worlds do not have: a request that sets one is refused."""

    @property
    def undescribed(self) -> Collection[str]:
        """Further attributes that `describe` refuses, because its worlds look the same with all their values."""

    @property
    def readable(self) -> bool:
        """Whether rules read orders in plain words for its worlds; see `hive.engine.world.ReadableWorld`."""

    @property
    def acting(self) -> str:
        """How agents of its worlds act, see `TeamWorld.acting`; empty where no agents play."""

    @property
    def pictured(self) -> bool:
        """Whether its agents draw what they see: what `team_world` returns is a `PicturedWorld`."""

    @property
    def notes(self) -> str:
        """What the help of `hive run` says about its worlds alone: their settings and players; may be empty."""

    def claims(self, name: str) -> bool:
        """Return whether a name or path belongs to this kind."""

    def names(self) -> Sequence[str]:
        """Return the names of the shipped worlds, as `hive.load` takes them."""

    def members(self, name: str) -> Sequence[str]:
        """Return the worlds that a name stands for: itself alone, or several, which agents play one after another."""

    def version(self, name: str) -> int:
        """Return the version of one of its worlds, from 1: it rises whenever the results of that world change.

        Raises:
            UserError: There is no such world.
        """

    def set_summary(self, name: str) -> str | None:
        """Return in one line what a named set of its worlds is; None where a name or path is that of no set.

        Raises:
            UserError: It looks like the name of a set and there is none, or its file has errors.
        """

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """Return what is shipped, by section; each entry has a `name` and a readable `line` in addition to its data."""

    def context(self, request: Request, side: int) -> tuple[dsl.PlanContext, str]:
        """Return the context in which plans of a side are checked, without loading arrays, and a line that names it.

        Raises:
            UserError: The world, one of its changes or the side does not exist, or no plan commands this kind of world.
        """

    def load(self, request: Request) -> tuple[World, int]:
        """Return the world with its changes, and the seed of the requested game.

        Raises:
            UserError: Anything is wrong with the request, or an option that this kind does not have is set.
        """

    def own_plan(self, request: Request) -> str | None:
        """Return the text of the world's own plan, so that a commander without a model can answer for any world.

        It is written for the sizes of `request.written_for`, else for the armies that a description shows: check it
        with `World.context(0, sizes)` for these, not for the sizes that the scenario's file names.

        Returns:
            The plan, or None if the world has none. For a world that a commander plays it is the first plan of the
            requested commander, else of the scripted one, on the map of the requested seed.

        Raises:
            UserError: Anything is wrong with the request.
        """

    def describe(self, request: Request, tick: int) -> Scene:
        """Play the requested plan up to a tick and describe the game in words.

        Raises:
            UserError: Anything is wrong with the request or its plan.
        """

    def prepare(self, request: Request) -> Run:
        """Check everything that a run needs.

        Raises:
            UserError: Anything is wrong with the request.
        """

    def team_world(self, request: TeamRequest) -> TeamWorld:
        """Return worlds of this kind for a team of agents.

        Raises:
            UserError: Anything is wrong with the request, or this kind of world has no agents.
        """

"""Orders of the kitchen on the host: names, the list of what is shipped, and an order in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hive.kit.planned_world import Request
from hive.kit.reporting import Scene
from hive.kit.team_world import TeamRequest, TeamWorld
from hive.kit.unplanned import Unplanned
from hive.worlds.kitchen.tasks import ACTING, tasks

PREFIX = "kitchen/"
"""First part of the names of orders among other worlds."""


class Kitchens(Unplanned):
    """The kind of orders of the kitchen, named `kitchen/` with an order."""

    noun, beat, acting = "kitchen order", "timestep", ACTING
    notes = """\
Settings for --set: cookbook, layout, order_probability and timesteps (a stream of orders, docs/kitchen.md),
and the switches of docs/rules/kitchen.md 7.1."""

    def claims(self, name: str) -> bool:
        """Names that begin with `kitchen/` are orders; files in a folder of that name are not."""
        return name.startswith(PREFIX) and not name.endswith(".toml")

    def names(self) -> list[str]:
        """The published orders."""
        return [f"{PREFIX}{order}" for order in tasks()]

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """The published orders."""
        return {
            "orders": [
                {
                    "name": f"{PREFIX}{each.order}",
                    "line": f"level {each.level}: {each.title}",
                    "title": each.title,
                    "level": each.level,
                }
                for each in tasks().values()
            ]
        }

    def team_world(self, request: TeamRequest) -> TeamWorld:
        """Return worlds for a team of agents; see `hive.kit.contract.Kind`."""
        from hive.worlds.kitchen.teams import KitchenTeams

        return KitchenTeams(replace(request, worlds=[name.removeprefix(PREFIX) for name in request.worlds]))

    def describe(self, request: Request, tick: int) -> Scene:
        """Describe an order at its start, as its cooks know it; see `hive.kit.contract.Kind`."""
        self.refuse_game(request, tick, "a game with every timestep")
        from hive.worlds.kitchen.agents.describing import describe

        return describe(request.scenario.removeprefix(PREFIX))

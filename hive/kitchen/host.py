"""Orders of the kitchen on the host: names, the list of what is shipped, and an order in words."""

from __future__ import annotations

from typing import Any

from dsl import UserError
from hive.contract import Request, Scene, Unplanned
from hive.kitchen.tasks import tasks

PREFIX = "kitchen/"
"""First part of the names of orders among other worlds."""

_NOT_HERE = {
    "plan": "--plan",
    "swaps": "--swap",
    "units": "--units",
    "numbers": "--set",
    "markers": "--marker",
    "seed": "--seed",
    "fire_rules": "--rules",
    "rules_text": "--rules-text",
    "printed_speeds": "--printed-speeds",
    "map_picture": "--map-picture",
}


class Kitchens(Unplanned):
    """The kind of orders of the kitchen, named `kitchen/` with an order."""

    noun = "kitchen order"
    command = "kitchen play"

    def claims(self, name: str) -> bool:
        """Names that begin with `kitchen/` are orders; files in a folder of that name are not."""
        return name.startswith(PREFIX) and not name.endswith(".toml")

    def names(self) -> list[str]:
        """The published orders."""
        return [f"{PREFIX}{order}" for order in tasks()]

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """The published orders, by the names that `hive kitchen` takes."""
        return {
            "orders": [
                {
                    "name": each.order,
                    "line": f"level {each.level}: {each.title}",
                    "title": each.title,
                    "level": each.level,
                }
                for each in tasks().values()
            ]
        }

    def describe(self, request: Request, tick: int) -> Scene:
        """Describe an order at its start, as its cooks know it; see `hive.contract.Kind`."""
        why = f"{request.scenario} is an order of the kitchen, described at its start"
        request.refuse(_NOT_HERE, why, "another order has another name")
        if tick:
            order = request.scenario.removeprefix(PREFIX)
            help = f"`hive kitchen play {order} --out FOLDER` keeps a game with every timestep"
            raise UserError(f"`--tick` cannot be used here: {why}\n  = help: {help}")
        from hive.kitchen.agents.describing import describe

        return describe(request.scenario.removeprefix(PREFIX))

    def refusal(self, scenario: str) -> UserError:
        """Return what is raised when an order is named where plans are played; `hive kitchen` takes its bare name."""
        order = scenario.removeprefix(PREFIX)
        help = f"`hive {self.command} {order}` plays it, and `hive describe {PREFIX}{order}` tells what it is"
        return UserError(f"{scenario} is a {self.noun}, which agents play and no plan commands\n  = help: {help}")

"""What a client asks for, checked: shipped worlds and plans by name, plans as text, nothing by path."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import dsl
import scenarios
from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest, quoted
from hive.engine.plan.rescale import rescale_plan
from hive.engine.types import PLAYER
from hive.engine.world import EngineWorld
from hive.kit.contract import Kind
from hive.kit.plan_text import PlanText
from hive.kit.planned_world import Request
from hive.mcp.limits import NAME, SIDE, Limits, check_most, check_whole
from hive.worlds import kinds, without_version

_NAME = re.compile(r"[\w./\\~:-]+")  # of a plan: what has neither blanks nor brackets is no text
_CROWDS = ("firefighters", "bulldozers", "drones", "helicopters", "civilians")
_SEEDS = 2**32
_MOST_RULES = 50


@dataclass(frozen=True)
class RequestedWorld:
    """A world that a client asked for.

    Attributes:
        kind: Its kind.
        request: The request, without a plan. Plans are written for the units of the game, whatever its size.
        world: What is played.
        seed: The seed of its game.
    """

    kind: Kind
    request: Request
    world: EngineWorld
    seed: int

    def source(self, plan: str | None, limits: Limits) -> str:
        """Return a shipped plan's name or the text of a plan, for the units of this game.

        Args:
            plan: As the client gave it; None: the scenario's own.
            limits: The server's limits.

        Raises:
            UserError: There is no such plan, the text is too long, or a shipped plan does not fit this world.
        """
        given = self.world.plan if plan is None else plan
        if given is None:
            raise UserError(f"{self.world.name} has no plan of its own: give the text of a plan, or a shipped name")
        check_most("the longest plan", len(given), limits.plan, "character")
        name = given.strip()
        if name not in scenarios.plans():
            if _NAME.fullmatch(name) or not name:
                raise UserError(_no_plan(name))
            return f"{given}\n"  # a text has a line break, which tells it from a path
        if self.request.written_for is None:
            return name
        written, sizes = self.world.written_for, self.world.sizes
        node = dsl.parse_plan(scenarios.plan(name), f"{name}.plan", self.world.context(PLAYER))
        return dsl.format_plan(rescale_plan(node, (written[0], sizes[0]), (written[1], sizes[1])))

    def read(self, source: str) -> PlanText:
        """Check a plan that `source` returned."""
        written = self.request.written_for
        return PlanText.read(source, self.world.context(PLAYER, written), written_for=written)


def ask(
    limits: Limits,
    scenario: str,
    *,
    units: int | None = None,
    rules: Mapping[str, float] | None = None,
    seed: int | None = None,
    seeds: int | None = None,
) -> RequestedWorld:
    """Load what a client asks for.

    Raises:
        UserError: There is no such world, number or rule, or a limit is exceeded.
    """
    scenario = without_version(scenario)
    kind = kind_of(scenario)
    if not kind.planned:
        raise UserError(
            f"{scenario} is a {kind.noun}, which agents play and no plan commands\n"
            "  = help: `take_seat` makes you one of them, and `watch_team` lets others play"
        )
    if units is not None:
        if not kind.sized:
            raise UserError(
                f"{scenario} is a {kind.noun}, and `units` is for battles\n"
                '  = help: change its numbers with `rules`, as in {"firefighters": 20}'
            )
        check_whole("units", units, 1)
        check_most("the largest game", units, limits.units, "unit")
    check_seed(seed)
    if seeds is not None:
        check_whole("seeds", seeds, 1)
        check_most("the largest batch", seeds, limits.seeds, "game")
    numbers = _numbers(rules or {})
    if not kind.sized:
        for name, value in numbers:
            check_most("the largest game", value if name in _CROWDS else 0, limits.units, "unit")
            check_most("the largest map", value if name == "size" else 0, SIDE, "cell")
    request = Request(scenario=scenario, units=units, numbers=numbers, seed=seed, seeds=seeds)
    loaded, own = kind.load(request)
    world = cast(EngineWorld, loaded)  # the engine plays all worlds that plans command
    check_most("the largest game", sum(world.sizes), limits.units, "unit")
    if world.sizes != world.written_for:
        request = replace(request, written_for=world.sizes)
    return RequestedWorld(kind, request, world, own)


def check_seed(seed: int | None) -> int | None:
    """Return a seed.

    Raises:
        UserError: It is out of range.
    """
    if seed is not None and not 0 <= seed < _SEEDS:
        raise UserError(f"`seed` is a whole number from 0 to {_SEEDS - 1:,}, not {seed}")
    return seed


def kind_of(name: str) -> Kind:
    """Return the kind of a shipped world.

    Raises:
        UserError: No shipped world has this name.
    """
    every = {known: kind for kind in kinds().values() for known in kind.names()}
    if name not in every:
        short = next((known for known in every if known.split("/", 1)[1:] == [name]), None)
        advice = did_you_mean(short or nearest(name, every)) or "`list_shipped` has the names"
        raise UserError(f"there is no world {quoted(name)}\n  = help: {advice}")
    return every[name]


def _numbers(rules: Mapping[str, float]) -> list[tuple[str, float]]:
    check_most("the most rules in one call", len(rules), _MOST_RULES, "rule")
    for name, value in rules.items():
        if len(name) > NAME:
            raise UserError(f"there is no rule {quoted(name)}\n  = help: `describe` lists the rules")
        if not math.isfinite(value):
            raise UserError(f"the rule `{name}` is a number, not {value}")
    return [(name, int(value) if float(value).is_integer() else value) for name, value in rules.items()]


def _no_plan(name: str) -> str:
    if not name:
        return "the plan is empty: give the text of a plan, or a shipped name"
    mine = [known for known in scenarios.plans() if not known.endswith("_enemy")]
    near = did_you_mean(nearest(name, mine)) or f"shipped plans are {listing(mine, 'and')}"
    return f"there is no shipped plan {quoted(name)}\n  = help: {near}; or give the text of a plan"

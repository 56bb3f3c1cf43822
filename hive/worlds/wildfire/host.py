"""Wildfire levels on the host: loading with changes, describing, playing, and keeping games in a run folder."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import dsl
from dsl import UserError
from dsl.vocabulary import CREW_BEHAVIOURS, CREW_TYPES
from dsl.wording import plural
from hive.kit.plan_text import PlanText, tree_entries
from hive.kit.planned_world import Request
from hive.kit.reporting import Scene
from hive.kit.team_world import TeamRequest, TeamWorld
from hive.worlds.wildfire.levels import ACTING, ALL_LEVELS, PREFIX, VERSION, Level, levels
from hive.worlds.wildfire.methods import COMMANDERS

if TYPE_CHECKING:
    from hive.worlds.wildfire.running import LevelRun
    from hive.worlds.wildfire.world import Fireground

_ADVICE = "numbers of a level are changed with --set, as in `--set firefighters=20 --set limit=50`"


class Levels:
    """The kind of wildfire levels, named `wildfire/` and a level's id."""

    noun, beat = "wildfire level", "tick"
    planned = seeded = pictured = True
    sized = compared = readable = False
    foreign = (
        *("units", "markers", "every", "enemy_swaps", "lenient", "written_for"),
        *("printed_speeds", "map_picture"),  # levels have true speeds only, and a map of what was seen
    )
    undescribed = ()
    acting = ACTING
    notes = """\
The seed also determines the map, and a commander writes a new plan every few ticks from what its crew has
seen; --plan plays one plan instead. `wildfire/all` plays all levels one after another, and with players such
as team:camon it ends in their competency at each behaviour (`hive competency`). With --rules published, fires
start and burn as in the published runs, so scores can be compared with theirs. A team may play a level, and
so may the player `plans`, one commander that writes plans for the complete crew and changes them after some
steps or on events.

Frameworks of team:FRAMEWORK are camon, coela, embodied, hmas2 and nothing. Numbers for --set: firefighters,
bulldozers, drones, helicopters, size, offset (of the vegetation), limit, civilians (in a group), chance (to
catch fire, per unit of ratio; without it a threshold decides), burnt_kills (1 or 0: whether burnt ground
kills firefighters); where a team plays also own_maps (1: each agent has its own explored map; 0: the team
shares one).

A level ends only with win (the best score is reached, or the fire to be fought is out) or timeout. The run
folder holds every plan as plans/SEED/TICK.plan, where a team plays scores.jsonl, which `hive competency`
reads, and of the player `plans` its orders.jsonl."""

    def claims(self, name: str) -> bool:
        """Names that begin with `wildfire/` are levels; files in a folder of that name are not."""
        return name.startswith(PREFIX) and not name.endswith(".toml")

    def names(self) -> list[str]:
        """Published levels."""
        return [level.name for level in levels().values()]

    def members(self, name: str) -> list[str]:
        """Return all levels for `wildfire/all`; see `hive.kit.contract.Kind`."""
        return self.names() if name == ALL_LEVELS else [name]

    def version(self, name: str) -> int:
        """Return the version of all levels."""
        return VERSION

    def set_summary(self, name: str) -> None:
        """Return None: there are no sets of levels."""

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """Published levels, commanders and the trees of crews."""
        return {
            "levels": [_level_entry(level) for level in levels().values()],
            "commanders": [{"name": name, "line": text, "text": text} for name, text in COMMANDERS.items()],
            "crew_trees": tree_entries(CREW_BEHAVIOURS),
        }

    def context(self, request: Request, side: int) -> tuple[dsl.PlanContext, str]:
        """Return the context in which plans of a crew are checked, and a line that names it."""
        if side:
            raise UserError(f"{request.scenario} is a wildfire level, which has no enemy\n  = help: leave out --side")
        world, _ = self.load(request)
        return world.context(), f"checked for a crew of {world.sizes[0]} in {world.name}"

    def load(self, request: Request) -> tuple[Fireground, int]:
        """Return the level on the map of a seed; see `hive.kit.contract.Kind`."""
        from hive.worlds.wildfire.world import load_level, numbers_of

        _refuse(request)
        world = load_level(request.scenario, request.seed, **numbers_of(request))
        if request.prompt_version is not None:
            world = replace(world, prompt=request.prompt_version)
        return world, world.site.seed

    def own_plan(self, request: Request) -> str:
        """Return the first plan of a commander; see `hive.kit.contract.Kind`."""
        from hive.worlds.wildfire.commanders import commander_for
        from hive.worlds.wildfire.games import first_plan

        world, _ = self.load(request)
        return first_plan(world, commander_for(world.site.level, request.commander or "scripted"))

    def describe(self, request: Request, tick: int) -> Scene:
        """Describe a game of one plan at a tick in words; see `hive.kit.contract.Kind`."""
        from hive.engine.instant import scene

        world, seed = self.load(request)
        if tick and request.plan is None:
            raise UserError(f"{world.name} has no plan of its own: name one with --plan, or describe it at tick 0")
        text = None if request.plan is None else PlanText.read(request.plan, world.context())
        return scene(world, text, seed, tick, describe=partial(world.describe, rules=request.rules_text))

    def prepare(self, request: Request) -> LevelRun:
        """Check the level or all levels, the settings and the commander; see `hive.kit.contract.Kind`."""
        from hive.worlds.wildfire.running import LevelRun, plan_orders

        _refuse(request)
        ticked = self._texts(request)
        return LevelRun(request, ticked, plan_orders(request, ticked))

    def team_world(self, request: TeamRequest) -> TeamWorld:
        """Return levels for a team of agents; see `hive.kit.contract.Kind`."""
        from hive.worlds.wildfire.teams import LevelTeams

        return LevelTeams(request)

    def _texts(self, request: Request) -> list[tuple[int, PlanText]]:
        """Return the plans that are named with the ticks from which they hold, checked against the level."""
        if request.plan is None:
            request.refuse(["swaps"], "a commander writes the plans", "name the first plan with --plan")
            return []
        if request.commander is not None:
            raise UserError("a level is played by a plan or by a commander: leave out --plan or --commander")
        if request.scenario == ALL_LEVELS:
            raise UserError(
                f"a plan is written for one level, and {ALL_LEVELS} means all levels\n  = help: name one level"
            )
        context = self.load(request)[0].context()
        ticked = [(0, PlanText.read(request.plan, context))]
        for tick, source in request.later_plans():
            ticked.append((tick, PlanText.read(source, context)))
            if ticked[-1][1].text == ticked[-2][1].text:
                raise UserError(
                    f"the plan for tick {tick} is the one that the crew follows already\n"
                    "  = help: leave it out, or name another plan"
                )
        return ticked


def _refuse(request: Request) -> None:
    """Refuse options that levels do not have."""
    request.refuse(Levels.foreign, f"{request.scenario} is a wildfire level", _ADVICE)


def _level_entry(level: Level) -> dict[str, Any]:
    crew = {kind: count for kind, count in zip(CREW_TYPES, level.agents, strict=True) if count}
    size, seeds = level.size, plural(len(level.seeds), "published seed")
    units = ", ".join(plural(count, kind) for kind, count in crew.items())
    return {
        "name": level.name,
        "line": f"{level.title}: {units} on {size} x {size} cells, {seeds}",
        "title": level.title,
        "crew": crew,
        "map": size,
        "limit": level.limit,
        "best": level.best,
        "seeds": list(level.seeds),
    }

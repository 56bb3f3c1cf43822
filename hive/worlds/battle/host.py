"""Battles on the host: loading with changes, describing, playing, and keeping games in a run folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import dsl
import scenarios
from dsl import UserError
from dsl.vocabulary import CREW_BEHAVIOURS
from hive.engine.plan.rescale import rescale_plan
from hive.kit.plan_text import PlanText, plan_text, tree_entries
from hive.kit.planned_world import PUBLISHED, Request
from hive.kit.reporting import Scene
from hive.kit.team_world import TeamRequest
from hive.worlds.battle.catalogue import plan_entries, scenario_entry, set_entry
from hive.worlds.battle.drawn.classes import CLASSES, PREFIX
from hive.worlds.battle.drawn.sets import is_set, read_set
from hive.worlds.battle.finding import find_scenario
from hive.worlds.battle.scenario import Scenario, load_scenario, with_markers
from hive.worlds.battle.scenario.schema import ScenarioRules

if TYPE_CHECKING:
    from hive.worlds.battle.running import BattleRun
    from hive.worlds.battle.world import Battle

_NO_TEAMS = (
    "whose units follow a plan or a policy, so it has no teams and no seats\n"
    "  = help: --player takes plan, commander:NAME, policy:FOLDER, random and stand here; `hive ask` and `hive serve` "
    "let you command it; teams play the other worlds of `hive list all`"
)


class Battles:
    """The kind of battles: scenario files, shipped or the user's own, and battles that are drawn from a seed."""

    noun, beat = "battle", "tick"
    planned = sized = compared = readable = True
    seeded = pictured = False
    foreign = ("commander", "method", "fire_rules", "rules_text")
    undescribed = ()
    acting = notes = ""

    def claims(self, name: str) -> bool:
        """Every name and path that no other kind claims belongs to a scenario file."""
        return True

    def names(self) -> tuple[str, ...]:
        """Shipped scenarios."""
        return scenarios.names()

    def members(self, name: str) -> Sequence[str]:
        """Return the name alone; see `hive.kit.contract.Kind`."""
        return (name,)

    def version(self, name: str) -> int:
        """Return the version that a scenario's file names, or that of the generator of drawn battles."""
        return find_scenario(name).version

    def set_summary(self, name: str) -> str | None:
        """Return the summary of a set of drawn battles, shipped or in a file."""
        return read_set(name).summary if is_set(name) else None

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """Shipped scenarios, classes and sets of drawn battles, plans and trees."""
        loaded = {name: load_scenario(name) for name in scenarios.names()}
        drawn = [{"name": f"{PREFIX}{name}/SEED", "line": about, "summary": about} for name, about in CLASSES.items()]
        return {
            "scenarios": [scenario_entry(name, scenario) for name, scenario in loaded.items()],
            "drawn": drawn,
            "sets": [set_entry(read_set(name)) for name in scenarios.sets()],
            "plans": plan_entries(loaded),
            "trees": tree_entries([name for name in scenarios.trees() if name not in CREW_BEHAVIOURS]),
        }

    def context(self, request: Request, side: int) -> tuple[dsl.PlanContext, str]:
        """Return the context in which plans of a side are checked, and a line that names it."""
        scenario = self._scenario(request)
        written = request.written_for or scenario.written_for
        own = (scenario.player, scenario.enemy)[side]
        note = f"checked for {written[side]} units against {written[1 - side]} in {scenario.name}"
        if own.count != written[side]:
            note += f"; `hive run` rescales the plan to {own.count} units"
        return scenario.context(side, written), note

    def load(self, request: Request) -> tuple[Battle, int]:
        """Return the battle with its changes, and the seed of the requested game; see `hive.kit.contract.Kind`."""
        from hive.worlds.battle.briefing import VERSION, Wording
        from hive.worlds.battle.world import Battle

        request.refuse(self.foreign, f"{request.scenario} is a battle", "these are for wildfire levels")
        if request.seeds == PUBLISHED:
            raise UserError(
                f"only wildfire levels have published seeds, and {request.scenario} is a battle\n"
                "  = help: give a number of games, as in `--seeds 10`"
            )
        wording = Wording(request.printed_speeds, request.map_picture, request.prompt_version or VERSION)
        return Battle(self._scenario(request), wording), request.seed or 0

    def own_plan(self, request: Request) -> str | None:
        """Return the scenario's plan for the player, rescaled to the armies; see `hive.kit.contract.Kind`."""
        scenario = self._scenario(request)
        if scenario.player.plan is None:
            return None
        text, name = plan_text(scenario.player.plan)
        sizes = request.written_for or (scenario.player.count, scenario.enemy.count)
        player, enemy = zip(scenario.written_for, sizes, strict=True)
        if player[0] == player[1] and enemy[0] == enemy[1]:
            return text
        context, _ = self.context(replace(request, written_for=None), 0)
        return dsl.format_plan(rescale_plan(dsl.parse_plan(text, name, context), player, enemy)) + "\n"

    def describe(self, request: Request, tick: int) -> Scene:
        """Describe a game at a tick in words; see `hive.kit.contract.Kind`."""
        from hive.engine.instant import scene
        from hive.engine.reading import rescaled

        world, seed = self.load(request)
        text = read_plan(request, world) if tick or request.plan is not None else None
        return scene(world, text, seed, tick, rescaled(world, request.written_for))

    def prepare(self, request: Request) -> BattleRun:
        """Check the scenario, its changes and the plans; see `hive.kit.contract.Kind`."""
        from hive.worlds.battle.running import BattleRun

        world, seed = self.load(request)
        later = [(tick, _read(source, request, world)) for tick, source in request.later_plans()]
        texts = [(0, read_plan(request, world)), *later]
        theirs = [(tick, _read(source, request, world, 1)) for tick, source in request.later_plans(enemy=True)]
        seeds = range(request.seeds) if isinstance(request.seeds, int) else [seed]
        return BattleRun(request, world, texts, seeds, theirs)

    def team_world(self, request: TeamRequest) -> NoReturn:
        """Refuse: the units of a battle follow plans (see `hive.kit.contract.Kind`)."""
        raise UserError(f"{request.worlds[0]} is a battle, {_NO_TEAMS}")

    def _scenario(self, request: Request) -> Scenario:
        changes = request.changes(ScenarioRules.__struct_fields__, "rule")
        if request.units is not None:
            changes["units"] = request.units
        scenario = find_scenario(request.scenario, **changes)
        for letter, count in Counter(letter for letter, _ in request.markers).items():
            if count > 1:
                raise UserError(f"the marker {letter} is set {count} times\n  = help: set each marker once")
        return with_markers(scenario, dict(request.markers)) if request.markers else scenario


def read_plan(request: Request, world: Battle) -> PlanText:
    """Read the player's plan and check it against the team sizes that it was written for.

    Raises:
        UserError: There is no such plan, or none was named and the scenario has none.
    """
    source = world.plan if request.plan is None else request.plan
    if source is None:
        raise UserError(f"the scenario {world.name} has no plan of its own: name one with --plan")
    return _read(source, request, world)


def _read(source: str | Path, request: Request, world: Battle, side: int = 0) -> PlanText:
    written = request.written_for
    return PlanText.read(source, world.context(side, written), request.lenient, written)

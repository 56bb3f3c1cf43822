"""A battle: a scenario file as a world to play, and its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import dsl
from dsl.vocabulary import SIDES
from hive.engine.batch.capacity import UNITS
from hive.engine.batch.mixed import tier_of, to_tier
from hive.engine.padding import unpad_state
from hive.engine.plan.arrays import compile_plan
from hive.engine.reading import read_behaviours, read_plan
from hive.engine.spawning import reset
from hive.engine.types import (
    ENEMY,
    PLAYER,
    Blaze,
    Boxes,
    Goal,
    GoalKind,
    Goals,
    Params,
    Plan,
    Rules,
    State,
    Units,
    UnitTypes,
)
from hive.engine.units.leaves import UNIT_TYPES
from hive.ground.fire import make_fire, make_fuel
from hive.ground.shapes import Ground
from hive.ground.terrain import make_terrain
from hive.kit.facts import Facts, Feature
from hive.kit.keep.versions import versioned
from hive.kit.reporting import Description
from hive.worlds.battle.briefing import TRUE, Wording, describe
from hive.worlds.battle.facts import battle_facts, map_features
from hive.worlds.battle.finding import find_scenario
from hive.worlds.battle.rules import rule_rows
from hive.worlds.battle.scenario import Scenario
from hive.worlds.battle.scenario.model import HOLD, Side

METRES = "metres from the objective, lower is better"
SCORE_IS = {
    "elimination": "share of enemies eliminated",
    "position": "share of the units needed that are at the objective",
    "survive": "share of the ticks to survive that have passed",
}

_KINDS = {"elimination": GoalKind.ELIMINATION, "position": GoalKind.POSITION, "survive": GoalKind.SURVIVAL}
_MOISTURE = 0.6  # moisture of every cell that can burn in a battle (docs/rules/wildfire_levels.md 1.1)


@dataclass(frozen=True)
class Battle:
    """A scenario ready to play: the scenario as read, and the arrays made from it; a `hive.World`.

    Attributes:
        scenario: The scenario as read.
        wording: How `describe` puts it into words.
    """

    scenario: Scenario
    wording: Wording = TRUE

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self.scenario.name

    @property
    def id(self) -> str:
        """Name and version of the scenario, such as `coordinate-v1`."""
        return versioned(self.scenario.name, self.scenario.version)

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return self.scenario.title

    @property
    def plan(self) -> str | None:
        """The plan that the scenario names for the player, or its text."""
        return self.scenario.player.plan

    @property
    def sizes(self) -> tuple[int, int]:
        """Units of the player and of the enemy."""
        return self.scenario.player.count, self.scenario.enemy.count

    @property
    def written_for(self) -> tuple[int, int]:
        """Team sizes (player, enemy) that the scenario's plans were written for."""
        return self.scenario.written_for

    @property
    def unit_types(self) -> tuple[str, ...]:
        """Names of the unit types."""
        return tuple(kind.name for kind in self.scenario.types)

    @property
    def score_is(self) -> str:
        """What the player's score measures."""
        side = self.scenario.player
        return METRES if side.objective.places and side.needed == 1 else SCORE_IS[side.objective.kind]

    @property
    def limit(self) -> int:
        """Ticks until a game times out."""
        return self.scenario.rules.limit

    @cached_property
    def behaviours(self) -> tuple[str, ...]:
        """Names of all trees that either side may use, in the order of their indices: those of the file come first."""
        return tuple(dict.fromkeys((*self.listed, HOLD)))

    @property
    def listed(self) -> tuple[str, ...]:
        """Names of the trees that the scenario's file lists for either side."""
        return tuple(dict.fromkeys(self.scenario.player.behaviours + self.scenario.enemy.behaviours))

    @property
    def kind(self) -> np.ndarray:
        """`[X, Y]` terrain kinds, uint8."""
        return self.scenario.map.kind

    @cached_property
    def params(self) -> Params:
        """The arrays of the scenario, including the enemy's plan; concrete, even when first read inside a trace."""
        with jax.core.eval_context():
            return _params(self)

    @cached_property
    def padded(self) -> Params:
        """The same arrays in the shapes of drawn battles with maps of this side, whose games then share programs.

        Games are the same, to the bit. A battle with a fire or with more units than a drawn one stays as it is.
        """
        size = self.params.terrain.size
        if self.params.blaze is not None or self.params.count > UNITS.get(size, 0):
            return self.params
        with jax.core.eval_context():
            return to_tier(self.params, tier_of(self.params))

    def first_state(self, seed: int) -> State:
        """Return a game before its first tick; battles of one shape share the program (see `padded`)."""
        params = self.padded.replace(enemy=None)  # whose shape differs between battles
        return unpad_state(_reset(params, jax.random.key(seed)), sum(self.sizes))

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The named parts of the map."""
        return tuple(map_features(self.scenario))

    def context(self, side: int = PLAYER, sizes: tuple[int, int] | None = None) -> dsl.PlanContext:
        """Return the context in which a plan of a side is checked.

        Args:
            side: PLAYER or ENEMY.
            sizes: Units of player and enemy that the plan was written for; None: those of the scenario's file.
        """
        return self.scenario.context(side, sizes)

    def describe(self, state: State) -> Description:
        """Describe the game in words; see `hive.worlds.battle.briefing`."""
        return describe(self.scenario, self.params, state, self.wording)

    def facts(self, state: State) -> Facts:
        """Return what a commander by rules knows; see `hive.worlds.battle.facts`."""
        return battle_facts(self.scenario, self.params, state, self.features)

    def map_png(self, state: State, form: str, size: int = 1024) -> bytes:
        """Return the map with its live units as a PNG; see `hive.worlds.battle.view.map_picture`."""
        from hive.worlds.battle.view.map_picture import draw_map_png

        return draw_map_png(self.scenario, self.params, state, form, size)

    def rule_rows(self, rules: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
        """Return every combination of values of rules; see `hive.engine.world.EngineWorld`."""
        return rule_rows(self.scenario, rules)

    def side(self, side: int) -> Side:
        """Return the side's part of the scenario."""
        return (self.scenario.player, self.scenario.enemy)[side]


def load(name_or_path: str | Path, **overrides: float) -> Battle:
    """Load a scenario.

    Args:
        name_or_path: A shipped name (`hive list`), a drawn battle such as `battle/rivers/17`, or a path to a `.toml`
            file.
        **overrides: `units` (the player's team; the enemy's is scaled alike) or a rule by name, such as `limit`.

    Returns:
        The world, ready to play.

    Raises:
        ScenarioError: A name or override is unknown, or the file has an error.
    """
    return Battle(find_scenario(name_or_path, **overrides))


_reset = jax.jit(reset)


def _params(world: Battle) -> Params:
    scenario = world.scenario
    # At once: `jnp.asarray` would compile a program for each shape.
    units, boxes, goals = jax.device_put((*_units(world), Goals.of(_goal(scenario.player), _goal(scenario.enemy))))
    return Params(
        types=UnitTypes.of(scenario.types),
        units=units,
        boxes=boxes,
        rules=Rules.of(scenario.rules),
        goals=goals,
        terrain=make_terrain(world.kind),
        behaviours=read_behaviours(world.behaviours, scenario.trees),
        enemy=_enemy(world),
        blaze=_blaze(world),
    )


def _enemy(world: Battle) -> Plan:
    source = world.scenario.enemy.plan
    if source is None:
        return compile_plan(dsl.PlanSyntax(()), ENEMY, world.sizes, world.behaviours)
    return read_plan(source, world, side=ENEMY)


def _blaze(world: Battle) -> Blaze | None:
    """Fire on level ground: one tree on each forest cell, all cells with the mean moisture of the published maps."""
    fire = world.scenario.fire
    if fire is None:
        return None
    forest = jnp.asarray(world.kind & Ground.FOREST.value != 0)
    level = jnp.zeros(forest.shape)
    start = level.astype(bool).at[tuple(np.array(fire.start).T)].set(True)
    return Blaze(
        fuel=make_fuel(level, level + _MOISTURE, jnp.asarray(fire.wind, jnp.float32), fire.chance),
        start=make_fire(forest, forest.astype(jnp.uint8), jnp.zeros_like(forest), start),
        period=jnp.int32(fire.period),
        harm=jnp.float32(fire.harm),
    )


def _units(world: Battle) -> tuple[Units, Boxes]:
    groups = [(side, group) for side in range(len(SIDES)) for group in world.side(side).units]
    count = [group.count for _, group in groups]
    boxes = {group.box: group.cells(world.scenario.map.size) for _, group in groups}  # equal boxes are one row
    free = [np.nonzero(world.kind[xs, ys] & (Ground.BUILDING | Ground.WATER) == 0) for xs, ys in boxes.values()]
    cell = np.empty((len(boxes), max(len(xs) for xs, _ in free), 2), np.int32)
    for row, corner, (xs, ys) in zip(cell, boxes.values(), free, strict=True):
        row[: len(xs), 0], row[: len(xs), 1] = xs + corner[0].start, ys + corner[1].start
        row[len(xs) :] = row[len(xs) - 1]
    number = {box: row for row, box in enumerate(boxes)}
    units: dict[str, Any] = {
        "id": np.arange(sum(count), dtype=np.int32),
        "side": np.repeat([side for side, _ in groups], count).astype(np.int32),
        "type": np.repeat([UNIT_TYPES.index(group.type) for _, group in groups], count).astype(np.int32),
        "box": np.repeat([number[group.box] for _, group in groups], count).astype(np.int32),
    }
    rows: dict[str, Any] = {"cell": cell, "count": np.array([len(xs) for xs, _ in free], np.int32)}
    return Units(**units), Boxes(**rows)


def _goal(side: Side) -> Goal:
    objective = side.objective
    return Goal(
        kind=_KINDS[objective.kind],
        places=objective.places,
        type=-1 if objective.type is None else UNIT_TYPES.index(objective.type),
        needed=side.needed,
        until=objective.until or 0,
    )

"""From a scenario to arrays: where the languages, the trees and the engine meet, on the host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import jax.numpy as jnp
import numpy as np

import dsl
import scenarios
from dsl.wording import did_you_mean, listing, nearest
from hive.errors import Problem, ScenarioError
from hive.plan.arrays import compile_plan
from hive.plan.rescale import rescale_plan
from hive.scenario import Scenario, load_scenario
from hive.scenario.model import Objective, Side, UnitType
from hive.types import ENEMY, PLAYER, SIDES, Blaze, Boxes, Goals, Params, Plan, Rules, Units, UnitTypes
from hive.units.behaviours import Behaviours, compile_behaviours
from hive.units.leaves import UNIT_TYPES, encode
from hive.world.fire import make_fire, make_fuel
from hive.world.terrain import BUILDING, FOREST, WATER, make_terrain

_MOISTURE = 0.6  # of every cell of a battle that burns (wildfire sheet 3.1)


@dataclass(frozen=True)
class World:
    """A scenario ready to play: what was read, and the arrays made from it."""

    scenario: Scenario

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self.scenario.name

    @property
    def sizes(self) -> tuple[int, int]:
        """Units of the player and of the enemy."""
        return self.scenario.player.count, self.scenario.enemy.count

    @cached_property
    def behaviours(self) -> tuple[str, ...]:
        """Names of all trees that either side may use, in the order of their indices."""
        return tuple(dict.fromkeys(self.scenario.player.behaviours + self.scenario.enemy.behaviours))

    @property
    def kind(self) -> np.ndarray:
        """`[X, Y]` terrain kinds, uint8."""
        return self.scenario.map.kind

    @cached_property
    def params(self) -> Params:
        """The arrays of the scenario, the enemy's plan among them."""
        return _params(self)

    def context(self, side: int = PLAYER, sizes: tuple[int, int] | None = None) -> dsl.PlanContext:
        """What a plan of a side is checked against.

        Args:
            side: PLAYER or ENEMY.
            sizes: Units of player and enemy that the plan was written for; those of the scenario's file when None.
        """
        sizes = sizes or self.scenario.written_for
        return dsl.PlanContext(
            behaviours=self.side(side).behaviours,
            team_size=sizes[side],
            foe_size=sizes[1 - side],
            map_size=self.scenario.map.size,
        )

    def side(self, side: int) -> Side:
        """The side's part of the scenario."""
        return (self.scenario.player, self.scenario.enemy)[side]


def load(name_or_path: str | Path, **overrides: float) -> World:
    """Load a scenario.

    Args:
        name_or_path: A shipped name (`hive list`) or a path to a `.toml` file.
        **overrides: `units` (the player's team; the enemy's scales alike) or a rule by name, such as `limit`.

    Returns:
        The world, ready to play.

    Raises:
        ScenarioError: Unknown name or override, or anything wrong in the file.
    """
    return World(load_scenario(name_or_path, **overrides))


def read_plan(
    source: str | Path,
    world: World,
    *,
    side: int = PLAYER,
    lenient: bool = False,
    written_for: tuple[int, int] | None = None,
) -> Plan:
    """Read, check and compile a plan for one side of a world.

    Ids are checked against the team sizes that the plan was written for, then rescaled to the teams of this world.

    Args:
        source: A shipped plan's name, a path, or the text of a plan (anything with a line break).
        world: The world it is for.
        side: PLAYER or ENEMY.
        lenient: Whether a unit may stand in two groups of a step (the later wins).
        written_for: Units of player and enemy that the plan counts on; None: those of the scenario's file.

    Returns:
        The plan as arrays.

    Raises:
        DslError: With every diagnostic of the text.
        ScenarioError: There is no such plan or file.
    """
    text, name = plan_text(source)
    return compile_checked(
        dsl.parse_plan(text, name, world.context(side, written_for), lenient), world, side, written_for
    )


def compile_checked(
    plan: dsl.Plan, world: World, side: int = PLAYER, written_for: tuple[int, int] | None = None
) -> Plan:
    """Rescale a checked plan to the teams of this world and compile it."""
    written, sizes = written_for or world.scenario.written_for, world.sizes
    plan = rescale_plan(plan, (written[side], sizes[side]), (written[1 - side], sizes[1 - side]))
    return compile_plan(plan, side, sizes, world.behaviours)


def failure(report: dsl.Report) -> str | None:
    """How games of a plan end that was checked so: `invalid_plan`, `no_plan` without any step, None if it can play."""
    if report.ok:
        return None
    codes = {found.code for found in report.diagnostics if found.severity == "error"}
    return "no_plan" if codes == {"plan-empty"} else "invalid_plan"


def plan_text(source: str | Path) -> tuple[str, str]:
    """Text of a plan and the name that its diagnostics show; see `read_plan`."""
    if isinstance(source, str) and "\n" in source:
        return source, "<plan>"
    if str(source) in scenarios.plans():
        return scenarios.plan(str(source)), f"{source}.plan"
    path = Path(source)
    try:
        return path.read_text(encoding="utf-8"), str(source)
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is not UTF-8 text"
        mine = [name for name in scenarios.plans() if not name.endswith("_enemy")]
        near = did_you_mean(nearest(str(source), mine)) or ""
        known = f"{near} shipped plans are {listing(mine, 'and')}; or give a path to a file".strip()
        raise ScenarioError(str(source), [Problem("plan-file", f"the plan cannot be read: {why}", "", known)]) from None


def _params(world: World) -> Params:
    scenario = world.scenario
    units, boxes = _units(world)
    return Params(
        types=unit_type_table(scenario.types),
        units=units,
        boxes=boxes,
        rules=Rules(
            **{
                name: jnp.asarray(getattr(scenario.rules, name), jnp.int32 if name == "limit" else jnp.float32)
                for name in Rules.__dataclass_fields__
            }
        ),
        goals=_goals(scenario.player.objective, scenario.enemy.objective),
        terrain=make_terrain(jnp.asarray(world.kind)),
        behaviours=read_behaviours(world.behaviours),
        enemy=_enemy(world),
        blaze=_blaze(world),
    )


def unit_type_table(types: Sequence[UnitType]) -> UnitTypes:
    """Attributes of unit types as arrays `[K]`."""
    table = {
        name: np.array([getattr(kind, name) for kind in types], np.int32 if name == "cooldown" else np.float32)
        for name in UnitTypes.__dataclass_fields__
    }
    return UnitTypes(**{name: jnp.asarray(column) for name, column in table.items()})


def read_behaviours(names: tuple[str, ...]) -> Behaviours:
    """Compile shipped trees by name."""
    return compile_behaviours([dsl.parse_tree(scenarios.tree(name), f"{name}.bt") for name in names], encode)


def _enemy(world: World) -> Plan:
    source = world.scenario.enemy.plan
    if source is None:
        return compile_plan(dsl.Plan(()), ENEMY, world.sizes, world.behaviours)
    return read_plan(source, world, side=ENEMY)


def _blaze(world: World) -> Blaze | None:
    """Level ground under one tree a cell of forest, each as moist as the published maps are on average."""
    fire = world.scenario.fire
    if fire is None:
        return None
    forest = jnp.asarray(world.kind & FOREST != 0)
    level = jnp.zeros(forest.shape)
    start = level.astype(bool).at[tuple(np.array(fire.start).T)].set(True)
    return Blaze(
        fuel=make_fuel(level, level + _MOISTURE, jnp.asarray(fire.wind, jnp.float32), fire.chance),
        start=make_fire(forest, forest, jnp.zeros_like(forest), start),
        period=jnp.int32(fire.period),
        harm=jnp.float32(fire.harm),
    )


def _units(world: World) -> tuple[Units, Boxes]:
    groups = [(side, group) for side in range(len(SIDES)) for group in world.side(side).units]
    count = [group.count for _, group in groups]
    cells = []
    for _, group in groups:
        xs, ys = group.cells(world.scenario.map.size)
        free = (world.kind[xs, ys] & (BUILDING | WATER)) == 0
        cells.append(np.argwhere(free) + np.array([xs.start, ys.start]))
    most = max(len(free) for free in cells)
    units = Units(
        id=jnp.arange(sum(count), dtype=jnp.int32),
        side=jnp.asarray(np.repeat([side for side, _ in groups], count), jnp.int32),
        type=jnp.asarray(np.repeat([UNIT_TYPES.index(group.type) for _, group in groups], count), jnp.int32),
        box=jnp.asarray(np.repeat(np.arange(len(groups)), count), jnp.int32),
    )
    boxes = Boxes(
        cell=jnp.asarray(
            np.stack([np.pad(free, ((0, most - len(free)), (0, 0)), mode="edge") for free in cells]), jnp.int32
        ),
        count=jnp.asarray([len(free) for free in cells], jnp.int32),
    )
    return units, boxes


def _goals(*objectives: Objective) -> Goals:
    return Goals(
        eliminate=jnp.asarray([objective.at is None for objective in objectives]),
        place=jnp.asarray([objective.at or (0.0, 0.0) for objective in objectives], jnp.float32),
    )

"""A level on the map of a seed as a world to play, with the same `Params`, plans and loop as battles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

import dsl
from dsl import UserError
from dsl.vocabulary import CREW_BEHAVIOURS, CREW_OBJECTIVES, CREW_TYPES
from dsl.wording import did_you_mean, listing, nearest
from hive.engine.crews.explored import MOST_MAPS, VIEW
from hive.engine.crews.frames import FRAMES, SPEED
from hive.engine.crews.score_rules import LevelGame
from hive.engine.plan.arrays import compile_plan
from hive.engine.reading import read_behaviours
from hive.engine.types import (
    ENEMY,
    PLAYER,
    Blaze,
    Boxes,
    Crews,
    Goals,
    LevelTask,
    Params,
    Rules,
    State,
    Units,
    UnitTypes,
)
from hive.ground.fire import make_fire, make_fuel
from hive.ground.terrain import make_terrain
from hive.kit.planned_world import Request
from hive.kit.reporting import Description
from hive.worlds.wildfire.briefing import VERSIONS, describe_level
from hive.worlds.wildfire.levels import Level, find_level
from hive.worlds.wildfire.maps.site import Site, make_site
from hive.worlds.wildfire.rules_text import WALK
from hive.worlds.wildfire.task_text import task_text

MOST_AGENTS = 1_000_000

_NEVER = 2**30  # ticks to an update of the fire in levels without fire
_OVERRIDES = {  # numbers of a level that may be changed, with their ranges
    "firefighters": (0, MOST_AGENTS),
    "bulldozers": (0, MOST_AGENTS),
    "drones": (0, MOST_AGENTS),
    "helicopters": (0, MOST_AGENTS),
    "size": (20, 4096),
    "offset": (-400, 400),
    "limit": (1, 1_000_000),
    "civilians": (0, 10_000),
}
_NUMBERS = (*_OVERRIDES, "chance", "burnt_kills")
SETTINGS = (*_NUMBERS, "rules")
"""Names of what may be changed of a level."""


@dataclass(frozen=True)
class Fireground:
    """A level ready to play, a `hive.World`; its map, and so `params`, belongs to one seed.

    Attributes:
        site: The level, its map and its places.
        chance: See `hive.ground.fire.make_fuel`; None: thresholds decide.
        burnt_kills: Whether burnt-out ground kills firefighters (docs/rules/wildfire.md 3.3).
        shared: Whether there is one explored map for the team; else one for each unit, for at most 64 units.
        prompt: Version of the prompt that describes it, one of `hive.worlds.wildfire.briefing.VERSIONS`.

    Raises:
        UserError: There is no such prompt.
    """

    site: Site
    chance: float | None = None
    burnt_kills: bool = True
    shared: bool = True
    prompt: int = VERSIONS[0]

    def __post_init__(self) -> None:
        """Refuse a prompt that does not exist."""
        if self.prompt not in VERSIONS:
            known = listing(map(str, VERSIONS), "and")
            raise UserError(f"there is no prompt {self.prompt} for wildfires\n  = help: its versions are {known}")

    behaviours = (*CREW_BEHAVIOURS, "stand")
    unit_types = CREW_TYPES
    score_is = "points of the level"
    plan = None

    @property
    def name(self) -> str:
        """`wildfire/` and the level's id."""
        return self.site.level.name

    @property
    def title(self) -> str:
        """Title of the level."""
        return self.site.level.title

    @property
    def briefing(self) -> str:
        """The task in words."""
        return task_text(self.site)

    @property
    def sizes(self) -> tuple[int, int]:
        """Units of the crew and of the enemy, which has none."""
        return sum(self.site.level.agents), 0

    @property
    def written_for(self) -> tuple[int, int]:
        """The sizes of this crew itself: plans of crews are not rescaled."""
        return self.sizes

    @property
    def limit(self) -> int:
        """Ticks until a game times out."""
        return self.site.level.limit

    @cached_property
    def params(self) -> Params:
        """The arrays of the level on this map; concrete, even when first read inside a trace."""
        with jax.core.eval_context():
            return _params(self)

    def context(self, side: int = PLAYER, sizes: tuple[int, int] | None = None) -> dsl.PlanContext:
        """Return the context in which a crew's plan is checked."""
        level, sizes = self.site.level, sizes or self.sizes
        blocks = zip(CREW_TYPES, accumulate(level.agents), strict=True)
        return dsl.PlanContext(
            behaviours=self.behaviours,
            unit_types=(),  # no leaf of crews uses the types of a plan
            objectives=CREW_OBJECTIVES,
            most={"transport": level.firefighters, "rescue": level.clusters * level.civilians},
            team_size=sizes[side],
            foe_size=sizes[1 - side],
            map_size=level.size,
            team_blocks=tuple(block for block, count in zip(blocks, level.agents, strict=True) if count),
            markers=(),
            features=(),
            north_up=False,
            orders=("nearest", "in"),
        )

    def describe(self, state: State, rules: bool = False) -> Description:
        """Describe the game in words, as far as the crew knows it; see `hive.worlds.wildfire.briefing`.

        Args:
            state: The world now.
            rules: Whether to state the rules of fire and civilians that the scripted commanders know.
        """
        return describe_level(self, state, rules)

    def map_png(self, state: State, form: str, size: int = 1024) -> bytes:
        """Raise `NotImplementedError`: the host of levels refuses `Request.map_picture`."""
        raise NotImplementedError

    def rule_rows(self, rules: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
        """Return one row that changes nothing: a level has no rules to sweep over.

        Raises:
            UserError: Rules are given.
        """
        if rules:
            raise UserError(
                f"{self.name} is a wildfire level, and only battles have rules to sweep over\n"
                "  = help: leave out --vary, or name a battle"
            )
        return [{}]


def load_level(
    name: str,
    seed: int | None = None,
    *,
    rules: str = "default",
    chance: float | None = None,
    burnt_kills: bool = True,
    shared: bool = True,
    **numbers: int,
) -> Fireground:
    """Load a level of CREW-Wildfire on the map of a seed.

    Args:
        name: `wildfire/` and a level's id, or the id alone (`hive list`).
        seed: Seed of the map and of every place on it; None: the first published seed of the level.
        rules: `published` for fires as in the published runs (docs/rules/wildfire_levels.md 4.2): their places, the
            in-place scan, and games of 20 updates, 40 on the full level, that last to the limit.
        chance: Ignite cells by chance; see `hive.ground.fire.make_fuel`.
        burnt_kills: Whether burnt-out ground kills firefighters.
        shared: Whether the team has one explored map; else each unit has its own.
        **numbers: Settings of the level to change: the number of each type (`firefighters` ...), `size`, `limit`,
            `offset`, `civilians` of a cluster.

    Raises:
        UserError: A level, setting or set of rules does not exist, a value is out of range, or the map has no room.
    """
    level = _changed(find_level(name).under(rules), numbers)
    agents = sum(level.agents)
    if not shared and agents > MOST_MAPS:
        raise UserError(
            f"separate explored maps are for {MOST_MAPS} units at most, not for {agents:,}\n"
            "  = help: share one map, or take fewer units"
        )
    if chance is not None and not 0 <= chance <= 100:
        raise UserError(f"the chance to catch is 0 to 100 per unit of ratio, not {chance}")
    if chance is not None and rules == "published":
        raise UserError("under the published rules thresholds decide what catches\n  = help: leave out `chance`")
    if seed is not None and seed != int(seed):
        raise UserError(f"the seed of a wildfire level is a whole number, not {seed}")
    site = make_site(level, level.seeds[0] if seed is None else int(seed))
    return Fireground(site, chance, burnt_kills, shared)


def numbers_of(request: Request) -> dict[str, Any]:
    """Return the settings of a level that a request changes, and its rules, as `load_level` takes them.

    Raises:
        UserError: A setting does not exist or is given twice.
    """
    numbers: dict[str, Any] = request.changes(_NUMBERS, "level number")
    if request.fire_rules is not None:
        numbers["rules"] = request.fire_rules
    if "burnt_kills" in numbers:
        if numbers["burnt_kills"] not in (0, 1):
            raise UserError(f"`burnt_kills` is 0 or 1, not {numbers['burnt_kills']}")
        numbers["burnt_kills"] = bool(numbers["burnt_kills"])
    return numbers


def _changed(level: Level, numbers: Mapping[str, int]) -> Level:
    for key, value in numbers.items():
        if key not in _OVERRIDES:
            near = did_you_mean(nearest(key, _OVERRIDES)) or f"the numbers of a level are {', '.join(_OVERRIDES)}"
            raise UserError(f"a wildfire level has no number called `{key}`\n  = help: {near}")
        least, most = _OVERRIDES[key]
        if not isinstance(value, int | float) or not least <= value <= most or value != int(value):
            raise UserError(f"`{key}` of a wildfire level is a whole number from {least:,} to {most:,}, not {value}")
        if key == "civilians" and not level.clusters:
            raise UserError(f"`{level.id}` has no civilians\n  = help: leave `civilians` out")
    integers: dict[str, Any] = {key: int(value) for key, value in numbers.items()}
    level = replace(level, **integers)
    if not sum(level.agents):
        raise UserError(f"`{level.id}` needs at least one unit")
    if not level.best and not level.open_ended:
        raise UserError(f"`{level.id}` needs a person to bring to its goal\n  = help: take a civilian or firefighter")
    if level.game == "scout" and level.drones < level.best:
        raise UserError(f"`{level.id}` needs {level.best} drones over the fire, and there are {level.drones}")
    if sum(level.agents) > MOST_AGENTS:
        raise UserError(f"a wildfire level has {MOST_AGENTS:,} units at most, not {sum(level.agents):,}")
    return level


class MapArrays(NamedTuple):
    """What a site gives to `Params`, on the host; all arrays of one level have the same shapes."""

    elevation: NDArray[np.float32]
    moisture: NDArray[np.float32]
    wind: NDArray[np.float32]
    burnable: NDArray[np.bool_]
    trees: NDArray[np.uint8]
    building: NDArray[np.bool_]
    lit: NDArray[np.bool_]  # where the fire starts
    water: NDArray[np.bool_]
    spawn: NDArray[np.float32]  # [n, 2]
    civilian: NDArray[np.int32]  # [v, 2]
    cell: NDArray[np.int32]  # [e, 2] cells to cut; one row of padding where there are none
    goal: NDArray[np.int32]  # [2]


def map_arrays(site: Site) -> MapArrays:
    """Return the arrays of a level on the map of its seed."""
    level, ground, places = site.level, site.ground, site.places
    lit, water = np.zeros((2, level.size, level.size), bool)
    if places.fire is not None:
        lit[places.fire] = True
    if places.water is not None:
        water[places.water] = True
    return MapArrays(
        elevation=ground.elevation,
        moisture=ground.moisture,
        wind=ground.wind * np.array([1, -1], np.float32),  # the published wind points north, and y grows to the south
        burnable=ground.burnable,
        trees=ground.trees.astype(np.uint8),
        building=ground.building,
        lit=lit,
        water=water,
        spawn=np.tile(np.array(places.spawn, np.float32) + np.float32(0.5), (sum(level.agents), 1)),
        civilian=np.repeat(np.array(places.clusters, np.int32).reshape(-1, 2), level.civilians, axis=0),
        cell=np.array(places.cells_to_cut or [(0, 0)], np.int32),
        goal=np.array(places.goal or (0, 0), np.int32),
    )


def _params(world: Fireground) -> Params:
    level, count, size = world.site.level, sum(world.site.level.agents), world.site.level.size
    # Arrays of the host, which go to the device at once: `jnp.asarray` would compile a program for each shape.
    host: Any = np
    of: Any = map_arrays(world.site)
    params = Params(
        types=_unit_types(),
        units=Units(
            id=host.arange(count, dtype=host.int32),
            side=host.full(count, PLAYER, host.int32),
            type=host.repeat(host.arange(len(CREW_TYPES), dtype=host.int32), level.agents),
            box=host.zeros(count, host.int32),
        ),
        boxes=Boxes(cell=host.zeros((1, 1, 2), host.int32), count=host.ones(1, host.int32)),
        rules=Rules(
            movement_randomness=host.float32(0),
            jitter=host.float32(0),
            firmness=host.float32(0),
            goal_radius=host.float32(0),
            limit=host.int32(level.limit),
        ),
        goals=Goals.of(),
        terrain=make_terrain(host.zeros((size, size), host.uint8)),  # nothing blocks the moves or the sight of crews,
        behaviours=read_behaviours(world.behaviours),
        enemy=compile_plan(dsl.PlanSyntax(()), ENEMY, world.sizes, world.behaviours),
        blaze=Blaze(
            fuel=make_fuel(
                *jax.device_put((of.elevation, of.moisture, of.wind)),
                world.chance,
                in_place=level.rules == "published",
            ),
            start=make_fire(*jax.device_put((of.burnable, of.trees, of.building, of.lit))),
            period=host.int32(level.period // FRAMES or _NEVER),
            harm=host.float32(0),
        ),
        crews=Crews(
            spawn=of.spawn,
            water=of.water,
            civilian=of.civilian,
            walk=host.int32(WALK),
            burnt_kills=host.bool_(world.burnt_kills),
            task=LevelTask(
                game=host.int32(LevelGame[level.game.upper()]),
                cell=of.cell,
                listed=host.full(len(of.cell), bool(level.cells_to_cut)),
                goal=of.goal,
                best=host.int32(level.best),
            ),
            shared=world.shared,
        ),
    )
    return jax.device_put(params).replace(enemy=params.enemy)  # there already; moving it would lose its source


def _unit_types() -> UnitTypes:
    """Return the unit types of crews for the engine: their units neither attack nor push each other."""
    host: Any = np
    none = host.zeros(len(CREW_TYPES), host.float32)
    return UnitTypes(
        speed=SPEED * host.float32(FRAMES),
        max_health=none + 1,
        damage=none,
        reach=none,
        sight=host.asarray(VIEW, host.float32),
        cooldown=none.astype(host.int32),
        radius=none,
    )

"""Small worlds set by hand, all of one shape, so that the unit tests of this room share one program each.

They are made on the host and put on the device at once: `jnp.zeros` and its like compile a program for each shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import dsl
import hive
from hive.engine.behaviours.tables import ANY_TYPE, Behaviours, compile_behaviours
from hive.engine.deciding import Decision
from hive.engine.deciding import decide as engine_decide
from hive.engine.leaves import encode
from hive.engine.plan import arrays
from hive.engine.types import (
    Action,
    Boxes,
    Crew,
    Crews,
    Goals,
    LevelTask,
    ObjectiveKind,
    Orders,
    Params,
    Plan,
    Progress,
    Rules,
    State,
    Units,
    UnitTypes,
)
from hive.engine.units import draws
from hive.engine.units.leaves import UNIT_TYPES, type_bits
from hive.ground.distance import distance_maps
from hive.ground.fire import Phase, make_fire
from hive.ground.shapes import Ground
from hive.ground.terrain import make_terrain
from hive.worlds.battle.scenario import parse_scenario
from hive.worlds.battle.scenario.schema import DEFAULT_TYPES
from hive.worlds.battle.world import Battle

SIZE = 48  # metres, side of a small map
ROOM = 12  # units of a small world; those not named are corpses that lie on the first one

PLAYER, ENEMY = 0, 1
MINE = {"player": PLAYER, "enemy": ENEMY}

# A tree with as many leaves, senses, moves and flocks as any in the unit tests, so that their tables have one shape.
_BALLAST = (
    "F(A(move toward closest foe) :: A(move toward farthest foe) :: A(move toward weakest foe) :: "
    "A(move toward strongest foe) :: C(is_flock foe north) :: C(in_sight friend) :: C(in_sight foe spearmen) :: "
    "C(in_sight foe archer))"
)


@dataclass(frozen=True)
class Man:
    """One unit of a small world."""

    kind: str
    at: tuple[float, float]
    side: str = "player"
    health: float | None = None  # None: whole
    cooldown: int = 0


def foe(kind: str, at: tuple[float, float], health: float | None = None, cooldown: int = 0) -> Man:
    return Man(kind, at, "enemy", health, cooldown)


@dataclass(frozen=True)
class Scene:
    """A world at one instant."""

    params: Params
    state: State

    def at(self, **fields: Any) -> Scene:
        return Scene(self.params, self.state.replace(**{k: jnp.asarray(v) for k, v in fields.items()}))

    def ruled(self, **rules: float) -> Scene:
        return Scene(self.params.replace(rules=make_rules(**rules)), self.state)


def ground(size: int = SIZE, **boxes: Iterable[tuple[int, int, int, int]]) -> np.ndarray:
    """Kinds of a map; boxes are (x0, y0, x1, y1), ends left out."""
    kind = np.zeros((size, size), np.uint8)
    for name, value in (("forest", Ground.FOREST), ("water", Ground.WATER), ("building", Ground.BUILDING)):
        for x0, y0, x1, y1 in boxes.get(name, ()):
            kind[x0:x1, y0:y1] = value
    return kind


def make_rules(
    movement_randomness: float = 0.0,
    jitter: float = 0.0,
    firmness: float = 0.0,
    goal_radius: float = 3.0,
    limit: int = 1000,
) -> Rules:
    return jax.device_put(
        Rules(
            movement_randomness=np.float32(movement_randomness),
            jitter=np.float32(jitter),
            firmness=np.float32(firmness),
            goal_radius=np.float32(goal_radius),
            limit=np.int32(limit),
        )
    )


def behaviours_of(trees: Sequence[str]) -> Behaviours:
    """Tables of some trees; to read and compile the same ones for each scene would take longer than most tests."""
    return _compiled_trees(tuple(trees))


@cache
def _compiled_trees(trees: tuple[str, ...]) -> Behaviours:
    return compile_behaviours([dsl.parse_tree(tree) for tree in trees], encode)


def empty_plan(count: int, steps: int = 1) -> Plan:
    """A plan without steps, with room for some."""
    zero = np.zeros(steps, np.int32)
    return jax.device_put(
        Plan(
            exists=np.zeros(steps, bool),
            prerequisite=np.zeros((steps, steps), bool),
            objective=np.full(steps, ObjectiveKind.POSITION.value, np.int32),
            number=np.zeros((steps, 4), np.int32),
            cell=np.full((1, 3), -1, np.int32),
            foe=np.zeros((steps, count), bool),
            member=np.full((1, count), -1, np.int32),
            step=zero,
            tree=zero,
            types=np.full(steps, ANY_TYPE, np.int32),
            target=zero,
            pool=zero,
            place=np.zeros((1, 2), np.int32),
        )
    )


def pad_plan(plan: Plan, steps: int, groups: int, places: int, rows: int, **extras: int) -> Plan:
    """The same plan with larger capacities."""
    return arrays.pad_plan(plan, steps, groups, rows, places, plan.cell.shape[0], **extras)


def make_params(
    side: Sequence[int] | np.ndarray,
    kind: Sequence[int] | np.ndarray,
    terrain: np.ndarray,
    behaviours: Behaviours,
    ids: Sequence[int] | np.ndarray | None = None,
    **rules: float,
) -> Params:
    count = len(side)
    return jax.device_put(
        Params(
            types=UnitTypes.of(DEFAULT_TYPES),
            units=Units(
                id=np.asarray(np.arange(count) if ids is None else ids, np.int32),
                side=np.asarray(side, np.int32),
                type=np.asarray(kind, np.int32),
                box=np.zeros(count, np.int32),
            ),
            boxes=Boxes(cell=np.full((1, 1, 2), 5, np.int32), count=np.ones(1, np.int32)),
            rules=make_rules(**rules),
            goals=Goals.of(),
            terrain=make_terrain(terrain),
            behaviours=behaviours,
            enemy=empty_plan(count),
        )
    )


def crew_params(kind: Sequence[int], civilians: int, size: int) -> Params:
    """A crew of these types on flat ground, and what plans need to know of it; nothing can burn."""
    params = make_params([PLAYER] * len(kind), kind, ground(size), behaviours_of(["A(stand)"]))
    nowhere = np.zeros(2, np.int32)
    crews = Crews(
        spawn=np.zeros((len(kind), 2), np.float32),
        water=np.zeros((size, size), bool),
        civilian=np.zeros((civilians, 2), np.int32),
        walk=np.int32(3),
        burnt_kills=np.bool_(True),
        task=LevelTask(game=np.int32(0), cell=nowhere[None], listed=np.zeros(1, bool), goal=nowhere, best=np.int32(0)),
    )
    return jax.device_put(
        params.replace(types=params.types.replace(radius=np.zeros_like(params.types.radius)), crews=crews)
    )


def crew_state(params: Params, at: Any, *, phase: Any, trees: Any, seen: Any, civilian: Any) -> State:
    """That crew with every unit alive, on foot and at its place; cells have the phases of `hive.ground.fire`."""
    everyone, none = np.ones(params.count), np.full(params.count, -1, np.int32)
    phase, civilian = np.asarray(phase, np.uint8), np.asarray(civilian, np.int32)
    there = np.ones(len(civilian), bool)
    trees = np.broadcast_to(np.asarray(trees, np.uint8), phase.shape)
    fire = make_fire(phase == Phase.BURNABLE, trees, np.zeros(phase.shape, bool))
    crew = Crew(
        water=np.zeros_like(none),
        aboard=none,
        civilian=civilian,
        living=there,
        walking=there,
        bearer=np.where(there, -1, 0),
        seen=np.asarray(seen, np.uint8),
        refused=np.int32(0),
    )
    return jax.device_put(make_state(at, everyone).replace(fire=fire.replace(phase=phase), crew=crew))


def scene(*men: Man, terrain: np.ndarray | None = None, ids: Sequence[int] | None = None, **rules: float) -> Scene:
    """A world of these units; `ids` of the units, when they are not to be their rows."""
    spare = ROOM - len(men)
    assert spare >= 0
    everyone = [*men, *[Man("spearmen", men[0].at, "enemy", 0.0)] * spare]
    kind = [UNIT_TYPES.index(man.kind) for man in everyone]
    whole = [DEFAULT_TYPES[k].max_health for k in kind]
    names = None if ids is None else [*ids, *(set(range(ROOM)) - set(ids))]
    params = make_params(
        [MINE[man.side] for man in everyone],
        kind,
        ground() if terrain is None else terrain,
        behaviours_of(["A(stand)", _BALLAST]),
        names,
        **rules,
    )
    health = [full if man.health is None else man.health for man, full in zip(everyone, whole, strict=True)]
    return Scene(params, make_state([man.at for man in everyone], health, cooldown=[man.cooldown for man in everyone]))


def make_state(position: Any, health: Any, cooldown: Any = None, tick: int = 0) -> State:
    count = len(health)
    return jax.device_put(
        State(
            position=np.asarray(position, np.float32).reshape(count, 2),
            health=np.asarray(health, np.float32),
            cooldown=np.zeros(count, np.int32) if cooldown is None else np.asarray(cooldown, np.int32),
            tick=np.int32(tick),
        )
    )


@jax.jit
def decide(params: Params, orders: Orders, progress: Progress, state: State, word: jax.Array) -> Decision:
    return engine_decide(params, orders, progress, state, word)


@jax.jit
def step(params: Params, state: State, action: Action, key: jax.Array) -> State:
    return hive.step(params, state, action, key)


@jax.jit
def tick(params: Params, orders: Orders, progress: Progress, state: State, key: jax.Array) -> tuple[State, Decision]:
    """Trees and world, with assignments held fast."""
    decision = engine_decide(params, orders, progress, state, draws.tick_word(key, state.tick))
    return hive.step(params, state, decision.action, key), decision


_maps = jax.jit(distance_maps)


def one_order(params: Params, target: tuple[int, int] = (0, 0), types: str = "any", tree: int = 0) -> Orders:
    """Everybody in one group with this tree, target and target types."""
    one = np.zeros(1, np.int32)
    place = np.asarray([target], np.int32)
    plan = empty_plan(params.count).replace(
        exists=np.ones(1, bool),
        member=np.zeros((1, params.count), np.int32),
        tree=one + tree,
        types=one + type_bits(tuple(types.split())),
        place=place,
    )
    return jax.device_put(Orders(plan=plan, distance=_maps(params.terrain, place), owner=one))


def everyone_in(params: Params, group: int = 0) -> Progress:
    achieved, everyone = np.full(1, -1, np.int32), np.full(params.count, group, np.int32)
    return jax.device_put(Progress(achieved=achieved, active=np.ones(1, bool), group=everyone))


def running(params: Params, tree: str) -> Params:
    """The world with `tree` as its tree 0; whatever the tree, the tables have one shape."""
    return params.replace(behaviours=behaviours_of([tree, _BALLAST]))


def obey(world: Scene, tree: str, target: tuple[int, int] = (0, 0), types: str = "any", word: int = 7) -> Decision:
    """The decisions of all units that run `tree`."""
    params = running(world.params, tree)
    orders = one_order(params, target, types)
    return decide(params, orders, everyone_in(params), world.state, jnp.uint32(word))


def holds(world: Scene, leaf: str, types: str = "any", target: tuple[int, int] = (0, 0)) -> bool:
    """Whether a leaf succeeds for the first unit."""
    return int(obey(world, leaf, target, types).ticked.status[0]) == 1


def act(world: Scene, deeds: dict[int, tuple], seed: int = 0) -> State:
    """One tick in which the named rows do `("move", x, y)` or `("attack", id)`, and the others stand."""
    kind, move, target = np.zeros(ROOM, np.int32), np.zeros((ROOM, 2), np.float32), np.full(ROOM, -1, np.int32)
    for row, (what, *how) in deeds.items():
        if what == "move":
            kind[row], move[row] = 1, how
        else:
            kind[row], target[row] = 2, how[0]
    action = Action(kind=jnp.asarray(kind), move=jnp.asarray(move), target=jnp.asarray(target))
    return step(world.params, world.state, action, jax.random.key(seed))


def world_of(text: str, name: str = "test") -> Battle:
    """A world from the text of a scenario file; the title lines are added."""
    return Battle(parse_scenario(f'version = 1\ntitle = "t"\nsummary = "s"\n{text}', name))


def plan_of(*steps: str) -> str:
    """Text of a plan from steps, each `objective; prerequisites; units @ x, y: behaviour; …`."""
    lines = ["BEGIN PLAN"]
    for number, step_text in enumerate(steps):
        objective, waits, *groups = (part.strip() for part in step_text.split(";"))
        lines += [f"Step {number}:", f"prerequisites: [{waits}]", f"objective: {objective}"]
        for group in groups:
            units, rest = group.split("@")
            place, behaviour = rest.split(":")
            lines += [
                f"units: {units.strip()}",
                f"- target position: ({place.strip()})",
                f"- behavior: {behaviour.strip()}",
            ]
    return "\n".join([*lines, "END PLAN"])

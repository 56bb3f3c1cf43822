"""A wildfire level as an environment whose agents are the units of its crew (docs/rules/learning.md 6).

A step is one tick, or several with the same actions. Every game is played on one of several maps, drawn when it begins,
so that a policy has to learn the level and not a map.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from itertools import islice
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key

import dsl
from dsl import UserError
from dsl.vocabulary import CREW_TYPES
from hive.engine.crews.explored import Explored, cell_of
from hive.engine.crews.frames import CAPACITY, FRAMES, REACH
from hive.engine.crews.leaves import Thing
from hive.engine.crews.score import achieved
from hive.engine.crews.score_rules import COSTS
from hive.engine.dynamics import pass_tick
from hive.engine.episode import Game, begin, goes_on
from hive.engine.plan.arrays import compile_plan, make_orders
from hive.engine.types import PLAYER, CrewType, Orders, Outcome, Params, State
from hive.engine.units import draws
from hive.ground.exact import length, rounded
from hive.ground.fire import Phase
from hive.kit.environment.checks import check_world, is_whole
from hive.kit.environment.env import STAND, Env, LearnerView, Policy, TimeStep, available
from hive.kit.environment.tasks import LearningTask, count_units
from hive.worlds.wildfire.environment.actions import (
    FIXED,
    RINGS,
    SHORT,
    ActionRow,
    Need,
    Reach,
    along_rings,
    choices,
    command_of,
    note_of,
    possible,
    ring_cells,
    ringed,
    steps_from,
    targets_of,
    things_of,
)
from hive.worlds.wildfire.environment.maps import Maps, make_maps, on_map
from hive.worlds.wildfire.environment.senses import CrewKnowledge, features, global_state, learn_of, observe
from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.observation import RADIUS
from hive.worlds.wildfire.world import Fireground, load_level

POINTS_OF_REWARD = 100  # points of a fight against a fire that are worth a reward of 1
EXPLORING = 0.5  # reward for seeing the complete map
ENCLOSING = 2.0  # reward for a closed ring round the start of a fire


class CrewEnv(Env["CrewEnvState"], kw_only=True):
    """A level whose crew a learner commands unit by unit.

    Attributes:
        params: The level; what belongs to a map is replaced by that of the game's map.
        maps: The maps.
        first: How a game begins on each map; nothing of it is random, so it is looked up.
        orders: An empty plan.
        level: The level's definition.
        nearest: Targets and team mates that an observation lists.
        sparse: Whether only the end of a game is rewarded.
        every: Ticks of a step, during which all units keep their actions.
    """

    params: Params
    maps: Maps
    first: tuple[CrewEnvState, LearnerView]
    orders: Orders
    level: Level = struct.field(pytree_node=False)
    nearest: int = struct.field(pytree_node=False, default=6)
    sparse: bool = struct.field(pytree_node=False, default=False)
    every: int = struct.field(pytree_node=False, default=1)

    @property
    def num_agents(self) -> int:
        """Units of the crew."""
        return self.params.count

    @property
    def choices(self) -> tuple[ActionRow, ...]:
        """The actions, in their order."""
        return choices(self.level, self.nearest)

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return len(self.choices)

    @property
    def action_names(self) -> tuple[str, ...]:
        """Each action in words, with the types that have it where these are not all."""
        present = [name for name, count in zip(CREW_TYPES, self.level.agents, strict=True) if count]
        return tuple(choice.words + note_of(choice, present) for choice in self.choices)

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        return features(len(things_of(self.level)), self.targets, self.nearest)

    @property
    def targets(self) -> int:
        """Targets that an observation lists."""
        return targets_of(self.level, self.nearest)

    @property
    def max_steps(self) -> int:
        """The level's limit of ticks, in steps."""
        return -(-self.level.limit // self.every)

    def reset(self, key: Key[Array, ""]) -> tuple[CrewEnvState, LearnerView]:
        """Begin a game on a map that the key draws."""
        number = jax.random.randint(key, (), 0, self.maps.goal.shape[0])
        state, view = jax.tree.map(lambda leaf: leaf[number], self.first)
        return state.replace(key=key), view

    def step(self, state: CrewEnvState, actions: Int[Array, " n"]) -> tuple[CrewEnvState, TimeStep]:
        """Play one step: `every` ticks, or fewer where the game ends.

        Args:
            state: Its state, from `reset` or `step`.
            actions: `[n]` one of `choices` for each unit. An action that is not available stands.

        Returns:
            The next state, and the timestep.
        """
        params, before = self.params_of(state), state.game
        chosen = jnp.where(available(state.action_mask, actions), actions, STAND)
        key = state.key
        assert key is not None, "a game that has begun has a key"
        last = before.state.tick + self.every

        def due(game: Game) -> Bool[Array, ""]:
            return (game.outcome == Outcome.RUNNING) & (game.state.tick < last)

        def tick(game: Game) -> Game:
            place = _now(self, params, game.state, state)
            command = command_of(params, self.choices, chosen, place)
            word = draws.tick_word(key, game.state.tick)
            return goes_on(params, self.orders, game, pass_tick(params, game.state, command, word))

        # A loop even for one tick: the compiler would repeat the work on the map for every array that reads it.
        game = lax.while_loop(due, tick, before)
        running = before.outcome == Outcome.RUNNING
        now, view = _see(self, params, game, state.map, key)
        reward = jnp.where(running, _reward(self, params, before, game, state.map), 0.0)
        won = game.outcome == Outcome.WIN
        return now, TimeStep(
            view=view,
            reward=jnp.broadcast_to(reward, (self.num_agents,)).astype(jnp.float32),
            terminated=won,
            truncated=game.outcome == Outcome.TIMEOUT,
            won=won,
            score=_score(self, params, game.state),
        )

    def global_state(self, state: CrewEnvState) -> Float[Array, " g"]:
        """Return the global state for critics; see `hive.worlds.wildfire.environment.senses.global_state`."""
        params = self.params_of(state)
        return global_state(params, state.game.state, _places(self, params, state.map))

    def scripted(self, world: Fireground) -> dict[str, Policy]:
        """Return the crew that follows a rule; see `hive.worlds.wildfire.environment.scripted`."""
        from hive.worlds.wildfire.environment.scripted import scripted

        return scripted(self)

    def params_of(self, state: CrewEnvState) -> Params:
        """Return the level on the map of a game."""
        return on_map(self.params, self.maps, state.map)

    def points(self, state: CrewEnvState) -> Int[Array, ""]:
        """Return the score of the level so far (docs/rules/wildfire.md 7.1)."""
        return achieved(self.params_of(state), state.game.state)


class CrewEnvState(struct.PyTreeNode, kw_only=True):
    """An environment's state: the game, and what step needs of the last look at it."""

    game: Game
    map: Int[Array, ""]  # number of the game's map
    key: Key[Array, ""] | None  # the game's key, the same in every tick; None: no game yet
    place: Int[Array, "n p 2"]  # the cells that actions lead to
    action_mask: Bool[Array, "n a"]


def make_crew_env(
    world: Fireground, seeds: Sequence[int], *, nearest: int = 6, sparse: bool = False, every: int = 1
) -> CrewEnv:
    """Return the environment of a level.

    Args:
        world: From `hive.load`; its own seed does not matter.
        seeds: Seeds of the maps, at least one; each is the map of `hive.load` with that seed.
        nearest: Targets and team mates that an observation lists, 1 to 32.
        sparse: Whether only the end of a game is rewarded.
        every: Ticks of a step, at least 1; more than 1 only where nothing is carried.

    Raises:
        UserError: The world is no level, its units do not share their map, a number is out of range, a map has no
            room for the level's places, or a step has several ticks where something is carried.
    """
    check_world(world, Fireground, "wildfire level")
    if not world.shared:
        raise UserError("an environment of a crew has one explored map for the team\n  = help: leave `shared` out")
    if not is_whole(nearest, 1, 32):
        raise UserError(f"an observation lists 1 to 32 targets and team mates, not {nearest}")
    if not is_whole(every, 1):
        raise UserError(f"a step has 1 tick or more, not {every}")
    if every > 1 and (world.site.level.clusters or world.site.level.helicopters):
        raise UserError(
            f"a step of {every} ticks would pick up and set down in turn on {world.name}\n  = help: leave `every` out"
        )
    if not len(seeds):
        raise UserError("an environment of a crew needs the seed of one map at least")
    params = world.params
    nothing = compile_plan(dsl.PlanSyntax(()), PLAYER, world.sizes, world.behaviours)
    orders: Any = jax.jit(make_orders)(params, nothing)
    maps = make_maps(world, seeds)
    empty: Any = None
    env = CrewEnv(
        params=params,
        maps=maps,
        first=empty,
        orders=orders,
        level=world.site.level,
        nearest=nearest,
        sparse=sparse,
        every=every,
    )
    return env.replace(first=_first(env, jnp.arange(len(seeds))))


@jax.jit
def _first(env: CrewEnv, numbers: Int[Array, " m"]) -> tuple[CrewEnvState, LearnerView]:
    """Begin a game on each map."""

    def begin_on(number: Int[Array, ""]) -> tuple[CrewEnvState, LearnerView]:
        params = on_map(env.params, env.maps, number)
        return _see(env, params, begin(params, env.orders, jax.random.key(0)), number, None)

    return jax.vmap(begin_on)(numbers)


def _places(env: CrewEnv, params: Params, number: Int[Array, ""]) -> Int[Array, "e 2"]:
    """Targets of the task, as far as the level makes them known; an empty list where it does not."""
    assert params.crews is not None
    task = params.crews.task
    if env.level.game == "cut":
        return task.cell
    if env.targets:
        return (env.maps.fire[number] if ringed(env.level) else task.goal)[None]
    return jnp.zeros((0, 2), jnp.int32)


def _now(env: CrewEnv, params: Params, state: State, step: CrewEnvState) -> Int[Array, "n p 2"]:
    """The cells that actions lead to in a tick of a step: those of its start, and the next ones on the rings."""
    if not ringed(env.level):
        return step.place
    first = FIXED + env.targets
    rings = along_rings(cell_of(state), env.maps.fire[step.map])
    return step.place.at[:, first : first + len(RINGS)].set(jnp.clip(rings, 0, params.terrain.size - 1))


def _see(
    env: CrewEnv, params: Params, game: Game, number: Int[Array, ""], key: Key[Array, ""] | None
) -> tuple[CrewEnvState, LearnerView]:
    state, level, table = game.state, env.level, env.choices
    assert state.crew is not None
    things = things_of(level)
    places = _places(env, params, number)
    known = learn_of(params, state, things, places, level.game == "cut", env.targets)
    reach = _reach(env, params, known, places)
    acts = state.alive & (state.crew.aboard < 0)
    action_mask = possible(params, table, reach, _needs(params, state, known), acts)
    radius = max(int(RADIUS[kind]) for kind, count in zip(CrewType, level.agents, strict=True) if count)
    view = LearnerView(
        observation=observe(params, state, known, things, env.nearest, radius),
        action_mask=action_mask,
        alive=state.alive,
    )
    return CrewEnvState(game=game, map=number, key=key, place=reach.place, action_mask=action_mask), view


def _reach(env: CrewEnv, params: Params, known: CrewKnowledge, places: Int[Array, "e 2"]) -> Reach:
    """The cells that actions lead to, in the order of `hive.worlds.wildfire.environment.actions.choices`."""
    at, last = known.at, params.terrain.size - 1
    steps = steps_from(params, at)
    rings = along_rings(at, places[0]) if ringed(env.level) else jnp.zeros((env.num_agents, 0, 2), jnp.int32)
    way = known.view.way[np.array(things_of(env.level), int)]  # [t, n, 2]
    burns = np.isin(things_of(env.level), (Thing.FIRE, Thing.DANGER))
    off = way.astype(jnp.float32)
    far = length(off)
    share = jnp.maximum(far - SHORT, 0.0) / jnp.maximum(far, 1.0)
    stop = jnp.round(rounded(off * share[..., None])).astype(jnp.int32)
    careful = jnp.asarray(burns)[:, None] & (params.units.type < CrewType.DRONE)[None]
    thing = at[:, None] + jnp.where(careful[..., None], stop, way).swapaxes(0, 1)
    place = jnp.clip(jnp.concatenate([steps, known.target, rings, thing], axis=1), 0, last)
    there = jnp.concatenate(
        [
            jnp.ones(steps.shape[:2], bool),
            known.left,
            jnp.ones(rings.shape[:2], bool),
            known.view.known[np.array(things_of(env.level), int)].T,
        ],
        axis=1,
    )
    elsewhere = (place != at[:, None]).any(-1).at[:, 0].set(True)
    return Reach(place=place, there=there & elsewhere)


def _needs(params: Params, state: State, known: CrewKnowledge) -> Bool[Array, "n c"]:
    """Whether each `Need` holds, as far as the crew knows."""
    crew, kind = state.crew, params.units.type
    assert crew is not None and params.crews is not None
    x, y = known.at.T
    away = jnp.square(known.view.way).sum(-1)
    near = known.view.known & (away < REACH**2)
    hose = known.view.known[Thing.FIRE] & (away[Thing.FIRE] > 0) & (away[Thing.FIRE] <= REACH**2)
    helicopter, burden = kind == CrewType.HELICOPTER, known.burden
    holds = {
        Need.NOTHING: jnp.ones(params.count, bool),
        Need.CUT: known.wood > 0,
        Need.CARRY: (burden > 0) | near[Thing.CIVILIAN],
        Need.SPRAY: (crew.water > 0) & hose,
        Need.FILL: params.crews.water[x, y] & (crew.water < CAPACITY) & (~helicopter | (burden == 0)),
        Need.LIFT: (crew.water == 0) & (burden < CAPACITY) & near[Thing.FIREFIGHTER],
        Need.DROP: (crew.water > 0) | (burden > 0),
    }
    return jnp.stack([holds[need] for need in Need], axis=1)


def _reward(env: CrewEnv, params: Params, before: Game, after: Game, number: Int[Array, ""]) -> Float[Array, ""]:
    """docs/rules/learning.md 9."""
    level = env.level
    old, new = (achieved(params, game.state).astype(jnp.float32) for game in (before, after))
    won = (after.outcome == Outcome.WIN).astype(jnp.float32)
    if level.open_ended:
        share = np.float32(1 / POINTS_OF_REWARD)
        if env.sparse:
            return jnp.where(after.outcome != Outcome.RUNNING, new * share, 0.0)
        lost = rounded((new - old) * share)
        if not ringed(level):
            return lost
        closed = [_closed(game.state, env.maps.fire[number]) for game in (before, after)]
        return lost + rounded((closed[1] - closed[0]) * np.float32(ENCLOSING))
    if env.sparse:
        return won
    gained = rounded((new - old) * np.float32(1 / level.best))
    if level.known:
        return won + gained
    assert before.state.crew is not None and after.state.crew is not None
    seen = [(game.state.crew.seen != Explored.UNSEEN).sum() for game in (before, after) if game.state.crew is not None]
    explored = (seen[1] - seen[0]).astype(jnp.float32) * np.float32(EXPLORING / level.size**2)
    return won + gained + jnp.where(_found(before.state), 0.0, rounded(explored))


def _closed(state: State, middle: Int[Array, " 2"]) -> Float[Array, ""]:
    """The largest share of a ring round a place whose cells cannot catch fire any more, and have not."""
    assert state.fire is not None
    phase, shares = state.fire.phase, []
    for radius in RINGS:
        cells = ring_cells(middle, radius)
        inside = ((cells >= 0) & (cells < phase.shape[0])).all(1)
        x, y = jnp.clip(cells, 0, phase.shape[0] - 1).T
        safe = ((phase[x, y] == Phase.NOT_BURNABLE) | ~inside).sum().astype(jnp.float32)
        shares.append(safe * np.float32(1 / len(cells)))
    return jnp.stack(shares).max()


def _found(state: State) -> Bool[Array, ""]:
    """Whether the team has seen a fire or a civilian."""
    assert state.crew is not None
    seen = state.crew.seen
    burns = (seen >= Explored.IGNITED) & (seen <= Explored.BURNT)
    return (burns | (seen == Explored.CIVILIAN)).any()


def _score(env: CrewEnv, params: Params, state: State) -> Float[Array, ""]:
    """docs/rules/learning.md 10."""
    points = achieved(params, state).astype(jnp.float32)
    if not env.level.open_ended:
        return jnp.clip(points * np.float32(1 / env.level.best), 0.0, 1.0)
    assert params.blaze is not None and state.crew is not None
    start, kinds = params.blaze.start, params.units.type
    worth = COSTS["trees"] * start.trees.sum(dtype=jnp.int32) + COSTS["buildings"] * start.building.sum(dtype=jnp.int32)
    worth += COSTS["civilians"] * state.crew.living.size
    worth += COSTS["firefighters"] * (kinds == CrewType.FIREFIGHTER).sum(dtype=jnp.int32)
    worth += COSTS["bulldozers"] * (kinds == CrewType.BULLDOZER).sum(dtype=jnp.int32)
    return jnp.clip(1.0 + points / jnp.maximum(worth.astype(jnp.float32), 1.0), 0.0, 1.0)


def load_world(task: LearningTask, seeds: Sequence[int] | None = None, **overrides: Any) -> Fireground:
    """Load the level of a task; see `hive.kit.environment.tasks.TaskKind`."""
    return load_level(task.of[0], **overrides)


def make_task_env(task: LearningTask, *, sparse: bool, seeds: Sequence[int] | None, **overrides: Any) -> CrewEnv:
    """Make the environment of a task; see `hive.kit.environment.tasks.TaskKind`."""
    level = load_world(task, **overrides)
    maps = training_seeds(level, task.maps) if seeds is None else seeds
    options = task.options
    return make_crew_env(level, maps, nearest=options.get("nearest", 5), sparse=sparse, every=options.get("every", 1))


def training_seeds(world: Fireground, count: int) -> list[int]:
    """Return the first seeds that are not published ones of the level."""
    return list(islice((seed for seed in itertools.count() if seed not in world.site.level.seeds), count))


def task_facts(task: LearningTask) -> list[tuple[str, str]]:
    """Return the facts of a level; see `hive.kit.environment.tasks.TaskKind`."""
    world = load_world(task)
    level = world.site.level
    kind = ("ringed" if ringed(level) else "fire") if level.open_ended else "known" if level.known else "unknown"
    shaped, sparse = _REWARDS[kind]
    seeds = training_seeds(world, task.maps)
    won = "the fire is out" if level.open_ended else f"the highest score is reached, {level.best}"
    ticks, every = level.period // FRAMES, task.options.get("every", 1)
    unit = "step" if every == 1 else "tick"
    fire = f"a fire that spreads every {f'{ticks} {unit}s' if ticks > 1 else unit}" if ticks else "no fire"
    step = [("A step", f"an action of each unit, which it keeps for {every} ticks")] if every > 1 else []
    return [
        ("World", f"`{level.name}`, {level.size} x {level.size} cells"),
        ("Maps", f"{task.maps}, of the seeds {seeds[0]} to {seeds[-1]} without the published ones"),
        ("Team", count_units(zip(CREW_TYPES, level.agents, strict=True))),
        ("Opponent", f"none; {fire}"),
        ("Won when", won),
        ("Reward", shaped),
        ("Sparse reward", sparse),
        *step,
    ]


_REWARDS = {  # rule of each kind of reward, shaped and sparse (docs/rules/learning.md 9)
    "known": (
        "points gained / highest score, + 1 for a win",
        "1 for a win",
    ),
    "unknown": (
        "points gained / highest score, + half the share of the map newly seen until fire or civilians are found, "
        "+ 1 for a win",
        "1 for a win",
    ),
    "ringed": (
        "points lost in the step / 100, as a negative number, + "
        "2 times the share of a ring round the start of the fire that was made safe",
        "points lost in the game / 100, at its end",
    ),
    "fire": (
        "points lost in the step / 100, as a negative number",
        "points lost in the game / 100, at its end",
    ),
}

"""Every public program lowers for devices that are not here: no host callback, no call that only a CPU knows."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cached_property
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import hive
from hive.engine import dynamics, episode, metrics, objective, spawning, swapping
from hive.engine.batch import lanes, tables
from hive.engine.batch.devices import mesh_of
from hive.engine.batch.mixed import Company, Entry, Shape, tier_of
from hive.engine.plan import progress
from hive.engine.plan.arrays import STACKED, make_orders, stack
from hive.engine.types import Action, Orders, Params, Plan, State
from hive.engine.units import decide, draws, push
from hive.ground.distance import distance_maps
from hive.ground.fire import Fire, burn, make_fire, make_fuel
from hive.ground.sizes import CPU
from hive.ground.terrain import make_terrain
from hive.kit.environment.env import stack as stack_games
from hive.worlds.battle.world import Battle
from hive.worlds.household.assembly import make_params
from hive.worlds.household.episode import episode as household
from hive.worlds.household.policies.cheapest import cheapest
from hive.worlds.household.policies.policy import play_many as play_households
from hive.worlds.rescue.assembly import batch_params
from hive.worlds.rescue.dynamics import reset
from hive.worlds.rescue.heuristic import play_many, variant
from hive.worlds.rescue.scores import measure_many, traces
from hive.worlds.rescue.shipped import shipped
from tests.engine.worlds import plan_of, world_of

PLATFORMS = ("cuda", "tpu")
PLANS = ("elimination all;; all @ 20, 20: attack_in_close_range", "position;; [0:2] @ 5, 30: attack_and_move")
UNTIL = jnp.int32(7)
HOST = {
    "command",
    "load",
    "load_team_world",
    "movie",
    "picture",
    "record",
    "order",
    "play",
    "player",
    "sweep",
    "read_plan",
    "swap",
    "with_room",
}  # of `hive.__all__`: on the host; their programs stand below


def rescue() -> Any:
    """A batch of one rescue."""
    return batch_params([shipped("map_7/agents")])


class Setting:
    """A world and what its programs take, as shapes alone: nothing here is played."""

    def __init__(self, count: int) -> None:
        self.world: Battle = world_of(f"""
[map]
size = 40
shapes = [{{ terrain = "forest", box = [15, 15, 20, 20] }}, {{ terrain = "water", box = [30, 0, 32, 20] }}]
[player]
units = [{{ type = "spearmen", count = {count // 2}, box = [0.1, 0.1, 0.5, 0.5] }}]
[enemy]
units = [{{ type = "archer", count = {count - count // 2}, box = [0.5, 0.5, 0.4, 0.4] }}]
""")
        self.params: Params = self.world.params
        self.plans: list[Plan] = [hive.read_plan(plan_of(text), self.world) for text in PLANS]
        self.plan = self.plans[0]
        self.key, self.keys = jax.random.key(0), jax.vmap(jax.random.key)(jnp.arange(3))

    @cached_property
    def orders(self) -> Orders:
        return jax.eval_shape(make_orders, self.params, self.plan)

    @cached_property
    def game(self) -> episode.Game:
        return jax.eval_shape(episode.begin, self.params, self.orders, self.key)

    @cached_property
    def state(self) -> State:
        return self.game.state

    @cached_property
    def decision(self) -> decide.Decision:
        return jax.eval_shape(episode.tick, self.params, self.orders, self.game, self.key)[1]

    @cached_property
    def action(self) -> Action:
        return self.decision.action

    @cached_property
    def word(self) -> jax.ShapeDtypeStruct:
        return jax.eval_shape(draws.tick_word, self.key, jnp.int32(0))

    @cached_property
    def layer(self) -> Any:
        return jnp.zeros((20, 20))

    @cached_property
    def ended(self) -> episode.Episode:
        return jax.eval_shape(episode.rollout, self.params, self.plan, self.key)

    # games side by side

    @cached_property
    def many(self) -> tuple[Any, ...]:
        """Devices, parameters, orders and lanes of a batch of six games of two plans."""
        params = self.params.replace(rules=jax.tree.map(lambda leaf: leaf[None], self.params.rules))
        orders = jax.eval_shape(lanes.make_table, params, stack(self.plans))
        number = jnp.arange(6, dtype=jnp.int32)
        own = lanes.Lanes(seed=number.astype(jnp.uint32), plan=number % 2, rules=0 * number, real=number >= 0)
        return mesh_of(jax.devices()[:1]), params, orders, own

    @cached_property
    def mixed(self) -> tuple[Any, ...]:
        """What a batch of four games of two plans takes in which battles may differ."""
        entries = [Entry(self.world, plan, [0, 1]) for plan in self.plans]
        company = Company(entries, tier_of(self.params), Shape(), jax.devices()[:1])
        mesh, both, games, count = company.batch(company.batches[0])
        return mesh, *jax.eval_shape(lambda *each: each, both, games), count

    @cached_property
    def games(self) -> episode.Game:
        mesh, *rest = self.many
        return lanes.start.eval_shape(mesh, *rest)


def watch(*arguments: Any) -> Any:
    params, orders, game, _ = arguments
    return metrics.measure(params, orders, game.progress, game.state)


def watched(*arguments: Any) -> Any:
    return episode.advance_watched(*arguments[:4], watch, 5, arguments[4])


def burned(layer: Any, word: Any) -> Fire:
    """An update of the automaton on thresholds, and one on chances."""
    fire = make_fire(layer == 0, layer.astype(jnp.uint8), layer > 0, layer == 0)
    fire = burn(make_fuel(layer, layer, jnp.ones(2)), fire, word)
    return burn(make_fuel(layer, layer, jnp.ones(2), 0.1), fire, word)


Program = Callable[[Setting], tuple[Any, ...]]

# Public functions that may be compiled, with arguments. A new one of `hive.__all__`, and a new one that is compiled
# where it is defined, must be added here.
PROGRAMS: dict[Callable[..., Any], Program] = {
    spawning.reset: lambda s: (s.params, s.key),
    dynamics.step: lambda s: (s.params, s.state, s.action, s.key),
    distance_maps: lambda s: (s.params.terrain, s.plan.place),
    make_terrain: lambda s: (s.params.terrain.kind,),
    make_fuel: lambda s: (s.layer, s.layer, jnp.ones(2)),
    burned: lambda s: (s.layer, s.word),
    make_orders: lambda s: (s.params, s.plan),
    progress.start: lambda s: (s.params, s.orders, s.state),
    progress.advance: lambda s: (s.params, s.orders, s.game.progress, s.state),
    objective.judge: lambda s: (s.params, s.orders, s.game.progress, s.state),
    objective.score: lambda s: (s.params, s.state),
    metrics.measure: lambda s: (s.params, s.orders, s.game.progress, s.state),
    metrics.survivors: lambda s: (s.params, s.state),
    decide.decide: lambda s: (s.params, s.orders, s.game.progress, s.state, s.word),
    push.push: lambda s: (s.params, s.state),
    episode.begin: lambda s: (s.params, s.orders, s.key),
    episode.tick: lambda s: (s.params, s.orders, s.game, s.key),
    episode.advance: lambda s: (s.params, s.orders, s.game, s.key, UNTIL),
    watched: lambda s: (s.params, s.orders, s.game, s.key, UNTIL),
    episode.finish: lambda s: (s.params, s.orders, s.game, s.plan.exists.shape[0]),
    episode.rollout: lambda s: (s.params, s.plan, s.key),
    episode.value: lambda s: (s.params, s.ended),
    jax.vmap(episode.rollout, (None, None, 0)): lambda s: (s.params, s.plan, s.keys),
    jax.vmap(episode.rollout, (None, STACKED, 0)): lambda s: (s.params, stack(s.plans), s.keys[:2]),
    swapping.replan: lambda s: (s.params, s.orders, s.game, s.plan),
    lanes.make_table: lambda s: (s.many[1], stack(s.plans)),
    lanes.make_pairs: lambda s: (s.many[1], stack(s.plans), stack(s.plans)),
    lanes.start: lambda s: s.many,
    lanes.go_on: lambda s: (*s.many, s.games, UNTIL),
    lanes.change: lambda s: (*s.many, s.games, jnp.array([True, False])),
    lanes.go_on_watched: lambda s: (*s.many, s.games, 5, UNTIL),
    lanes.end: lambda s: (*s.many, s.games, s.plan.exists.shape[0]),
    tables.play_games: lambda s: s.mixed,
    play_many: lambda _: (rescue(), jax.tree.map(lambda each: each[None], variant())),
    play_households: lambda s: (cheapest(), stack_games([make_params(household("cwah_0"))] * 3), s.keys),
    measure_many: lambda _: (traces(rescue(), jax.vmap(reset)(rescue())),),
}
WHOLE = {  # the others are parts of these
    *(burned, swapping.replan, metrics.survivors),
    *(lanes.make_table, lanes.make_pairs, lanes.start, lanes.change),
    *(lanes.go_on_watched, lanes.end, tables.play_games),
}
PAIRED = (lanes.go_on_watched, tables.play_games)  # what looks at neighbours in games side by side
STATIC = {episode.finish: 3}  # of functions that are not compiled where they are defined


@pytest.fixture(scope="module")
def setting(request: pytest.FixtureRequest) -> Setting:
    return Setting(request.param)


def name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


ALL_PAIRS, TILES = 8, CPU.dense + 24  # units
TWICE = (  # their two parts are exported in others: games side by side by tiles, and watched ones by all pairs
    (ALL_PAIRS, tables.play_games),
    (TILES, lanes.go_on_watched),
)


def case(units: int, program: Callable[..., Any]) -> Any:
    tier = [] if program in WHOLE and (units, program) not in TWICE else [pytest.mark.long]
    way = "all pairs" if units == ALL_PAIRS else "tiles"
    return pytest.param(units, program, id=f"{way}-{name(program)}", marks=tier)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "program"),
    [*(case(TILES, each) for each in PROGRAMS), *(case(ALL_PAIRS, each) for each in PAIRED)],
    indirect=["setting"],
)
def test_it_lowers_for_gpus_and_tpus(setting: Setting, program: Callable[..., Any]) -> None:
    jitted = program if hasattr(program, "lower") else jax.jit(program, static_argnums=STATIC.get(program))

    exported = jax.export.export(jitted, platforms=PLATFORMS)(*PROGRAMS[program](setting))

    assert exported.platforms == PLATFORMS
    assert len(exported.mlir_module_serialized) > 0


def test_a_call_to_the_host_does_not_lower() -> None:
    """What the test above would say of it."""

    def talk(x: jax.Array) -> jax.Array:
        return jax.pure_callback(lambda x: x, x, x)

    with pytest.raises(NotImplementedError, match="callback"):
        jax.export.export(jax.jit(talk), platforms=PLATFORMS)(jnp.zeros(3))


LEFT_OUT = (
    "hive.experiments.bench",
    "hive.rl.views.jaxmarl",
    *map("hive.experiments.study.{}".format, ("taskset", "inspect_task", "openenv_server")),
)


def modules() -> Iterator[ModuleType]:
    """All of `hive` but the benchmarks, whose programs are made to be timed, and modules that need an extra.

    A module that imports JaxMARL, which takes six seconds, compiles methods alone and is left out as well.
    """
    for found in pkgutil.walk_packages(hive.__path__, "hive."):
        if not found.name.startswith(LEFT_OUT):
            yield importlib.import_module(found.name)


def test_every_public_function_is_exported_or_works_on_the_host() -> None:
    exposed = {n: getattr(hive, n) for n in hive.__all__}
    functions = {n for n, value in exposed.items() if not isinstance(value, type)}
    assert functions >= HOST
    unknown = {n for n in functions - HOST if exposed[n] not in PROGRAMS}
    assert not unknown, "add these to PROGRAMS, or to HOST if they are never compiled"


@pytest.mark.slow
def test_every_function_compiled_where_it_is_defined_is_exported() -> None:
    kind = type(jax.jit(hive.step))
    compiled = {
        f"{module.__name__}.{n}": value
        for module in modules()
        for n, value in vars(module).items()
        if isinstance(value, kind) and not n.startswith("_")
    }
    assert {"hive.ground.distance.distance_maps", "hive.ground.terrain.make_terrain"} <= compiled.keys()
    missing = {n for n, value in compiled.items() if value not in PROGRAMS and value.__wrapped__ not in PROGRAMS}
    assert not missing, "add these to PROGRAMS"

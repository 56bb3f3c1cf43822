"""Fire in a battle: absent parts trace nothing, burnt forest hides no unit, and units in flames die."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine import episode
from hive.engine.plan.arrays import make_orders
from hive.engine.types import Action, ActionKind, Params, State
from hive.ground import fire as fires
from hive.ground.shapes import Ground
from hive.ground.terrain import blocks_sight, cell, lookup, make_terrain
from hive.worlds.battle.scenario import load_scenario, parse_scenario, to_toml
from tests.engine.worlds import decide, plan_of, world_of
from tests.tiers import tiers

WOOD = """
[map]
size = 48
shapes = [{ terrain = "forest", box = [0, 8, 48, 40] }]
[rules]
jitter = 0
movement_randomness = 0
limit = 90
[player]
units = [{ type = "spearmen", count = 6, box = [0.0, 0.25, 1.0, 0.5] }]
[enemy]
units = [{ type = "cavalry", count = 6, box = [0.0, 0.25, 1.0, 0.5] }]
"""
FIRE = """
[fire]
start = [[2, 20], [3, 30]]
wind = [1, 0.5]
period = 2
harm = 4
"""
STAND = plan_of("elimination all; ; all @ 24, 44: stand")
reset, stepped, burn = jax.jit(hive.reset), jax.jit(hive.step), jax.jit(fires.burn)
orders_of, started, played = jax.jit(make_orders), jax.jit(episode.start), jax.jit(episode.tick)
begin_many = jax.jit(jax.vmap(episode.begin, (None, None, 0)))
play_many = jax.jit(jax.vmap(episode.tick, (None, None, 0, 0)))


def burning(extra: str = "") -> hive.World:
    return world_of(WOOD + FIRE + extra)


def waiting(params: Params, position: tuple[float, float]) -> tuple[State, Action]:
    """Everybody at one place, and told to stand."""
    state = reset(params, jax.random.key(0))
    still = jnp.zeros(params.count, jnp.int32)
    action = Action(kind=still, move=jnp.zeros((params.count, 2)), target=still)
    return state.replace(position=jnp.broadcast_to(jnp.asarray(position), state.position.shape)), action


def test_a_battle_without_fire_carries_none() -> None:
    params = world_of(WOOD).params
    state = reset(params, jax.random.key(0))
    assert params.blaze is None and state.fire is None
    assert params.now(state) is params


def test_fire_burns_on_at_the_end_of_each_period() -> None:
    params = burning().params
    state, action = waiting(params, (40.0, 4.0))
    assert params.blaze is not None
    fire = params.blaze.start
    for tick in range(1, 31):
        state = stepped(params, state, action, jax.random.key(0))
        if tick % 2 == 0:
            fire = burn(params.blaze.fuel, fire, jnp.uint32(0))
        jax.tree.map(np.testing.assert_array_equal, state.fire, fire)
    assert int((fire.phase > fires.Phase.LIT).sum()) > 50


def test_units_in_burning_cells_lose_health_and_burnt_ground_is_harmless() -> None:
    """Ignited at once by hand, then 12 more updates of two ticks; 4 a tick kill cavalry in 3 and spearmen in 6."""
    params = burning().params
    state, action = waiting(params, (2.5, 20.5))
    health = []
    for _ in range(7):
        state = stepped(params, state, action, jax.random.key(0))
        health.append(state.health[jnp.asarray([0, 6])].tolist())
    assert health == [[20, 8], [16, 4], [12, 0], [8, 0], [4, 0], [0, 0], [0, 0]]
    state, _ = waiting(params, (40.5, 4.5))
    for _ in range(26):
        state = stepped(params, state, action, jax.random.key(0))
    assert state.fire is not None and int(state.fire.phase[2, 20]) == fires.Phase.BURNT
    back = state.replace(position=jnp.broadcast_to(jnp.asarray([2.5, 20.5]), state.position.shape))
    after = stepped(params, back, action, jax.random.key(0))
    np.testing.assert_array_equal(after.health, back.health)


def test_burnt_forest_is_open_ground_with_clearances_that_still_hold() -> None:
    """The kind is that of a map drawn without the burnt cells; clearances are at most those of that map."""
    params = burning().params
    state, action = waiting(params, (40.5, 4.5))
    for _ in range(60):
        state = stepped(params, state, action, jax.random.key(0))
    assert state.fire is not None
    burnt = np.asarray(state.fire.phase == fires.Phase.BURNT)
    kind = np.array(params.terrain.kind)
    assert kind[burnt].any() and (kind[~burnt] == Ground.FOREST).any()
    kind[burnt] = 0
    now, anew = params.now(state).terrain, make_terrain(jnp.asarray(kind))
    np.testing.assert_array_equal(now.kind, anew.kind)
    for shift in (8, 16):
        assert ((now.word >> shift & 0xFF) <= (anew.word >> shift & 0xFF)).all()


@pytest.mark.parametrize("burns", tiers([False, True], slow=[True]))
def test_units_see_each_other_where_the_wood_has_burnt(burns: bool) -> None:
    """Archers 8 m from their foes, all in the wood: they attack only when the trees are gone."""
    world = world_of(WOOD.replace("spearmen", "archer") + FIRE)
    params = world.params
    assert params.blaze is not None
    phase = jnp.where(params.blaze.start.phase == fires.Phase.BURNABLE, fires.Phase.BURNT if burns else 0, 1).astype(
        jnp.uint8
    )
    params = params.replace(blaze=params.blaze.replace(start=params.blaze.start.replace(phase=phase)))
    orders = orders_of(params, hive.read_plan(plan_of("elimination all; ; all @ 24, 44: attack_and_move any"), world))
    state = reset(params, jax.random.key(0))
    rows = np.arange(params.count)
    place = np.stack([np.where(rows < 6, 20.5, 28.5), 12.5 + 2.0 * (rows % 6)], axis=-1)
    state = state.replace(position=jnp.asarray(place, jnp.float32))
    decision = decide(params, orders, started(params, orders, state), state, jnp.uint32(7))
    assert (np.asarray(decision.action.kind[:6]) == ActionKind.ATTACK).all() == burns
    here = lookup(params.now(state).terrain, cell(state.position, 48))
    assert (~blocks_sight(here)).all() == burns


@pytest.mark.long
def test_a_game_burns_alone_as_in_a_batch() -> None:
    """The same seed gives the same fire and the same dead, tick by tick, whatever stands beside it."""
    world = burning("chance = 0.8")
    orders = orders_of(world.params, hive.read_plan(STAND, world))
    keys = jnp.stack([jax.random.key(seed) for seed in (3, 4, 5)])
    batch = begin_many(world.params, orders, keys)
    alone = jax.tree.map(lambda leaf: leaf[1], batch)
    for _ in range(90):
        batch, decided = play_many(world.params, orders, batch, keys)
        alone, decision = played(world.params, orders, alone, keys[1])
        both = (alone, decision), (batch, decided)
        jax.tree.map(lambda one, many: np.testing.assert_array_equal(one, many[1]), *both)
    fire = batch.state.fire
    assert bool((fire.phase[0] != fire.phase[1]).any()) and not bool(alone.state.alive.all())


def test_a_fire_in_a_scenario_file_is_read_and_written() -> None:
    shipped = load_scenario("burning_wood")
    assert shipped.fire is not None and shipped.fire.chance is not None
    assert parse_scenario(to_toml(shipped), "burning_wood") == shipped
    plain = burning().scenario
    assert plain.fire is not None and plain.fire.chance is None
    assert parse_scenario(to_toml(plain), "test") == plain


@pytest.mark.parametrize(
    ("old", "new", "place", "says"),
    [
        ("[3, 30]", "[3, 48]", "fire.start[1]", "(3, 48) is outside the map"),
        ("[3, 30]", "[3, -1]", "fire.start[1][1]", "-1 is out of range"),
        ("[[2, 20], [3, 30]]", "[]", "fire.start", "at least 1"),
        ("wind = [1, 0.5]", "", "fire.wind", "`wind` is missing"),
        ("period = 2", "period = 0", "fire.period", "a whole number from 1"),
        ("harm = 4", "harm = -1", "fire.harm", "a number from 0"),
        ("harm = 4", "chance = 0", "fire.chance", "a number above 0"),
        ("harm = 4", "chanse = 1", "fire.chanse", "did you mean `chance`?"),
    ],
)
def test_faults_of_a_fire_are_placed_by_their_key_path(old: str, new: str, place: str, says: str) -> None:
    with pytest.raises(hive.ScenarioError) as caught:
        world_of(WOOD + FIRE.replace(old, new))
    assert place in [problem.place for problem in caught.value.problems] and says in str(caught.value)

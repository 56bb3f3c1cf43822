"""One tick of the world, as a list of phases in the order of the rules (docs/rules/battles.md 3.1)."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Key, UInt

from hive.engine.crews.civilians import walk
from hive.engine.crews.explored import mark, mark_here
from hive.engine.crews.frames import die, work
from hive.engine.types import Action, ActionKind, CrewAction, Params, State
from hive.engine.units import draws
from hive.engine.units.combat import attack, cool
from hive.engine.units.push import push
from hive.ground.compaction import only_if
from hive.ground.exact import rounded
from hive.ground.fire import burn
from hive.ground.lines import arrive
from hive.ground.terrain import cell


def step(params: Params, state: State, action: Action | CrewAction, key: Key[Array, ""]) -> State:
    """Play one tick: attacks, cooldowns, moves stopped by terrain, pushes stopped by terrain, fire.

    A crew's tick is 100 frames of its own work, then civilians, fire and deaths; what it explored is marked
    before and after the fire.

    Args:
        params: The scenario's rules.
        state: World before the tick.
        action: What each unit does, decided on `state`; a `CrewAction` where `params.crews` is set.
        key: The game's key, the same in every tick; draws hash it with the tick.

    Returns:
        World after the tick, with the shapes and dtypes of `state`. Dead units stay in place and do nothing.

    Raises:
        TypeError: The action is of the other class.
    """
    taken = Action if params.crews is None else CrewAction
    if not isinstance(action, taken):
        raise TypeError(f"units of this world take a hive.{taken.__name__}, not a {type(action).__name__}")
    return pass_tick(params, state, action, draws.tick_word(key, state.tick))


def pass_tick(params: Params, state: State, action: Action | CrewAction, word: UInt[Array, ""]) -> State:
    """Play one tick as `step` does, with the random word of the tick, which the trees have used before."""
    if isinstance(action, CrewAction):
        state, stood = work(params, state, action)
        state = walk(params, state, word)
        state = mark(params, state, stood)
        state = spread_fire(params, state, word)
        state = die(params, state)
        state = mark_here(params, state)
    else:
        params = params.now(state)
        state, struck = attack(params, state, action)
        state = cool(params, state, struck)
        state = move(params, state, action, word)
        state = crowd(params, state)
        state = spread_fire(params, state, word)
        state = scorch(params, state)
    return state.replace(tick=state.tick + 1)


def move(params: Params, state: State, action: Action, word: UInt[Array, ""]) -> State:
    """Move live units that chose to move, with a little jitter for every live unit.

    Rules: docs/rules/battles.md 3.5, 3.6.

    The jitter is part of the displacement, so terrain stops it too (docs/rules/battles.md 3.5).
    """
    wish = jnp.where((action.kind == ActionKind.MOVE)[:, None], action.move, 0.0)
    jitter = rounded(params.rules.jitter * draws.normal_pair(word, params.units.id, draws.Stream.JITTER))
    there = state.position + jnp.where(state.alive[:, None], rounded(wish) + jitter, 0.0)
    return state.replace(position=arrive(params.terrain, state.position, there))


def crowd(params: Params, state: State) -> State:
    """Push overlapping live units apart; terrain stops the push (docs/rules/battles.md 3.7)."""
    there = state.position + push(params, state)
    return state.replace(position=arrive(params.terrain, state.position, there))


def spread_fire(params: Params, state: State, word: UInt[Array, ""]) -> State:
    """Update the fire at the end of its period."""
    if params.blaze is None or state.fire is None:
        return state
    fuel = params.blaze.fuel
    due = (state.tick + 1) % params.blaze.period == 0
    before = state.fire
    return state.replace(fire=only_if(due, lambda: burn(fuel, before, word), before))


def scorch(params: Params, state: State) -> State:
    """Damage every unit of a battle that stands in a burning cell.

    A burning cell is ignited, on fire or smouldering. Burnt ground is harmless in battles, so that an army may cross
    it (docs/rules/battles.md 3.8), unlike for crews.
    """
    if params.blaze is None or state.fire is None:
        return state
    east, north = jnp.moveaxis(cell(state.position, params.terrain.size), -1, 0)
    hurt = jnp.where(state.fire.burning[east, north], params.blaze.harm, 0.0)
    return state.replace(health=jnp.maximum(state.health - hurt, 0.0))

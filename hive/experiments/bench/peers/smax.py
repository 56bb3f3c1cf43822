"""JaxMARL's SMAX and small worlds of HIVE: the same map, numbers, batch and number of steps, each in one scan.

SMAX is measured twice: as a learner calls it, with observations for every agent and a reset of ended games, and as its
world alone, which is the fastest. No unit dies in HIVE's worlds, so that every step does all the work.
"""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Key

from hive.engine.episode import Game, tick
from hive.engine.types import State
from hive.experiments.bench.peers.comparing import PeerProgram, peer_row, seconds_of
from hive.experiments.bench.peers.jaxmarl_play import random_steps
from hive.experiments.bench.worlds import make_scene, scatter

BATCH = 64
SIDE = 32  # metres, SMAX's own map
GROUNDS = {"open": "open ground", "walls": "walls and woods"}

_COMMON = (
    "a step of SMAX is eight small steps with one random action, without terrain, lines of sight, trees or plans; ours "
    "is one tick of units that see farther (15 m) and follow a plan, and none of them dies"
)
_WHOLE = f"{_COMMON}; SMAX also observes for a learner and resets ended games, ours does not"
_BARE = "as above, but neither observes for a learner nor resets"


def rows(quick: bool) -> Iterator[dict[str, object]]:
    """Environment steps a second, for each number of units on open ground and with walls and woods."""
    for each, steps in ((5, 25),) if quick else ((5, 100), (10, 100), (50, 25)):
        ours = [our_steps(each, BATCH, steps, ground) for ground in GROUNDS]
        theirs = [their_steps(each, BATCH, steps, observe=observe) for observe in (True, False)]
        rates = [BATCH * steps / seconds for seconds in seconds_of(*ours, *theirs, quick=quick)]
        for ground, our in zip(GROUNDS.values(), rates[:2], strict=True):
            work = f"{BATCH} battles, {ground}"
            for peer, their, why in zip(
                ("JaxMARL SMAX", "JaxMARL SMAX, no observations"), rates[2:], (_WHOLE, _BARE), strict=True
            ):
                yield peer_row(peer, "jaxmarl", work, 2 * each, "step", our, their, steps, why)


def our_steps(each: int, batch: int, steps: int, ground: str) -> PeerProgram:
    """A program of `steps` full ticks of `batch` games; it returns their last states `[batch]`."""
    scene = make_scene(2 * each, ground=ground, side=SIDE)
    params, orders = scene.params, scene.orders

    def one(game: Game, key: Key[Array, ""]) -> Game:
        return tick(params, orders, game, key)[0]

    @jax.jit
    def play(places: Float[Array, "b n 2"], keys: Key[Array, " b"]) -> State:
        games = jax.vmap(lambda place: scene.game.replace(state=scene.game.state.replace(position=place)))(places)
        return lax.scan(lambda games, _: (jax.vmap(one)(games, keys), None), games, None, length=steps)[0].state

    places = jnp.asarray(scatter(2 * each, scene.kind, batch))
    keys = jax.random.split(jax.random.key(0), batch)
    return lambda: play(places, keys)


def their_steps(each: int, batch: int, steps: int, *, observe: bool) -> PeerProgram:
    """A program of `steps` environment steps of `batch` SMAX games; it returns their last states `[batch]`.

    Without `observe` no observation is computed, and ended games are not reset.
    """
    from jaxmarl.environments.smax import SMAX

    env = SMAX(num_allies=each, num_enemies=each, map_width=SIDE, map_height=SIDE)

    step = env.step if observe else env.step_env
    return random_steps(env, step, env.num_ally_actions, batch, steps, observe=observe)

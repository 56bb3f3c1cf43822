"""MAgent2 (C++) and complete ticks of HIVE: as many units on as many square metres, a view of 13 x 13 cells."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import numpy as np
from jax import lax

from hive.engine.episode import Game, tick
from hive.engine.types import State
from hive.experiments.bench.peers.comparing import PeerProgram, peer_row, seconds_of
from hive.experiments.bench.worlds import make_scene, side_of

_WHY = (
    "MAgent2 moves agents at random on a grid, lets them see 6 cells, writes a picture of 13 x 13 cells for each of "
    "them, and has no trees, lines of sight or push; our units see 15 m, and none of them dies"
)


def rows(quick: bool) -> Iterator[dict[str, object]]:
    """Yield the steps per second of one battle, both armies scattered over the map."""
    sizes = ((1_000, 10),) if quick else ((1_000, 40), (4_000, 20), (16_000, 10), (64_000, 5))
    for units, steps in sizes:
        taken = seconds_of(our_steps(units, steps), their_steps(units, steps), quick=quick)
        ours, theirs = (steps / seconds for seconds in taken)
        yield peer_row("MAgent2", "magent2", "a battle of scattered units", units, "step", ours, theirs, steps, _WHY)


def our_steps(units: int, steps: int) -> PeerProgram:
    """A program of `steps` full ticks of one game, always from the same start; it returns the last state."""
    scene = make_scene(units)

    @jax.jit
    def play(game: Game) -> State:
        def one(game: Game, _: None) -> tuple[Game, None]:
            return tick(scene.params, scene.orders, game, scene.key)[0], None

        return lax.scan(one, game, None, length=steps)[0].state

    return lambda: play(scene.game)


def their_steps(units: int, steps: int) -> PeerProgram:
    """Return a program of `steps` steps of one battle, which continues from call to call; it returns its steps.

    The library is called directly, without the dictionaries of its Python environment, and without its minimap.
    """
    import magent2
    from magent2.builtin.config import battle

    config = battle.get_config(side_of(units))
    config.set({"minimap_mode": False})
    world = magent2.GridWorld(config)
    world.reset()
    armies = world.get_handles()
    for army in armies:
        world.add_agents(army, method="random", n=units // 2)
    rng = np.random.default_rng(0)

    def play() -> int:
        done = 0
        for _ in range(steps):
            for army in armies:
                world.get_observation(army)
                most = world.get_action_space(army)[0]
                world.set_action(army, rng.integers(0, most, world.get_num(army), dtype=np.int32))
            world.step()
            for army in armies:
                world.get_reward(army)
            world.clear_dead()
            done += 1
        return done

    return play

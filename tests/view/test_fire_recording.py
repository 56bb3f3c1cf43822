"""What is kept of a tick of a level: the state as it is, in few bytes, and what each unit was told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.engine.crews.explored import Explored
from hive.engine.spawning import reset
from hive.engine.types import CrewAction, Params, State
from hive.ground.fire import Phase
from hive.worlds.wildfire.recording import LOSSES, CrewFrame, FireRecording, assemble, watch
from hive.worlds.wildfire.world import Fireground, load_level


@pytest.fixture(scope="module")
def world() -> Fireground:
    return load_level("rescue_known_small")


@pytest.fixture(scope="module")
def seen(world: Fireground) -> FireRecording:
    """One tick in which a house burns, a firefighter is dead, one carries a civilian, and one was told to go."""
    house = tuple(np.argwhere(world.site.ground.building)[0])

    @jax.jit
    def tick(params: Params) -> CrewFrame:
        state: State = reset(params, jax.random.key(0))
        assert state.crew is not None and state.fire is not None
        phase = state.fire.phase.at[house].set(Phase.IGNITED + 1).at[0, 0].set(Phase.BURNT)
        state = state.replace(
            health=state.health.at[0].set(0),
            position=state.position.at[1].set(jnp.array([7.25, 31.5])),
            fire=state.fire.replace(phase=phase, trees_lost=jnp.int32(4)),
            crew=state.crew.replace(bearer=state.crew.bearer.at[2].set(1), water=jnp.array([0, 3, 5])),
        )
        game: Any = SimpleNamespace(state=state, progress=SimpleNamespace(group=jnp.array([1, 1, -1])))
        orders: Any = SimpleNamespace(plan=SimpleNamespace(place=jnp.array([[9, 9], [3, 4]]), target=jnp.array([0, 1])))
        command = CrewAction(code=jnp.array([-1, 0, -1]), place=jnp.array([[5, 5], [20, 21], [6, 6]]))
        commanded = jnp.array([True, True, False])
        told: Any = SimpleNamespace(action=command, tree=jnp.array([1, 1, 0]), commanded=commanded)
        return watch(params, orders, game, told)

    log = jax.tree.map(lambda leaf: leaf[None], tick(world.params))
    return assemble(world, log, title="test", outcome="timeout")


def test_tick_0_comes_first_and_places_are_kept_closely(seen: FireRecording) -> None:
    assert seen.tick.tolist() == [0, 1]
    assert seen.alive.tolist() == [[True] * 3, [False, True, True]]
    np.testing.assert_allclose(seen.position[1, 1], [7.25, 31.5], atol=40 / 65535)
    assert (seen.water[1].tolist(), seen.bearer[:, 2].tolist()) == ([0, 3, 5], [-1, 1])


def test_the_true_map_shows_fire_in_houses_and_no_civilians_but_the_explored_map_does(
    world: Fireground, seen: FireRecording
) -> None:
    """A building is drawn over its fire, a civilian over everything (docs/rules/wildfire.md 5.1)."""
    house = tuple(np.argwhere(world.site.ground.building)[0])
    truth, known = seen.ground.at(1), seen.seen.at(1)
    assert (
        truth[house] in (Explored.ON_FIRE, Explored.EXTINGUISHING)
        and Explored.DRY <= seen.ground.at(0)[house] < Explored.DRY + 4
    )
    assert not np.isin(truth, (Explored.BUILDING, Explored.CIVILIAN)).any()
    assert (known == Explored.UNSEEN).sum() > known.size // 2
    caught = seen.caught()
    assert (caught[house], caught[0, 0], (caught >= 0).sum()) == (1, 1, 2)


def test_orders_are_kept_and_nothing_is_made_up_for_those_without(seen: FireRecording) -> None:
    assert seen.code.tolist() == [[-1] * 3, [-1, 0, -1]]
    assert seen.place[1].tolist() == [[-1, -1], [20, 21], [-1, -1]]
    assert seen.tree[1].tolist() == [1, 1, -1]
    assert seen.target[1].tolist() == [[3, 4], [3, 4], [-1, -1]]


def test_losses_stand_in_the_order_of_their_names(seen: FireRecording) -> None:
    lost = dict(zip(LOSSES, cast(list[int], seen.losses[1].tolist()), strict=True))
    assert lost == {"trees": 4, "buildings": 0, "civilians": 0, "firefighters": 1, "bulldozers": 0}

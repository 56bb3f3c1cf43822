"""The nearest of each thing, against a search of every cell."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dsl.vocabulary import THINGS
from hive.engine.crews.lookout import RANGE, NearestThings, look
from hive.engine.types import CrewType, Params, State
from hive.ground.sizes import CPU, GPU, Sizes, use
from tests.engine.worlds import crew_params, crew_state
from tests.lanes import lane_of, stack_lanes

SIDE = 150  # some things are out of range
CREW = (CrewType.FIREFIGHTER,) * 16 + (CrewType.DRONE,) * 4 + (CrewType.HELICOPTER,) * 4
PARAMS = crew_params(CREW, 1, SIDE)
CODES = {
    "fire": (9, 10),
    "danger": (9, 10, 11, 12),
    "water": (13,),
    "trees": (2, 3, 4, 6, 7, 8),
    "civilian": (15,),
    "unseen": (0,),
}
EVERYTHING = jnp.full(len(CREW), (1 << len(THINGS)) - 1, jnp.int32)

Ways = dict[str, list[tuple[int, int] | None]]

find = jax.jit(look)


def ways(view: NearestThings) -> Ways:
    known, way = np.asarray(view.known), np.asarray(view.way)
    return {
        thing: [tuple(to.tolist()) if there else None for there, to in zip(known[number], way[number], strict=True)]
        for number, thing in enumerate(THINGS)
    }


def searched(params: Params, state: State, target: np.ndarray) -> Ways:
    """The same by looking at every cell and every team mate."""
    seen = np.asarray(state.crew.seen)
    at = np.asarray(state.position).astype(int)
    mates = (
        np.asarray(state.alive)
        & (np.asarray(params.units.type) == CrewType.FIREFIGHTER)
        & (np.asarray(state.crew.aboard) < 0)
    )

    def nearest(own: np.ndarray, cells: np.ndarray) -> tuple[int, int] | None:
        ways = cells - own
        far = np.abs(ways).max(1)
        order = np.lexsort((ways[:, 1], ways[:, 0], (ways**2).sum(1), far))
        return tuple(ways[order[0]].tolist()) if len(order) and far[order[0]] <= RANGE else None

    found: Ways = {thing: [] for thing in THINGS}
    for unit, own in enumerate(at):
        layer = seen if seen.ndim == 2 else seen[unit]
        found["target"].append(tuple((target[unit] - own).tolist()))
        for thing, codes in CODES.items():
            cells = np.argwhere(np.isin(layer, codes))
            if thing == "civilian":
                cells = cells[(np.abs(cells - target[unit]) > 3).any(1)]
            found[thing].append(nearest(own, cells))
        others = at[mates & (np.arange(len(at)) != unit)]
        found["firefighter"].append(nearest(own, others[(np.abs(others - target[unit]) > 3).any(1)]))
    return found


def random_world(seed: int, maps: int = 0) -> tuple[State, np.ndarray]:
    """Patches, borders, crowds on one cell, and targets with civilians and mates in their boxes; some are dead."""
    rng = np.random.default_rng(seed)
    shape = (maps, SIDE, SIDE) if maps else (SIDE, SIDE)
    seen = np.full(shape, 5, np.uint8)
    for codes, share in (((9, 10), 1e-3), ((11, 12), 2e-3), ((13,), 3e-4), ((2, 8), 5e-3), ((15,), 2e-3), ((0,), 1e-3)):
        seen = np.where(rng.random(shape) < share, rng.choice(codes, shape), seen)
    seen[..., : SIDE // 3, :] = np.where(rng.random((SIDE // 3, SIDE)) < 0.999, 14, 4)  # little to be found
    at = rng.integers(0, SIDE, (len(CREW), 2))
    at[0], at[1], at[2:5] = (0, 0), (SIDE - 1, SIDE - 1), at[5]
    target = np.clip(at + rng.integers(-5, 6, at.shape), 0, SIDE - 1)
    target[::5] = rng.integers(0, SIDE, target[::5].shape)
    for x, y in target:
        low = np.maximum([x - 4, y - 4], 0)
        near = seen[..., low[0] : x + 5, low[1] : y + 5]
        near[...] = np.where(rng.random(near.shape) < 0.2, 15, near)
    state = crew_state(
        PARAMS, at + rng.random(at.shape), phase=np.zeros((SIDE, SIDE)), trees=0, seen=seen, civilian=[(0, 0)]
    )
    state = state.replace(health=jnp.asarray(rng.random(len(CREW)) < 0.8, jnp.float32))
    aboard = np.where((rng.random(len(CREW)) < 0.2) & (np.array(CREW) == CrewType.FIREFIGHTER), 20, -1)
    return state.replace(crew=state.crew.replace(aboard=jnp.asarray(aboard, jnp.int32))), target


@pytest.mark.parametrize(
    ("maps", "sizes"),
    [
        pytest.param(0, CPU, id="shared-CPU"),
        pytest.param(0, GPU, id="shared-GPU", marks=pytest.mark.slow),
        pytest.param(len(CREW), CPU, id="own maps-CPU"),
        pytest.param(len(CREW), GPU, id="own maps-GPU", marks=pytest.mark.long),
    ],
)
def test_every_unit_finds_the_nearest_of_each_thing(maps: int, sizes: Sizes) -> None:
    """Ties and the boxes round targets included; no unit is its own team mate."""
    for seed in range(3 if maps or sizes is GPU else 12):
        state, target = random_world(seed, maps)
        with use(sizes):
            found = find(PARAMS, state, jnp.asarray(target), EVERYTHING)
        assert ways(found) == searched(PARAMS, state, target)


def test_only_requested_things_are_searched_and_worlds_of_a_batch_do_not_mix() -> None:
    """In one of two worlds that are played at once a unit asks for water, in neither for trees."""
    water, fire = (1 << THINGS.index(thing) for thing in ("water", "fire"))
    worlds = [random_world(seed) for seed in (1, 2)]
    asked = jnp.stack([EVERYTHING * 0 + fire, (EVERYTHING * 0).at[3].set(water)])
    states = stack_lanes(*(state for state, _ in worlds))
    targets = jnp.stack([target for _, target in worlds])
    both = jax.jit(jax.vmap(look, (None, 0, 0, 0)))(PARAMS, states, targets, asked)
    for number, (state, target) in enumerate(worlds):
        here = ways(lane_of(both, number))
        found = searched(PARAMS, state, target)
        assert here == {
            thing: found[thing] if thing in ("target", "fire", "water") else [None] * len(CREW) for thing in THINGS
        }

"""JAX-MD's neighbour lists under the workload 'circles': the same force on the same positions, on a plane or in a box.

A list holds each pair once (`OrderedSparse`). JAX-MD sizes its buffers by the positions that it is given first. Since
nothing can fail inside a compiled program, it sets a flag when they become too small; its users then allocate larger
ones.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int

from hive.experiments.bench.circles import RADIUS, CirclesProgram, Played, begin, moved, pull, width_of

__all__ = ["KEPT", "their_program"]

KEPT = 0.4
"""Metres that are added to the radius so that a list can be kept while no agent has moved by half as much."""


def their_program(start: Float[np.ndarray, "n d"], margin: float) -> CirclesProgram:
    """Return a program that plays from these positions, with buffers allocated for them.

    Args:
        start: `[N, D]` metres, in two or three dimensions.
        margin: `dr_threshold` of JAX-MD: 0 makes a new list in each step, `KEPT` only when it is needed. The first
            step of a call always makes one.
    """
    from jax_md import dataclasses, partition, space

    agents, dimensions = start.shape
    width = width_of(agents, dimensions)
    lists = partition.neighbor_list(
        space.free()[0], width, RADIUS, dr_threshold=margin, format=partition.NeighborListFormat.OrderedSparse
    )
    allocated = lists.allocate(jnp.asarray(start))
    old = dataclasses.replace(allocated, reference_position=jnp.full_like(allocated.reference_position, -width))

    def of_pairs(values: Array, ends: tuple[Array, Array], sign: int) -> Array:
        one, other = (jax.ops.segment_sum(values, end, agents + 1)[:agents] for end in ends)  # the last: no pair
        return one + sign * other

    @jax.jit
    def play(position: Float[Array, "n d"], steps: Int[Array, ""]) -> Played:
        def step(_: Array, carry: tuple[Played, partition.NeighborList]) -> tuple[Played, partition.NeighborList]:
            here = carry[0].after
            found = carry[1].update(here)
            ends = found.idx[1], found.idx[0]
            one, other = (here[jnp.minimum(end, agents - 1)] for end in ends)
            apart = [one[:, number] - other[:, number] for number in range(dimensions)]
            force, near = pull(apart, ends[0] < agents)
            neighbours = of_pairs(near.astype(jnp.int32), ends, 1)
            total = jnp.stack([of_pairs(part, ends, -1) for part in force], -1)
            return Played(
                here, moved(here, total, neighbours, width), neighbours, found.did_buffer_overflow != 0
            ), found

        return lax.fori_loop(0, steps, step, (begin(position), old))[0]

    return play

"""The workload 'circles' of FLAME GPU 2, on a plane: one force between agents within a radius, and nothing else.

A step finds the neighbours of each agent, sums a force that depends on their distance, divides it by their number and
moves the agent by it. The force pushes apart below half of the radius and pulls together above, so crowds form: the
number of neighbours grows from step to step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from hive.engine.units.neighbours import meet
from hive.ground.sizes import current

RADIUS = 2.0  # metres within which agents are neighbours
REPULSE = 0.05  # metres a step, the greatest force of one neighbour
_ROUNDING = 2e-6  # metres by which distances in float32 may be off
_SAMPLE = 256  # agents whose neighbours are counted by brute force


class Played(NamedTuple):
    """What a program returns: the agents before and after its last step, and what it found in that step."""

    before: Float[Array, "n d"]  # metres
    after: Float[Array, "n d"]
    neighbours: Int[Array, " n"]
    overflow: Bool[Array, ""]  # whether a buffer was too small at any step


_Found = tuple[Any, Any, Any]
_Place = tuple[Array, Array]  # east and north
CirclesProgram = Callable[[Float[Array, "n d"], Int[Array, ""]], Played]
"""Plays a number of steps, at least one, from positions."""


def width_of(agents: int, dimensions: int) -> float:
    """Metres of the side of the square or cube that so many agents fill.

    In a cube there is one agent in each cubic metre, as in the published benchmark. A square is as large as gives an
    agent as many neighbours on average, away from the border: 4/3 pi r^3, which is 33.5.
    """
    return agents ** (1 / 3) if dimensions == 3 else math.sqrt(agents * 3 / (4 * RADIUS))


def scatter_agents(agents: int, dimensions: int) -> Float[np.ndarray, "n d"]:
    """Positions `[N, D]` in metres, drawn uniformly; the same each time."""
    return np.random.default_rng(0).uniform(0, width_of(agents, dimensions), (agents, dimensions)).astype(np.float32)


def pull(
    apart: Sequence[Float[Array, " *pairs"]], real: Bool[Array, " *pairs"]
) -> tuple[list[Array], Bool[Array, " *pairs"]]:
    """Force of one agent on another.

    Args:
        apart: For each dimension, metres `[...]` from the other to this agent.
        real: `[...]` whether there is such a pair.

    Returns:
        The force `[...]` in metres a step, for each dimension; and `[...]` which pairs are neighbours: nearer than the
        radius and not at the same place.
    """
    squared = sum((part * part for part in apart[1:]), start=apart[0] * apart[0])
    near = real & (squared > 0) & (squared < RADIUS**2)
    distance = jnp.sqrt(jnp.where(near, squared, 1.0))
    weight = jnp.where(near, REPULSE * jnp.sin(2 * math.pi / RADIUS * distance) / distance, 0.0)
    return [weight * part for part in apart], near


def moved(
    position: Float[Array, "n d"], force: Float[Array, "n d"], neighbours: Int[Array, " n"], width: float
) -> Float[Array, "n d"]:
    """Move each agent by the mean force of its neighbours, inside a square or cube of `width` metres."""
    mean = force / jnp.maximum(neighbours, 1).astype(jnp.float32)[:, None]
    return jnp.clip(position + mean, 0.0, np.float32(width * (1 - 1e-6)))  # at the border itself a cell would begin


def our_program(agents: int) -> CirclesProgram:
    """Return a program on a square with the neighbour sweep of the engine; forces are summed in fixed point.

    The order of the agents and the sizes of blocks have no effect, to the bit.
    """
    width = width_of(agents, 2)
    grain = np.float32(2.0 ** min(20, math.floor(math.log2(2**31 / (REPULSE * agents)))))  # steps in a metre
    zero = np.int32(0)
    nothing = (zero, zero, zero)  # force east and north, neighbours

    def reduce(value: _Found, fields: Callable[[], tuple[_Place, _Place]], real: Array) -> _Found:
        me, other = fields()
        force, near = pull([mine - theirs for mine, theirs in zip(me, other, strict=True)], real)
        terms = (*(jnp.round(part * grain).astype(jnp.int32) for part in force), near.astype(jnp.int32))
        if current().flat:  # one pass for all three, which keeps nothing of a pair in memory
            total: Any = lax.reduce(terms, nothing, lambda a, b: [x + y for x, y in zip(a, b, strict=True)], (1,))
        else:
            total = [term.sum(1, dtype=jnp.int32) for term in terms]
        return value[0] + total[0], value[1] + total[1], value[2] + total[2]

    @jax.jit
    def play(position: Float[Array, "n 2"], steps: Int[Array, ""]) -> Played:
        def step(_: Array, played: Played) -> Played:
            here = played.after
            own = here[None, :, 0], here[None, :, 1]
            found: _Found = meet(
                here[None], jnp.ones((1, agents), bool), own, own, nothing, reduce, side=math.ceil(width), cell=RADIUS
            )
            east, north, neighbours = (field[0] for field in found)
            force = jnp.stack([east, north], -1).astype(jnp.float32) / grain
            return Played(here, moved(here, force, neighbours, width), neighbours, played.overflow)

        return lax.fori_loop(0, steps, step, begin(position))

    return play


def begin(position: Float[Array, "n d"]) -> Played:
    """What is known before the first step."""
    return Played(position, position, jnp.zeros(position.shape[0], jnp.int32), jnp.asarray(False))


class Checked(NamedTuple):
    """What brute force says about the neighbours that a program counted, of some agents together."""

    neighbours: int
    lost: int  # which the program missed
    invented: int  # which it counted and which are none

    @property
    def share(self) -> float:
        """Part of the neighbours that is lost; 0 if there are none."""
        return self.lost / max(self.neighbours, 1)


def check(played: Played) -> Checked:
    """Count the neighbours of some agents by brute force, in double precision, where they stood in the last step.

    A pair within two micrometres of the radius may be counted or not.
    """
    position = np.asarray(played.before, np.float64)
    counted = np.asarray(played.neighbours)
    agents = len(position)
    neighbours = lost = invented = 0
    for agent in np.random.default_rng(1).choice(agents, min(_SAMPLE, agents), replace=False):
        distance = np.sqrt(((position - position[agent]) ** 2).sum(-1))
        distance = distance[distance > 0]
        least, most = (int((distance < RADIUS + by).sum()) for by in (-_ROUNDING, _ROUNDING))
        neighbours += least
        lost += max(least - int(counted[agent]), 0)
        invented += max(int(counted[agent]) - most, 0)
    return Checked(neighbours, lost, invented)

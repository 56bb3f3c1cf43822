"""The metrics of a run, from its trace: pure functions for one run, and under `jax.vmap` for a batch of them.

Rules and printed names are those of docs/rules/rescue.md 10.
"""

from __future__ import annotations

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int


class Trace(struct.PyTreeNode, kw_only=True):
    """What a run left behind: row 0 is the start, and row t the end of step t. Rows after `steps` are ignored.

    T is the most steps that the trace has room for, A agents, V victims; padding is masked.
    """

    positions: Int[Array, "t1 a"]  # T + 1 rows: room of each agent
    served_at: Int[Array, " v"]  # step in which the victim's last need was met; -1: never
    steps: Int[Array, ""]  # steps played; a last step that was cut off counts
    agent_there: Bool[Array, " a"]
    victim_there: Bool[Array, " v"]
    urgent: Bool[Array, " v"]
    limit: Int[Array, ""]  # most steps of a run


class RescueMetrics(struct.PyTreeNode, kw_only=True):
    """The metrics of one run (docs/rules/rescue.md 10); an average over no victim is not a number."""

    final_victims_amount: Int[Array, ""]
    num_steps: Int[Array, ""]
    total_redundant_agent_moves: Int[Array, ""]
    steps_2_or_more_agents_same_room: Int[Array, ""]
    occurrences_2_or_more_agents_same_room: Int[Array, ""]
    average_steps_attend_urgent_victims: Float[Array, ""]
    average_steps_attend_not_urgent_victims: Float[Array, ""]
    censored_steps_urgent_victims: Float[Array, ""]
    censored_steps_not_urgent_victims: Float[Array, ""]
    unserved_urgent_victims: Int[Array, ""]
    unserved_not_urgent_victims: Int[Array, ""]


def measure(trace: Trace, rooms: int) -> RescueMetrics:
    """Compute all metrics of a run.

    Args:
        trace: The run.
        rooms: One more than the largest room; fixes shapes.

    Returns:
        The metrics, each without axes.
    """
    here = presence(trace, rooms)
    sharing = jnp.sum(here, axis=1, dtype=jnp.int32) >= 2  # [T + 1, R]
    begins = sharing & ~jnp.pad(sharing[:-1], ((1, 0), (0, 0)))
    served = trace.victim_there & (trace.served_at >= 0)
    censored = jnp.where(served, trace.served_at, trace.limit)
    kinds = (trace.victim_there & trace.urgent, trace.victim_there & ~trace.urgent)
    return RescueMetrics(
        final_victims_amount=_count(trace.victim_there & ~served),
        num_steps=trace.steps,
        total_redundant_agent_moves=_count(redundant_moves(trace, rooms)),
        steps_2_or_more_agents_same_room=_count(jnp.any(sharing[1:], axis=1)),
        occurrences_2_or_more_agents_same_room=_count(begins),
        average_steps_attend_urgent_victims=_mean(trace.served_at, kinds[0] & served),
        average_steps_attend_not_urgent_victims=_mean(trace.served_at, kinds[1] & served),
        censored_steps_urgent_victims=_mean(censored, kinds[0]),
        censored_steps_not_urgent_victims=_mean(censored, kinds[1]),
        unserved_urgent_victims=_count(kinds[0] & ~served),
        unserved_not_urgent_victims=_count(kinds[1] & ~served),
    )


def presence(trace: Trace, rooms: int) -> Bool[Array, "t1 a r"]:
    """Return which agent is in which room at the end of each step that was played."""
    here = trace.positions[:, :, None] == jnp.arange(rooms, dtype=trace.positions.dtype)[None, None]
    return here & trace.agent_there[None, :, None] & _played(trace)[:, None, None]


def redundant_moves(trace: Trace, rooms: int) -> Bool[Array, "t a"]:
    """Return in which steps each agent moved into a room in which it had been before."""
    here = presence(trace, rooms)
    been = jnp.cumsum(here[:-1], axis=0, dtype=jnp.int32) > 0
    moved = here[1:] & ~here[:-1]
    return jnp.any(moved & been, axis=2)


def _played(trace: Trace) -> Bool[Array, " t1"]:
    return jnp.arange(trace.positions.shape[0], dtype=trace.steps.dtype) <= trace.steps


def _count(which: Bool[Array, "*n"]) -> Int[Array, ""]:
    return jnp.sum(which, dtype=jnp.int32)


def _mean(values: Int[Array, " v"], which: Bool[Array, " v"]) -> Float[Array, ""]:
    total = jnp.sum(jnp.where(which, values, 0), dtype=jnp.int32).astype(jnp.float32)
    return total / _count(which).astype(jnp.float32)  # 0 / 0 is not a number

"""What each agent of a rescue believes where it does not see everything (docs/rules/rescue.md 12.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.state import State


@dataclass(frozen=True)
class Belief:
    """What one agent believes; arrays have the sizes of `State`.

    Attributes:
        needs: `[V, 3]` needs of victims, as the agent last saw them.
        position: `[A]` rooms of agents, likewise.
        supplies: `[A, 3]` what agents carry, likewise.
        victim_seen: `[V]` step in which each victim was seen last; 0 for the start.
        agent_seen: `[A]` the same of agents.
    """

    needs: NDArray[np.bool_]
    position: NDArray[np.integer]
    supplies: NDArray[np.integer]
    victim_seen: NDArray[np.integer]
    agent_seen: NDArray[np.integer]


def first_beliefs(instance: Instance, state: State) -> list[Belief]:
    """Return what each agent believes at the start, which is the truth."""
    never = np.zeros(len(state.needs), int), np.zeros(len(state.position), int)
    seen = np.asarray(state.needs), np.asarray(state.position), np.asarray(state.supplies)
    return [Belief(*seen, *never) for _ in instance.agents]


def looked(instance: Instance, belief: Belief, agent: int, before: State, after: State) -> Belief:
    """Return what an agent believes after a turn of any agent.

    It sees the victim in its room, all agents there and what they carry, and where an agent goes that leaves its room.

    Args:
        instance: What is played.
        belief: What the agent believed before.
        agent: Its number.
        before: The rescue before the turn.
        after: The rescue after it.
    """
    step, room = int(after.step) + 1, after.position[agent]
    there = (after.position == room) | (before.position == before.position[agent])
    here = np.zeros(len(after.needs), bool)
    here[[number for number, victim in enumerate(instance.victims) if victim.room == room]] = True
    return Belief(
        needs=np.where(here[:, None], after.needs, belief.needs),
        position=np.where(there, after.position, belief.position),
        supplies=np.where(there[:, None], after.supplies, belief.supplies),
        victim_seen=np.where(here, step, belief.victim_seen),
        agent_seen=np.where(there, step, belief.agent_seen),
    )

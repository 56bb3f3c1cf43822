"""Instances become arrays, made on the host."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np

from hive.worlds.rescue.codes import AGENTS, ROOMS, STEPS, VICTIMS
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.state import Params

FAR = 1_000
"""Distance to and from rooms that are not there."""


def ways(adjacent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Search the shortest ways between all rooms of many maps.

    Args:
        adjacent: `[..., R, R]` bool, symmetric.

    Returns:
        Rooms to walk, `FAR` where there is no way, and the next room on a shortest way, of several the lowest, the room
        itself at distance 0 and where there is no way; both `[..., R, R]` int32.
    """
    rooms = adjacent.shape[-1]
    reached = np.broadcast_to(np.eye(rooms, dtype=bool), adjacent.shape)
    distance = np.where(reached, 0, FAR).astype(np.int32)
    edges = adjacent.astype(np.float32)
    for walked in range(1, rooms):
        further = (reached.astype(np.float32) @ edges > 0) & ~reached
        if not further.any():
            break
        distance[further] = walked
        reached = reached | further
    first = np.broadcast_to(np.arange(rooms, dtype=np.int32)[:, None], adjacent.shape).copy()
    for room in reversed(range(rooms)):
        nearer = adjacent[..., :, room, None] & (distance[..., room, None, :] + 1 == distance)
        first[nearer] = room
    return distance, first


def make_params(instance: Instance, *, limit: int = STEPS) -> Params:
    """Return the arrays of an instance.

    Args:
        instance: The instance.
        limit: Steps of a run at most, 1 to `STEPS`.

    Raises:
        ValueError: The limit is out of range.
    """
    return jax.tree.map(lambda each: each[0], batch_params([instance], limit=limit))


def batch_params(instances: Sequence[Instance], *, limit: int = STEPS) -> Params:
    """Return the arrays of several instances, with a leading axis.

    Args:
        instances: At least one.
        limit: Steps of a run at most, 1 to `STEPS`.

    Raises:
        ValueError: The limit is out of range.
    """
    if not 1 <= limit <= STEPS:
        raise ValueError(f"the limit must be between 1 and {STEPS}, not {limit}")
    many = len(instances)
    adjacent = np.zeros((many, ROOMS, ROOMS), bool)
    victim_room = np.full((many, VICTIMS), -1, np.int32)
    urgent = np.zeros((many, VICTIMS), bool)
    needs = np.zeros((many, VICTIMS, 3), bool)
    start = np.zeros((many, AGENTS), np.int32)
    supplies = np.zeros((many, AGENTS, 3), np.int32)
    agents = np.array([len(each.agents) for each in instances])
    rooms = np.array([len(each.rooms) for each in instances])
    for row, instance in enumerate(instances):
        for one, other in instance.doors:
            adjacent[row, one, other] = adjacent[row, other, one] = True
        for number, victim in enumerate(instance.victims):
            victim_room[row, number], urgent[row, number] = victim.room, victim.urgent
            needs[row, number] = victim.needs
        for number, agent in enumerate(instance.agents):
            start[row, number], supplies[row, number] = agent.room, agent.supplies
    distance, first_room = ways(adjacent)
    arrays: dict[str, np.ndarray] = {
        "adjacent": adjacent,
        "distance": distance,
        "first_room": first_room,
        "room_there": np.arange(ROOMS) < rooms[:, None],
        "victim_room": victim_room,
        "victim_there": victim_room >= 0,
        "urgent": urgent,
        "needs": needs,
        "agent_there": np.arange(AGENTS) < agents[:, None],
        "start": start,
        "supplies": supplies,
        "limit": np.full(many, limit, np.int32),
    }
    return Params(**jax.device_put(arrays))

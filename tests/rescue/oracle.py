"""A rescue and its heuristic team in plain Python, written from docs/rules/rescue.md without the product's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from hive.worlds.rescue.codes import RESOURCES, STEPS, Act, Reason, Refusal
from hive.worlds.rescue.instance import Instance


@dataclass
class Helper:
    """An agent during a run."""

    room: int
    carries: dict[str, int]
    here: bool = True  # has not ended its mission
    after: int | None = None  # its target, for the heuristic


class Oracle:
    """One run."""

    def __init__(self, instance: Instance, limit: int = STEPS) -> None:
        """Begin a run."""
        self.instance, self.limit = instance, limit
        self.wants = [
            {kind for kind, needed in zip(RESOURCES, v.needs, strict=True) if needed} for v in instance.victims
        ]
        self.helpers = [
            Helper(agent.room, dict(zip(RESOURCES, agent.supplies, strict=True))) for agent in instance.agents
        ]
        self.served: dict[int, int] = {}  # victim -> step
        self.steps = 0
        self.moments = [self._moment()]  # joint states since the last delivery
        self.given = False  # whether something was delivered in this step
        self.reason: Reason | None = None

    def turn(self, number: int, action: int) -> Refusal:
        """Play a turn."""
        helper = self.helpers[number]
        if self.reason or not helper.here:
            return Refusal.NONE
        if 0 <= action < Act.GIVE_WATER:
            if action >= len(self.instance.rooms):
                return Refusal.UNKNOWN_ROOM
            if action == helper.room:
                return Refusal.SAME_ROOM
            if {action, helper.room} not in [set(door) for door in self.instance.doors]:
                return Refusal.NOT_ADJACENT
            helper.room = action
        elif action in (Act.GIVE_WATER, Act.GIVE_FOOD, Act.GIVE_MEDICINE):
            kind = RESOURCES[action - Act.GIVE_WATER]
            if not helper.carries[kind]:
                return Refusal.NO_SUPPLY
            here = [n for n, victim in enumerate(self.instance.victims) if victim.room == helper.room]
            if not here:
                return Refusal.NO_VICTIM
            if kind not in self.wants[here[0]]:
                return Refusal.NOT_NEEDED
            self.wants[here[0]].remove(kind)
            helper.carries[kind] -= 1
            self.given = True
            if not self.wants[here[0]]:
                self.served[here[0]] = self.steps + 1
        elif action == Act.END_MISSION:
            helper.here = False
        elif action == Act.WAIT:
            pass
        else:
            return Refusal.NO_CALL
        return Refusal.NONE

    def close(self) -> None:
        """End a step."""
        if self.reason:
            return
        self.steps += 1
        now = self._moment()
        repeats = 0 if self.given else self.moments.count(now)
        self.moments = [now] if self.given else [*self.moments, now]
        self.given = False
        if len(self.served) == len(self.wants):
            self.reason = Reason.SERVED
        elif not any(helper.here for helper in self.helpers):
            self.reason = Reason.ENDED
        elif self.steps == self.limit:
            self.reason = Reason.LIMIT
        elif repeats >= 4:
            self.reason = Reason.BEHAVIOUR_LOOP

    def step(self, actions: Sequence[int]) -> list[Refusal]:
        """Play a step."""
        refusals = [self.turn(number, actions[number]) for number in range(len(self.helpers))]
        self.close()
        return refusals

    def distance(self, start: int, goal: int) -> int:
        """Length of a shortest way, by Dijkstra's algorithm."""
        queue, done = [(0, start)], set()
        while queue:
            length, room = heappop(queue)
            if room == goal:
                return length
            if room not in done:
                done.add(room)
                for other in self.instance.neighbours(room):
                    heappush(queue, (length + 1, other))
        raise AssertionError("maps are connected")

    def _moment(self) -> tuple[int, ...]:
        return tuple(helper.room for helper in self.helpers)


def heuristic(oracle: Oracle, me: int, switches: Sequence[str]) -> int:
    """Choose an agent's action by the rules of section 7, and update its target."""
    helper, victims = oracle.helpers[me], oracle.instance.victims

    def helps(who: Helper, victim: int) -> list[str]:
        return [kind for kind in RESOURCES if kind in oracle.wants[victim] and who.carries[kind]]

    if "recheck" in switches and helper.after is not None and not helps(helper, helper.after):
        helper.after = None
    if helper.after is None:
        candidates = []
        for victim in range(len(victims)):
            mine = oracle.distance(helper.room, victims[victim].room)
            if not helps(helper, victim):
                continue
            rivals = [each for each in oracle.helpers if each is not helper and (each.here or "all_agents" in switches)]
            if any(
                oracle.distance(each.room, victims[victim].room) < mine
                and len(helps(each, victim)) == len(oracle.wants[victim])
                for each in rivals
            ):
                continue
            calm = not victims[victim].urgent
            order = (calm, mine) if "urgent_first" in switches else (mine, calm)
            candidates.append((-len(helps(helper, victim)), *order, victim))
        if not candidates:
            return Act.END_MISSION
        helper.after = min(candidates)[-1]
    goal = victims[helper.after].room
    if helper.room != goal:
        left = oracle.distance(helper.room, goal)
        return min(room for room in oracle.instance.neighbours(helper.room) if oracle.distance(room, goal) == left - 1)
    gifts = helps(helper, helper.after)
    if len(gifts) <= 1:
        helper.after = None
    return Act.GIVE_WATER + RESOURCES.index(gifts[0]) if gifts else Act.NOTHING

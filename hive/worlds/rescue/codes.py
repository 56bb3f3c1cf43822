"""Sets of codes of rescues, and the sizes of their arrays."""

from __future__ import annotations

from enum import IntEnum

RESOURCES = ("water", "food", "medicine")
"""What victims need and agents carry, in the order of every array."""

ROOMS, VICTIMS, AGENTS = 16, 8, 4
"""Most of each in an instance; arrays have these sizes, so that all instances go into one batch."""

ACTING = "turns"  # how agents of these worlds act, see `hive.kit.team_world.TeamWorld`
STEPS = 60
"""Most steps of a run (docs/rules/rescue.md 6)."""

URGENT = 2
"""Weight of an urgent victim in weighted steps; that of another victim is 1 (docs/rules/rescue.md 8.1)."""

LITERAL = "literal"
SWITCHES = ("recheck", "urgent_first", "all_agents")
VARIANTS: dict[str, tuple[str, ...]] = {
    LITERAL: (),
    "recheck": ("recheck",),
    "urgent_first": ("urgent_first",),
    "all_agents": ("all_agents",),
    "recheck+urgent_first": ("recheck", "urgent_first"),
}
"""Variants of the heuristic, and the switches that each turns on (docs/rules/rescue.md 7.3)."""


class Act(IntEnum):
    """Actions after those that move: action `k` below `GIVE_WATER` is `navigate_to(room k)`."""

    GIVE_WATER = ROOMS
    GIVE_FOOD = ROOMS + 1
    GIVE_MEDICINE = ROOMS + 2
    END_MISSION = ROOMS + 3
    NOTHING = ROOMS + 4  # no valid call: the turn is spent
    WAIT = ROOMS + 5  # the agent stays where it is, which is never refused


class Refusal(IntEnum):
    """Why an action had no effect; the turn is spent all the same (docs/rules/rescue.md 3)."""

    NONE = 0
    NO_CALL = 1
    UNKNOWN_ROOM = 2
    SAME_ROOM = 3
    NOT_ADJACENT = 4
    NO_SUPPLY = 5
    NO_VICTIM = 6
    NOT_NEEDED = 7


SENTENCES = {
    Refusal.NONE: "",
    Refusal.NO_CALL: "no valid call was made, so the turn is spent",
    Refusal.UNKNOWN_ROOM: "there is no such room",
    Refusal.SAME_ROOM: "the agent is in that room already",
    Refusal.NOT_ADJACENT: "that room is not next to the agent's room",
    Refusal.NO_SUPPLY: "the agent has no unit of that resource left",
    Refusal.NO_VICTIM: "there is no victim in the agent's room",
    Refusal.NOT_NEEDED: "the victim in this room does not need that resource",
}
"""One sentence for each refusal."""


class Reason(IntEnum):
    """Why a run ended (docs/rules/rescue.md 6)."""

    RUNNING = 0
    SERVED = 1  # every need of every victim is met
    ENDED = 2  # every agent has ended its mission
    LIMIT = 3  # step limit
    BEHAVIOUR_LOOP = 4  # the same joint state came back too often without a delivery
    THOUGHT_LOOP = 5  # an agent reasoned on and on within one turn

    @property
    def words(self) -> str:
        """The reason in words, such as `behaviour loop`."""
        return self.name.lower().replace("_", " ")

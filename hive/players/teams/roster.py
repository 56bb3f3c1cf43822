"""Who is in one team in one episode, and what its agents perceive, do, did and said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic

from hive.kit.agent_env import Observation, Piece, Said, SomeEnv
from hive.players.teams.mail import Mail
from hive.players.teams.rules import TeamRules

PLANNER = -1
"""Number of a central planner, which is no agent of the world."""


@dataclass(frozen=True)
class PastAction:
    """An action in an agent's history.

    Attributes:
        begun: First step.
        ended: Last step.
        place: Where the agent was when it began.
        words: What it did, in its own words.
    """

    begun: int
    ended: int
    place: str
    words: str

    def line(self, joint: str = "at") -> str:
        """The action as agents read it; `joint` leads to the place where it began."""
        steps = f"step {self.begun}" if self.begun == self.ended else f"steps {self.begun} to {self.ended}"
        return f"{steps}{' ' if joint == 'at' else ', '}{joint} {self.place}: {self.words}"


@dataclass(frozen=True)
class Hold:
    """Why an agent with a plan, or with nothing to do, only waits.

    Attributes:
        words: What it waits for; empty where it has nothing to do.
        sure: Whether that comes without anything that an agent does.
        since: Tick in which it began to wait.
        hoped: Last tick in which its teammate was on the way to something.
    """

    words: str
    sure: bool
    since: int
    hoped: int


@dataclass
class Record:
    """What a step was made of, for the journal.

    Attributes:
        mail: Messages that were delivered.
        acts: Actions that began.
        log: What went wrong, and what an episode's reader should know.
    """

    mail: list[Mail] = field(default_factory=list)
    acts: list[dict[str, Any]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)


class Roster(Generic[SomeEnv]):
    """A team in an episode; agents are numbered from 0, in the order in which they act.

    Attributes:
        env: The episode, of the form that a team of these agents needs.
        rules: How the team is run.
        single: Whether actions last a single step.
        living: Agents that are alive, in order.
        observations: What each of them perceives in this step.
        perceptions: The same as a paragraph, once it was read.
        doing: What each agent does now, by number; an agent that is not in it is idle.
        histories: What each agent did.
        chats: Messages that each agent remembers.
        past: What all agents did in earlier steps, as (step, line), in frameworks that show it.
        leader: Agent that leads, in frameworks that have a leader.
        queues: Actions that each agent has planned and not begun, in frameworks with plans of several actions.
        holds: Agents that only wait, by number, in the same frameworks.
        lessons: What each agent has noted after its mistakes, in frameworks that reflect.
        tips: The list about messages that all agents share, in frameworks that evolve it.
        heard: For each agent, messages of its chat that it has reflected on, in the same frameworks.
        seen: What an agent saw another one do last, as (step, words) by both numbers, in frameworks that show it.
        said: All conversations, in frameworks whose conversations take no time.
        refusals: Tick, agent and reason of every action that was refused, in the same frameworks.
        effects: What each agent's actions did, as (tick, words), in frameworks whose actions work at once.
        told: What each agent told the others, by tick, in the same frameworks.
        record: What this step was made of so far.
    """

    def __init__(self, env: SomeEnv, rules: TeamRules, single: bool) -> None:
        """Begin an episode."""
        self.env, self.rules, self.single = env, rules, single
        count = len(env.seats)
        self.living: tuple[int, ...] = ()
        self.observations: dict[int, Observation] = {}
        self.perceptions: dict[int, str] = {}
        self.doing: dict[int, PastAction] = {}
        self.histories: list[list[PastAction]] = [[] for _ in range(count)]
        self.chats: list[list[Mail]] = [[] for _ in range(count)]
        self.past: list[tuple[int, str]] = []
        self.leader = 0
        self.queues: list[list[Piece]] = [[] for _ in range(count)]
        self.holds: dict[int, Hold] = {}
        self.lessons: list[list[str]] = [[] for _ in range(count)]
        self.tips = ""
        self.heard = [0] * count
        self.seen: dict[tuple[int, int], tuple[int, str]] = {}
        self.said: list[Said] = []
        self.refusals: list[tuple[int, int, str]] = []
        self.effects: list[list[tuple[int, str]]] = [[] for _ in range(count)]
        self.told: list[dict[int, str]] = [{} for _ in range(count)]
        self.record = Record()

    @property
    def step(self) -> int:
        """Number of this step, from 1."""
        return self.env.tick + 1

    @property
    def limit(self) -> int:
        """Most steps."""
        return min(self.env.limit, self.rules.steps or self.env.limit)

    def name(self, agent: int) -> str:
        """Return an agent's name."""
        return "PLANNER" if agent == PLANNER else self.env.seats[agent].name

    def kind(self, agent: int) -> str:
        """Return an agent's type."""
        return self.env.seats[agent].kind

    def bound(self, agent: int) -> bool:
        """Return whether an agent cannot choose an action now."""
        return self.env.bound(agent) is not None

    def free(self) -> list[int]:
        """Return the living agents that can choose an action."""
        return [agent for agent in self.living if not self.bound(agent)]

"""One team in one episode: its roster, what its agents perceive, do, did and said, and what its step was made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hive.llm.client import Message, Tool
from hive.stage import IDLE, Choice, Piece, Said, Sight, Stage
from hive.teams.mail import ALL, Mail
from hive.teams.prompting import Prompts
from hive.teams.rules import TeamRules
from hive.teams.slots import Slots

PLANNER = -1
"""Number of a central planner, which is no agent of the world."""


@dataclass(frozen=True)
class Ask:
    """A call of a model that an episode waits for.

    Attributes:
        agent: Number of the agent that asks, or `PLANNER`.
        purpose: What for, such as `perceive` or `plan`.
        messages: What is sent.
        temperature: 0 for the likeliest answer.
        tools: What the model may call.
        seed: Seed of the draw of the answer, which the episode gives to each call.
    """

    agent: int
    purpose: str
    messages: tuple[Message, ...]
    temperature: float = 0.0
    tools: tuple[Tool, ...] = ()
    seed: int = 0


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
        """The deed as agents read it; `joint` leads to the place where it began."""
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


class Team:
    """What a framework works with; agents are numbered from 0, in the order in which they act.

    Attributes:
        stage: The episode.
        rules: How the team is run.
        prompts: Its prompts.
        single: Whether actions last a single step.
        living: Agents that are alive, in order.
        sights: What each of them perceives in this step.
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

    def __init__(self, stage: Stage, rules: TeamRules, prompts: Prompts, single: bool) -> None:
        """Begin an episode."""
        self.stage, self.rules, self.prompts, self.single = stage, rules, prompts, single
        count = len(stage.seats)
        self.living: tuple[int, ...] = ()
        self.sights: dict[int, Sight] = {}
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
        return self.stage.tick + 1

    @property
    def limit(self) -> int:
        """Most steps."""
        return min(self.stage.limit, self.rules.steps or self.stage.limit)

    def begin_step(self) -> None:
        """Look: who lives, what each living agent sees, and which actions are done."""
        self.record = Record()
        self.living = self.stage.living()
        self.sights = {agent: self.stage.sight(agent) for agent in self.living}
        self.perceptions = {}
        for agent, deed in list(self.doing.items()):
            if agent not in self.sights or not self._goes_on(agent, deed):
                self._finish(agent)
        for agent in self.living:
            bound = self.stage.bound(agent)
            if bound is not None and agent not in self.doing:
                self._do(agent, bound)
                self.record.acts.append({"agent": self.name(agent), "words": bound, "read": "bound"})
        if self.living and self.leader not in self.sights:
            self.leader = self.living[0]

    def name(self, agent: int) -> str:
        """Return an agent's name."""
        return "PLANNER" if agent == PLANNER else self.stage.seats[agent].name

    def kind(self, agent: int) -> str:
        """Return an agent's type."""
        return self.stage.seats[agent].kind

    def agent(self, name: str) -> int | None:
        """Return the number of a living agent by its name in any case, or None."""
        return next((agent for agent in self.living if self.name(agent).lower() == name.lower()), None)

    def bound(self, agent: int) -> bool:
        """Return whether an agent cannot choose an action now."""
        return self.stage.bound(agent) is not None

    def free(self) -> list[int]:
        """Return the living agents that can choose an action."""
        return [agent for agent in self.living if not self.bound(agent)]

    def ask(self, agent: int, purpose: str, prompt: str, temperature: float = 0.0, **texts: str) -> Ask:
        """Return a call with a prompt.

        Args:
            agent: Who asks.
            purpose: What for.
            prompt: Name of the prompt.
            temperature: 0 for the likeliest answer.
            **texts: Slots that `Slots` cannot fill.
        """
        return Ask(agent, purpose, tuple(self.prompts.write(prompt, Slots(self, agent, texts))), temperature)

    def send(self, sender: int, to: int | None, text: str) -> Mail:
        """Return a message that is delivered now: recorded, but in no chat yet; `to` is None for all."""
        mail = Mail(self.step, self.name(sender), ALL if to is None else self.name(to), text)
        self.record.mail.append(mail)
        return mail

    def note(self, agent: int, what: str) -> None:
        """Add a line about an agent to the log."""
        self.record.log.append(f"step {self.step}, {self.name(agent)}: {what}")

    def begin(self, agent: int, choice: Choice, read: str) -> None:
        """Give an agent an action that `stage.check` has accepted; it replaces the agent's present one.

        Args:
            agent: Number.
            choice: The action.
            read: How it was read: `call`, `line`, `idle` for one that stands for a malformed answer, or `sent`.
        """
        if agent in self.doing:
            self._finish(agent)
        self.stage.begin(agent, choice, self.single)
        self._do(agent, choice.words)
        self.record.acts.append(
            {
                "agent": self.name(agent),
                "number": choice.number,
                "values": list(choice.values),
                "words": choice.words,
                "read": read,
            }
        )

    def idle(self, agent: int, why: str) -> None:
        """Let an agent do nothing in this step, since its answer cannot be used; a busy agent goes on."""
        busy = agent in self.doing
        self.note(agent, f"{why}; {'it goes on with its action' if busy else 'it does nothing'}")
        if not busy:
            self.begin(agent, IDLE, "idle")

    def _do(self, agent: int, words: str) -> None:
        self.doing[agent] = PastAction(self.step, self.step, self.sights[agent].place, words)

    def _goes_on(self, agent: int, deed: PastAction) -> bool:
        bound = self.stage.bound(agent)
        return self.stage.busy(agent) if bound is None else bound == deed.words

    def _finish(self, agent: int) -> None:
        """Move an agent's action to its history; one that is replaced in the step in which it began never was."""
        deed = self.doing.pop(agent)
        if deed.begun < self.step:
            self.histories[agent].append(PastAction(deed.begun, self.step - 1, deed.place, deed.words))

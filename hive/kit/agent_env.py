"""What a world offers to a team of language agents: texts that they read, actions that they choose, and steps.

A kind of world implements `AgentEnv` and `Episodes`; `hive.players.teams` plays them and knows no world. This module is
independent of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

Speaker = Callable[[str, Sequence[str]], str]
"""Answers a prompt by rules, in place of a model; takes the system message and the messages after it, in order."""


@dataclass(frozen=True)
class Seat:
    """One agent of a team.

    Attributes:
        name: Unique; `AGENT_1`, `AGENT_2`, ... in the order in which agents act, where the world has no names.
        kind: Type, such as `firefighter`.
    """

    name: str
    kind: str


PERCEPTIONS = ("text", "image", "grid", "both")
"""What a model reads that turns what an agent perceives into a paragraph: a text, a bare picture, a picture with a grid
and coordinates, or the text and that picture (docs/rules/teams.md 2)."""
RULES, NOTHING = "rules", "nothing"
"""Descriptions without a call, to compare with: the paragraph that the world writes by rules, and one of nothing."""


@dataclass(frozen=True)
class PictureView:
    """What one agent perceives now, as a picture.

    Attributes:
        png: The picture.
        legend: What is where in it, and what its colours mean.
        facts: What `Observation.view` says besides, without what the picture shows.
    """

    png: bytes = field(repr=False)
    legend: str
    facts: str


@dataclass(frozen=True)
class Observation:
    """What one agent perceives now.

    Attributes:
        role: System message for a model that turns `view` into a paragraph.
        view: What that model reads: position, window of the map, legend, team mates, status.
        paragraph: The same as a paragraph made by rules, without a model.
        place: Where the agent is, such as `(12, 7)`.
        draw: Draws it, with a grid and coordinates or without; returns None where an agent sees nothing that can be
            drawn. None in a world without such pictures.
    """

    role: str
    view: str
    paragraph: str
    place: str
    draw: Callable[[bool], PictureView | None] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Option:
    """One action of a type.

    Attributes:
        number: Number by which it is chosen; 0 is doing nothing.
        name: Its exact name, such as `move to location`.
        values: What each of its numbers means, such as `("x", "y")`.
        words: What it does, in a sentence.
        example: An action line, such as `move to location 12 7`.
    """

    number: int
    name: str
    values: tuple[str, ...]
    words: str
    example: str


@dataclass(frozen=True)
class Choice:
    """An action that was chosen.

    Attributes:
        number: That of its option.
        values: Its numbers, as many as the option has.
        words: The agent's own words, for its history.
    """

    number: int
    values: tuple[int, ...]
    words: str


IDLE = Choice(0, (), "do nothing")


class PlayedWorld(Protocol):
    """One episode of a world as its results need it, whoever played it."""

    @property
    def name(self) -> str:
        """Name of the world, such as `wildfire/cut_trees_sparse_small`."""

    @property
    def seed(self) -> int:
        """Seed of the episode."""

    @property
    def task(self) -> str:
        """The task in words."""

    @property
    def tick(self) -> int:
        """Steps so far."""

    @property
    def score(self) -> float:
        """The score now."""


class AgentEnv(PlayedWorld, Protocol):
    """One episode of a world as its agents know it. Agents are numbered from 0, in the order of `seats`."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """All agents, the dead ones too."""

    @property
    def roles(self) -> Mapping[str, str]:
        """What each type of the team is, in one line, by its name."""

    @property
    def limit(self) -> int:
        """Most steps."""

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""

    def living(self) -> tuple[int, ...]:
        """Numbers of the agents that are alive, in order."""

    def observe(self, agent: int) -> Observation:
        """What an agent perceives now."""

    def bound(self, agent: int) -> str | None:
        """What an agent does that cannot choose now, such as `ride helicopter`; None if it can."""

    def options(self, kind: str, single: bool) -> tuple[Option, ...]:
        """Return the actions of a type: those that last a single step, or those that run until they are done."""

    def check(self, agent: int, choice: Choice, single: bool) -> str | None:
        """Return why an agent cannot begin an action, in a sentence, or None if it can."""

    def begin(self, agent: int, choice: Choice, single: bool) -> None:
        """Give an agent an action, which replaces its present one; `check` has accepted it."""

    def busy(self, agent: int) -> bool:
        """Whether an agent's action goes on."""


SomeEnv = TypeVar("SomeEnv", bound=AgentEnv, covariant=True)
"""The form of an episode, by how its agents act: `AgentEnv` or one of the protocols below that extend it."""


@dataclass(frozen=True)
class Piece:
    """One action of a plan as an agent wrote it.

    Attributes:
        words: The action in its canonical form, or the text that cannot be read as one.
        choice: The action; None if it cannot be read.
        request: Whether it is asked of the teammate instead of done.
        why: What is wrong with its form, after a code and a colon; None if it can be read.
        waits: Whether it only waits for something, and is done when that is there; its choice waits for one step.
    """

    words: str
    choice: Choice | None
    request: bool
    why: str | None
    waits: bool = False


@dataclass(frozen=True)
class Awaited:
    """What an action of a plan waits for.

    Attributes:
        words: Such as `egg on a counter`.
        sure: Whether it comes without anything that an agent does.
    """

    words: str
    sure: bool


class PlanAgentEnv(AgentEnv, Protocol):
    """An episode whose agents write plans: several actions in one text, some of them asked of a teammate."""

    def knowledge(self, agent: int) -> str:
        """What an agent knows from the beginning, and others may not."""

    def manual(self, agent: int) -> str:
        """The actions that an agent may write, a line each."""

    def read(self, agent: int, text: str) -> tuple[Piece, ...]:
        """Read a plan, whatever the text is; nothing of it is checked against the state."""

    def awaited(self, agent: int, piece: Piece) -> Awaited | None:
        """Return what an action lacks that may come while the agent waits, or None."""

    def done(self, agent: int) -> Sequence[tuple[int, str]]:
        """Tick and words of every action that an agent completed, in order."""


@dataclass(frozen=True)
class Proposal:
    """One action that an agent may begin now, written out in full.

    Attributes:
        choice: The action; its words are such as `go check <fridge> (5)`.
        ticks: Steps that it will take, as they are estimated before; None without an estimate.
    """

    choice: Choice
    ticks: float | None = None


MOST_LIST_WORDS = 100
"""Most words of the list about messages that a team shares."""


class ProposalAgentEnv(AgentEnv, Protocol):
    """An episode whose agents choose among proposals, and whose messages cost a step."""

    @property
    def tips(self) -> str:
        """The shared list about messages with which the team begins, of `MOST_LIST_WORDS`; empty for none."""

    @property
    def longest(self) -> int:
        """Most characters of a message."""

    def proposals(self, agent: int) -> Sequence[Proposal]:
        """What an agent may begin now, in a fixed order; sending a message is not among them."""

    def waiting(self, agent: int) -> Proposal | None:
        """Return the proposal to wait until the agent perceives something new; None if it cannot wait now."""

    def forced(self, agent: int) -> Choice | None:
        """What an agent has to begin without a choice, or None."""

    def cancelled(self, agent: int) -> Mapping[int, str]:
        """Return why actions of an agent ended without their effect, by the last step of each."""

    def sending(self, agent: int, text: str) -> Choice:
        """Return the action of sending a message to all others; the words of the choice are `send message: TEXT`."""

    def report(self, agent: int) -> str:
        """What an agent knows, as a message of a fixed form."""

    def meets(self, agent: int, other: int) -> bool:
        """Whether an agent sees another one now."""


@dataclass(frozen=True)
class ActionOutcome:
    """What an action did.

    Attributes:
        words: In a sentence.
        refused: Whether it had no effect, because it is not allowed now.
    """

    words: str
    refused: bool


@dataclass(frozen=True, kw_only=True)
class Talk:
    """What agents that act one after another are shown of earlier turns.

    Attributes:
        memory: Latest turns of its own that an agent is shown; None: all.
        expiry: Turns of its sender after which a message is deleted; 0: no message is sent; None: it stays.
        shared: Whether all agents see the same.
    """

    memory: int | None = 12
    expiry: int | None = 1
    shared: bool = True


class TurnAgentEnv(AgentEnv, Protocol):
    """An episode whose agents act one after another in each step; an action has its effect when it begins."""

    @property
    def talk(self) -> Talk:
        """What agents are shown of earlier turns."""

    @property
    def settled(self) -> bool:
        """Whether the task is done within the present step, so that no agent has anything left to decide."""

    def situation(self, agent: int) -> str:
        """Return the part of an agent's view that actions can change, as it is now."""

    def call(self, agent: int, name: str, arguments: Mapping[str, str]) -> Choice | str:
        """Return the action that a call of a tool means, or why it means none, in a sentence."""

    def example(self, agent: int) -> str:
        """Return a call of a tool that an agent could make now, as text."""

    def calls(self, agent: int) -> Sequence[str]:
        """Return calls of tools as text that have an effect now, for a person to choose among."""

    def outcome(self, agent: int) -> ActionOutcome:
        """Return what the action did that an agent began last."""

    def halt(self, agent: int) -> None:
        """End the episode in this step, because an agent thinks without end and does not act."""


@dataclass(frozen=True)
class Said:
    """One answer in a conversation.

    Attributes:
        tick: Steps before it.
        speaker: Number of the agent.
        opens: Whether it begins a conversation.
        analysis: Its thoughts.
        say: Its message.
        plan: Its plan as it was written, requests included.
    """

    tick: int
    speaker: int
    opens: bool
    analysis: str
    say: str
    plan: str


class Episodes(Protocol[SomeEnv]):
    """Episodes of one world, one for each seed, that step in one batch."""

    @property
    def envs(self) -> Sequence[SomeEnv]:
        """One for each seed."""

    def step(self, playing: Sequence[int]) -> None:
        """Play one step of the episodes with these numbers; agents without an action do nothing."""

    def results(self, env: int) -> Mapping[str, Any]:
        """Facts of an episode for its result file, such as the terms of its score."""

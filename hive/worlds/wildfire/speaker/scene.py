"""A prompt of a team's framework, read: which agent is asked for which decision, and what it is told.

The decisions are those of docs/rules/teams.md 2, 3.1 and 5 to 8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hive.kit.prompts import sections_of
from hive.worlds.wildfire.speaker.sights import Cell, Seen, cells_in, read_paragraph
from hive.worlds.wildfire.speaker.tasks import TaskFacts, read_task

_YOU = re.compile(r"You are (\w+)")
_KIND = re.compile(r"^- (\w+): ([^.]*)\.", re.MULTILINE)
_NAME = re.compile(r"AGENT_\d+")
_HEAD = re.compile(r"^## (\w+), (\w+), at \((\d+), (\d+)\)\n", re.MULTILINE)
_DEED = re.compile(r"steps? (\d+)(?: to (\d+))? at \((\d+), (\d+)\): (.*?)(?=; steps? \d|$)", re.MULTILINE)
_PAST = re.compile(r"(AGENT_\d+) at \((\d+), (\d+)\): (.*?)(?=; AGENT_\d+ at|$)", re.MULTILINE)
_MAIL = re.compile(r"^- step (\d+), (\w+) to (\w+): (.*)$", re.MULTILINE)
_STEP = re.compile(r"This is step (\d+) of at most (\d+)")
_FIRE = re.compile(r"fire at ((?:\(\d+, \d+\)(?:, )?)+)")
_CIVILIAN = re.compile(r"civilians? at ((?:\(\d+, \d+\)(?:, )?)+)")
_DECIDE = "Decide: "
_IDLE = "IDLE"


@dataclass(frozen=True)
class Done:
    """An action that an agent carried out: where it was when it began, its words, and how many steps it took."""

    place: Cell
    words: str
    steps: int = 1


@dataclass(frozen=True)
class PromptMessage:
    """A message."""

    step: int
    sender: str
    to: str
    text: str


@dataclass(frozen=True)
class AgentFacts:
    """What the prompt says of one agent.

    Attributes:
        name: Such as `AGENT_2`.
        kind: Type.
        cell: Where it is.
        seen: What it sees.
        past: What it did, the oldest first.
        doing: What it does now; None: nothing, or unknown.
    """

    name: str
    kind: str
    cell: Cell
    seen: Seen
    past: tuple[Done, ...] = ()
    doing: str | None = None


@dataclass(frozen=True)
class PromptFacts:
    """What a prompt says.

    Attributes:
        me: Name of the agent that is asked, or `PLANNER`.
        decision: What it is asked for, such as `act`.
        task: The task.
        step: Number of this step, from 1.
        roster: Types of the living agents by name, in order.
        minds: What is known of each agent, of the agent itself at least.
        mails: Messages that it remembers.
        single: Whether actions last one step.
        sections: Text of each section by its title.
    """

    me: str
    decision: str
    task: TaskFacts
    step: int
    roster: dict[str, str]
    minds: dict[str, AgentFacts]
    mails: tuple[PromptMessage, ...]
    single: bool
    sections: dict[str, str] = field(repr=False)

    def rank(self, mind: AgentFacts) -> tuple[int, int]:
        """Return the place of an agent among those of its type, and how many of them there are."""
        same = [name for name, kind in self.roster.items() if kind == mind.kind]
        return same.index(mind.name) if mind.name in same else 0, max(len(same), 1)

    def fires(self, mind: AgentFacts) -> list[Cell]:
        """Return the places of fire that an agent may know: its own sight, that of others, and messages."""
        return self._known(mind, [each.seen.fires for each in self.minds.values()], _FIRE)

    def burning(self, mind: AgentFacts) -> list[Cell]:
        """Return the cells from which fire spreads, as far as the agents see."""
        return [cell for each in (mind, *self.minds.values()) for cell in each.seen.spreading]

    def civilians(self, mind: AgentFacts) -> list[Cell]:
        """Return the places of civilians that an agent may know."""
        return self._known(mind, [each.seen.civilians for each in self.minds.values()], _CIVILIAN)

    def told(self, mail: PromptMessage) -> list[Cell]:
        """Return the places of fire that a message names."""
        return [cell for found in _FIRE.findall(mail.text) for cell in cells_in(found)]

    def where(self, mind: AgentFacts) -> dict[str, Cell]:
        """Return the cells of all other agents that an agent may know."""
        near = {name: cell for name, (_, cell) in mind.seen.mates.items()}
        return near | {name: each.cell for name, each in self.minds.items() if name != mind.name}

    def _known(self, mind: AgentFacts, sights: Sequence[list[Cell]], told: re.Pattern[str]) -> list[Cell]:
        heard = [cells_in(found) for mail in self.mails for found in told.findall(mail.text)]
        own = mind.seen.fires if told is _FIRE else mind.seen.civilians
        return list(dict.fromkeys(cell for cells in (own, *sights, *heard[::-1]) for cell in cells))


def read_scene(system: str, text: str) -> PromptFacts | None:
    """Return what a prompt says; None if it is no prompt of a framework."""
    sections = sections_of(text)
    you, answer = _YOU.match(system), sections.get("Answer", "")
    if you is None or not answer.startswith(_DECIDE):
        return None
    step = _STEP.search(sections.get("Task", ""))
    roster = {name: kind for kind, names in _KIND.findall(sections.get("Team", "")) for name in _NAME.findall(names)}
    minds = _minds(sections)
    me = you[1]
    if "What you see" in sections and cells_in(sections["What you see"]):
        seen = sections["What you see"]
        minds[me] = AgentFacts(
            me, roster.get(me, ""), cells_in(seen)[0], read_paragraph(seen), _past(sections.get("Your history", ""))
        )
    return PromptFacts(
        me=me,
        decision=answer.partition("\n")[0].removeprefix(_DECIDE).strip(),
        task=read_task(sections.get("Task", "")),
        step=int(step[1]) if step else 1,
        roster=roster,
        minds=minds,
        mails=tuple(PromptMessage(int(at), *rest) for at, *rest in _MAIL.findall(sections.get("Messages", ""))),
        single="a few steps toward" in sections.get("Actions", "") or answer.startswith(f"{_DECIDE}communicate"),
        sections=sections,
    )


def _past(text: str) -> tuple[Done, ...]:
    return tuple(
        Done((int(x), int(y)), words, int(last or first) - int(first) + 1)
        for first, last, x, y, words in _DEED.findall(text)
    )


def _minds(sections: dict[str, str]) -> dict[str, AgentFacts]:
    """Read the state of every agent."""
    parts = _HEAD.split("\n" + sections.get("State of all agents", ""))
    recent: dict[str, tuple[Done, ...]] = {}
    for name, x, y, words in _PAST.findall(sections.get("History of all agents", "")):
        recent[name] = (*recent.get(name, ()), Done((int(x), int(y)), words))
    minds = {}
    for name, kind, x, y, body in zip(*(parts[first::5] for first in range(1, 6)), strict=True):
        rows = dict(line.split(": ", 1) for line in body.splitlines() if ": " in line)
        doing = rows.get("Does", _IDLE)
        past = _past(rows.get("Did", "")) or recent.get(name, ())
        minds[name] = AgentFacts(
            name, kind, (int(x), int(y)), read_paragraph(rows.get("Sees", "")), past, None if doing == _IDLE else doing
        )
    return minds

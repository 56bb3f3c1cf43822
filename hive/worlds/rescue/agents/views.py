"""What an agent of a rescue is shown, as facts and as text (docs/rules/rescue.md 9.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dsl.wording import listing
from hive.kit.prompts import Prompt, read_prompt
from hive.worlds.rescue.codes import RESOURCES, URGENT

VERSION = 2  # of the words that agents read
HELPED = "is helped"
_SEEN = r"(?: \(seen in step (\d+)\))?"
NAMED, HIDDEN, WEIGHTED = "named", "hidden", "weighted"
"""How prompts speak of urgency."""

_ROOM = re.compile(r"- (.+?): (.+)")
_VICTIM = re.compile(rf"- (.+) in ([^,]+)(?:, (urgent|not urgent))?, (?:needs (.+?)|{HELPED}){_SEEN}")
_CARRIES = ", ".join(rf"{kind} (\d+)" for kind in RESOURCES)
_AGENT = re.compile(rf"- (.+?)( \(you\))? in (.+), carries {_CARRIES}(, has ended its mission)?{_SEEN}")


def words() -> Prompt:
    """Return the words that agents read."""
    return read_prompt("hive.worlds.rescue.agents", VERSION)


@dataclass(frozen=True)
class VictimView:
    """A victim: name, room, the resources that it still needs, and whether it is urgent; None where that is hidden.

    `seen` is the step in which the viewer saw it last, 0 for the start; None: it sees it now.
    """

    name: str
    room: str
    needs: tuple[str, ...]
    urgent: bool | None
    seen: int | None = None

    def line(self) -> str:
        """The victim as agents read it."""
        state = "needs " + listing((), "and", self.needs) if self.needs else HELPED
        urgency = "" if self.urgent is None else ", urgent" if self.urgent else ", not urgent"
        return f"- {self.name} in {self.room}{urgency}, {state}{_seen(self.seen)}"


@dataclass(frozen=True)
class AgentView:
    """An agent: name, room, units of each of `RESOURCES`, and whether it still acts; `seen` as in `VictimView`."""

    name: str
    room: str
    supplies: tuple[int, ...]
    active: bool
    seen: int | None = None

    def line(self, me: bool) -> str:
        """The agent as agents read it."""
        carried = ", ".join(f"{kind} {units}" for kind, units in zip(RESOURCES, self.supplies, strict=True))
        ended = "" if self.active else ", has ended its mission"
        return f"- {self.name}{' (you)' if me else ''} in {self.room}, carries {carried}{ended}{_seen(self.seen)}"


@dataclass(frozen=True)
class View:
    """What an agent sees or believes: everything but what others intend.

    Attributes:
        me: Place of the agent in `agents`.
        doors: For each room, by name, the rooms next to it.
        victims: All victims, the helped ones too.
        agents: All agents, in the order of their turns.
    """

    me: int
    doors: dict[str, tuple[str, ...]]
    victims: tuple[VictimView, ...]
    agents: tuple[AgentView, ...]


def task_text(limit: int, urgency: str = NAMED, believed: bool = False) -> str:
    """Return the aim and the limit of steps, in the words of a setting of urgency; and what an agent can see."""
    text = words()
    task = text.fill("Task", limit=limit, urgency=text.table("Urgency")[urgency].format(weight=URGENT))
    return f"{task}\n{text.sections['Sight']}" if believed else task


def view_text(view: View) -> str:
    """Return what an agent reads."""
    rooms = "\n".join(f"- {room}: {', '.join(others)}" for room, others in view.doors.items())
    return words().fill("View", rooms=rooms, situation=situation_text(view))


def situation_text(view: View) -> str:
    """Return what an agent reads without the rooms and their doors, which no action changes."""
    return words().fill(
        "Situation",
        victims="\n".join(victim.line() for victim in view.victims),
        agents="\n".join(agent.line(number == view.me) for number, agent in enumerate(view.agents)),
    )


def read_view(text: str) -> View:
    """Return the facts in a text of `view_text`.

    Raises:
        ValueError: It is another text.
    """
    lines = text.splitlines()
    agents = [found for found in map(_AGENT.fullmatch, lines) if found]
    mine = [number for number, found in enumerate(agents) if found[2]]
    victims = [found for found in map(_VICTIM.fullmatch, lines) if found]
    rooms = [found for found in map(_ROOM.fullmatch, lines) if found]
    if len(mine) != 1 or not victims or not rooms:
        raise ValueError("this is no view of a rescue")
    return View(
        me=mine[0],
        doors={found[1]: tuple(found[2].split(", ")) for found in rooms},
        victims=tuple(
            VictimView(
                found[1],
                found[2],
                _needs(found[4] or ""),
                None if found[3] is None else found[3] == "urgent",
                None if found[5] is None else int(found[5]),
            )
            for found in victims
        ),
        agents=tuple(
            AgentView(
                found[1],
                found[3],
                tuple(int(found[4 + kind]) for kind in range(3)),
                not found[7],
                None if found[8] is None else int(found[8]),
            )
            for found in agents
        ),
    )


def _seen(step: int | None) -> str:
    return "" if step is None else f" (seen in step {step})"


def _needs(text: str) -> tuple[str, ...]:
    return tuple(kind for kind in RESOURCES if re.search(rf"\b{kind}\b", text))

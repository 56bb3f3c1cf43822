"""What an agent of a rescue is shown, as facts and as text (docs/rules/rescue.md 9.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dsl.wording import listing
from hive.kit.prompts import Prompt, read_prompt
from hive.worlds.rescue.codes import RESOURCES, URGENT

VERSION = 2  # of the words that agents read
HELPED = "is helped"
NAMED, HIDDEN, WEIGHTED = "named", "hidden", "weighted"
"""How prompts speak of urgency."""

_ROOM = re.compile(r"- (.+?): (.+)")
_VICTIM = re.compile(rf"- (.+) in ([^,]+)(?:, (urgent|not urgent))?, (?:needs (.+)|{HELPED})")
_CARRIES = ", ".join(rf"{kind} (\d+)" for kind in RESOURCES)
_AGENT = re.compile(rf"- (.+?)( \(you\))? in (.+), carries {_CARRIES}(, has ended its mission)?")


def words() -> Prompt:
    """Return the words that agents read."""
    return read_prompt("hive.worlds.rescue.agents", VERSION)


@dataclass(frozen=True)
class VictimView:
    """A victim: name, room, the resources that it still needs, and whether it is urgent; None where that is hidden."""

    name: str
    room: str
    needs: tuple[str, ...]
    urgent: bool | None

    def line(self) -> str:
        """The victim as agents read it."""
        state = "needs " + listing((), "and", self.needs) if self.needs else HELPED
        urgency = "" if self.urgent is None else ", urgent" if self.urgent else ", not urgent"
        return f"- {self.name} in {self.room}{urgency}, {state}"


@dataclass(frozen=True)
class AgentView:
    """An agent: name, room, units of each of `RESOURCES`, and whether it still acts."""

    name: str
    room: str
    supplies: tuple[int, ...]
    active: bool

    def line(self, me: bool) -> str:
        """The agent as agents read it."""
        carried = ", ".join(f"{kind} {units}" for kind, units in zip(RESOURCES, self.supplies, strict=True))
        ended = "" if self.active else ", has ended its mission"
        return f"- {self.name}{' (you)' if me else ''} in {self.room}, carries {carried}{ended}"


@dataclass(frozen=True)
class View:
    """What an agent sees: everything but what others intend.

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


def task_text(limit: int, urgency: str = NAMED) -> str:
    """Return the aim and the limit of steps; urgency is named, hidden or weighted."""
    about = words().table("Urgency")[urgency].format(weight=URGENT)
    return words().fill("Task", limit=limit, urgency=about)


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
            VictimView(found[1], found[2], _needs(found[4] or ""), None if found[3] is None else found[3] == "urgent")
            for found in victims
        ),
        agents=tuple(
            AgentView(found[1], found[3], tuple(int(found[4 + kind]) for kind in range(3)), not found[7])
            for found in agents
        ),
    )


def _needs(text: str) -> tuple[str, ...]:
    return tuple(kind for kind in RESOURCES if re.search(rf"\b{kind}\b", text))

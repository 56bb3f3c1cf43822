"""The content of a household agent's prompt as facts; the scripted speaker knows nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from hive.kit.prompts import sections_of

_NAME = re.compile(r"<[^<>]+> \(\d+\)")
_LINE = re.compile(r"- step (\d+), (\w+) to \w+: (.*)")
_OPTION = re.compile(r"([A-Z]{1,2})\. (.*)")
_STEPS = re.compile(r"^(.*) with (\d+) steps?$")
_WILL = re.compile(r"\bI will ([^.!?;]*)")
FRESH = 12
"""Steps for which another agent's announcement is believed."""


@dataclass(frozen=True)
class Offer:
    """One proposal: its letter, its words without an estimate, and the estimate, if there is one."""

    letter: str
    words: str
    steps: int | None

    @property
    def verb(self) -> str:
        """`send`, `explore`, `check`, `grab` or `put`; in transport also `to`, `transport`, `into`; `close`, `turn`."""
        parts = self.words.split()
        if " into <" in self.words and parts[0] == "put":
            return "into"
        return parts[1] if parts[0] == "go" else parts[0]

    @property
    def names(self) -> list[str]:
        """The things that it names."""
        return _NAME.findall(self.words)


@dataclass(frozen=True)
class PromptMessage:
    """A message as it stands in a dialogue."""

    step: int
    name: str
    text: str


@dataclass(frozen=True)
class PromptFacts:
    """A prompt.

    Attributes:
        me: Name of the agent that is asked.
        sections: Text of each section by its title.
    """

    me: str
    sections: dict[str, str]

    @property
    def decision(self) -> str:
        """What is asked for."""
        return self.sections.get("Answer", "").partition("\n")[0].removeprefix("Decide: ")

    @cached_property
    def step(self) -> int:
        """Number of the step."""
        found = re.search(r"This is step (\d+)", self.sections.get("Task", ""))
        return int(found[1]) if found else 0

    @cached_property
    def hauls(self) -> bool:
        """Whether the task is transport."""
        return any(offer.verb in ("to", "transport", "into") for offer in self.offers)

    @cached_property
    def progress(self) -> list[str]:
        """The sentences of what the agent knows."""
        return re.split(r"(?<=\.) ", self.sections.get("Progress", ""))

    @cached_property
    def here(self) -> str:
        """What the agent found in its own room, and what is unchecked there."""
        return next((each for each in self.progress if each.startswith("Here ")), "")

    @cached_property
    def room(self) -> str:
        """The agent's room, such as `<kitchen> (2)`."""
        return next((_NAME.findall(each)[0] for each in self.progress if each.startswith("I am in ")), "")

    @cached_property
    def held(self) -> list[str]:
        """Objects in the agent's hands."""
        return next((_NAME.findall(each) for each in self.progress if each.startswith("I hold ")), [])

    @cached_property
    def turn(self) -> str:
        """What is asked of the agent, without its first line."""
        return " ".join(self.sections.get("Answer", "").split())

    @cached_property
    def asked(self) -> list[str]:
        """The agents that a joint plan has to name."""
        found = re.search(r"one action for each of ([\w, ]+):", self.turn)
        return found[1].split(", ") if found else []

    @cached_property
    def offers(self) -> list[Offer]:
        """The proposals."""
        text = next((self.sections[title] for title in _LISTS if title in self.sections), "")
        found = []
        for line in text.splitlines():
            if match := _OPTION.fullmatch(line):
                cost = _STEPS.match(match[2])
                found.append(Offer(match[1], cost[1] if cost else match[2], int(cost[2]) if cost else None))
        return found

    @cached_property
    def dialogue(self) -> list[PromptMessage]:
        """The latest messages."""
        lines = map(_LINE.fullmatch, self.sections.get("Dialogue", "").splitlines())
        return [PromptMessage(int(line[1]), line[2], line[3]) for line in lines if line]

    @cached_property
    def claims(self) -> set[str]:
        """Things that others said shortly before they would go to, check or take."""
        fresh = [each for each in self.dialogue if each.name != self.me and self.step - each.step <= FRESH]
        return {name for each in fresh for part in _WILL.findall(each.text) for name in _NAME.findall(part)}

    @cached_property
    def mentioned(self) -> set[str]:
        """All things that the latest messages name."""
        return {name for each in self.dialogue for name in _NAME.findall(each.text)}

    @cached_property
    def found(self) -> list[tuple[str, str]]:
        """Objects that lie in the agent's room, each with its place, such as `in <fridge> (19)`."""
        text = self.here.partition("I have not checked")[0]
        return [
            (name, where)
            for name, where in re.findall(r"(<[^<>]+> \(\d+\)) ((?:in|on) (?:<[^<>]+> \(\d+\)|the floor))", text)
        ]

    @cached_property
    def unchecked(self) -> list[str]:
        """Containers in the agent's room that it has not checked."""
        return _NAME.findall(self.here.partition("I have not checked")[2].partition(" and the ")[0])

    @cached_property
    def elsewhere(self) -> list[str]:
        """Objects that it knows to be in other rooms."""
        rows = [each.partition("I found")[2].partition("I have not checked")[0] for each in self.progress]
        rows = [row for row, each in zip(rows, self.progress, strict=True) if each.startswith("In the ")]
        return [name for row in rows for name in re.findall(r"(<[^<>]+> \(\d+\)) (?:in|on) ", row)]

    @cached_property
    def unexplored(self) -> list[str]:
        """Rooms of which it knows nothing."""
        return [
            name
            for each in self.progress
            if each.endswith((" is unexplored.", " is explored in part."))
            for name in _NAME.findall(each)
        ]

    @cached_property
    def promise(self) -> str:
        """What the agent said last that it would do, in the step before; empty for nothing."""
        mine = [each for each in self.dialogue if each.name == self.me and each.step == self.step - 1]
        return next((part.strip() for each in mine for part in _WILL.findall(each.text)), "")

    @cached_property
    def checked(self) -> list[str]:
        """Containers that the agent checked in the latest actions that it is shown."""
        actions = self.sections.get("Your actions", "")
        return list(dict.fromkeys(re.findall(r": go check (<[^<>]+> \(\d+\))", actions)))


_LISTS = ("Proposals", "Your proposals", "Skills")


def read_scene(system: str, text: str) -> PromptFacts:
    """Return what a prompt says."""
    name = re.match(r"You (?:are|check the plans of) (\w+)", system)
    return PromptFacts(name[1] if name else "", sections_of(text))

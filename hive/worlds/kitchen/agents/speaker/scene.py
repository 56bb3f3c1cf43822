"""What the scripted speaker understands of a prompt: who is asked for what, the kitchen, plans, recipe, messages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hive.kit.prompts import sections_of
from hive.worlds.kitchen.agents.views import View, read_view

_WHO = re.compile(r"You are (\w+), an? \w+ in a team of two\.")
_MATE = re.compile(r"Your teammate is (\w+)\.")
_PLAN = re.compile(r"- (\w+)(?: \(you\))? does: (.*)\. Then: (.*)")
_STEP = re.compile(r"- (\w+) (\S+(?: \+ \S+)*) in (\w+): (\w+)")
_LINE = re.compile(r"\d+\. (\w+\(.*\))")
_ASKED = re.compile(r"\(requests: (.+)\)$")
_NONE = "nothing"


@dataclass(frozen=True)
class RecipeStep:
    """One recipe: an operation on a utensil that turns items into a product."""

    operation: str
    inputs: tuple[str, ...]
    tool: str
    product: str


@dataclass(frozen=True)
class PromptFacts:
    """A prompt as read.

    Attributes:
        me: The cook that is asked.
        mate: The other one.
        decision: What is asked for, such as `plan your actions`.
        view: The kitchen.
        doing: Present action of each cook; empty for none.
        queues: Planned actions of each cook.
        steps: The recipe, each step after those of its inputs; empty where the cook does not have it.
        in_dish: Whether the order is delivered in a dish.
        asked: Actions that the latest message of the mate asks for.
        refusal: Why an action was refused.
        lines: The recipe as single actions; empty where it is told in another way.
    """

    me: str
    mate: str
    decision: str
    view: View
    doing: dict[str, str]
    queues: dict[str, list[str]]
    steps: tuple[RecipeStep, ...]
    in_dish: bool
    asked: tuple[str, ...]
    refusal: str
    lines: tuple[str, ...] = ()


def read_scene(system: str, text: str) -> PromptFacts | None:
    """Read a prompt, or return None if it is of another kind."""
    who, mate = _WHO.search(system), _MATE.search(system)
    sections = {title: body.strip() for title, body in sections_of(text).items()}
    if who is None or "Answer" not in sections or "What you see" not in sections:
        return None
    me, known = who[1], sections.get("What you know", "")
    plans = [found for found in map(_PLAN.fullmatch, sections.get("Plans", "").splitlines()) if found]
    return PromptFacts(
        me=me,
        mate=mate[1] if mate else "",
        decision=sections["Answer"].splitlines()[0].removeprefix("Decide: "),
        view=read_view(sections["What you see"]),
        doing={found[1]: "" if found[2] == _NONE else found[2] for found in plans},
        queues={found[1]: [] if found[3] == _NONE else found[3].split("; ") for found in plans},
        steps=tuple(
            RecipeStep(found[1], tuple(found[2].split(" + ")), found[3], found[4])
            for found in map(_STEP.fullmatch, known.splitlines())
            if found
        ),
        in_dish="- fill a dish" in known,
        asked=_asked(sections.get("Conversation", ""), me),
        refusal=sections.get("Refusal", ""),
        lines=tuple(found[1] for found in map(_LINE.fullmatch, known.splitlines()) if found),
    )


def _asked(conversation: str, me: str) -> tuple[str, ...]:
    lines = [line for line in conversation.splitlines() if not line.startswith(f"- {me}:")]
    found = _ASKED.search(lines[-1]) if lines else None
    return tuple(found[1].split("; ")) if found else ()

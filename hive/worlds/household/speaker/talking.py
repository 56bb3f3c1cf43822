"""What the scripted speaker says, by the tips of the shared list, and how it rewrites that list."""

from __future__ import annotations

from hive.worlds.household.speaker.choosing import intention
from hive.worlds.household.speaker.scene import PromptFacts

FINDS = "Report goal objects that you leave where they are."
CHECKS = "Say which containers you have checked."
CLAIMS = "Say what you will do next."
SILENT = "Write nothing."
BRIEF = "Write only when you have several things to say."
TIPS = (FINDS, BRIEF, CHECKS, CLAIMS)
"""Everything that the scripted reflector can learn, in the order in which it learns it."""

UNTAUGHT = (FINDS,)
"""What a message follows that is written without a list, or by an empty one."""

_MANY = 5  # news


def draft(scene: PromptFacts, tips: tuple[str, ...]) -> str:
    """Return a message by tips; empty where there is no news.

    Args:
        scene: The prompt.
        tips: Those of `TIPS` that it follows.
    """
    plan = intention(scene)
    news = [name for name, _ in scene.found if name not in scene.mentioned]
    parts, count = [], 0
    if FINDS in tips and news:
        told = [f"{name} {where}" for name, where in scene.found if name in news and name not in plan]
        parts += [f"I found {', '.join(told)}."] if told else []
        count += len(told)
    checked = [name for name in scene.checked if name not in scene.mentioned]
    if CHECKS in tips and checked:
        parts.append(f"I checked {', '.join(checked)}.")
        count += len(checked)
    if not parts or (BRIEF in tips and count < _MANY):
        return ""
    if CLAIMS in tips and plan:
        parts.append(f"I will {plan}.")
    return " ".join(parts)


def tips_of(text: str) -> tuple[str, ...]:
    """Return the tips that a list has; those of a list that has none are `UNTAUGHT`."""
    found = tuple(tip for tip in TIPS if tip in text)
    return () if SILENT in text else found or UNTAUGHT


def reflect(scene: PromptFacts) -> str:
    """Return the list with one tip more: the first that it does not have."""
    known = [tip for tip in TIPS if tip in scene.sections.get("Knowledge", "")]
    missing = [tip for tip in TIPS if tip not in known]
    return " ".join([*known, *missing[:1]])

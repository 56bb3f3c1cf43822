"""How the scripted speaker chooses among proposals: by their costs, or without them by what is near."""

from __future__ import annotations

from collections.abc import Sequence

from hive.worlds.household.speaker.scene import Offer, PromptFacts

_HANDS = 2
_IDLE = "wait", "turn", "close"
"""What an agent does that has nothing else to do."""

_ORDER = ("grab here", "check here", "grab", "check", "explore", "put", *_IDLE)
"""What an agent prefers that sees no costs."""

_HAUL = ("into", "grab here", "explore", "grab", "to new", "transport", "to", *_IDLE)
"""What an agent prefers in transport; costs decide between proposals of one kind."""


def choose(scene: PromptFacts) -> Offer | None:
    """Return the proposal that the speaker takes: a message with news first, then an action; None without proposals."""
    for offer in scene.offers:
        if offer.verb == "send":
            plan = action(scene)
            return offer if plan is None or worth_sending(scene, offer.words, plan) else plan
    return action(scene)


def action(scene: PromptFacts, taken: Sequence[str] = ()) -> Offer | None:
    """Return the best action: the one with the fewest steps, or the first in the order of what is near.

    Args:
        scene: The prompt.
        taken: Things that others take; what others said they would do counts too, unless nothing else is left.
    """
    actions = [offer for offer in scene.offers if offer.verb != "send"]
    offers = [offer for offer in actions if offer.verb not in _IDLE] or actions
    claimed = scene.claims | set(taken)
    free = [offer for offer in offers if offer.verb == "put" or not claimed & set(offer.names)] or offers
    if not free:
        return None
    for offer in free:
        if offer.words == scene.promise:
            return offer
    if scene.hauls:
        return min(free, key=lambda offer: (_HAUL.index(_class(scene, offer)), offer.steps or 0))
    if all(offer.steps is not None for offer in free):
        return min(free, key=lambda offer: offer.steps or 0)
    return min(free, key=lambda offer: _ORDER.index(_class(scene, offer)))


def intention(scene: PromptFacts) -> str:
    """Return what an agent is about to do, from its progress alone; empty for nothing."""
    free = len(scene.held) < _HANDS
    parts = (
        ("go grab", [name for name, _ in scene.found] if free else []),
        ("go check", scene.unchecked if free else []),
        ("go grab", scene.elsewhere if free else []),
        ("go explore", scene.unexplored),
    )
    return next((f"{verb} {name}" for verb, names in parts for name in names if name not in scene.claims), "")


def worth_sending(scene: PromptFacts, words: str, plan: Offer) -> bool:
    """Whether a message names something that no message named before, and says nothing else than what is done next."""
    if "I will " in words and plan.words not in words:
        return False
    return any(name not in scene.mentioned and name != scene.room for name in Offer("", words, None).names)


def guess(scene: PromptFacts) -> str:
    """Return guessed steps of all proposals: few for what is in the agent's room, more for other rooms."""
    near = {"grab here": 3, "check here": 4, "grab": 11, "check": 11}
    return ", ".join(f"{offer.letter}: {near.get(_class(scene, offer), 8)}" for offer in scene.offers)


def _class(scene: PromptFacts, offer: Offer) -> str:
    if offer.verb == "to" and set(offer.names) & set(scene.unexplored):
        return "to new"
    here = any(name in scene.here for name in offer.names)
    return f"{offer.verb} here" if here and offer.verb in ("grab", "check") else offer.verb

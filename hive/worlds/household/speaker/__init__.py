"""A scripted team of household agents: it answers prompts by rules, from their texts alone.

It plays where there is no model, and it is no measure of what a model can do. With costs it takes the cheapest
proposal; without them it prefers what is near. Its messages follow the shared list, and its reflector adds one tip at
a time (docs/rules/household.md 10.5).
"""

from __future__ import annotations

from collections.abc import Sequence

from hive.kit.prompts import tags
from hive.worlds.household.speaker.choosing import action, choose, guess
from hive.worlds.household.speaker.scene import Offer, PromptFacts, read_scene
from hive.worlds.household.speaker.talking import UNTAUGHT, draft, reflect, tips_of


def answer(system: str, texts: Sequence[str]) -> str:
    """Return the answer to a prompt.

    Args:
        system: The system message.
        texts: The messages after it in their order.

    Returns:
        Tags; for a prompt that it does not know, a sentence without tags, which no framework takes for an answer.
    """
    scene = read_scene(system, texts[0])
    last = read_scene(system, texts[-1]).decision
    by_decision = {
        "choose a proposal": lambda scene: f"{_think(scene)}\n{_pick(scene)}",
        "think about the proposals": _think,
        "name the best proposal": _pick,
        "draft a message": lambda scene: tags(message=draft(scene, UNTAUGHT)),
        "draft a message by what the team knows": _taught,
        "improve the knowledge": lambda scene: tags(knowledge=reflect(scene)),
        "guess the steps": lambda scene: tags(costs=guess(scene)),
        "analyse, infer and plan": _plan,
        "plan again": _plan,
        "explain the failure": lambda scene: tags(reason="The skill is not one of those that can begin now."),
        "talk and agree on a plan": _talk,
    }
    return by_decision[last](scene) if last in by_decision else "I do not know this kind of prompt."


def _think(scene: PromptFacts) -> str:
    chosen = choose(scene)
    return tags(thoughts=f"The best proposal seems to be: {chosen.words if chosen else 'nothing'}.")


def _pick(scene: PromptFacts) -> str:
    chosen = choose(scene)
    return tags(action=chosen.words if chosen else "wait")


def _taught(scene: PromptFacts) -> str:
    """Draft a message by the tips of the list."""
    return tags(message=draft(scene, tips_of(scene.sections.get("Knowledge", ""))))


def _plan(scene: PromptFacts) -> str:
    chosen = action(scene)
    intention = "The others go on with what they began."
    return tags(analysis="I take what is near.", intention=intention, plan=chosen.words if chosen else "wait")


def _talk(scene: PromptFacts) -> str:
    """Propose an action of its own; the last agent that is free states what all proposed as the joint plan."""
    said = dict(_proposed(scene))
    own = action(scene, taken=[name for words in said.values() for name in Offer("", words, None).names])
    mine = own.words if own else "wait"
    if scene.offers:
        said[scene.me] = mine
    wanted = scene.asked
    ready = all(name in said for name in wanted)
    parts = {
        "reasoning": "I propose what is near and what nobody else takes.",
        "say": f"I will {mine}." if scene.offers else "I go on with my action.",
        "own": mine,
        "decision": "EXECUTE" if ready else "PROCEED",
    }
    parts |= {name: said.get(name, "wait") for name in wanted if ready or "last call" in scene.turn}
    return tags(**parts)


def _proposed(scene: PromptFacts) -> list[tuple[str, str]]:
    """Return what each agent proposed for itself in the chat."""
    found = []
    for line in scene.sections.get("Chat", "").splitlines():
        name, _, words = line.removeprefix("- ").partition(" said: I will ")
        if words:
            found.append((name, words.strip().rstrip(".")))
    return found


__all__ = ["answer"]

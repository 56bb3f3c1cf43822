"""A scripted pair of cooks: they answer the prompts of agents by rules, from the texts of these prompts alone.

The cook that has the recipe asks for what it needs; the other one does what it was asked, and knows nothing else. The
pair plays where there is no model, and it is no measure of what a model can do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dsl.wording import listing
from hive.worlds.kitchen.agents.speaker.knowing_cook import KnowingCook
from hive.worlds.kitchen.agents.speaker.scene import PromptFacts, read_scene

_PICKUP = re.compile(r"pickup\((\w+), ?(\w+)\)")
_OPERATE = re.compile(r"(\w+)\((\w+)\)")
_SILENT, _END, _WAIT = "[NOTHING]", "[END]", "wait(1)"


def answer(system: str, texts: Sequence[str]) -> str:
    """Return the answer to a prompt.

    Args:
        system: The system message.
        texts: The messages after it in their order.

    Returns:
        Tags; for a prompt that it does not know, a sentence without tags, which no framework takes for an answer.
    """
    return answer_scene(read_scene(system, texts[0]))


def answer_scene(scene: PromptFacts | None) -> str:
    """Return the answer to a prompt that was read; None for one that could not be."""
    if scene is None:
        return "I do not know this kind of prompt."
    if scene.decision == "note a lesson":
        return f"<lesson>Before I begin an action I look whether it is possible. {scene.refusal}</lesson>"
    if scene.decision == "correct your plan":
        return tags("My action is not possible yet, so I wait.", [_WAIT])
    if scene.steps:
        return _lead(scene)
    return _follow(scene)


def _lead(scene: PromptFacts) -> str:
    """Answer for the cook that has the recipe."""
    cook = KnowingCook(scene)
    plan, (requests, items) = cook.plan(), cook.requests()
    if scene.decision != "plan your actions" or not requests:
        return tags(f"I have nothing to ask of {scene.mate} now.", plan, _SILENT)
    say = f"{scene.mate}, I need {listing((), 'and', items)} on the shared counter for {scene.view.order}."
    asked = [f"request('{action}')" for action in requests]
    return tags(f"{scene.mate} is free and can help.", [*asked, *plan], say)


def _follow(scene: PromptFacts) -> str:
    """Answer for the cook that has no recipe."""
    if scene.decision == "answer in the conversation" and scene.asked:
        plan = with_waits(scene.asked, {tool: time for tool, (_, time) in scene.view.operations(scene.me).items()})
        return tags(f"{scene.mate} told me what to do.", plan, f"I do it now. {_END}")
    return tags("I have no recipe, and nothing was asked of me.", [_WAIT], _SILENT)


def with_waits(actions: Sequence[str], times: dict[str, int]) -> list[str]:
    """Return actions with a wait before each pickup from a utensil that was started shortly before.

    Args:
        actions: In order; each takes one timestep at least.
        times: Working time of each utensil.
    """
    plan: list[str] = []
    started: dict[str, int] = {}  # timesteps, at least, since the utensil was started
    for action in actions:
        pickup, operate = _PICKUP.fullmatch(action), _OPERATE.fullmatch(action)
        rest = times[pickup[2]] - 1 - started[pickup[2]] if pickup and pickup[2] in started else 0
        if rest > 0:
            plan.append(f"wait({rest})")
        plan.append(action)
        started = {tool: since + 1 + max(rest, 0) for tool, since in started.items()}
        if operate and operate[2] in times and operate[1] != "put_obj_in_utensil":
            started[operate[2]] = 0
    return plan


def tags(analysis: str, plan: Sequence[str], say: str | None = None) -> str:
    """Return an answer in tags; without a message it has none."""
    tail = "" if say is None else f"\n<say>{say}</say>"
    return f"<analysis>{analysis}</analysis>\n<plan>{'; '.join(plan)}</plan>{tail}"


__all__ = ["answer"]

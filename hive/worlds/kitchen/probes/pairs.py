"""Scripted pairs for probes, which show what the study measures where no model answers (docs/rules/kitchen.md 12.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hive.kit.agent_env import Speaker
from hive.worlds.kitchen.action import INGREDIENTS
from hive.worlds.kitchen.agents.speaker import answer_scene, tags
from hive.worlds.kitchen.agents.speaker.scene import PromptFacts, RecipeStep, read_scene
from hive.worlds.kitchen.setting import Setting


def by_heart(setting: Setting) -> Speaker:
    """Return what answers for both cooks of the pair `speaker`.

    Args:
        setting: The kitchen, whose cookbook stands for the recipe of the prompt.
    """
    book, layout = setting.book, setting.layout
    knowing = [cook.name for cook in layout.cooks if cook.knows_recipe]

    def answer(system: str, texts: Sequence[str]) -> str:
        scene = read_scene(system, texts[0])
        if scene is not None and scene.me in knowing:
            order = scene.view.order
            steps = tuple(
                RecipeStep(
                    book.utensil[each.utensil].operation,
                    each.inputs,
                    layout.instances_of(each.utensil)[0],
                    each.product,
                )
                for each in book.steps(order)
            )
            scene = replace(scene, steps=steps, in_dish=book.needs_dish(order))
        return answer_scene(scene)

    return answer


def read_first(system: str, texts: Sequence[str]) -> str:
    """Answer for both cooks of the pair `reader`."""
    scene = read_scene(system, texts[0])
    first = "" if scene is None else _first(scene)
    if scene is None or not first or scene.decision != "plan your actions":
        return answer_scene(scene)
    return tags("I begin with the first line of my recipe.", [f"request('{first}')"], f"{scene.mate}, please help me.")


def _first(scene: PromptFacts) -> str:
    """Return the first action of a recipe; empty for a cook without one."""
    if scene.lines:
        return scene.lines[0]
    return f"pickup({scene.steps[0].inputs[0]}, {INGREDIENTS})" if scene.steps else ""

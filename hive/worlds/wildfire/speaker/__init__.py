"""A scripted speaker: it answers the prompts of agents on wildfire levels by rules, from their own text alone.

It reads every prompt as a model would, and writes the same tags; `read_scene` says what it understands. It is what a
machine without a model plays with, and it is no measure of what a model can do.
"""

from __future__ import annotations

from collections.abc import Sequence

from hive.worlds.wildfire.agents.paragraphs import paragraph
from hive.worlds.wildfire.agents.views import read_view
from hive.worlds.wildfire.speaker.answers import reply
from hive.worlds.wildfire.speaker.scene import read_scene


def answer(system: str, texts: Sequence[str]) -> str:
    """Return the answer to a prompt.

    Args:
        system: The system message.
        texts: The messages after it in their order; the last one is to be answered.

    Returns:
        A paragraph where a perception is asked for, else tags; for a prompt that it does not know, a sentence without
        tags, which no framework takes for an answer.
    """
    view = read_view(system, texts[0])
    if view is not None:
        return paragraph(view)
    scene = read_scene(system, texts[0])
    if scene is None:
        return "I do not know this kind of prompt."
    return reply(scene, list(texts[1:]))


__all__ = ["answer"]

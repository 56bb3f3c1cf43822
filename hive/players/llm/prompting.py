"""Prompts as chat messages: what a model is told about a world, for the data sets of trainers."""

from __future__ import annotations

from collections.abc import Sequence

from hive.engine.instant import state_at_start
from hive.engine.world import EngineWorld
from hive.players.llm.rewards import check_several


def conversations(
    world: EngineWorld, prompts: Sequence[str], *, full: bool = False, seed: int = 0
) -> list[list[dict[str, str]]]:
    """Return the messages that ask for a plan, as a commander's session sends them.

    Plans are then written for the sizes of this world: score them with these sizes as `written_for`.

    Args:
        world: What is described, before the first tick.
        prompts: What a player wants, such as those of `hive.worlds.battle.study_prompts`.
        full: Whether every unit is listed and the map is complete; else groups of units and a shorter map.
        seed: Seed of the game whose start is described.

    Returns:
        For each prompt a system message and a user message, as `{"role": ..., "content": ...}`.

    Raises:
        TypeError: `prompts` is one string.
    """
    check_several("prompts", prompts)
    words = world.describe(state_at_start(world, seed))
    system, state = (words.system, words.state) if full else (words.short_system, words.short_state)
    return [
        [{"role": "system", "content": system}, {"role": "user", "content": f"{prompt}\n\n{state}"}]
        for prompt in prompts
    ]

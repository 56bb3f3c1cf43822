"""An order in words: the task, what each cook knows and can do, and the kitchen at the start."""

from __future__ import annotations

from hive.kit.reporting import Description, Scene
from hive.worlds.kitchen.agents.agent_env import KitchenAgentEnv
from hive.worlds.kitchen.agents.episodes import KitchenEpisodes
from hive.worlds.kitchen.agents.views import VERSION, view_text
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.tasks import find_task


def describe(order: str) -> Scene:
    """Describe the start of a game in the shipped kitchen.

    Args:
        order: What is ordered, such as `boiled_egg`.

    Raises:
        UserError: There is no such order.
    """
    env = KitchenEpisodes(load_setting(), [find_task(order)]).envs[0]
    state = view_text(env.view(0))  # both cooks see the same: their own counters are empty
    words = Description(f"kitchen/{VERSION}", _constant(env, True), state, _constant(env, False), state)
    return Scene(env.name, env.seed, env.tick, words)


def _constant(env: KitchenAgentEnv, actions: bool) -> str:
    """Return the task and what each cook knows, with the actions of each or without."""
    parts = [env.task]
    for cook, seat in enumerate(env.seats):
        parts += [f"# {seat.name}\n{env.roles[seat.kind]}\n{env.knowledge(cook)}"]
        parts += [f"Actions of {seat.name}:\n{env.manual(cook)}"] if actions else []
    return "\n\n".join([*parts, "# The kitchen"])

"""A pair of cooks that plays an optimal plan without messages: each knows the plan for its order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hive.kit.agent_env import Speaker
from hive.worlds.kitchen.action import MAX_WAIT
from hive.worlds.kitchen.agents.speaker.scene import read_scene
from hive.worlds.kitchen.optimum.play import Optimum
from hive.worlds.kitchen.setting import Setting


def planner(setting: Setting, optima: Iterable[Optimum]) -> Speaker:
    """Return what answers for both cooks.

    Args:
        setting: The kitchen.
        optima: The plan of each order, by named actions.
    """
    names = [cook.name for cook in setting.layout.cooks]
    plans = {
        (each.order, name): [(timestep, str(action)) for timestep, action in actions]
        for each in optima
        for name, actions in zip(names, each.actions, strict=True)
    }

    def answer(system: str, texts: Sequence[str]) -> str:
        scene = read_scene(system, texts[0])
        if scene is None or scene.decision != "plan your actions":
            return "I do not know this kind of prompt."
        now = scene.view.timestep
        begin, action = next((each for each in plans[scene.view.order, scene.me] if each[0] >= now), (now + 1, ""))
        plan = action if begin == now else f"wait({min(begin - now, MAX_WAIT)})"
        return f"<analysis>I follow the fastest plan.</analysis>\n<plan>{plan}</plan>\n<say>[NOTHING]</say>"

    return answer

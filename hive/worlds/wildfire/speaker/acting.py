"""What a unit should do next, by its task and its type."""

from __future__ import annotations

from hive.worlds.wildfire.speaker.containing import contain
from hive.worlds.wildfire.speaker.cutting import NOTHING, ReasonedAction, cut
from hive.worlds.wildfire.speaker.fighting import spray
from hive.worlds.wildfire.speaker.flying import ferry, search, sweep
from hive.worlds.wildfire.speaker.scene import AgentFacts, PromptFacts
from hive.worlds.wildfire.speaker.walking import gather, rescue


def choose(scene: PromptFacts, mind: AgentFacts) -> ReasonedAction:
    """Return the action line of an agent, and the reason for it."""
    game = scene.task.game
    if game == "cut":
        return cut(scene, mind)
    if mind.kind == "drone":
        return search(scene, mind) if game == "scout" else sweep(scene, mind) if scene.task.size else _rest()
    if game == "transport" and mind.kind == "helicopter":
        return ferry(scene, mind)
    if game == "transport" and mind.kind == "firefighter":
        return gather(scene, mind)
    if game == "rescue" and mind.kind == "firefighter":
        return rescue(scene, mind)
    if game == "fire" and mind.kind == "firefighter" and scene.task.water:
        return spray(scene, mind)
    if game == "fire" and mind.kind in ("firefighter", "bulldozer") and not scene.task.water:
        return contain(scene, mind)
    return _rest()


def _rest() -> ReasonedAction:
    return NOTHING, "I have no rule for this task, so I stay where I am."

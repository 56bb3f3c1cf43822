"""A rescue's page in a browser: its scene, with turns and messages next to it."""

from __future__ import annotations

from hive.kit.view.pages import ScenePage, SceneWords
from hive.worlds.rescue.recording import RescueRecording
from hive.worlds.rescue.view import palette as rescue_palette
from hive.worlds.rescue.view.scene import RescueScene, carried, last_action, supplies


def rescue_page(recording: RescueRecording) -> ScenePage:
    """Return what the page of a recording shows."""
    scene, agents = RescueScene(recording), range(len(recording.instance.agents))
    about = f". {recording.instance.about}" if recording.instance.about else ""
    words = SceneWords(
        beat="step",
        scene="Rooms and doors",
        limit=f"limit: {recording.limit:,} steps{about}",
        doing="What the agents do and carry",
        talk="Turns and messages",
        silence="The agents say nothing in this run.",
        verbs=("", "does", "thinks", "is refused"),
        agents=tuple(agent.name for agent in recording.instance.agents),
        tints=tuple(rescue_palette.tint(agent) for agent in agents),
        legend=rescue_palette.LEGEND,
        symbol=16,
        reach=0.3 * scene.plan.box[0],
        pace=1,
    )
    return ScenePage(scene, words, lambda t: [_panel(recording, t, agent) for agent in agents])


def _panel(recording: RescueRecording, t: int, agent: int) -> tuple[str, str, list[str], str]:
    """Return what stands next to the map for an agent: nothing after its name, its action, and what it carries."""
    ended = "" if recording.active[t, agent] else ", has ended its mission"
    units = supplies(recording, t, agent)
    return "", last_action(recording, t, agent) + ended, units, carried(recording, t, agent)

"""A household's page in a browser: its scene, with the messages next to it."""

from __future__ import annotations

from typing import Any

from hive.kit.view.pages import ScenePage, SceneWords
from hive.worlds.household.recording import HouseRecording
from hive.worlds.household.view import palette as house_palette
from hive.worlds.household.view.scene import HouseScene, carries, in_hands, last_action, room_of


def house_page(recording: HouseRecording) -> ScenePage:
    """Return what the page of a recording shows."""
    scene = HouseScene(recording)
    more = [("", "faint: inside a closed container")]
    if carries(recording):
        more.append(("", "number: things in a carried container"))
    words = SceneWords(
        beat="step",
        scene="Floor plan",
        limit=f"limit: {recording.episode.limit:,} steps",
        doing="What the agents do",
        talk="Messages",
        silence="The agents send nothing in this episode.",
        verbs=("sends", "does", "thinks", "has a problem", "rewrites the list", "says"),
        agents=tuple(recording.agents),
        tints=house_palette.AGENTS,
        legend=(*house_palette.LEGEND, *more),
        symbol=20,
        reach=0.5,
        pace=3,
        order="Goal",
        order_symbol=22,
    )
    return ScenePage(scene, words, lambda t: _panels(scene, t))


def _panels(scene: HouseScene, t: int) -> list[Any]:
    """Return what stands next to the plan: room, action and hands of each agent, and what is wanted and there."""
    recording, episode = scene.recording, scene.recording.episode
    every: list[Any] = []
    for agent in range(len(recording.agents)):
        held = [f"item {episode.things[m].kind}" for m in recording.hands[t, agent].tolist() if m >= 0]
        where, did = room_of(recording, t, agent), last_action(recording, t, agent)
        every.append((where, did, held, in_hands(recording, t, agent)))
    goal = f"{episode.relation} {episode.apartment.receptacles[episode.goal_place].name}:"
    parts = [("", "Wanted ", goal)]
    for kind, there, count in recording.placed(t):
        name = f"item {kind}"
        parts.append((name if name in scene.symbols else "", f"{kind} {there} of {count}", ""))
    return [*every, parts]

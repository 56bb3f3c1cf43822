"""A wildfire as a scene: each frame is one picture of the map that the team has explored, a unit is the map's side."""

from __future__ import annotations

from functools import partial

from PIL import Image

from hive.kit.view.display import Item, Point, Sprite, Symbol
from hive.kit.view.pages import ScenePage, SceneWords
from hive.worlds.wildfire.recording import DOINGS, FireRecording
from hive.worlds.wildfire.view import palette as fire_palette
from hive.worlds.wildfire.view.field import FireField

_PIXELS = 720


class FireScene:
    """The map in each frame of one recording; nothing moves on its own."""

    width = height = 1.0

    def __init__(self, recording: FireRecording) -> None:
        """Name the pictures."""
        self._field = FireField(recording, _PIXELS, 1.0, "team")
        self.symbols = {_name(t): Symbol(partial(self._draw, t), _PIXELS) for t in range(recording.frames)}

    def back(self) -> list[Item]:
        """Return nothing: every frame is a picture of all."""
        return []

    def frame(self, t: int, still: bool) -> list[Item]:
        """Return the picture of a frame."""
        return [Sprite(_name(t), (0.0, 0.0, 1.0, 1.0))]

    def places(self, t: int) -> list[Point]:
        """Return no places."""
        return []

    def _draw(self, t: int, pixels: int) -> Image.Image:
        return self._field.draw(t).resize((pixels, pixels))


def fire_page(recording: FireRecording) -> ScenePage:
    """Return what the page of a recording shows."""
    kinds = recording.kind.tolist()
    words = SceneWords(
        beat="tick",
        scene="The map that the team has explored",
        limit=f"best score: {recording.best}",
        doing="What the agents do",
        talk="Messages and actions",
        silence="The agents say nothing in this episode.",
        verbs=("writes", "begins", "thinks", "has a problem", "rewrites the list", "says", "is asked"),
        agents=recording.agents or tuple(f"AGENT_{number}" for number in range(1, len(kinds) + 1)),
        tints=tuple(fire_palette.CREWS[kind] for kind in kinds),
        legend=tuple(zip(fire_palette.CREWS, fire_palette.CREW_NAMES, strict=False)),
        symbol=16,
        reach=0.02,
        pace=2,
    )
    return ScenePage(
        FireScene(recording), words, lambda t: [_panel(recording, t, agent) for agent in range(len(kinds))]
    )


def _panel(recording: FireRecording, t: int, agent: int) -> tuple[str, str, list[str], str]:
    """Return what stands next to the map for an agent: where it is and what it does."""
    x, y = recording.position[t, agent].astype(int).tolist()
    if not recording.alive[t, agent]:
        return f"({x}, {y})", "is dead", [], ""
    code = int(recording.code[t, agent])
    if code < 0:
        return f"({x}, {y})", "stands", [], ""
    does, to = DOINGS[int(recording.kind[agent])][code], recording.place[t, agent].tolist()
    where = f" ({to[0]}, {to[1]})" if does.endswith(("to", "towards")) else ""
    return f"({x}, {y})", does + where, [], ""


def _name(t: int) -> str:
    return f"tick {t}"

"""The drawings of a household: pictures with what agents do and say, and its page in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PIL import Image, ImageDraw

from hive.kit.keep.dialogue import Line, LineKind
from hive.kit.view import palette
from hive.kit.view.display import Scene
from hive.kit.view.drawing import Drawing
from hive.kit.view.lettering import fit, font, shortened
from hive.kit.view.pages import ScenePage, SceneWords
from hive.kit.view.painter import ScenePainter, draw_swatches
from hive.kit.view.palette import Rgb
from hive.worlds.household.recording import HouseRecording
from hive.worlds.household.view import palette as house_palette
from hive.worlds.household.view.floor import SHORT_NAMES
from hive.worlds.household.view.items import draw_item
from hive.worlds.household.view.scene import HouseScene, carries, in_hands, last_action, room_of

_SPOKEN = 3  # rows of messages below the plan
_LETTERS = 130


class HousePainter(ScenePainter[HouseRecording]):
    """Draws any frame of one recording; see `ScenePainter`."""

    least, full = 300, 900

    def __init__(self, recording: HouseRecording, size: int = 900) -> None:
        """Prepare pictures `size` pixels wide; see `ScenePainter`."""
        rows = len(recording.agents) + (_SPOKEN if recording.lines else 0) + 3
        common = recording, size, HouseScene(recording), caption, house_palette.colours()
        longest = "after 999 steps, limit 999"
        super().__init__(*common, rows=rows, above=66, between=10, beneath=0, longest=longest, head=(20, 15))

    def _scale(self, scene: Scene) -> float:
        return min(super()._scale(scene), self._size / scene.height)

    def _rows(self, t: int) -> Iterator[tuple[str, Rgb, str]]:
        for agent, name in enumerate(self.recording.agents):
            yield name, house_palette.AGENTS[agent], doing(self.recording, t, agent)
        for line, words in spoken(self.recording, t):
            yield f"{self.recording.agents[line.agent]} {told(line)}", house_palette.AGENTS[line.agent], words

    def _prepare(self, page: Image.Image, draw: ImageDraw.ImageDraw) -> None:
        u, height = self._unit, page.height
        small = font(round(11.5 * u))
        y = height - 38 * u
        x = draw_swatches(draw, house_palette.LEGEND, (self._gap, y), small, u)
        faint = "faint: inside a closed container"
        if carries(self.recording):
            faint += "     number: things in a carried container"
        draw.text((x, y), faint, palette.FAINT_INK, small, "lm")
        here = dict.fromkeys(each.kind for each in self.recording.episode.apartment.receptacles)
        words = "  ".join(f"{SHORT_NAMES[kind]} {kind}" for kind in here if kind in SHORT_NAMES)
        words = fit(words, small, self._size - 2 * self._gap)
        draw.text((self._gap, height - 16 * u), words, palette.FAINT_INK, small, "lm")

    def _head(self, page: Image.Image, draw: ImageDraw.ImageDraw, t: int) -> None:
        """Write what is wanted, and how much of it is there."""
        u, y, episode = self._unit, 47 * self._unit, self.recording.episode
        words = f"wanted {episode.relation} {episode.apartment.receptacles[episode.goal_place].name}:"
        placed = self.recording.placed(t)
        every = [words, *(f"{kind} {there} of {count}" for kind, there, count in placed)]
        for size in (14, 12, 10, 9):  # letters become smaller until the line fits
            plain, s = font(round(size * u)), size / 14 * u
            if sum(map(plain.getlength, every)) + 42 * s * len(placed) <= self._size - 2 * self._gap:
                break
        draw.text((self._gap, y), words, palette.INK, plain, "lm")
        x = self._gap + plain.getlength(words) + 10 * s
        for (kind, there, count), part in zip(placed, every[1:], strict=True):
            icon = draw_item(kind, round(22 * s))
            page.paste(icon, (round(x), round(y - 11 * s)), icon)
            ink = house_palette.GOAL if there == count else palette.INK
            draw.text((x + 27 * s, y), part, ink, plain, "lm")
            x += plain.getlength(part) + 42 * s


def caption(recording: HouseRecording, t: int) -> str:
    """Return a line such as `after 5 steps, limit 250` for frame `t`, with the end once it came."""
    tick = int(recording.tick[t])
    if recording.finished[t]:
        return f"finished after {tick} steps"
    return f"after {tick} step{'' if tick == 1 else 's'}, limit {recording.episode.limit}"


def doing(recording: HouseRecording, t: int, agent: int) -> str:
    """Return what an agent was doing in the tick before frame `t`, where it is, and what it holds."""
    did, room = last_action(recording, t, agent), room_of(recording, t, agent)
    return f"{did}  ·  in the {room}, {in_hands(recording, t, agent).replace('hands empty', 'holds nothing')}"


def told(line: Line) -> str:
    """Return the verb of a line."""
    verbs = {LineKind.SAY: "sends", LineKind.LESSON: "rewrites the list", LineKind.TALK: "says"}
    return verbs.get(line.kind, "has a problem")


def spoken(recording: HouseRecording, t: int) -> list[tuple[Line, str]]:
    """Return the latest lines up to frame `t` that agents wrote, as much of each as there is room for."""
    said = [line for line in recording.lines if line.kind != LineKind.PROBLEM and line.tick <= recording.tick[t]]
    return [(line, shortened(line.text, _LETTERS)) for line in said[-_SPOKEN:]]


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


DRAWING = Drawing(
    world="a household",
    beat="step",
    recording=HouseRecording,
    paint=HousePainter,
    scene_page=house_page,
    fps=3,
    widths=(640, 900),
    sheet=(4, 2, 700),
)

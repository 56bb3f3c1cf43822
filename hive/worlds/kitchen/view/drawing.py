"""The drawings of a kitchen: pictures with what the cooks do and say, and its page in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PIL import Image, ImageDraw

from dsl.wording import plural
from hive.kit.keep.dialogue import Line, LineKind
from hive.kit.view import palette
from hive.kit.view.display import Scene
from hive.kit.view.drawing import Drawing
from hive.kit.view.lettering import font, shortened
from hive.kit.view.pages import ScenePage, SceneWords
from hive.kit.view.painter import ScenePainter, draw_swatches
from hive.kit.view.palette import Rgb
from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.kitchen.view import palette as kitchen_palette
from hive.worlds.kitchen.view.items import draw_item
from hive.worlds.kitchen.view.scene import KitchenScene, in_hand, last_action, order_words, wanted

_SPOKEN = 3  # rows of conversation below the map


class KitchenPainter(ScenePainter[KitchenRecording]):
    """Draws any frame of one recording; see `ScenePainter`."""

    def __init__(self, recording: KitchenRecording, size: int = 720) -> None:
        """Prepare pictures `size` pixels wide; see `ScenePainter`."""
        rows = 3 + (_SPOKEN if recording.lines else 0)
        common = recording, size, KitchenScene(recording), caption, kitchen_palette.colours()
        longest = "delivered in timestep 999 (too late)"
        super().__init__(*common, rows=rows, above=70, beneath=8, longest=longest, head=(22, 15))

    def _scale(self, scene: Scene) -> float:
        return (self._size - 2 * self._gap) // scene.width  # whole pixels a tile

    def _rows(self, t: int) -> Iterator[tuple[str, Rgb, str]]:
        cooks, colours = self.recording.layout.cooks, kitchen_palette.COOKS
        for cook in range(2):
            yield cooks[cook].name, colours[cook], doing(self.recording, t, cook)
        for line, words in spoken(self.recording, t):
            yield f"{cooks[line.agent].name} says", colours[line.agent], words

    def _prepare(self, page: Image.Image, draw: ImageDraw.ImageDraw) -> None:
        u, recording = self._unit, self.recording
        icon = draw_item(recording.book, wanted(recording.book, recording.order), round(30 * u))
        page.paste(icon, (self._gap, round(37 * u)), icon)
        words = f"{'first ' if recording.orders else ''}order: {order_words(recording.book, recording.order)}"
        draw.text((self._gap + 36 * u, 52 * u), words, palette.INK, font(round(14 * u)), "lm")
        draw_swatches(draw, kitchen_palette.LEGEND, (self._gap, page.height - 18 * u), font(round(12 * u)), u)


def caption(recording: KitchenRecording, t: int) -> str:
    """Return a line such as `5 timesteps, limit 24` for frame `t`, with the delivery once it happened."""
    tick = int(recording.tick[t])
    if recording.orders:
        done = plural(int(recording.served[: t + 1].sum()), "order")
        return f"after {plural(tick, 'timestep')}, {done} delivered, now {recording.order_at(t).replace('_', ' ')}"
    if recording.served[t]:
        return recording.outcome
    return f"after {tick} timestep{'' if tick == 1 else 's'}, limit {recording.limit}"


def doing(recording: KitchenRecording, t: int, cook: int) -> str:
    """Return what a cook did in the timestep before frame `t`, and what it holds."""
    return f"{last_action(recording, t, cook)}, {in_hand(recording, t, cook)}"


def spoken(recording: KitchenRecording, t: int) -> list[tuple[Line, str]]:
    """Return the last rows of conversation up to frame `t`: what was said, as much of it as there is room for."""
    said = [line for line in recording.lines if line.kind == LineKind.SAY and line.tick <= recording.tick[t]]
    return [(line, shortened(line.text)) for line in said[-_SPOKEN:]]


def kitchen_page(recording: KitchenRecording) -> ScenePage:
    """Return what the page of a recording shows."""
    words = SceneWords(
        beat="timestep",
        scene="Kitchen",
        limit=f"limit: timestep {recording.limit:,}",
        doing="What the cooks do",
        talk="Conversation",
        silence="The cooks say nothing in this run.",
        verbs=("says", "plans", "thinks", "is refused"),
        agents=tuple(cook.name for cook in recording.layout.cooks),
        tints=kitchen_palette.COOKS,
        legend=kitchen_palette.LEGEND,
        symbol=20,
        reach=0.45,
        pace=2,
        order="Order",
        order_symbol=30,
    )
    return ScenePage(KitchenScene(recording), words, lambda t: _panels(recording, t))


def _panels(recording: KitchenRecording, t: int) -> list[Any]:
    """Return what stands next to the map: the action and the hand of each cook, and the order."""
    cooks = [
        ("", last_action(recording, t, cook), [f"item {code}"] if code else [], in_hand(recording, t, cook))
        for cook, code in enumerate(recording.held[t].tolist())
    ]
    book, order = recording.book, recording.order_at(t)
    return [*cooks, [(f"item {wanted(book, order)}", "Order: ", order_words(book, order))]]


DRAWING = Drawing(
    world="a kitchen",
    beat="timestep",
    recording=KitchenRecording,
    paint=KitchenPainter,
    scene_page=kitchen_page,
    fps=2,
    widths=(500, 720),
    sheet=(6, 3, 460),
)

"""Drawings of the games of `step_env` from a scene: pictures, movies and a page, without more code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from PIL import Image, ImageDraw

from hive.kit.environment.step_env import StepRecording
from hive.kit.keep.dialogue import LineKind
from hive.kit.view.display import Scene
from hive.kit.view.drawing import Drawing
from hive.kit.view.lettering import font, shortened
from hive.kit.view.pages import ScenePage, SceneWords
from hive.kit.view.painter import ScenePainter, draw_swatches
from hive.kit.view.palette import Rgb

TINTS: tuple[Rgb, ...] = ((44, 96, 178), (201, 92, 30), (106, 62, 150), (20, 120, 108), (190, 60, 110), (110, 110, 40))
"""Colours of agents, in order; further agents begin again."""

Legend = Sequence[tuple[Rgb, str]]


def tint(agent: int) -> Rgb:
    """Return the colour of an agent by its number."""
    return TINTS[agent % len(TINTS)]


class StepPainter(ScenePainter[StepRecording]):
    """Draws any frame of one recording; see `ScenePainter`."""

    def __init__(self, scene: Callable[[Any], Scene], legend: Legend, recording: StepRecording, size: int) -> None:
        """Prepare pictures.

        Args:
            scene: Returns the scene of a recording.
            legend: Colours and their meaning.
            recording: The run.
            size: Pixels of their width; see `ScenePainter`.
        """
        self._legend = legend
        says = any(line.kind == LineKind.SAY for line in recording.lines)
        rows = len(recording.agents) * (2 if says else 1) + 1
        longest = f"step {recording.limit} of {recording.limit}: {recording.outcome}"
        colours = [*(colour for colour, _ in legend), *TINTS][:48]
        super().__init__(recording, size, scene(recording), caption, colours, rows=rows, above=40, longest=longest)

    def _scale(self, scene: Scene) -> float:
        return (self._size - 2 * self._gap) / max(scene.width, scene.height)

    def _prepare(self, page: Image.Image, draw: ImageDraw.ImageDraw) -> None:
        u = self._unit
        draw_swatches(draw, self._legend, (self._gap, page.height - 17 * u), font(round(12 * u)), u)

    def _rows(self, t: int) -> Iterator[tuple[str, Rgb, str]]:
        recording = self.recording
        for agent, name in enumerate(recording.agents):
            yield name, tint(agent), recording.did(t, agent)
        tick = recording.tick[t]
        said = {line.agent: line for line in recording.lines if line.kind == LineKind.SAY and line.tick == tick}
        for agent, line in said.items():  # the last message of each
            yield f"{recording.agents[agent]} says", tint(agent), shortened(line.text)


def caption(recording: StepRecording, t: int) -> str:
    """Return the step of frame `t`, with the end in the last one."""
    words = f"step {int(recording.tick[t])} of {recording.limit}"
    return f"{words}: {recording.outcome}" if t == recording.frames - 1 else words


def draw_steps(
    *,
    world: str,
    recording: type[StepRecording],
    scene: Callable[[Any], Scene],
    legend: Legend,
    map: str = "Map",
    tells: Callable[[Any, int, int], str] = lambda recording, t, agent: "",
    fps: float = 3,
) -> Drawing:
    """Return how the games of a kind of world are drawn.

    Args:
        world: What messages call one of its worlds, with an article.
        recording: The class of its recordings.
        scene: Returns the scene of a recording; agents are its movers, in their order.
        legend: Colours and their meaning.
        map: What the scene is.
        tells: Returns what a page says of an agent in a frame, besides its action; takes recording, frame and agent.
        fps: Frames a second of movies, and steps a second of pages.
    """
    return Drawing(
        world=world,
        beat="step",
        recording=recording,
        paint=partial(StepPainter, scene, legend),
        scene_page=lambda run: _page(run, scene(run), legend, map, tells, fps),
        fps=fps,
        widths=(500, 720),
        sheet=(6, 3, 460),
    )


def _page(
    run: StepRecording,
    scene: Scene,
    legend: Legend,
    map: str,
    tells: Callable[[Any, int, int], str],
    pace: float,
) -> ScenePage:
    """Return what the page of a recording shows."""
    agents = range(len(run.agents))
    words = SceneWords(
        beat="step",
        scene=map,
        limit=f"limit: {run.limit:,} steps",
        doing="What the agents do",
        talk="Actions and messages",
        silence="The agents say nothing in this run.",
        verbs=("says", "does", "thinks", "is refused", "notes", "says", "is asked"),
        agents=run.agents,
        tints=tuple(tint(agent) for agent in agents),
        legend=tuple(legend),
        symbol=16,
        reach=0.05 * max(scene.width, scene.height),
        pace=pace,
    )
    return ScenePage(scene, words, lambda t: [("", run.did(t, a), [], tells(run, t, a)) for a in agents])

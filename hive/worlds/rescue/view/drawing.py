"""The drawings of a rescue: pictures with what the agents do and say, and its page in a browser."""

from __future__ import annotations

from collections.abc import Iterator

from PIL import Image, ImageDraw

from hive.kit.keep.dialogue import Line, LineKind
from hive.kit.view import palette
from hive.kit.view.drawing import Drawing
from hive.kit.view.lettering import fit, font, shortened
from hive.kit.view.pages import ScenePage, SceneWords
from hive.kit.view.painter import ScenePainter
from hive.kit.view.palette import Rgb
from hive.kit.view.pictures import Picture
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.recording import RescueRecording, gather_start
from hive.worlds.rescue.view import palette as rescue_palette
from hive.worlds.rescue.view.icons import icon
from hive.worlds.rescue.view.scene import RescueScene, carried, last_action, supplies


class RescuePainter(ScenePainter[RescueRecording]):
    """Draws any frame of one recording; see `ScenePainter`."""

    def __init__(self, recording: RescueRecording, size: int = 720) -> None:
        """Prepare pictures `size` pixels wide; see `ScenePainter`."""
        agents = len(recording.instance.agents)
        spoken = agents if any(line.kind == LineKind.SAY for line in recording.lines) else 0
        above = 62 if recording.instance.about else 44
        longest = f"step 99 of 99, 9 of 9 helped: {recording.outcome}"
        scene, rows = RescueScene(recording), agents + spoken + 1
        common = recording, size, scene, caption, rescue_palette.colours()
        super().__init__(*common, rows=rows, above=above, longest=longest)

    def _rows(self, t: int) -> Iterator[tuple[str, Rgb, str]]:
        for agent in range(len(self.recording.instance.agents)):
            yield *self._named(agent), doing(self.recording, t, agent)
        for line in spoken(self.recording, t):
            yield *self._named(line.agent, " says"), shortened(line.text)

    def _named(self, agent: int, verb: str = "") -> tuple[str, Rgb]:
        """Return the name of an agent, shortened where it is long, and its colour."""
        bold = font(round(13 * self._unit), bold=True)
        name = fit(f"{self.recording.instance.agents[agent].name}{verb}", bold, self._size / 3)
        return name, rescue_palette.tint(agent)

    def _prepare(self, page: Image.Image, draw: ImageDraw.ImageDraw) -> None:
        u, recording = self._unit, self.recording
        about = fit(one_line(recording.instance.about), font(round(12 * u)), self._size - 2 * self._gap)
        draw.text((self._gap, 45 * u), about, palette.FAINT_INK, font(round(12 * u)), "lm")
        x, y, small, side = float(self._gap), page.height - 17 * u, font(round(12 * u)), round(16 * u)
        for name, meaning in rescue_palette.LEGEND:
            drawn = icon(name, side)
            page.paste(drawn, (round(x), round(y - side / 2)), drawn)
            draw.text((x + side + 5 * u, y), meaning, palette.FAINT_INK, small, "lm")
            x += side + 22 * u + small.getlength(meaning)


def draw_instance(instance: Instance, size: int = 720) -> Picture:
    """Return an instance before its first step as a picture, uint8 [H, W, 3]."""
    return RescuePainter(gather_start(instance), size).frame(0)


def caption(recording: RescueRecording, t: int) -> str:
    """Return a line such as `step 5 of 60, 1 of 2 helped` for frame `t`, with the end in the last one."""
    victims = len(recording.instance.victims)
    now = f"step {int(recording.tick[t])} of {recording.limit}, {recording.helped(t)} of {victims} helped"
    return f"{now}: {recording.outcome}" if t == recording.frames - 1 and recording.frames > 1 else now


def doing(recording: RescueRecording, t: int, agent: int) -> str:
    """Return what an agent did in the step before frame `t`, and what it carries."""
    ended = "" if recording.active[t, agent] else ", has ended its mission"
    return f"{last_action(recording, t, agent)}, carries {carried(recording, t, agent)}{ended}"


def one_line(text: str) -> str:
    """Return a text without line breaks, which a row of a picture cannot show."""
    return " ".join(text.split())


def spoken(recording: RescueRecording, t: int) -> list[Line]:
    """Return the messages of the step before frame `t`."""
    return [line for line in recording.lines if line.kind == LineKind.SAY and line.tick == recording.tick[t]]


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


DRAWING = Drawing(
    world="a rescue",
    beat="step",
    recording=RescueRecording,
    paint=RescuePainter,
    scene_page=rescue_page,
    fps=1,
    widths=(600, 720),
    sheet=(6, 3, 560),
)

"""A rescue's replay: one HTML file that plays a recording back in a browser, with turns and messages next to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image

from hive.rescue.codes import RESOURCES
from hive.rescue.recording import RescueRecording
from hive.view import palette
from hive.view.pages import PixelBox, lay_out, make_replay, save_page
from hive.view.rescue import palette as rescue_palette
from hive.view.rescue.icons import icon, token
from hive.view.rescue.scene import MapLayout

_ICON = 96  # pixels of an icon on the sprite sheet
_WIDTH = 1000  # of the map, in its own units


def write_rescue_replay(recording: RescueRecording, path: Path | str) -> int:
    """Write a recording as one HTML page, atomically; an existing file is replaced.

    The page has the requirements of `hive.view.battle.replay.write_replay`.

    Args:
        recording: The run.
        path: The file, such as `replay.html`.

    Returns:
        Bytes of the page.

    Raises:
        UserError: The file cannot be written.
    """
    return save_page(make_rescue_page(recording), path)


def make_rescue_page(recording: RescueRecording) -> str:
    """Return the HTML text of a recording's replay."""
    return make_replay("rescue", recording, recording.encode(), page_meta(recording), draw_sheet(recording))


def page_meta(recording: RescueRecording) -> dict[str, Any]:
    """Return what a page needs to know of a run in addition to arrays and pictures."""
    instance = recording.instance
    unit = _WIDTH / 720
    plan = MapLayout(instance, _WIDTH, unit)
    agents = [rescue_palette.AGENTS[agent % len(rescue_palette.AGENTS)] for agent in range(len(instance.agents))]
    return {
        "title": recording.title,
        "beat": "step",
        "outcome": recording.outcome,
        "about": instance.about,
        "limit": recording.limit,
        "width": plan.width,
        "height": plan.height,
        "unit": unit,
        "box": plan.box,
        "middles": plan.middles,
        "rooms": instance.rooms,
        "doors": instance.doors,
        "victims": [
            {"name": victim.name, "room": victim.room, "urgent": victim.urgent, "needs": victim.needs}
            for victim in instance.victims
        ],
        "agents": [agent.name for agent in instance.agents],
        "deeds": recording.deeds,
        "lines": [(line.tick, line.agent, int(line.kind), line.text) for line in recording.lines],
        "palette": {
            "page": palette.PAGE,
            "ink": palette.INK,
            "faint": palette.FAINT_INK,
            "agents": agents,
            "room": rescue_palette.ROOM,
            "wall": rescue_palette.WALL,
            "door": rescue_palette.DOOR,
            "urgent": rescue_palette.URGENT,
            "helped": rescue_palette.HELPED,
            "ground": rescue_palette.GROUND,
            "legend": rescue_palette.LEGEND,
        },
    }


def draw_sheet(recording: RescueRecording) -> tuple[Image.Image, dict[str, PixelBox]]:
    """Return one picture with all icons of a run in a row, and where each is on it."""
    drawn = {name: icon(name, _ICON) for name, _ in rescue_palette.LEGEND}
    drawn |= {f"{name} met": icon(name, _ICON, True) for name in RESOURCES}
    for number, agent in enumerate(recording.instance.agents):
        letter = agent.name.strip()[:1].upper()
        drawn |= {f"agent {number}": token(number, letter, _ICON, True)}
        drawn |= {f"agent {number} ended": token(number, letter, _ICON, False)}
    return lay_out(drawn, _ICON * len(drawn))


__all__ = ["make_rescue_page", "write_rescue_replay"]

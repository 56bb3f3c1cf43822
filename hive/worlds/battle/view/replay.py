"""A replay: one HTML file that plays a recording back in a browser, without a network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dsl.vocabulary import SIDES, UNIT_TYPES
from hive.ground.shapes import Ground
from hive.kit.keep.dialogue import Line
from hive.kit.view import palette
from hive.kit.view.pages import fill_replay, map_picture, pack, png_text
from hive.kit.view.pictures import grid_step
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.ground import draw_ground

_GROUND_PIXELS, _FINE = 1400, 2  # side of the terrain picture, and how much larger it is drawn


def make_page(recording: BattleRecording, agents: Sequence[str] = (), lines: Sequence[Line] = ()) -> str:
    """Return the HTML text of a recording's replay.

    Args:
        recording: The game.
        agents: Names of the commanders of the player and of the enemy; empty: nothing is shown of what they said.
        lines: What they were asked and said; the agent of a line is the side.
    """
    arrays = recording.encode()
    words = json.loads(arrays.pop("words").tobytes())
    del arrays["radius"]  # the page has it in its palette
    table, packed = pack(arrays)
    meta = words | {
        "metres": recording.metres,
        "frames": recording.frames,
        "units": recording.units,
        "terrain": int(np.bitwise_or.reduce(recording.kind, axis=None)),
        "arrays": table,
        "palette": page_palette(recording.radius),
    }
    if agents:
        said = [(line.tick, line.agent, int(line.kind), line.text) for line in lines]
        meta |= {"agents": list(agents), "lines": said}
    terrain = map_picture(ground_picture(recording.kind))
    return fill_replay(recording.title, meta, packed, "battle", terrain)


def ground_picture(kind: NDArray[np.uint8]) -> str:
    """Return the terrain `[S, S]` as the base64 text of a PNG."""
    fine = draw_ground(kind, _GROUND_PIXELS * _FINE, _FINE, grid_step(len(kind)))
    return png_text(Image.fromarray(fine).reduce(_FINE).quantize(128, dither=Image.Dither.NONE))


def page_palette(radius: NDArray[np.floating]) -> dict[str, Any]:
    """Return the styles with which the page draws units and signs; `radius` is that of each type, `[K]`, in metres."""
    sides = range(len(SIDES))
    kinds = range(len(UNIT_TYPES))
    units = [[[palette.unit_colour(s, k, forest) for forest in (False, True)] for k in kinds] for s in sides]
    outlines = [[[palette.outline_colour(colour) for colour in pair] for pair in row] for row in units]
    return {
        "sides": SIDES,
        "types": UNIT_TYPES,
        "shapes": palette.TYPE_SHAPES,
        "radii": [round(metres, 4) for metres in radius.tolist()],
        "units": units,
        "outlines": outlines,
        "corpses": [palette.corpse_colour(s) for s in sides],
        "curves": [palette.unit_colour(s, 1) for s in sides],
        "terrain": {
            "forest": [Ground.FOREST, palette.FOREST_COLOUR],
            "water": [Ground.WATER, palette.WATER_COLOUR],
            "building": [Ground.BUILDING, palette.BUILDING_COLOUR],
        },
        "forest": Ground.FOREST,
        "fire": palette.FIRE_COLOURS,
        "target": [palette.TARGET, palette.darken(palette.unit_colour(1, 1), 0.3)],
        "marker": palette.MARKER,
    }

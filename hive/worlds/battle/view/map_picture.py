"""The map with its units as one PNG for a model to look at: bare, with a grid and axes, or with labels all over.

The forms are those of `hive.kit.planned_world.MAP_PICTURES`, and the prompt says how to read each
(`hive/worlds/battle/prompts`).
"""

from __future__ import annotations

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw

from hive.engine.types import Params, State
from hive.ground.layers import Layer
from hive.kit.planned_world import MAP_PICTURES
from hive.kit.view import palette
from hive.kit.view.lettering import font
from hive.kit.view.pictures import grid_step, png_bytes
from hive.worlds.battle.burning import fire_codes
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.scenario import Scenario
from hive.worlds.battle.view.battlefield import Battlefield

_LINE, _HALO = (*palette.INK, 70), (255, 255, 255, 150)  # RGBA
_LINES, _LABELS = 20, 12  # most parts that grid lines, or labels, divide a side of the map into


def draw_map_png(scenario: Scenario, params: Params, state: State, form: str = "raw", size: int = 1024) -> bytes:
    """Return the map with its live units and markers as a PNG, north up.

    Args:
        scenario: The battle as read: its title, map and markers.
        params: Its arrays.
        state: The world now; units in the order of their ids.
        form: One of `MAP_PICTURES`. `raw` is the map alone; `grid` has lines across it with their coordinates on all
            sides; `scaffold` has dots with their coordinates spread over the map. Coordinates are metres.
        size: Pixels of a side of the picture, 512 or more.

    Raises:
        ValueError: There is no such form, or the picture is too small to be read.
    """
    if form not in MAP_PICTURES:
        raise ValueError(f"there is no form `{form}` of a map; forms are {', '.join(MAP_PICTURES)}")
    if size < 512:
        raise ValueError(f"a map to be read is at least 512 pixels wide, not {size}")
    edge = round(size / 24) if form == "grid" else 0
    side = size - 2 * edge
    bare = Battlefield(_snapshot(scenario, params, state), side, size / 720, lines=False).draw(0)
    page = Picture.new("RGB", (size, size), palette.PAGE)
    page.paste(bare, (edge, edge))
    if form == "grid":
        _rule(page, scenario.map.size, edge)
    elif form == "scaffold":
        _label(page, scenario.map.size)
    return png_bytes(page)


def _snapshot(scenario: Scenario, params: Params, state: State) -> BattleRecording:
    """Return one frame that shows the live units of a state."""
    units, alive = params.units, np.asarray(state.alive)
    kind = np.asarray(units.type)[alive]
    return BattleRecording(
        title=scenario.title,
        kind=scenario.map.kind,
        side=np.asarray(units.side)[alive],
        type=kind,
        tick=np.array([int(state.tick)]),
        position=np.asarray(state.position)[None, alive],
        health=np.asarray(state.health)[None, alive],
        max_health=np.asarray(params.types.max_health)[kind],
        attack=np.full((1, len(kind)), -1),
        markers={letter: (float(x), float(y)) for letter, (x, y) in scenario.markers.items()},
        fire=None if state.fire is None else Layer.of(np.asarray(fire_codes(state.fire.condition))[None]),
        radius=np.asarray(params.types.radius),
    )


def _rule(page: Picture.Image, metres: int, edge: int) -> None:
    """Draw grid lines across the map and write their coordinates on all four sides."""
    side = page.width - 2 * edge
    veil = Picture.new("RGBA", page.size, (*palette.PAGE, 0))
    thin, words = ImageDraw.Draw(veil), ImageDraw.Draw(page)
    lettering, near, far = font(round(edge * 0.36)), edge - round(edge * 0.15), page.width - edge + round(edge * 0.15)
    words.rectangle((edge - 1, edge - 1, page.width - edge, page.width - edge), outline=palette.INK)
    for metre in range(0, metres + 1, grid_step(metres, _LINES)):
        along = round(metre * side / metres)
        x, y = edge + along, page.width - edge - along
        if 0 < metre < metres:
            thin.line((x, edge, x, page.width - edge - 1), _LINE)
            thin.line((edge, y, page.width - edge - 1, y), _LINE)
        for place, anchor in (((x, near), "mb"), ((x, far), "mt"), ((near, y), "rm"), ((far, y), "lm")):
            words.text(place, str(metre), palette.INK, lettering, anchor)
    page.paste(veil, (0, 0), veil)


def _label(page: Picture.Image, metres: int) -> None:
    """Write coordinates below dots that are spread over the map; what lies below the letters shines through."""
    veil = Picture.new("RGBA", page.size, (*palette.PAGE, 0))
    draw, lettering = ImageDraw.Draw(veil), font(round(page.width / 80), bold=True)
    step, dot, halo = grid_step(metres, _LABELS), page.width / 400, round(page.width / 600)
    for x_metre in range(step, metres, step):
        for y_metre in range(step, metres, step):
            x, y = (value * page.width / metres for value in (x_metre, metres - y_metre))
            draw.ellipse((x - dot, y - dot, x + dot, y + dot), palette.INK, _HALO)
            place, text = (x, y + 2 * dot), f"{x_metre},{y_metre}"
            draw.text(place, text, palette.INK, lettering, "mt", stroke_width=halo, stroke_fill=_HALO)
    page.paste(veil, (0, 0), veil)

"""Drawings of a saved run: the row of kitchens in `hive.worlds.kept`."""

from __future__ import annotations

from hive.kit.view.drawing import Drawing
from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.kitchen.view.picture import KitchenPainter, kitchen_sheet
from hive.worlds.kitchen.view.replay import make_kitchen_page

_DRAWING = Drawing(
    world="a kitchen",
    beat="timestep",
    paint=KitchenPainter,
    sheet=kitchen_sheet,
    load=KitchenRecording.load,
    page=make_kitchen_page,
    fps=2,
    widths=(500, 720),
)
pictures, movies, write_page = _DRAWING.pictures, _DRAWING.movies, _DRAWING.write_page

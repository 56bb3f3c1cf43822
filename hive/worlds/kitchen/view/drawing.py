"""Drawings of a saved run: the row of kitchens in `hive.worlds`."""

from __future__ import annotations

from hive.kit.view.drawing import Drawing
from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.kitchen.view.picture import KitchenPainter, kitchen_sheet
from hive.worlds.kitchen.view.replay import make_kitchen_page

DRAWING = Drawing(
    world="a kitchen",
    beat="timestep",
    paint=KitchenPainter,
    sheet=kitchen_sheet,
    recording=KitchenRecording,
    page=make_kitchen_page,
    fps=2,
    widths=(500, 720),
)

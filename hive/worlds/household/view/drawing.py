"""Drawings of a saved run: the row of households in `hive.worlds`."""

from __future__ import annotations

from hive.kit.view.drawing import Drawing
from hive.worlds.household.recording import HouseRecording
from hive.worlds.household.view.picture import HousePainter, house_sheet
from hive.worlds.household.view.replay import make_house_page

DRAWING = Drawing(
    world="a household",
    beat="tick",
    paint=HousePainter,
    sheet=house_sheet,
    recording=HouseRecording,
    page=make_house_page,
    fps=3,
    widths=(640, 900),
)

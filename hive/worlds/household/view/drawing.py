"""Drawings of a saved run: the row of households in `hive.worlds.kept`."""

from __future__ import annotations

from hive.kit.view.drawing import Drawing
from hive.worlds.household.recording import HouseRecording
from hive.worlds.household.view.picture import HousePainter, house_sheet
from hive.worlds.household.view.replay import make_house_page

_DRAWING = Drawing(
    world="a household",
    beat="tick",
    paint=HousePainter,
    sheet=house_sheet,
    load=HouseRecording.load,
    page=make_house_page,
    fps=3,
    widths=(640, 900),
)
pictures, movies, write_page = _DRAWING.pictures, _DRAWING.movies, _DRAWING.write_page

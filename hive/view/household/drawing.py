"""Drawings of a saved run: the row of households in `hive.view.kept`."""

from __future__ import annotations

from hive.household.recording import HouseRecording
from hive.view.drawing import Drawing
from hive.view.household.picture import HousePainter, house_sheet
from hive.view.household.replay import make_house_page

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

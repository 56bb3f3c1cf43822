"""Drawings of a saved run: the row of rescues in `hive.worlds.kept`."""

from __future__ import annotations

from hive.kit.view.drawing import Drawing
from hive.worlds.rescue.recording import RescueRecording
from hive.worlds.rescue.view.picture import RescuePainter, rescue_sheet
from hive.worlds.rescue.view.replay import make_rescue_page

_DRAWING = Drawing(
    world="a rescue",
    beat="step",
    paint=RescuePainter,
    sheet=rescue_sheet,
    load=RescueRecording.load,
    page=make_rescue_page,
    fps=1,
    widths=(600, 720),
)
pictures, movies, write_page = _DRAWING.pictures, _DRAWING.movies, _DRAWING.write_page

"""The legends of plots: they stand beside the panels, so that they hide no part of a curve."""

from __future__ import annotations

import ast
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hive.experiments.plots as plots
from hive.experiments.plots.learning import save_curves


@pytest.mark.parametrize("rates", [1, 7])
def test_the_legend_of_training_curves_covers_nothing(monkeypatch: pytest.MonkeyPatch, rates: int) -> None:
    """The curve of a policy may run anywhere between 0 and 1, also where a corner seems free."""
    from matplotlib.figure import Figure

    drawn: list[Figure] = []

    def keep(figure: Figure, *_: Any, **__: Any) -> None:
        figure.draw_without_rendering()
        drawn.append(figure)

    monkeypatch.setattr(Figure, "savefig", keep)
    rows = [
        {"settings": {"rate": 0.001 * rate}, "seed": seed, "update": update, "steps": 100 * update, "won": update,
         "games": 10, "score": update / 10}
        for rate in range(1, rates + 1) for seed in (0, 1) for update in range(1, 9)
    ]  # fmt: skip
    save_curves(rows, "a task, 14 policies by IPPO", io.BytesIO())
    (figure,) = drawn
    (legend,) = figure.legends
    assert len(legend.get_texts()) == rates
    box = legend.get_window_extent()
    for axes in figure.axes:
        assert axes.get_legend() is None
        panel = axes.get_tightbbox()
        assert panel is not None and not panel.overlaps(box)
    inside = figure.bbox
    assert np.all(box.min >= inside.min - 1) and np.all(box.max <= inside.max + 1)


def test_all_plots_have_their_legend_outside_of_the_panels() -> None:
    """In matplotlib a legend that belongs to axes lies on them, unless it is anchored elsewhere."""
    calls = [
        (path.name, {word.arg for word in node.keywords}, ast.unparse(node))
        for path in Path(*plots.__path__).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "legend"
    ]
    assert calls
    assert not [call for call in calls if "bbox_to_anchor" not in call[1] and "'outside " not in call[2]]

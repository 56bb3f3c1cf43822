"""What descriptions of what agents see are worth and cost, by what the model reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, lay_legend, words


def save_perceptions(figures: Sequence[Mapping[str, Any]], unit: str, path: Path) -> None:
    """Draw the scores with 95% intervals, the seconds and the tokens of a call side by side, and write a PNG.

    Args:
        figures: Of each describer, as `hive.experiments.perceiving.PerceptionStudy.figures` returns them.
        unit: What is counted, `tokens` or `words`.
        path: The file.
    """
    figure = empty_page("Descriptions of what agents see", (11.4, 0.42 * len(figures) + 2.0))
    left, middle, right = figure.subplots(1, 3, sharey=True, width_ratios=[3, 1.5, 1.5])
    places = [*range(len(figures) - 1, -1, -1)]
    for axes in (left, middle, right):
        lay_ground(axes, "x")
    for number, name in enumerate(figures[0]["scores"]):
        scores = [each["scores"][name] for each in figures]
        known = [(score, place) for score, place in zip(scores, places, strict=True) if score["mean"] is not None]
        left.errorbar(
            [score["mean"] for score, _ in known],
            [place + 0.16 * (0.5 - number) for _, place in known],
            xerr=[
                [score["mean"] - score["low"] for score, _ in known],
                [score["high"] - score["mean"] for score, _ in known],
            ],
            fmt="osD^"[number % 4],
            color=hex_of(COLOURS[number % len(COLOURS)]),
            capsize=3,
            label=name.replace("_", " "),
        )
    left.set_xlim(-0.3, 10.3)
    left.set_xlabel("score of the judge, 0 to 10")
    middle.barh(places, [each["seconds"] or 0.0 for each in figures], 0.5, color=hex_of(COLOURS[2]))
    middle.set_xlabel("seconds of a call")
    sent = [each["sent"] or 0.0 for each in figures]
    right.barh(places, sent, 0.5, color=hex_of(COLOURS[5]), label=f"{unit} sent")
    received = [each["received"] or 0.0 for each in figures]
    right.barh(places, received, 0.5, sent, color=hex_of(COLOURS[3]), label=f"{unit} received")
    right.set_xlabel(f"{unit} of a call")
    left.set_yticks(places, [words(_name(each)) for each in figures])
    lay_legend(figure, [left, right], columns=4)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _name(each: Mapping[str, Any]) -> str:
    return f"{each['perception']}, {each['model']}" if each["model"] else each["perception"]

"""`python -m docs.make.learning RUN ...`: draw training curves side by side, for `docs/learning_results.md`."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from matplotlib.ticker import EngFormatter, MaxNLocator

from hive.experiments.plots.learning import draw_share
from hive.kit.keep.lines import split_lines
from hive.kit.view import palette
from hive.kit.view.charts import empty_page, hex_of, lay_ground, lay_legend

PICTURE = Path(__file__).resolve().parents[1] / "learning.png"
_COLUMNS = 3


def main() -> None:
    """Draw a panel for each folder of `hive train`."""
    parser = argparse.ArgumentParser(prog="python -m docs.make.learning", description=__doc__)
    parser.add_argument("runs", metavar="RUN", nargs="+", type=Path, help="folders of hive train, in order")
    runs = parser.parse_args().runs
    rows = math.ceil(len(runs) / _COLUMNS)
    figure = empty_page("Share of games won over environment steps", (11.0, 0.6 + 2.7 * rows))
    panels = list(figure.subplots(rows, _COLUMNS, sharey=True, squeeze=False).flat)
    for run, axes in zip(runs, panels, strict=False):
        config = json.loads((run / "config.json").read_text(encoding="utf-8"))
        lines = split_lines((run / "metrics.jsonl").read_text(encoding="utf-8"))
        lay_ground(axes, "both")
        draw_share(axes, [json.loads(line) for line in lines], "won", hex_of(palette.unit_colour(0, 1)), "")
        kind = config["algorithm"] + (", recurrent" if config["settings"]["recurrent"] else "")
        axes.set_title(f"{config['task']['name']}, {kind}", fontsize=10)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    for axes in panels[len(runs) :]:
        axes.set_visible(False)
    lay_legend(figure, panels[: len(runs)])
    figure.savefig(PICTURE, format="png", dpi=130, facecolor=figure.get_facecolor())
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()

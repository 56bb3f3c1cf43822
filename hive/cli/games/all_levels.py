"""`hive run wildfire/all` with several players: the baseline that joins them, and competency at the end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hive.cli.printing import tell

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.players.varied import VariedRun

_TEXT = "competency.txt"
_BASELINE = "team:nothing"  # on levels that count losses, competency is measured from its score


def with_baseline(names: Sequence[str]) -> list[str]:
    """Return the names of players with the one that gives no orders, which competency is measured from."""
    if _BASELINE in names:
        return [*names]
    tell(f"note: `{_BASELINE}` plays too, since competency on levels that count losses is measured from its score")
    return [*names, _BASELINE]


def competency_of(run: VariedRun) -> dict[str, Content]:
    """Return the competency of all players as a text, tables, data and pictures, by the names of their files."""
    from hive.experiments.plots.competency_tables import NOTE, behaviours_table, competency_files
    from hive.worlds.wildfire.competency import competency
    from hive.worlds.wildfire.score_files import read_runs

    scores = run.scores()
    if any(row["changes"] for row in scores):
        return {_TEXT: "There is no competency: it is defined on the published levels, and --set changed them.\n"}
    methods = competency(read_runs("\n".join(map(json.dumps, scores)), "the run"))
    return {_TEXT: f"{behaviours_table(methods)}\n\n{NOTE}\n", **competency_files(methods)}

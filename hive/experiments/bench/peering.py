"""Row `peers`: what `hive.experiments.bench.peers` measures, or how to install what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.experiments.bench import peers


def run(quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of the peers that are installed, and a line about those that are not."""
    if lacking := peers.missing():
        names = ", ".join(lacking)
        yield {"peer": names, "note": f"not installed: {names}; `pip install 'hive-swarm[bench]'` adds them"}
    for figures in peers.rows(quick):
        yield {**figures, "row": "peers"}

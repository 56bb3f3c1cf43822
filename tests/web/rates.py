"""Measure a page's server with a tab that draws at once: `python -m tests.web.rates [UNITS ...]`.

For each number of units of both teams together: ticks a second that are shown as fast as the engine can, the frames of
the tab and their sizes, and the bytes that the same frames would have at other levels of compression. One JSON line a
size.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import jax

from hive.kit.planned_world import Request
from hive.web.frames import encode
from hive.worlds import kind_of
from tests.web.page_server import serving_request
from tests.web.talking import Tab

SIZES = (200, 2_000, 20_000)
SECONDS = 20.0
LEVELS = (1, 3, 6, 9)


def measure(units: int) -> dict[str, object]:
    request = Request(scenario="coordinate", units=units // 2)
    plan = kind_of("coordinate").own_plan(request)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving_request(request, Path(folder)) as address,
        Tab(address) as tab,
    ):
        tab.send("speed", ticks_per_second=1000)
        tab.until(lambda words: words["is"] == "status" and not words["preparing"], 600)
        assert tab.ask("plan", text=plan)["kind"] == "plan"
        tab.send("step", ticks=2)
        tab.status(tick=2, running=False)
        drawn, began = len(tab.frames), time.monotonic()
        tab.send("run")
        last = tab.until(
            lambda words: (
                words["is"] == "status"
                and (time.monotonic() > began + SECONDS or (words["tick"] > 2 and not words["running"]))
            ),
            600,
        )
        took = time.monotonic() - began
        tab.send("pause")
        sizes, frames = tab.sizes[drawn:], tab.frames
    gaps = {}
    for level in LEVELS:
        start, packed = time.perf_counter(), 0
        for before, now in zip(frames[drawn - 1 :], frames[drawn:], strict=False):
            packed += len(encode(now, before, 0, level))
        gaps[level] = {
            "bytes": round(packed / len(sizes)),
            "milliseconds": round(1000 * (time.perf_counter() - start) / len(sizes), 3),
        }
    return {
        "units": units,
        "ticks": last["tick"] - 2,
        "ticks_a_second": round((last["tick"] - 2) / took, 1),
        "outcome": last["outcome"],
        "alive": [sum(side) for side in last["alive"]],
        "frames": len(sizes),
        "frames_a_second": round(len(sizes) / took, 1),
        "mean_bytes": round(sum(sizes) / len(sizes)),
        "most_bytes": max(sizes),
        "most_bytes_whole": max(len(encode(frame, None, 0)) for frame in frames[drawn::5]),
        "levels": gaps,
        "jax": jax.__version__,
        "device": jax.devices()[0].device_kind,
    }


if __name__ == "__main__":
    for size in map(int, sys.argv[1:] or SIZES):
        print(json.dumps(measure(size)), flush=True)

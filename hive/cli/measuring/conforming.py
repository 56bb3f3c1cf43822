"""`hive conform`: replay recorded decisions of the published programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from hive.cli.command import Command, argument
from hive.cli.options import Cache, Json


@dataclass(frozen=True, kw_only=True)
class Conform(Json, Cache):
    """Settings of `hive conform`."""

    file: Annotated[
        Path,
        argument(
            "JSON: cases in the format hive-bt-conformance/1 or kitchen-scripts/1, or levels in wildfire-levels/1",
            "FILE",
        ),
    ] = field(kw_only=False)


def _run(settings: Conform) -> int:
    settings.use_cache()
    from hive.experiments.conformance import replay

    passed, failures = 0, []
    for verdict in replay(settings.file):
        if verdict.faults:
            failures.append(verdict)
            if not settings.json:
                print("\n  ".join([f"{verdict.case} failed", *verdict.faults]), flush=True)
        else:
            passed += 1
    settings.output(
        {
            "file": str(settings.file),
            "passed": passed,
            "failed": len(failures),
            "failures": [{"case": verdict.case, "faults": list(verdict.faults)} for verdict in failures],
        },
        f"{passed} passed, {len(failures)} failed",
    )
    return 1 if failures else 0


COMMAND = Command(
    settings=Conform,
    run=_run,
    about="""\
Replay conformance cases. A case of a battle has a small world, a tree, and the decision of the published
code for each unit; the units that each unit sees and its distance to the target are compared too. A case of
a wildfire level has reference values of a seed: the map, the places, and the losses without any action.
A case of a kitchen has a list of named actions for each cook and the timestep in which each was completed.
Print each case that fails and, at the end, how many passed and failed. The exit code is 1 when a case fails.""",
    examples=("hive conform cases.json", "hive conform wildfire_levels.json --json"),
)

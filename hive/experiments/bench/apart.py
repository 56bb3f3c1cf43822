"""Each case is measured in its own process, so that memory and compiled programs of one do not affect another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from hive.experiments.bench.rows import Case
from hive.kit.keep.lines import split_lines

CHECKOUT = Path(__file__).resolve().parents[3]
"""The folder that holds the package `hive` of this process."""


class CaseError(Exception):
    """A case that could not be measured; the message ends with the last line that its process printed."""


def run_apart(row: str, case: Case, sizes: str = "", tree: Path = CHECKOUT) -> Iterator[dict[str, Any]]:
    """Measure one case in a new process without cached programs, and yield its lines as they come.

    Args:
        row: Name of the row.
        case: Arguments of its function.
        sizes: Text for `hive.ground.sizes.read_sizes`; empty: the platform's.
        tree: The checkout whose sources measure.

    Raises:
        CaseError: The process failed.
    """
    path = [str(tree), *filter(None, [os.environ.get("PYTHONPATH")])]
    surroundings = os.environ | {"PYTHONPATH": os.pathsep.join(path), "JAX_ENABLE_COMPILATION_CACHE": "false"}
    surroundings["PYTHONSAFEPATH"] = "1"  # no modules of the current folder, which may be another checkout
    words = [sys.executable, "-m", "hive.experiments.bench", json.dumps({"row": row, "case": case, "sizes": sizes})]
    with TemporaryFile("w+", encoding="utf-8", errors="replace") as messages:
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=messages, text=True, env=surroundings) as process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    if line.startswith('{"row": '):  # a library may print other lines
                        yield json.loads(line)
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            messages.seek(0)
            last = [line for line in split_lines(messages.read()) if line.strip()][-1:]
            raise CaseError(f"exit code {process.returncode}: {last[0] if last else 'it printed nothing'}")

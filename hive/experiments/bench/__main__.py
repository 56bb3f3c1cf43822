"""One case of one row, given as a JSON object; prints its lines as JSON. `hive bench` runs this.

With `--table FILE`, prints lines that were saved earlier as tables.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hive.experiments.bench.rows import ROWS, run_case
from hive.experiments.bench.tables import heading, line
from hive.kit.keep.lines import split_lines


def main() -> None:
    """Measure the case that the command line names, or print tables."""
    if sys.argv[1] == "--table":
        return print_tables(Path(sys.argv[2]))
    asked = json.loads(sys.argv[1])
    sizes = asked.get("sizes")
    if sizes:
        from hive.ground.sizes import use_always

        use_always(sizes)
    for figures in run_case(asked["row"], asked["case"]):
        print(json.dumps(figures | ({"sizes": sizes} if sizes else {}), allow_nan=False), flush=True)


def print_tables(path: Path) -> None:
    """Print a table for each row and choice of sizes and flags, in the order of the file."""
    lines = [json.loads(text) for text in split_lines(path.read_text(encoding="utf-8"))]
    begun = None
    for figures in lines:
        which = figures["row"], figures.get("sizes", ""), figures.get("flags", "")
        if figures["row"] not in ROWS:
            print(figures.get("error", ""))
            continue
        if which != begun:
            begun = which
            print(f"\n{' '.join(filter(None, which))}\n{heading(which[0])}")
        print(line(figures))


if __name__ == "__main__":
    main()

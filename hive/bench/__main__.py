"""One case of one row, given as a JSON object; prints its lines as JSON. `hive bench` runs this."""

from __future__ import annotations

import json
import sys

from hive.bench.rows import run_case


def main() -> None:
    """Measure the case that the command line names."""
    asked = json.loads(sys.argv[1])
    for line in run_case(asked["row"], asked["case"]):
        print(json.dumps(line, allow_nan=False), flush=True)


if __name__ == "__main__":
    main()

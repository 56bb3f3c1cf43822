"""`python -m docs.make.league RUN`: put the table and the picture of a kept league into `docs/league.md`.

RUN is a folder that `hive league --out RUN` wrote. Plans that are neither shipped nor searched count as published.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import scenarios
from docs.make.pages import replaced
from hive.experiments.plots.ability_tables import markdown

PAGE = Path(__file__).resolve().parents[1] / "league.md"
PICTURE = PAGE.with_name("league.png")


def table(ratings: list[dict[str, Any]]) -> str:
    """Return the ratings as a table of Markdown, the best plan first."""
    rows = [["plan", "", "rating", "95% interval", "wins", "draws", "losses", "below the first"]]
    for line in ratings:
        interval = f"{line['low']:.0f} to {line['high']:.0f}"
        counts = [str(line[name]) for name in ("wins", "draws", "losses")]
        below = "yes" if line["below_first"] else ""
        rows.append([f"`{line['plan']}`", _origin(line["plan"]), f"{line['rating']:.0f}", interval, *counts, below])
    return markdown(rows, words=2)


def _origin(name: str) -> str:
    if name in scenarios.plans():
        return "shipped"
    return "searched" if name.startswith(("searched", "improved")) else "published"


def main() -> None:
    """Write the table into the page and copy the picture."""
    parser = argparse.ArgumentParser(prog="python -m docs.make.league", description=__doc__)
    parser.add_argument("run", type=Path, metavar="RUN", help="a folder of `hive league --out`")
    run = parser.parse_args().run
    found = json.loads((run / "ratings.json").read_text(encoding="utf-8"))
    text = replaced(PAGE.read_text(encoding="utf-8"), "table", f"{table(found['ratings'])}\n")
    PAGE.write_text(text, encoding="utf-8", newline="\n")
    shutil.copyfile(run / "league.png", PICTURE)
    print(f"wrote {PAGE} and {PICTURE}")


if __name__ == "__main__":
    main()

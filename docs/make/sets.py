"""`python -m docs.make.sets [DIR]`: make the sets `battles-v0`, and the table and the picture of levels, from a panel.

DIR is a folder that `hive panel --out DIR` wrote; its levels replace those of `docs/sets/levels.csv`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hive.experiments.panel.choosing import divide
from hive.experiments.panel.journal import PanelJournal
from hive.experiments.panel.table import csv_of, levels_table, measured, read_csv
from hive.experiments.plots.sets import save_levels
from hive.worlds.battle.drawn.sets import make_set

ROOT = Path(__file__).resolve().parents[2]
DATA, PICTURE = ROOT / "docs" / "sets" / "levels.csv", ROOT / "docs" / "sets" / "levels.png"
PAGE = ROOT / "docs" / "sets.md"
BEGIN, END = "<!-- levels -->\n", "<!-- end of levels -->\n"
FAMILY = "battles-v0"
TESTS = 8
"""Most battles of a level in the test set."""


def make_sets() -> dict[Path, str]:
    """Return the files of the sets and the page, from the levels that are kept."""
    found = read_csv(DATA.read_text(encoding="utf-8"))
    test, train = divide(found, TESTS)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    parts = {"test": (test, "for tests"), "train": (train, "for training")}
    files = {PAGE: f"{before}{BEGIN}```\n{levels_table(found)}\n```\n{END}{after}"}
    for part, (battles, use) in parts.items():
        about = f"measured battles on maps of 80 and 150 m, {use}; levels are not equally many"
        made = make_set(f"{FAMILY}/{part}", about, battles)
        files[ROOT / "scenarios" / "sets" / FAMILY / f"{part}.toml"] = made.toml()
    return files


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python -m docs.make.sets", description=__doc__)
    parser.add_argument("panel", type=Path, nargs="?", metavar="DIR", help="a folder of `hive panel --out`")
    panel = parser.parse_args().panel
    if panel:
        found = measured(PanelJournal(panel / "panel.jsonl").rows)
        DATA.parent.mkdir(exist_ok=True)
        DATA.write_text(csv_of(found), encoding="utf-8", newline="\n")
        save_levels(found, PICTURE)
    for path, text in make_sets().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()

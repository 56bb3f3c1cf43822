"""`python -m docs.make.sets`: make the sets `battles-v0` and the parts of `docs/sets.md`.

The levels of a folder that `hive panel --out DIR` wrote replace those of `docs/sets/levels.csv`; a folder that
`hive study --out DIR` wrote gives the table and the picture of the study, one with `--command` the table of that study.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from hive.experiments.panel.choosing import divide
from hive.experiments.panel.journal import PanelJournal
from hive.experiments.panel.members import SEARCH
from hive.experiments.panel.table import csv_of, levels_table, measured, read_csv
from hive.experiments.plots.sets import save_battles, save_levels
from hive.worlds.battle.drawn.classes import CLASSES, read_name
from hive.worlds.battle.drawn.sets import make_set

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "sets"
DATA = PICTURES / "levels.csv"
PAGE = ROOT / "docs" / "sets.md"
BEGIN, END = "<!-- levels -->\n", "<!-- end of levels -->\n"
STUDY = "<!-- study -->\n", "<!-- end of study -->\n"
COMMANDED = "<!-- commanded -->\n", "<!-- end of commanded -->\n"
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
        about = f"measured battles on maps of 80 m, {use}; levels are not equally many"
        made = make_set(f"{FAMILY}/{part}", about, battles)
        files[ROOT / "scenarios" / "sets" / FAMILY / f"{part}.toml"] = made.toml()
    return files


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python -m docs.make.sets", description=__doc__)
    parser.add_argument("--panel", type=Path, metavar="DIR", help="a folder of `hive panel --out`")
    parser.add_argument("--study", type=Path, metavar="DIR", help="a folder of `hive study --out`")
    parser.add_argument("--commanded", type=Path, metavar="DIR", help="a folder of `hive study --command --out`")
    given = parser.parse_args()
    if given.panel:
        rows = PanelJournal(given.panel / "panel.jsonl").rows
        found = [each for each in measured(rows) if each.level or SEARCH in each.wins]  # the others are not finished
        DATA.parent.mkdir(exist_ok=True)
        DATA.write_text(csv_of(found), encoding="utf-8", newline="\n")
        save_levels(found, PICTURES / "levels.png")
        test, _ = divide(found, TESTS)
        classes = [[each for each in test if read_name(each.name)[0] == name] for name in CLASSES]
        shown = [own[number % len(own)] for number, own in enumerate(classes) if own]
        save_battles(shown[-6:], PICTURES / "battles.png")
    for folder, (begin, end) in ((given.study, STUDY), (given.commanded, COMMANDED)):
        if folder:
            before, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
            table = (folder / "table.md").read_text(encoding="utf-8")
            PAGE.write_text(f"{before}{begin}{table}{end}{rest.partition(end)[2]}", encoding="utf-8", newline="\n")
    if given.study:
        shutil.copyfile(given.study / "scores.png", PICTURES / "study.png")
    for path, text in make_sets().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()

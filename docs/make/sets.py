"""`python -m docs.make.sets`: make the sets `battles-v0` and the parts of `docs/sets.md`.

The levels of a folder that `hive panel --out DIR` wrote are added to those of `docs/sets/levels.csv`, and replace what
says less of the same battle; a folder that `hive study --out DIR` wrote gives the table and the picture of the study,
one with `--command` the table of that study.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

from hive.experiments.panel.choosing import divide
from hive.experiments.panel.journal import PanelJournal
from hive.experiments.panel.members import PLAIN, SEARCH
from hive.experiments.panel.table import Measured, csv_of, levels_table, measured, read_csv, shares_table
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
SEEDS = 43
"""Battles of `battles-v0` have smaller seeds; what is measured beyond them changes no set."""


def make_sets() -> dict[Path, str]:
    """Return the files of the sets and the page, from the levels that are kept."""
    found = read_csv(DATA.read_text(encoding="utf-8"))
    test, train = divide(_of_sets(found), TESTS)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    parts = {"test": (test, "for tests"), "train": (train, "for training")}
    files = {PAGE: f"{before}{BEGIN}```\n{shares_table(found)}\n```\n\n```\n{levels_table(found)}\n```\n{END}{after}"}
    for part, (battles, use) in parts.items():
        about = f"measured battles on maps of 80 m, {use}; levels are not equally many"
        made = make_set(f"{FAMILY}/{part}", about, battles)
        files[ROOT / "scenarios" / "sets" / FAMILY / f"{part}.toml"] = made.toml()
    return files


def merge(kept: Sequence[Measured], more: Sequence[Measured]) -> list[Measured]:
    """Return all battles of both in the order of classes and seeds, without those that a member has not played.

    Of a battle that stands in both, the row with the longer search counts.

    Raises:
        ValueError: Both say something else of a member's games, or of a search of as many plans.
    """
    found = {each.battle: each for each in kept}
    for each in more:
        old = found.get(each.battle, each)
        same = PLAIN if old.plans != each.plans else (*PLAIN, SEARCH)
        if old.digest != each.digest or any(
            old.wins[name] != each.wins[name] for name in same if name in old.wins and name in each.wins
        ):
            raise ValueError(f"{each.battle} was measured twice, with different results")
        found[each.battle] = max(old, each, key=lambda row: (len(row.wins), row.plans))
    whole = [each for each in found.values() if all(name in each.wins for name in PLAIN)]
    classes = list(CLASSES)
    return sorted(whole, key=lambda each: (classes.index(each.class_name), read_name(each.battle)[1]))


def _of_sets(found: Sequence[Measured]) -> list[Measured]:
    return [each for each in found if read_name(each.battle)[1] < SEEDS]


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python -m docs.make.sets", description=__doc__)
    parser.add_argument("--panel", type=Path, metavar="DIR", help="a folder of `hive panel --out`")
    parser.add_argument("--study", type=Path, metavar="DIR", help="a folder of `hive study --out`")
    parser.add_argument("--commanded", type=Path, metavar="DIR", help="a folder of `hive study --command --out`")
    given = parser.parse_args()
    if given.panel:
        more = measured(PanelJournal(given.panel / "panel.jsonl").rows)
        found = merge(read_csv(DATA.read_text(encoding="utf-8")), more)
        DATA.write_text(csv_of(found), encoding="utf-8", newline="\n")
        save_levels(found, PICTURES / "levels.png")
        test, _ = divide(_of_sets(found), TESTS)
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

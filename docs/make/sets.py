"""`python -m docs.make.sets`: make the sets `battles-v0` and `battles-v1`, and the parts of `docs/sets.md`.

The levels of a folder that `hive panel --out DIR` wrote are added to those of `docs/sets/levels.csv`, and replace what
says less of the same battle; a folder that `hive study --out DIR` wrote gives the table and the picture of the study,
one with `--command`, of a language model, or of a model's later orders the table of that study.
"""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from docs.make.pages import replaced
from dsl.wording import columns
from hive.experiments.panel.choosing import divide
from hive.experiments.panel.journal import PanelJournal
from hive.experiments.panel.members import PLAIN, SEARCH, SOLUTION
from hive.experiments.panel.table import KNOWN, Measured, csv_of, levels_table, measured, read_csv, shares_table
from hive.experiments.plots.sets import save_battles, save_levels
from hive.worlds.battle.drawn.classes import CLASSES, read_name
from hive.worlds.battle.drawn.sets import SetBattle, make_set

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "sets"
DATA = PICTURES / "levels.csv"
PAGE = ROOT / "docs" / "sets.md"
FOLDER = ROOT / "scenarios" / "sets"
_EASY = dict.fromkeys(("level 0", "level 1", "level 2"), 589)
_SEARCHED = _EASY | {"level 0": 1330} | dict.fromkeys(("level 3", "level 4", "level 5"), 310)


@dataclass(frozen=True)
class Stage:
    """How sets were made; no stage moves a battle of the one before to the other part.

    Attributes:
        family: Of the sets.
        seeds: For what is known of a battle, the seed below which battles are taken.
        tests: Most battles of a level in the test.
        trains: Most battles of a level in the training set; None: all.
        half: Whether the test has half of a level at most.
        solved: Whether battles are taken that are won by a solution alone.
        total: Most battles of the training set; None: any number.
    """

    family: str
    seeds: Mapping[str, int]
    tests: int
    trains: int | None = None
    half: bool = True
    solved: bool = False
    total: int | None = None


STAGES = (
    Stage("battles-v0", dict.fromkeys(KNOWN[:4], 43), tests=8),
    Stage("battles-v1", _EASY | {"level 3": 44}, tests=20, trains=100),
    Stage("battles-v1", _SEARCHED, tests=20, trains=100),
    Stage("battles-v1", _SEARCHED, tests=20, half=False, solved=True, total=600),
)
"""The stages in which the sets were made, in their order."""


def make_sets() -> dict[Path, str]:
    """Return the files of the sets and the page, from the levels that are kept."""
    found = read_csv(DATA.read_text(encoding="utf-8"))
    parts = made_of(found)
    counts = sets_table({name: battles for name, (_, battles) in parts.items()})
    tables = (shares_table(_whole(found)), levels_table(found), counts)
    levels = "\n\n".join(f"```\n{table}\n```" for table in tables)
    files = {PAGE: replaced(PAGE.read_text(encoding="utf-8"), "levels", f"{levels}\n")}
    for name, (about, battles) in parts.items():
        files[FOLDER / f"{name}.toml"] = make_set(name, about, battles).toml()
    return files


def made_of(found: Sequence[Measured]) -> dict[str, tuple[str, list[SetBattle]]]:
    """Return the sets that measured battles make: for each name what it is in a line, and its battles."""
    sets: dict[str, tuple[str, list[SetBattle]]] = {}
    before: tuple[list[str], list[str]] = ([], [])
    for stage in STAGES:
        own = [
            each
            for each in found
            if read_name(each.battle)[1] < stage.seeds.get(each.known, 0)
            and (stage.solved or SOLUTION not in each.wins)
        ]
        test, train = divide(own, stage.tests, stage.trains, before, half=stage.half, total=stage.total)
        for part, battles, use in (("test", test, "tests"), ("train", train, "training")):
            equal = len(set(Counter(each.level for each in battles).values())) == 1
            shares = "as many of each level" if equal else "levels are not equally many"
            about = f"measured battles on maps of 80 m, for {use}; {shares}"
            sets[f"{stage.family}/{part}"] = about, battles
        before = [each.name for each in test], [each.name for each in train]
    return sets


def sets_table(sets: Mapping[str, Sequence[SetBattle]]) -> str:
    """Return how many battles of each level and of each class the sets have."""
    levels = sorted({each.level for own in sets.values() for each in own if each.level is not None})
    rows = [["set", "battles", *(f"level {level}" for level in levels), *CLASSES]]
    for name, own in sets.items():
        by_level = Counter(each.level for each in own)
        by_class = Counter(read_name(each.name)[0] for each in own)
        counts = (len(own), *(by_level[level] for level in levels), *(by_class[each] for each in CLASSES))
        rows.append([name, *map(str, counts)])
    return columns(rows, left=(0,))


def merge(kept: Sequence[Measured], more: Sequence[Measured]) -> list[Measured]:
    """Return all battles of both in the order of classes and seeds, without those of which nothing is known.

    Of a battle that stands in both, the row with the longer search counts, with the wins of the newer solution.

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
        longer = max(old, each, key=lambda row: (len({*row.wins} - {SOLUTION}), row.plans))
        found[each.battle] = longer.solved(each.wins.get(SOLUTION, old.wins.get(SOLUTION)))
    known = [each for each in found.values() if PLAIN[0] in each.wins]
    classes = list(CLASSES)
    return sorted(known, key=lambda each: (classes.index(each.class_name), read_name(each.battle)[1]))


def _whole(found: Sequence[Measured]) -> list[Measured]:
    """Return the battles that all members without a search have played."""
    return [each for each in found if all(name in each.wins for name in PLAIN)]


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python -m docs.make.sets", description=__doc__)
    parser.add_argument("--panel", type=Path, metavar="DIR", help="a folder of `hive panel --out`")
    parser.add_argument("--study", type=Path, metavar="DIR", help="a folder of `hive study --out`")
    parser.add_argument("--commanded", type=Path, metavar="DIR", help="a folder of `hive study --command --out`")
    parser.add_argument("--model", type=Path, metavar="DIR", help="a folder of `hive study --out` with a model's plans")
    parser.add_argument(
        "--orders", type=Path, metavar="DIR", help="a folder of `hive study --command` with a model's orders"
    )
    given = parser.parse_args()
    if given.panel:
        more = measured(PanelJournal(given.panel / "panel.jsonl").rows)
        found = merge(read_csv(DATA.read_text(encoding="utf-8")), more)
        DATA.write_text(csv_of(found), encoding="utf-8", newline="\n")
        save_levels(_whole(found), PICTURES / "levels.png")
        _, test = made_of(found)["battles-v0/test"]
        classes = [[each for each in test if read_name(each.name)[0] == name] for name in CLASSES]
        shown = [own[number % len(own)] for number, own in enumerate(classes) if own]
        save_battles(shown[-6:], PICTURES / "battles.png")
    for name in ("study", "commanded", "model", "orders"):
        if folder := getattr(given, name):
            table = (folder / "table.md").read_text(encoding="utf-8")
            text = replaced(PAGE.read_text(encoding="utf-8"), name, table)
            PAGE.write_text(text, encoding="utf-8", newline="\n")
    if given.study:
        shutil.copyfile(given.study / "scores.png", PICTURES / "study.png")
    for path, text in make_sets().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()

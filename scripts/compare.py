"""Compare what two commits play: outcomes, metrics and recordings of all kinds of worlds have to be equal to the bit.

    python scripts/compare.py COMMIT [--only WORD] [--ignore KEY] [--quick]

Each command below is run with the sources of this checkout and with those of COMMIT, one after the other, on the same
machine and with the same packages. Their objects of `--json` and the files of their run folders are compared value by
value; times, versions and the words of the command are left out. Exit code 0: all equal; 1: something differs.

This script calls only the command line, so that it outlives changes of the modules behind it.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

VOLATILE = {"seconds", "versions", "again", "command", "config", "digest", "created", "wall"}
"""Keys of JSON objects whose values belong to a run and not to its games."""

TEXTS = {".json", ".jsonl", ".txt", ".toml", ".plan", ".csv"}
"""Files that are compared; pictures, movies and pages are not."""

UNCOMPARED = {"exchanges.jsonl", "journal.jsonl", "config.json", "digests.json"}
"""Files that hold requests, which follow the words of prompts, the command itself, or digests of files with times."""

BATTLES = ("burning_wood", "coordinate", "duel", "exploit_weakness", "strategize_points")
PLANS = (
    *((name, None) for name in BATTLES),
    ("markers_terrain", "follow_markers"),
    ("markers_terrain", "exploit_terrain"),
    *((name, f"{name}_bad") for name in ("coordinate", "exploit_weakness", "strategize_points")),
)
LEVELS = (
    *("cut_trees_sparse_small", "cut_trees_lines_small", "scout_fire_small", "transport_firefighters_small"),
    *("rescue_known_small", "rescue_search", "suppress_extinguish", "suppress_contain", "suppress_locate"),
)
FRAMEWORKS = ("team:camon", "team:coela", "team:embodied", "team:hmas2", "plans", "team:nothing")
HOUSEHOLD_TEAMS = (
    *("liet", "liet_blind", "liet_fixed", "liet_report", "liet_kept"),
    *("coela", "proagent", "roco", "roco_paid"),
)


def commands() -> Iterator[tuple[str, bool]]:
    """Yield the words of each command after `hive`, and whether a quick comparison has it too; OUT is a folder."""
    for scenario, plan in PLANS:
        words = f"run {scenario} --units 100 --seeds 2 --json" + (f" --plan {plan}" if plan else "")
        yield words, scenario in ("coordinate", "burning_wood")
    yield "run coordinate --units 60 --seed 5 --out OUT --json", True
    yield "run coordinate --units 60 --seed 5 --swap 60=coordinate_bad --out OUT --json", False
    yield "run burning_wood --units 60 --seed 11 --out OUT --json", False
    yield "run coordinate --seed 0 --json", False
    for level in LEVELS:
        yield f"run wildfire/{level} --seeds 2 --json", level == "cut_trees_sparse_small"
    yield "run wildfire/rescue_known_small --out OUT --json", True
    for framework in FRAMEWORKS:
        words = f"run wildfire/cut_trees_sparse_small --player {framework} --seeds 2 --set limit=12 --out OUT --json"
        yield words, framework in ("team:camon", "plans")
    yield "run wildfire/suppress_extinguish --player team:coela --set limit=6 --out OUT --json", False
    yield "run kitchen/boiled_egg --out OUT --json", True
    yield "run kitchen/all --out OUT --json", False
    yield "run kitchen/level4 --player planner --out OUT --json", False
    yield "kitchen optimum level1 level2 level3 --json", False
    yield "kitchen references level1 --json", False
    yield "run rescue/map_7/agents-1 --player heuristic --player optimal --player speaker --out OUT --json", True
    yield "run rescue/all --player heuristic --player heuristic:recheck --player speaker --out OUT --json", False
    yield "rescue optimum all --json", False
    yield "rescue table --generated 200 --json", False
    for team in HOUSEHOLD_TEAMS:
        costs = " --set utility=exact" if team in ("liet", "liet_fixed", "liet_report", "liet_kept") else ""
        yield f"run household/cwah_16 --player team:{team}{costs} --out OUT --json", team == "liet"
    yield "run household/tdw_2_0_rare_food --player team:liet --set utility=exact --out OUT --json", False
    yield "sweep coordinate --plans coordinate coordinate_bad --units 40 --seeds 3 --out OUT --json", False


def main() -> int:
    """Run the comparison and print a line for each command; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "commit", metavar="COMMIT", help="the commit to compare with, or the folder of another checkout"
    )
    parser.add_argument("--only", metavar="WORD", help="only commands that contain this")
    parser.add_argument(
        "--ignore",
        metavar="KEY",
        action="append",
        default=[],
        help="a key of JSON objects to leave out; may be repeated",
    )
    parser.add_argument("--quick", action="store_true", help="the short list: a few minutes in place of half an hour")
    args = parser.parse_args()
    here = Path(__file__).resolve().parent.parent
    wanted = [words for words, quick in commands() if (quick or not args.quick) and (args.only or "") in words]
    with tempfile.TemporaryDirectory() as folder, _checkout(here, args.commit, Path(folder)) as other:
        differing = 0
        for number, words in enumerate(wanted):
            found = [_outcome(tree, words, Path(folder) / f"{side}{number}") for side, tree in enumerate((here, other))]
            lines = list(differences(*found, without=VOLATILE | {*args.ignore}))
            lines += [f"exit code {each['exit code']}: {each['message']}" for each in found if "exit code" in each]
            differing += bool(lines)
            print(f"{'DIFFERS' if lines else 'equal  '}  hive {words}", *grouped(lines), sep="\n         ", flush=True)
    print(f"{len(wanted) - differing} passed, {differing} failed")
    return int(differing > 0)


def differences(one: Any, other: Any, place: str = "", without: Set[str] = frozenset(VOLATILE)) -> Iterator[str]:
    """Yield a line for each place at which two values differ; NaN equals NaN, and some keys are left out."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if key in without:
                continue
            if key not in one or key not in other:
                yield f"{place}/{key}: only {'there' if key in other else 'here'}"
            else:
                yield from differences(one[key], other[key], f"{place}/{key}", without)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{place}[{number}]", without)
    elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape or one.dtype != other.dtype or one.tobytes() != other.tobytes():
            yield f"{place}: {one.dtype}{list(one.shape)} here, {other.dtype}{list(other.shape)} there, or other values"
    elif not (one == other or (isinstance(one, float) and isinstance(other, float) and math.isnan(one + other))):
        yield f"{place}: {str(one)[:60]} here, {str(other)[:60]} there"


def grouped(lines: list[str]) -> list[str]:
    """Return one line for each column: the first of its rows that differs, and the number of the others."""
    rows: dict[str, list[str]] = {}
    for line in lines:
        place = line.partition(": ")[0]
        rows.setdefault(re.sub(r"\[\d+\]|/\d+(?=/)", "[*]", place), []).append(line)
    return [first + (f" ({len(others)} more such rows)" if others else "") for first, *others in rows.values()]


@contextmanager
def _checkout(here: Path, commit: str, folder: Path) -> Iterator[Path]:
    """Yield a folder with the sources of a commit, or that of another checkout."""
    if Path(commit).is_dir():
        yield Path(commit).resolve()
        return
    archive = subprocess.run(["git", "archive", "--format=zip", commit], cwd=here, check=True, capture_output=True)
    tree = folder / "tree"
    zipfile.ZipFile(io.BytesIO(archive.stdout)).extractall(tree)
    yield tree


def _outcome(tree: Path, words: str, out: Path) -> Any:
    """Run a command with the sources of a tree and return what it printed and kept."""
    split = [str(out) if word == "OUT" else word for word in shlex.split(words)]
    surroundings = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, "-m", "scripts.cli", *split],
        cwd=tree,
        env=surroundings,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        return {"exit code": done.returncode, "message": done.stderr[-400:]}
    printed = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {"printed": printed, "files": dict(_kept(out))}


def _kept(out: Path) -> Iterator[tuple[str, Any]]:
    """Yield the files of a run folder that are compared, read."""
    for path in sorted(out.rglob("*")) if out.is_dir() else ():
        name = path.relative_to(out).as_posix()
        if path.name in UNCOMPARED:
            continue
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as arrays:
                yield name, {key: _array(arrays[key], key) for key in sorted(arrays.files)}
        elif path.suffix == ".json":
            yield name, json.loads(path.read_text(encoding="utf-8"))
        elif path.suffix == ".jsonl":
            yield name, [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        elif path.suffix in TEXTS:
            yield name, path.read_text(encoding="utf-8").split("\n")


def _array(values: np.ndarray, name: str) -> Any:
    """Return an array, or the object that an array of words holds."""
    return json.loads(values.tobytes()) if name == "words" else values


if __name__ == "__main__":
    sys.exit(main())

"""Measures cases with two checkouts in turn, so that a change and its base meet the same machine in the same minutes.

A machine's own speed changes by half within an hour, so a figure beside an older one shows no regression and no gain;
a ratio of two measurements that follow each other does.
"""

from __future__ import annotations

import io
import os
import statistics
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dsl import UserError
from hive.experiments.bench.apart import CHECKOUT, CaseError, run_apart
from hive.experiments.bench.rows import Case
from hive.experiments.bench.tables import COLUMNS
from hive.kit.keep.lines import split_lines

PROCESS = "process cpu s"
"""The figure of a case that counts the processor seconds of its whole process, compilation included."""

ROUNDS = 6
"""Rounds of a comparison, and the least of them for a verdict: chance alone gives one to at most 2 of 64 figures."""

_FIGURES = ("_ms", "_s", "_mb", "_per_s", "cpu_ratio")  # ends of the keys of figures
_HIGHER_IS_BETTER = "_per_s"
_NO_VERDICT = ("limit_ms", "dense_ms", "draw_ms", "published_mb", "ours", "theirs", "cpu_ratio")  # controls and ratios
_MEASURED = ("us", "ours", "theirs")  # further figures
_LABELS = (
    *("units", "layout", "ground", "batch", "side", "maps", "targets", "texts", "seeds", "ability", "what", "peer"),
    *("work", "unit"),
)  # keys that say what a line is about
_WHERE = ("device", "instructions", "versions", "commit", "load", "time")
_NOTABLE = 0.02  # of a ratio
_BENCH = "hive/experiments/bench/__main__.py"


@dataclass(frozen=True)
class Comparison:
    """One figure of one line of a case, measured with two checkouts in turn.

    Attributes:
        row: Name of the row.
        line: What the line is about, such as `4,000 contact open`.
        figure: Heading of the figure in the table of its row, or `PROCESS`.
        here: Values of this checkout, one a round.
        there: Values of the other checkout.
        higher_is_better: Whether the figure is a throughput; None where neither direction is better.
        where: Device, instructions, versions, commit, load and time of this checkout's last measurement.
    """

    row: str
    line: str
    figure: str
    here: tuple[float, ...]
    there: tuple[float, ...]
    higher_is_better: bool | None
    where: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ratios(self) -> tuple[float, ...]:
        """What this checkout has of the other's value, round by round."""
        return tuple(ours / theirs for ours, theirs in zip(self.here, self.there, strict=True))

    @property
    def best(self) -> tuple[float, float]:
        """The best value of each checkout, where nothing is said the lowest."""
        choose = max if self.higher_is_better else min
        return choose(self.here), choose(self.there)

    @property
    def verdict(self) -> str:
        """`better` or `worse` where at least `ROUNDS` rounds agree by more than two percent; else empty."""
        if len(self.ratios) < ROUNDS or self.higher_is_better is None:
            return ""
        if all(ratio > 1 + _NOTABLE for ratio in self.ratios):
            return "better" if self.higher_is_better else "worse"
        if all(ratio < 1 - _NOTABLE for ratio in self.ratios):
            return "worse" if self.higher_is_better else "better"
        return ""

    @property
    def json(self) -> dict[str, Any]:
        """The comparison as plain values."""
        about = {"row": self.row, "line": self.line, "figure": self.figure}
        ratios = {"ratio": statistics.median(self.ratios), "least": min(self.ratios), "most": max(self.ratios)}
        values = {"here": self.here, "there": self.there, **ratios, "verdict": self.verdict or None}
        return {**about, **values, **self.where}


@contextmanager
def sources_of(commit: str) -> Iterator[Path]:
    """Yield a temporary folder with the sources of a commit, or the folder itself if `commit` is that of a checkout.

    Raises:
        UserError: This is no checkout, git is missing or knows no such commit, or the folder holds no measurements.
    """
    with TemporaryDirectory() as folder:
        tree = Path(commit)
        if not (tree / _BENCH).is_file():
            tree = Path(folder)
            with zipfile.ZipFile(io.BytesIO(_archive(commit))) as archive:
                archive.extractall(tree)
        if not (tree / _BENCH).is_file():
            raise UserError(
                f"`{commit}` has no hive/experiments/bench, so that its cases cannot be measured\n"
                "  = help: name a newer commit"
            )
        yield tree.resolve()


def commit_of(commit: str) -> str | None:
    """Return the full hash of a commit, or of what the folder of another checkout has; None where git knows none."""
    folder = Path(commit)
    where, what = (folder, "HEAD") if (folder / _BENCH).is_file() else (CHECKOUT, commit)
    words = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{what}^{{commit}}"]
    try:
        done = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def _archive(commit: str) -> bytes:
    words = ["git", "archive", "--format=zip", "--end-of-options", commit]
    try:
        done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, check=False)
    except OSError as error:
        raise UserError(f"cannot run git: {error.strerror}\n  = help: name the folder of another checkout") from None
    if done.returncode:
        last = split_lines(done.stderr.decode(errors="replace").strip())[-1:] or ["it printed nothing"]
        raise UserError(
            f"git has no sources of `{commit}` in {CHECKOUT}: {last[0]}\n"
            "  = help: name a commit of this repository, such as HEAD~1, or the folder of another checkout"
        )
    return done.stdout


def compare(row: str, case: Case, tree: Path, rounds: int, sizes: str = "") -> Iterator[int | list[Comparison]]:
    """Measure one case with this checkout and with another in turn; the first of the two changes from round to round.

    Args:
        row: Name of the row.
        case: Arguments of its function.
        tree: Folder of the other checkout.
        rounds: How often each is measured.
        sizes: Text for `hive.ground.sizes.read_sizes`; empty: the platform's.

    Yields:
        The number of processes that are done, after each of them; at the end the comparisons.

    Raises:
        CaseError: A process failed, or the two measured different cases.
    """
    trees = {"this checkout": CHECKOUT, "the other checkout": tree}
    measured: dict[str, list[list[dict[str, Any]]]] = {side: [] for side in trees}
    for number in range(rounds):
        for side in [*trees][:: 1 if number % 2 == 0 else -1]:
            try:
                measured[side].append(_measured(row, case, sizes, trees[side]))
            except CaseError as error:
                raise CaseError(f"{side}: {error}") from None
            yield sum(map(len, measured.values()))
    yield list(_comparisons(row, *measured.values()))


def _measured(row: str, case: Case, sizes: str, tree: Path) -> list[dict[str, Any]]:
    """Return the lines of a case; the first of them has the processor seconds of the process."""
    before = _children_seconds()
    lines = list(run_apart(row, case, sizes, tree))
    if lines and before is not None:
        lines[0][PROCESS] = (_children_seconds() or 0.0) - before
    return lines


def _children_seconds() -> float | None:
    """Return the processor seconds of all finished processes that this one started; None where that is not known."""
    times = os.times()
    return times.children_user + times.children_system if os.name == "posix" else None


def _comparisons(row: str, here: list[list[dict[str, Any]]], there: list[list[dict[str, Any]]]) -> Iterator[Comparison]:
    labels, *others = {tuple(_label(row, line) for line in lines) for lines in (*here, *there)}
    if others or not labels:
        raise CaseError("the two checkouts measured different cases or none, so that there is nothing to compare")
    for number, label in enumerate(labels):
        for heading, key in (*_figures(row), (PROCESS, PROCESS)):
            ours, theirs = ([lines[number].get(key) or 0.0 for lines in side] for side in (here, there))
            if min(*ours, *theirs) <= 0:
                continue  # what one of the two does not measure, such as memory on some systems
            higher = None if key in _NO_VERDICT else key.endswith(_HIGHER_IS_BETTER)
            where = {key: here[-1][number].get(key) for key in _WHERE}
            yield Comparison(row, label, heading, tuple(ours), tuple(theirs), higher, where)


def _label(row: str, line: dict[str, Any]) -> str:
    """Return what a line is about."""
    named = [(key, form) for _, key, form in COLUMNS[row] if key in _LABELS]
    return " ".join("-" if line.get(key) is None else format(line[key], form) for key, form in named)


def _figures(row: str) -> list[tuple[str, str]]:
    """Return heading and key of each column that is a time, a throughput, a size in memory or a steady ratio."""
    found = [(heading, key) for heading, key, _ in COLUMNS[row] if key.endswith(_FIGURES) or key in _MEASURED]
    headings = [heading for heading, _ in found]
    return [(heading if headings.count(heading) == 1 else key, key) for heading, key in found]

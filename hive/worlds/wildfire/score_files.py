"""Scores of methods on the levels: the published table, and JSON files (docs/rules/wildfire_levels.md 4.1)."""

from __future__ import annotations

import json
import re
import statistics
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from dsl import UserError
from dsl.wording import listing
from hive.worlds.wildfire.levels import LEVEL_RULES, Level, find_level

DO_NOTHING = "Do Nothing"  # the method that gives no orders: the baseline for losses

_FORM = "a run is an object with `level`, `method` and `scores`, a list with one for each seed, or `mean`"
_BLANKS = re.compile(r"\s*")
_DEAREST = 100  # points for each cell; the losses of a level can never reach this


@dataclass(frozen=True, kw_only=True)
class MethodRun:
    """The score of one method on one level.

    Attributes:
        level: The level's id.
        method: Name of the method; `Do Nothing` is the baseline for the losses of the others.
        mean: Mean final score over the seeds.
        deviation: Sample standard deviation of the final score, None if unknown.
        seeds: Number of seeds, None if unknown.
        rules: Rules that the level was played under, `default` or `published`; empty if unknown.
        place: File and position of the run, for messages.
    """

    level: str
    method: str
    mean: float
    deviation: float | None = None
    seeds: int | None = None
    rules: str = ""
    place: str = ""


@cache
def published_runs() -> tuple[MethodRun, ...]:
    """Return the published scores of four teams and Do Nothing on all levels (docs/rules/wildfire_levels.md 4.1)."""
    table = _published()
    return tuple(
        MethodRun(level=level, method=method, mean=mean, deviation=deviation, place="published.toml")
        for level, pairs in table["scores"].items()
        for method, (mean, deviation) in zip(table["methods"], pairs, strict=True)
    )


def published_behaviours() -> dict[str, dict[str, float]]:
    """Return the published competency, by method, then behaviour (docs/rules/wildfire_levels.md 5.3)."""
    table = _published()
    teams = [method for method in table["methods"] if method != DO_NOTHING]
    return {team: {code: row[at] for code, row in table["behaviours"].items()} for at, team in enumerate(teams)}


def _published() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("published.toml").read_text(encoding="utf-8"))


def read_runs(text: str, source: str) -> list[MethodRun]:
    """Read runs from JSON: objects, or lists of objects, one after another (so lines of JSON too).

    Args:
        text: The text. An object has `level`, `method` and `scores` (final scores, one for each seed) or `mean`; other
            keys are ignored.
        source: Name of the file in messages.

    Raises:
        UserError: It is not JSON, holds no run, or holds a run with errors.
    """
    runs = [_read_run(entry, place) for place, entry in _entries(text, source)]
    if not runs:
        raise UserError(f"there is no run in the file\n --> {source}\n  = help: {_FORM}")
    return runs


def check_rules(runs: Sequence[MethodRun]) -> None:
    """Refuse runs whose scores say nothing about each other.

    Raises:
        UserError: Two runs were played under different rules of the fire.
    """
    first: dict[str, MethodRun] = {}
    for run in runs:
        if run.rules:
            first.setdefault(run.rules, run)
    if len(first) > 1:
        places = " and ".join(f"`{rules}` ({run.place})" for rules, run in first.items())
        help = "play all of them with the same `--rules`, or give the files to two commands"
        raise UserError(f"the runs were played under different rules of the fire: {places}\n  = help: {help}")


def _entries(text: str, source: str) -> Iterator[tuple[str, Any]]:
    """Yield each entry with its place."""
    at, decoder = _after_blanks(text, 0), json.JSONDecoder(parse_int=float)  # `int` refuses thousands of digits
    while at < len(text):
        place = f"{source}:{text.count(chr(10), 0, at) + 1}"
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise UserError(f"this is not JSON: {error.msg}\n --> {source}:{error.lineno}:{error.colno}") from None
        except RecursionError:
            raise UserError(f"this JSON is nested too deeply\n --> {place}") from None
        if isinstance(value, list):
            yield from ((f"{place}: [{number}]", entry) for number, entry in enumerate(value))
        else:
            yield place, value
        at = _after_blanks(text, end)


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _read_run(entry: Any, place: str) -> MethodRun:
    if not isinstance(entry, dict):
        raise UserError(f"this is not a run\n --> {place}\n  = help: {_FORM}")
    for key in ("level", "method"):
        name = entry.get(key)
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            what = f"has a `{key}` that is not a name" if key in entry else f"has no `{key}`"
            raise UserError(f"the run {what}\n --> {place}\n  = help: {_FORM}")
    try:
        level = find_level(entry["level"])
    except UserError as error:
        raise UserError(str(error).replace("\n", f"\n --> {place}\n", 1)) from None
    if entry.get("changes"):
        changes = entry["changes"]
        changed = ", ".join(changes) if isinstance(changes, dict) else "something"
        why = f"the run changed {changed}, so it does not count for the published level"
        raise UserError(f"{why}\n --> {place}\n  = help: play it without --set")
    rules = entry.get("rules", "")
    if rules not in ("", *LEVEL_RULES):
        help = f"rules are {listing(LEVEL_RULES, 'and')}; leave the key out where they are unknown"
        raise UserError(f"the run was played under unknown rules\n --> {place}\n  = help: {help}")
    if "scores" not in entry:
        if "mean" not in entry:
            raise UserError(f"the run has neither `scores` nor `mean`\n --> {place}\n  = help: {_FORM}")
        mean = _number(entry["mean"], level, f"{place}: mean")
        return MethodRun(level=level.id, method=entry["method"], mean=mean, rules=rules, place=place)
    if not isinstance(entry["scores"], list) or not entry["scores"]:
        raise UserError(f"`scores` should be a list with a score for each seed\n --> {place}\n  = help: {_FORM}")
    scores = [_number(score, level, f"{place}: scores[{at}]") for at, score in enumerate(entry["scores"])]
    return MethodRun(
        level=level.id,
        method=entry["method"],
        mean=statistics.fmean(scores),
        deviation=statistics.stdev(scores) if len(scores) > 1 else None,
        seeds=len(scores),
        rules=rules,
        place=place,
    )


def _number(value: Any, level: Level, place: str) -> float:
    """Return a score that the level can end with."""
    lowest = -_DEAREST * level.size**2 if level.open_ended else 0
    if type(value) is not float or not lowest <= value <= level.best:
        shown = json.dumps(value)
        shown = shown if len(shown) < 40 else f"{shown[:36]} ..."
        help = f"the scores of `{level.id}` are numbers from {lowest} to {level.best}"
        raise UserError(f"{shown} is not a score of this level\n --> {place}\n  = help: {help}")
    return value

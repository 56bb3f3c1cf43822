"""Scores read back from the run folders of teams that played rescues."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.keep.places import read_text, reason
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.metrics import RescueMetrics
from hive.worlds.rescue.scores import RescueScore, of_model

RESULT = "result.json"
_HELP = "give a folder that `hive run rescue/...` has written"
_NAMES = tuple(field.name for field in fields(RescueMetrics))


def read_scores(folder: Path, instances: Sequence[Instance]) -> list[RescueScore]:
    """Read the runs of a folder that `hive run rescue/...` has written; they know no optimum.

    Args:
        folder: The folder.
        instances: Runs of these are returned.

    Raises:
        UserError: It is no such folder, none of its runs is of these instances, or a team has two runs of one.
    """
    path = folder / RESULT
    try:
        body = json.loads(read_text(path))
    except OSError as error:
        raise UserError(f"cannot read {path}: {reason(error)}\n  = help: {_HELP}") from None
    except (ValueError, RecursionError):
        raise UserError(f"{path} holds no JSON\n  = help: {_HELP}") from None
    runs = body.get("runs") if isinstance(body, dict) else None
    if not isinstance(runs, list):
        raise UserError(f"{path} has no list `runs`\n  = help: {_HELP}")
    scores = scores_of_runs(runs, instances, str(path))
    if not scores:
        raise UserError(
            f"no run in {path} is of an instance of this table\n  = help: name the instances that were played there"
        )
    check_single(map(run_of, scores))
    return scores


def scores_of_runs(runs: Sequence[Any], instances: Sequence[Instance], place: str) -> list[RescueScore]:
    """Return the scores of rows as `hive.worlds.rescue.results` makes them; they know no optimum.

    Args:
        runs: The rows.
        instances: Runs of these are returned.
        place: Where the rows are, for errors.

    Raises:
        UserError: A row lacks a field, or has a wrong one.
    """
    known = {instance.name: instance for instance in instances}
    found = [_score(run, known, f"{place}: runs[{number}]") for number, run in enumerate(runs)]
    return [score for score in found if score]


def run_of(score: RescueScore) -> tuple[str, str]:
    """Return the team and the instance of a run."""
    return score.team, score.instance.name


def check_single(runs: Iterable[tuple[str, str]]) -> None:
    """Refuse runs of which two have the same team and instance, given by their names.

    Raises:
        UserError: There are such.
    """
    seen: set[tuple[str, str]] = set()
    for team, instance in runs:
        if (team, instance) in seen:
            raise UserError(
                f"there are two runs of `{team}` in {instance}\n"
                "  = help: give each run once: leave out one of the folders, or the player"
            )
        seen.add((team, instance))


def _score(run: Any, known: Mapping[str, Instance], place: str) -> RescueScore | None:
    """Read one run; None if its instance is not known."""
    try:
        name = run["instance"]
        if name not in known:
            return None
        at = {victim.name: run["helped_at"][victim.name] for victim in known[name].victims}
        metrics = {each: run["metrics"][each] for each in _NAMES}
        team, limit, reason = run["team"], run["limit"], run["outcome"]
        temperature = run.get("temperature", of_model(team)[1]) if isinstance(team, str) else None
        said = run.get("claims")  # of a run with messages; folders of earlier versions have none
        claims = None if said is None else (said["made"], said["false"])
    except (KeyError, TypeError):
        raise UserError(f"{place} is no run of `hive run rescue/...`: a field is missing\n  = help: {_HELP}") from None
    whole = [limit, *(step for step in at.values() if step is not None), *(claims or ())]
    numbers = [value for value in (temperature, *metrics.values()) if value is not None]
    if not (
        isinstance(team, str)
        and isinstance(reason, str)
        and all(type(each) is int and each >= 0 for each in whole)
        and all(type(each) in (int, float) for each in numbers)
    ):
        raise UserError(
            f"{place} is no run of `hive run rescue/...`: a field has a value of the wrong kind\n  = help: {_HELP}"
        )
    return RescueScore(
        team=team,
        instance=known[name],
        served_at=tuple(at.values()),
        limit=limit,
        reason=reason,
        metrics=metrics,
        claims=claims,
        temperature=temperature,
    )

"""Scores read back from the run folders of teams that played rescues."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.rescue.metrics import Metrics
from hive.rescue.scores import Score

RESULT = "result.json"
_NAMES = tuple(field.name for field in fields(Metrics))


def read_scores(folder: Path, known: Sequence[Score]) -> list[Score]:
    """Read the runs of a folder that `hive rescue play` has written.

    Args:
        folder: The folder.
        known: Scores of the same instances, which give the optimum.

    Returns:
        The runs of known instances.

    Raises:
        UserError: It is no such folder, or none of its runs is of a known instance.
    """
    path = folder / RESULT
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(
            f"cannot read {path}: {error.strerror or error}\n  = help: give a folder that `hive rescue play` has written"
        ) from None
    except ValueError:
        raise UserError(f"{path} holds no JSON") from None
    runs = body.get("runs") if isinstance(body, dict) else None
    if not isinstance(runs, list):
        raise UserError(f"{path} has no list `runs`\n  = help: give a folder that `hive rescue play` has written")
    first = {score.instance.name: score for score in reversed(known)}
    found = [_score(run, first, f"{path}: runs[{number}]") for number, run in enumerate(runs)]
    scores = [score for score in found if score]
    if not scores:
        raise UserError(f"no run in {path} is of an instance of this table")
    return scores


def _score(run: Any, known: Mapping[str, Score], place: str) -> Score | None:
    """Read one run; None if its instance is not known."""
    try:
        name = run["instance"]
        if name not in known:
            return None
        like = known[name]
        at = {victim.name: run["helped_at"][victim.name] for victim in like.instance.victims}
        metrics = {each: run["metrics"][each] for each in _NAMES}
        team, limit, reason = run["team"], run["limit"], run["outcome"]
    except (KeyError, TypeError):
        raise UserError(f"{place} is no run of `hive rescue play`: a field is missing") from None
    whole = [limit, *(step for step in at.values() if step is not None)]
    numbers = [value for value in metrics.values() if value is not None]
    if not (
        isinstance(team, str)
        and isinstance(reason, str)
        and all(type(each) is int and each >= 0 for each in whole)
        and all(type(each) in (int, float) for each in numbers)
    ):
        raise UserError(f"{place} is no run of `hive rescue play`: a field has a value of the wrong kind")
    return replace(like, team=team, served_at=tuple(at.values()), limit=limit, reason=reason, metrics=metrics)

"""Plans as text: found by name or path, and checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import dsl
import scenarios
from dsl.wording import did_you_mean, listing, nearest
from hive.errors import Problem, ScenarioError


@dataclass(frozen=True)
class PlanText:
    """A plan as text, with what checking it found.

    Attributes:
        name: What results call it.
        text: As it was read.
        report: Of the check against the world.
    """

    name: str
    text: str
    report: dsl.Report

    @property
    def failure(self) -> str | None:
        """`invalid_plan`, `no_plan` when the text holds no step at all, or None for a plan that can be played."""
        return failure(self.report)


def failure(report: dsl.Report) -> str | None:
    """How games of a plan with this report end: `invalid_plan`, `no_plan` without a step, None if it can be played."""
    if report.ok:
        return None
    codes = {found.code for found in report.diagnostics if found.severity == "error"}
    return "no_plan" if codes == {"plan-empty"} else "invalid_plan"


def plan_text(source: str | Path) -> tuple[str, str]:
    """Text of a plan and the name that its diagnostics show; see `read_plan`."""
    if isinstance(source, str) and "\n" in source:
        return source, "<plan>"
    if str(source) in scenarios.plans():
        return scenarios.plan(str(source)), f"{source}.plan"
    path = Path(source)
    try:
        return path.read_text(encoding="utf-8"), str(source)
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is not UTF-8 text"
        mine = [name for name in scenarios.plans() if not name.endswith("_enemy")]
        near = did_you_mean(nearest(str(source), mine)) or ""
        known = f"{near} shipped plans are {listing(mine, 'and')}; or give a path to a file".strip()
        raise ScenarioError(str(source), [Problem("plan-file", f"the plan cannot be read: {why}", "", known)]) from None

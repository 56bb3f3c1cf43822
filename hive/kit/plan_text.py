"""Plans and trees as text: finding them by name or path, checking and listing them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dsl
import scenarios
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.errors import Problem, ScenarioError
from hive.kit.keep.places import read_text, reason


@dataclass(frozen=True)
class PlanText:
    """A plan as text, with the report of its check.

    Attributes:
        name: Name of the plan in results.
        text: The text as it was read.
        report: Report of the check against the world.
        written_for: Team sizes (player, enemy) that it was written for; None: those that the world names.
    """

    name: str
    text: str
    report: dsl.CheckResult
    written_for: tuple[int, int] | None = None

    @classmethod
    def read(
        cls,
        source: str | Path,
        context: dsl.PlanContext,
        lenient: bool = False,
        written_for: tuple[int, int] | None = None,
    ) -> PlanText:
        """Read a plan and check it.

        Args:
            source: A shipped plan's name, a path, or the text of a plan (anything with a line break).
            context: The context to check the plan in.
            lenient: Whether a unit may stand in two groups of a step.
            written_for: Team sizes of `context`, if they are not those that the world names.

        Raises:
            ScenarioError: There is no such plan or file.
        """
        text, file = plan_text(source)
        name = "plan" if isinstance(source, str) and "\n" in source else Path(source).stem
        return cls(name, text, dsl.check_plan(text, file, context, lenient), written_for)

    @property
    def failure(self) -> str | None:
        """`invalid_plan`, `no_plan` when the text holds no step, or None for a plan that can be played."""
        if self.report.ok:
            return None
        codes = {found.code for found in self.report.diagnostics if found.severity == "error"}
        return "no_plan" if codes == {"plan-empty"} else "invalid_plan"

    @property
    def root(self) -> dsl.PlanSyntax:
        """The plan as syntax, of one that has no failure."""
        assert isinstance(self.report.root, dsl.PlanSyntax), "a plan without failure has a root"
        return self.report.root


def plan_text(source: str | Path) -> tuple[str, str]:
    """Return the text of a plan and the name that its diagnostics show; see `read_plan`.

    Raises:
        ScenarioError: There is no such plan, or its file cannot be read as UTF-8 text.
    """
    if isinstance(source, str) and "\n" in source:
        return source, "<plan>"
    if str(source) in scenarios.plans():
        return scenarios.plan(str(source)), f"{source}.plan"
    path = Path(source)
    if str(source).endswith("/") and not path.exists():
        hint = "name a folder with files such as mine.plan, or a shipped plan"
        raise ScenarioError(str(source), [Problem("plan-file", "there is no such folder", "", hint)])
    try:
        return read_text(path), str(source)
    except (OSError, UnicodeDecodeError) as error:
        mine = [name for name in scenarios.plans() if not name.endswith("_enemy")]
        near = did_you_mean(nearest(str(source), mine)) or ""
        if any(word in str(source).lower() for word in ("step", "plan ")):
            near = "the text of a plan has line breaks;"
        elif "," in str(source):
            near = "several plans are separated by blanks, not by commas;"
        known = f"{near} shipped plans are {listing(mine, 'and')}; or give a path to a file".strip()
        problem = Problem("plan-file", f"the plan cannot be read: {reason(error)}", "", known)
        raise ScenarioError(str(source), [problem]) from None


def name_in_turn(ticked: Sequence[tuple[int, PlanText]]) -> str:
    """Return the name, in results, of plans that are followed in turn, each from its tick on."""
    return ", then ".join(text.name if not tick else f"{text.name} at {tick}" for tick, text in ticked)


def file_in_turn(tick: int, enemy: bool = False) -> str:
    """Return the file name, in a run folder, of the plan that the player or the enemy follows from a tick on."""
    if enemy:
        return f"enemy-{tick}.plan"
    return f"plan-{tick}.plan" if tick else "plan.plan"


def shown(source: str | Path | None) -> str | None:
    """Return a plan's source as settings show it: a text is in a file of its own."""
    if source is None:
        return None
    return "(its text is in this folder)" if isinstance(source, str) and "\n" in source else str(source)


def tree_entries(names: Iterable[str]) -> list[dict[str, Any]]:
    """Entries of a catalogue for shipped trees."""
    texts = {name: " ".join(scenarios.tree(name).split()).replace("( ", "(").replace(" )", ")") for name in names}
    return [{"name": name, "line": text, "text": text} for name, text in texts.items()]

"""Entry points: from a text to its node, or to everything that is wrong with the text."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

from dsl.checker import check_roles, check_steps, describe_skipped
from dsl.diagnostics import MAX_LISTED, Diagnostic, DslError, Findings, FullError, select
from dsl.drafts import StepDraft
from dsl.nodes import Fallback, Leaf, Node, PlanSyntax, Sequence
from dsl.plan_parser import read_plan
from dsl.plan_text import PlanLine
from dsl.resolving import finish_plan, resolve_words
from dsl.source import Source, Span
from dsl.spelling import settle_words
from dsl.tree_parser import read_tree
from dsl.unit_words import NO_FACTS
from dsl.vocabulary import PlanContext
from dsl.writing import write_plan


@dataclass(frozen=True)
class CheckResult:
    """What checking found out about a text.

    Attributes:
        file: Its name.
        root: Its node, or None when any diagnostic is an error.
        diagnostics: Every finding, in text order.
        skipped: Descriptions of the checks that were left out because a size is not known.
        written: A plan in canonical layout, in its own words and with its comments; None when any diagnostic is an
            error other than that the scenario is not known, and for trees. `format_plan` writes `root`, whose words
            are resolved.
    """

    file: str
    root: Node | PlanSyntax | None
    diagnostics: tuple[Diagnostic, ...]
    skipped: tuple[str, ...] = ()
    written: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the text can be used; it may still have warnings."""
        return all(diagnostic.severity != "error" for diagnostic in self.diagnostics)

    def json(self) -> dict[str, Any]:
        """Return the report as plain data; lines and columns count from 1, ends are just after the last character.

        At most `MAX_LISTED` diagnostics are listed, errors before warnings; `more` counts the others, if there are any.
        """
        listed, rest = select(self.diagnostics, MAX_LISTED)
        value = {
            "file": self.file,
            "ok": self.ok,
            "diagnostics": [
                {
                    "code": diagnostic.code,
                    "severity": diagnostic.severity,
                    "message": diagnostic.message,
                    "line": diagnostic.span.line,
                    "column": diagnostic.span.column,
                    "end_line": diagnostic.span.end_line,
                    "end_column": diagnostic.span.end_column,
                    "hint": diagnostic.hint,
                }
                for diagnostic in listed
            ],
        }
        return {**value, "more": len(rest)} if rest else value


def check_tree(text: str, name: str = "<tree>") -> CheckResult:
    """Read a behaviour tree (docs/rules/trees.md 1) and report all that is wrong with it; `name` is for messages."""
    root, found = read_tree(Source(name, text))
    if root:
        found += check_roles(root)
    return _report(name, root, found)


def check_plan(
    text: str, name: str = "<plan>", context: PlanContext | None = None, lenient: bool = False
) -> CheckResult:
    """Read the first plan of a text (docs/rules/plans.md 1) and report all that is wrong with it.

    Args:
        text: A plan, or a reply with one between `BEGIN PLAN` and `END PLAN`.
        name: What messages call the text.
        context: Names and sizes to check against; without it the published names and no sizes.
        lenient: Whether a unit may stand in several groups of a step; the last one then has it
            (docs/rules/plans.md 2.3).
    """
    context = context or PlanContext()
    findings = Findings()
    drafts: list[StepDraft] = []
    lines: list[PlanLine] = []
    respelled: list[tuple[Span, str]] = []
    with suppress(FullError):
        drafts, lines = read_plan(Source(name, text), context.objectives, findings)
        for finding in chain(
            settle_words(drafts, context, respelled),
            resolve_words(drafts, context),
            check_steps(drafts, context, lenient=lenient),
        ):
            findings.add(finding)
    errors = {finding.code for finding in findings.found if finding.severity == "error"}
    root = None if errors else finish_plan(drafts, context)
    written = None if errors - {NO_FACTS} else write_plan(lines, respelled)
    return _report(name, root, findings.found, describe_skipped(context), written)


def parse_tree(text: str, name: str = "<tree>") -> Node:
    """Return a behaviour tree.

    Raises:
        DslError: With every diagnostic, when one is an error.
    """
    report = check_tree(text, name)
    if not isinstance(report.root, Sequence | Fallback | Leaf):
        raise DslError(report.diagnostics)
    return report.root


def parse_plan(
    text: str, name: str = "<plan>", context: PlanContext | None = None, lenient: bool = False
) -> PlanSyntax:
    """Return a plan; the arguments are those of `check_plan`.

    Raises:
        DslError: With every diagnostic, when one is an error.
    """
    report = check_plan(text, name, context, lenient)
    if not isinstance(report.root, PlanSyntax):
        raise DslError(report.diagnostics)
    return report.root


def _report(
    name: str,
    root: Node | PlanSyntax | None,
    found: list[Diagnostic],
    skipped: tuple[str, ...] = (),
    written: str | None = None,
) -> CheckResult:
    found = sorted(found, key=lambda diagnostic: diagnostic.span.start)
    failed = any(diagnostic.severity == "error" for diagnostic in found)
    return CheckResult(name, None if failed else root, tuple(found), skipped, written)

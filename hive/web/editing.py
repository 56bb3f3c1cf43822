"""What the page's editor receives about a plan while it is written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dsl
from dsl.completing import complete
from dsl.editing import colours
from hive.engine.plan.template import plan_template
from hive.players.llm.session import Session
from hive.web.messages import BrowserMessage

_MOST_GROUPS = 500  # that are described for the map


def first_draft(session: Session) -> dict[str, str]:
    """Return what the editor begins with: `text`, and whose it is in `origin`, `shipped` or `template`.

    The world's own plan is shown if it has no errors for the armies of this game.
    """
    dialogue, own = session.dialogue, session.dialogue.topic.plan
    for text, origin in ((own, "shipped"), (plan_template(dialogue.context), "template")):
        report = dsl.check_plan(text or "", "plan", dialogue.context, dialogue.lenient)
        if text and report.ok and isinstance(report.root, dsl.PlanSyntax):
            return {"text": f"{report.written}\n", "origin": origin}
    raise AssertionError("the template has no errors")


def checked(message: BrowserMessage, session: Session) -> dict[str, Any]:
    """Answer a `check`.

    Returns:
        `diagnostics`; `colours` as `[start, end, class]`; `steps` and `groups` of a plan without errors, with their
        lines and the `ids` of a group as ranges `[start, end)`; and `completions`, each with the stretch that it
        replaces. Lines and columns count from 1; offsets count characters from 0, ends are not included.
    """
    text, at = message.fields["text"], message.fields["at"]
    dialogue = session.dialogue
    context = dialogue.context
    report = dsl.check_plan(text, "plan", context, dialogue.lenient)
    found: dict[str, Any] = {
        "is": "checked",
        "id": message.id,
        "diagnostics": diagnostics(report),
        "colours": list(colours(text, context)),
        "steps": [],
        "groups": [],
        "completions": [],
    }
    if isinstance(report.root, dsl.PlanSyntax):
        found |= _plan(report.root, context.team_size or 0)
    if at is not None:
        done = complete(text, min(at, len(text)), context)
        found["completions"] = [
            {"start": done.start, "end": done.end, "text": word, "about": about} for word, about in done.words
        ]
    return found


def diagnostics(report: dsl.CheckResult) -> list[dict[str, Any]]:
    """Return what is wrong with a plan; lines and columns count from 1, and `help` may be None."""
    listed: list[dict[str, Any]] = report.json()["diagnostics"]
    return [{**{key: value for key, value in each.items() if key != "hint"}, "help": each["hint"]} for each in listed]


def _plan(plan: dsl.PlanSyntax, team: int) -> dict[str, Any]:
    steps, groups = [], []
    for number, step in enumerate(plan.steps):
        objective = dsl.format_objective(step.objective)
        steps.append({"number": step.id, "after": step.prerequisites, "objective": objective, **_lines(step.span)})
        for group in step.groups:
            bounds = [(start, team if stop is None else min(stop, team)) for start, stop in group.units.bounds()]
            groups.append(
                {
                    "step": number,
                    "units": dsl.format_chosen(group),
                    "ids": bounds,
                    "target": group.target,
                    "behaviour": dsl.format_behaviour(replace(group, types=group.types or ("any",))),
                    **_lines(group.span),
                }
            )
    return {"steps": steps, "groups": groups[:_MOST_GROUPS]}


def _lines(span: dsl.Span) -> dict[str, int]:
    return {"line": span.line, "end_line": span.end_line}

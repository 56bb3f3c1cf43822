"""What the page's editor is told about a plan while it is written."""

from __future__ import annotations

from typing import Any

import dsl
from dsl.editing import colours, complete
from hive.llm.session import Session
from hive.web.messages import Message

_MOST_GROUPS = 500  # that are described for the map


def checked(message: Message, session: Session) -> dict[str, Any]:
    """Answer a `check`.

    Returns:
        `diagnostics` (lines and columns from 1, and offsets), `colours` as `[start, end, class]`, `steps` and `groups`
        of a plan without errors, and `completions` at the place asked about. All offsets count UTF-16 units, as
        JavaScript does.
    """
    text, at = message.fields["text"], message.fields["at"]
    dialogue = session.dialogue
    report = dsl.check_plan(text, "plan", dialogue.context, dialogue.lenient)
    places = _Places(text)
    found: dict[str, Any] = {
        "is": "checked",
        "id": message.id,
        "diagnostics": diagnostics(report),
        "colours": [[places[start], places[end], name] for start, end, name in colours(text, dialogue.context)],
        "steps": [],
        "groups": [],
        "completions": None,
    }
    if isinstance(report.root, dsl.Plan):
        found |= _plan(report.root, dialogue.context.team_size or 0, places)
    if at is not None:
        done = complete(text, places.back(at), dialogue.context)
        found["completions"] = {"start": places[done.start], "end": places[done.end], "words": done.words}
    return found


def diagnostics(report: dsl.CheckResult) -> list[dict[str, Any]]:
    """Return what is wrong with a plan; lines and columns count from 1, and `help` may be None."""
    listed: list[dict[str, Any]] = report.json()["diagnostics"]
    return [{**{key: value for key, value in each.items() if key != "hint"}, "help": each["hint"]} for each in listed]


def _plan(plan: dsl.Plan, team: int, places: _Places) -> dict[str, Any]:
    steps, groups = [], []
    for number, step in enumerate(plan.steps):
        steps.append(
            {
                "number": step.id,
                "after": step.prerequisites,
                "objective": dsl.format_objective(step.objective),
                "start": places[step.span.start],
                "end": places[step.span.end],
            }
        )
        for group in step.groups:
            bounds = [(start, team if stop is None else min(stop, team)) for start, stop in group.units.bounds()]
            groups.append(
                {
                    "step": number,
                    "units": dsl.format_units(group.units),
                    "ids": bounds,
                    "target": group.target,
                    "behaviour": " ".join((group.behaviour, *(group.types or ("any",)))),
                    "start": places[group.span.start],
                    "end": places[group.span.end],
                }
            )
    return {"steps": steps, "groups": groups[:_MOST_GROUPS]}


class _Places:
    """Offsets of a text in UTF-16 units by those in characters."""

    def __init__(self, text: str) -> None:
        self._high = [place for place, letter in enumerate(text) if letter > "\uffff"]
        self._length = len(text)

    def __getitem__(self, place: int) -> int:
        return place + sum(high < place for high in self._high)

    def back(self, place: int) -> int:
        """Return the offset in characters, at most the length of the text."""
        for high in self._high:
            if high < place - 1:
                place -= 1
        return min(place, self._length)

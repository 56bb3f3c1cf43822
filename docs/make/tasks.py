"""`docs/tasks.md`: the facts of every task for learners, from its environment."""

from __future__ import annotations

from docs.make.reference import table
from docs.make.tutorial import PAGE as TUTORIAL
from hive.rl.facts import Facts, facts
from hive.rl.registry import tasks

PAGE = TUTORIAL.with_name("tasks.md")

_HEAD = """\
# Tasks for learners

This page is generated from the tasks by `python -m docs.make`. [Training](learning.md) shows how to use them, the
[rules](rules/learning.md) state every observation, action and reward. `hive describe NAME` prints the facts of a task,
and `hive.rl.describe(name)` returns them as text.
"""


def make_tasks() -> str:
    """Return the text of the page."""
    return "\n".join([_HEAD, *(_section(facts(name)) for name in tasks())])


def _section(of: Facts) -> str:
    actions = table(("Number", "Action"), of.actions)
    lines = [f"## `{of.name}`", of.summary[0].upper() + of.summary[1:] + ".", table(("", ""), of.rows), actions]
    return "\n\n".join(lines) + "\n"

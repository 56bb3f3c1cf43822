"""What a task is, in numbers and words: its page in the documentation, and the answer to `describe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax

from dsl import UserError
from hive.rl.registry import make, task
from hive.worlds import environments_of, kinds


@dataclass(frozen=True, kw_only=True)
class Facts:
    """A task, for people.

    Attributes:
        name: Name in `make`.
        summary: One line.
        rows: What is asked, and the answer.
        actions: Number or numbers of each action, and what it does, in words.
    """

    name: str
    summary: str
    rows: tuple[tuple[str, str], ...]
    actions: tuple[tuple[str, str], ...]


def facts(name: str) -> Facts:
    """Return the facts of a task.

    Raises:
        UserError: There is no such task.
    """
    chosen = task(name)
    own = environments_of(chosen.kind).task_facts(chosen)
    shapes = kinds()[chosen.kind].seeded  # one map says as much as all of them, and its arrays are not needed
    try:
        env: Any = jax.eval_shape(lambda: make(name, seeds=[0])) if shapes else make(name)
    except UserError as error:  # a set whose battles are no lanes of one environment
        why = str(error).partition("\n")[0]
        return Facts(name=name, summary=chosen.summary, rows=(*own, ("Learners", f"none: {why}")), actions=())
    state = jax.eval_shape(lambda env, key: env.global_state(env.reset(key)[0]), env, jax.random.key(0)).shape[0]
    rows = (
        *own,
        ("Agents", f"{env.num_agents}"),
        ("Actions", f"{env.num_actions} per agent"),
        ("Observation", f"{env.observation_size} numbers per agent"),
        ("Global state", f"{state} numbers, for critics"),
        ("Limit", f"{env.max_steps} steps"),
    )
    return Facts(name=name, summary=chosen.summary, rows=rows, actions=env.action_table)


def describe(name: str) -> str:
    """Return the facts of a task as text.

    Raises:
        UserError: There is no such task.
    """
    found = facts(name)
    wide = max(len(head) for head, _ in found.rows)
    lines = [f"{found.name}: {found.summary}", "", *(f"{head:<{wide}}  {text}" for head, text in found.rows)]
    actions = ["", "Actions", *(f"{number:>7}  {words}" for number, words in found.actions)] if found.actions else []
    return "\n".join([*lines, *actions])

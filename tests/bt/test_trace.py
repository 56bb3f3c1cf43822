"""`explain` tells one unit's tick: what was asked, what it answered, who won."""

from __future__ import annotations

import json

import jax.numpy as jnp
import numpy as np

import bt
from dsl import Node, parse_tree

LONG_RANGE = parse_tree(
    "F(S(C(in_reach foe me_from_them high any) :: A(move away_from closest foe any))"
    " :: A(attack random any) :: A(follow_map toward))"
)


def tick(root: Node, answers: list[bool]) -> tuple[np.ndarray, np.ndarray, int]:
    """One unit's asked and answers, padded to the capacity, and its winner."""
    trees = bt.stack([bt.flatten(root)])
    column = np.ones((trees.on_success.shape[1], 1), bool)
    column[: len(answers), 0] = answers
    ticked = bt.tick(*bt.program(trees, jnp.zeros(1, int)), jnp.asarray(column))
    return np.asarray(ticked.asked[:, 0]), column[:, 0], int(ticked.winner[0])


def test_explain_draws_the_tree_with_what_won() -> None:
    assert bt.explain(LONG_RANGE, *tick(LONG_RANGE, [False, True, True, True])) == "\n".join(
        [
            "F                                            success",
            "├─ S                                         failure",
            "│  ├─ C(in_reach foe me_from_them high any)  failure",
            "│  └─ A(move away_from closest foe any)      ·",
            "├─ A(attack random any)                      success  <- wins",
            "└─ A(follow_map toward)                      ·",
            "the unit does A(attack random any)",
        ]
    )


def test_explain_adds_notes_to_leaves() -> None:
    drawn = bt.explain(LONG_RANGE, *tick(LONG_RANGE, [False, True, True, True]), notes={0: "too far", 2: "it hits"})

    lines = drawn.splitlines()
    assert lines[2] == "│  ├─ C(in_reach foe me_from_them high any)  failure: too far"
    assert lines[4] == "├─ A(attack random any)                      success  <- wins: it hits"
    assert sum(":" in line for line in lines) == 2


def test_explain_says_when_the_unit_stands() -> None:
    root = parse_tree("S(F(C(is_in_forest) :: C(in_sight foe)) :: C(is_armed self))")

    assert bt.explain(root, *tick(root, [True, True, False])) == "\n".join(
        [
            "S                      failure",
            "├─ F                   success",
            "│  ├─ C(is_in_forest)  success",
            "│  └─ C(in_sight foe)  ·",
            "└─ C(is_armed self)    failure",
            "no action won: the unit stands",
        ]
    )


def test_explain_takes_a_flat_and_the_callers_words() -> None:
    root = parse_tree("A(attack closest archer or cavalry)")
    words = bt.explain(bt.flatten(root), *tick(root, [True]), describe=lambda leaf: f"{leaf.name}!")

    assert words == "attack!  success  <- wins\nthe unit does attack!"
    assert "A(attack closest archer or cavalry)" in bt.explain(root, *tick(root, [True]))


def test_record_is_the_same_in_plain_values() -> None:
    entries = bt.record(LONG_RANGE, *tick(LONG_RANGE, [True, False, True, True]))

    assert json.loads(json.dumps(entries)) == entries
    assert [entry["answer"] for entry in entries] == ["success", "failure", "success", None]
    assert [entry["asked"] for entry in entries] == [True, True, True, False]
    assert [entry["won"] for entry in entries] == [False, False, True, False]
    assert entries[0] == {
        "leaf": 0,
        "role": "C",
        "text": "C(in_reach foe me_from_them high any)",
        "asked": True,
        "answer": "success",
        "won": False,
    }

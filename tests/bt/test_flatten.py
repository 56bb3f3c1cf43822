"""A tree is a short-circuit expression: each leaf, in text order, with two jumps (docs/rules/trees.md 2)."""

from __future__ import annotations

import numpy as np
import pytest

import bt
from bt import FAILURE, SUCCESS
from dsl import Fallback, Leaf, Sequence
from tests.bt.reference import place, random_tree


def condition(name: str) -> Leaf:
    return Leaf(role="C", name=name)


def action(name: str) -> Leaf:
    return Leaf(role="A", name=name)


def test_jumps_of_a_published_shape() -> None:
    """F(S(C A) A A), the shape of attack_in_long_range (docs/rules/trees.md 6.1)."""
    flat = bt.flatten(
        Fallback((Sequence((condition("near"), action("flee"))), action("attack"), action("walk"))),
    )

    assert [leaf.name for leaf in flat.leaves] == ["near", "flee", "attack", "walk"]
    assert flat.on_success.tolist() == [1, SUCCESS, SUCCESS, SUCCESS]
    assert flat.on_failure.tolist() == [2, 2, 3, FAILURE]
    assert flat.is_action.tolist() == [False, True, True, True]


def test_an_action_that_succeeds_ends_the_tree_even_in_a_sequence() -> None:
    flat = bt.flatten(Sequence((action("x"), action("y"))))

    assert flat.on_success.tolist() == [SUCCESS, SUCCESS]
    assert flat.on_failure.tolist() == [FAILURE, FAILURE]


def test_a_condition_that_succeeds_ends_its_fallback_alone() -> None:
    flat = bt.flatten(Sequence((Fallback((condition("a"), condition("b"))), action("x"))))

    assert flat.on_success.tolist() == [2, 2, SUCCESS]
    assert flat.on_failure.tolist() == [1, FAILURE, FAILURE]


def test_a_leaf_is_a_tree() -> None:
    flat = bt.flatten(condition("a"))

    assert (flat.on_success.tolist(), flat.on_failure.tolist()) == ([SUCCESS], [FAILURE])


@pytest.mark.parametrize("node", [Sequence, Fallback])
def test_a_node_without_children_is_refused(node: type[Sequence] | type[Fallback]) -> None:
    with pytest.raises(ValueError, match="without children"):
        bt.flatten(Sequence((action("x"), node(()))))


def test_leaves_keep_text_order_and_jumps_go_forward() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        flat = bt.flatten(random_tree(rng, 30))

        here = np.arange(len(flat.leaves))
        assert [place(leaf) for leaf in flat.leaves] == here.tolist()
        for jump in (flat.on_success, flat.on_failure):
            assert np.all((jump < 0) | ((jump > here) & (jump < len(here))))

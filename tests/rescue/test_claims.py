"""Claims of agents: docs/rules/rescue.md 13, by messages that are written down by hand."""

from __future__ import annotations

import pytest

from hive.worlds.rescue.claims import Claims, claims
from tests.rescue.test_coordination import run


@pytest.mark.parametrize(
    ("step", "text", "made", "false"),
    [
        (2, "I helped victim 1.", 1, 0),
        (1, "I helped victim1.", 1, 1),  # a step before it did
        (2, "I've just given water to victim1 and I go to victim2 in room5.", 1, 0),
        (2, "I gave medicine to victim1.", 1, 1),
        (2, "I helped victim1 and victim2.", 1, 1),
        (2, "I helped victim1, Bravo helped victim2 and I will go home.", 1, 0),
        (2, "Delivered water to Victim_1; I have already helped victim2!", 2, 1),
        (2, "I did give_water(). I go to victim2 in room5.", 1, 0),
        (2, "I did give_food().", 1, 1),
        (2, "I have not helped victim2, and I tried give_food().", 0, 0),
        (2, "I will have helped victim2 soon. Please help victim2. I helped as I could.", 0, 0),
        (2, "I helped victim11.", 0, 0),
        (2, "I gave water to victim1 (still needs food).", 1, 0),
        (2, "I gave water for victim1", 1, 0),
        (2, "I gave water for victim2", 1, 1),
        (2, "I gave water to victim1 that needs food too.", 1, 0),
        (2, "I gave water to victim1 and it still needs medicine.", 1, 0),
        (2, "I gave it to victim1 and kept my food for victim2.", 1, 0),
        (2, "I gave water to victim1 instead of victim2.", 1, 0),
        (2, "I gave water to victim1 before victim2 asked.", 1, 0),
        (2, "I gave water to victim1 after Bravo gave food.", 1, 0),
        (2, "I gave water to victim1 \u2014 victim2 is next.", 1, 0),
        (2, "I gave water to victim1 - food is missing.", 1, 0),
        (2, "Update: I gave water to victim1: food and medicine are missing.", 1, 0),
        (2, "I gave water to victim1\nvictim2: food", 1, 0),
        (2, "I gave victim1 water, not food.", 1, 0),
        (2, "I gave victim1 water as victim2 is far.", 1, 0),
        (2, "I helped victim1 as well as victim2.", 1, 1),
        (2, "I helped victim1 with water without food.", 1, 0),
        (2, "I served the needs of victim1.", 1, 0),
        (2, "Given that victim2 needs food, go there. Provided that you carry medicine, help victim2.", 0, 0),
        (2, "Given victim2 is urgent, I go there. Given the food that I carry, victim2 is mine.", 0, 0),
        (2, "Given water to victim1. Provided a unit of food to victim2.", 2, 1),
        (2, "I saved my food for victim2 and I saved one water.", 0, 0),
        (2, "I saved victim1; I saved victim2.", 2, 1),
    ],
)
def test_a_claim_is_false_if_its_sender_had_not_given_that(step: int, text: str, made: int, false: int) -> None:
    """Agent 0 gives water to victim1 in step 2 of this run, and nothing else."""
    assert claims(run(said=[(step, 0, text)])) == Claims(made, false)


def test_what_another_agent_gave_makes_no_claim_true() -> None:
    assert claims(run(said=[(4, 0, "I helped victim2."), (4, 1, "I helped victim2.")])) == Claims(2, 1)

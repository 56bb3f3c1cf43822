"""What each code of a refusal says: one plain sentence, and what to do instead (docs/rules/kitchen.md 9.3)."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
    "P1": ("`{place}` is working; its product is ready in {left} timesteps", "wait until it is ready"),
    "P2": ("`{item}` leaves `{place}` in a dish only", "take a dish, then `fill_dish_with_food({place})`"),
    "P3": ("`{item}` is a utensil, and utensils cannot be moved", ""),
    "P4a": ("{cook} does not reach `{place}`", "ask {mate} to place the object on a counter"),
    "P4b": ("there is no `{item}` on a counter that {cook} reaches", "{source}"),
    "P4c": ("{cook} does not reach `{place}`", "ask {mate} for `{item}`"),
    "P5": ("the hand already holds `{held}`", "put it down first"),
    "P6": ("`{place}` does not hold a finished `{item}`; it {state}", ""),
    "U1": ("`{place}` is working; its product is ready in {left} timesteps", "wait until it is ready"),
    "U2": ("`{place}` still holds a finished `{product}`", "take it out first"),
    "U3": ("{cook} does not reach `{place}`", "{cook} reaches {utensils}"),
    "U4": ("no counter is empty", "clear a counter first"),
    "U5": ("the hand is empty, so there is nothing to put in", ""),
    "U6": ("the hand holds a dish, and dishes go on counters only", ""),
    "U7": ("`{place}` is full", "start it"),
    "K1": ("the hand is empty, so there is nothing to place", ""),
    "K2": ("no counter that {cook} reaches is empty", "wait until one is empty"),
    "D1": ("the order `{order}` needs no dish", "pick the food up with an empty hand"),
    "D2": ("`{place}` neither works nor holds a finished product", "start it first"),
    "D3": ("the hand holds no empty dish", "take a dish first"),
    "D4": ("{cook} does not reach `{place}`", ""),
    "V1": ("`{held}` is no finished food that can be ordered", ""),
    "V2": ("the hand is empty, so there is nothing to deliver", ""),
    "V3": ("{cook} cannot deliver", "place the food on a counter for {mate}"),
    "O1": ("{cook} cannot use `{place}`", "ask {mate} to `{operation}`"),
    "O2": ("`{place}` is empty, so there are not enough ingredients", "put something in first"),
    "O3": ("`{place}` is busy: it {state}", ""),
    "O4": ("the hand holds `{held}` and must be empty", "put it down first"),
}
"""Sentence and help of each code; `Validator.check` fills in the names."""

WRONG_CONTENTS = "the contents of `{place}` match no recipe, so they were thrown away"
"""The sentence of E1."""

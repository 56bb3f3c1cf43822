"""Names of the experiments and of the scripted pairs of the study, which a command line reads before anything loads."""

from __future__ import annotations

EXPERIMENTS = {
    "A": "the recipe as the task tells it",
    "B": "a recipe of single actions",
    "C": "the same, with the probed action moved to the front",
}
"""The published experiments by their names, and the recipe that the cook reads (docs/rules/kitchen.md 12.3)."""

SPEAKER, READER = "speaker", "reader"
PAIRS = {
    SPEAKER: "a scripted pair that knows all recipes by heart: one cook looks at the kitchen and asks for what is next",
    READER: "a scripted pair: one cook asks for the first line of its recipe, whatever has been done",
}
"""The scripted pairs, and what they do (docs/rules/kitchen.md 12.4)."""

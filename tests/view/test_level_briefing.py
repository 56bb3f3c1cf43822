"""A level in words: what its crew may know, a plan that the crew could follow, and nothing that is hidden."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import dsl
from hive.engine.crews.explored import Explored
from hive.worlds.wildfire.briefing import VERSIONS, level_text, seen_text
from hive.worlds.wildfire.levels import levels
from hive.worlds.wildfire.rules_text import rules_text
from hive.worlds.wildfire.world import load_level


@pytest.mark.parametrize("prompt", VERSIONS)
@pytest.mark.parametrize("name", levels())
def test_the_plan_that_is_shown_is_right_for_every_crew(name: str, prompt: int) -> None:
    """A model copies the form that it is shown."""
    world = replace(load_level(name), prompt=prompt)
    text = level_text(world)
    assert world.briefing in text and f"the game lasts {world.site.level.limit} at most" in text
    shown = text[text.index("BEGIN PLAN") : text.index("END PLAN") + len("END PLAN")]
    report = dsl.check_plan(shown, "shown", world.context())
    assert report.ok and not report.diagnostics
    slices = re.findall(r"^\w+: \[(\d+):(\d+)\]; Speed=", text, re.MULTILINE)
    assert [end for _, end in slices[:-1]] == [start for start, _ in slices[1:]], "without a gap"
    assert (slices[0][0], slices[-1][1]) == ("0", str(sum(world.site.level.agents)))


@pytest.mark.parametrize("name", levels())
def test_words_that_the_second_prompt_names_are_those_of_the_level(name: str) -> None:
    """Each kind of word that it shows is read in a plan for this crew, and what it does not show is refused."""
    world = replace(load_level(name), prompt=2)
    text = level_text(world)
    kind = text[text.index("`half of ") :].split("`")[1].removeprefix("half of ")
    for units in ("half of", "30% of", "1 of", ""):
        assert f"`{units} {kind}`" in text or not units
        for target in ("north-east", "line (5, 5) - (9, 5)", "area (5, 5) - (9, 9)", "(1, 2) via (5, 5), (9, 9)"):
            plan = (
                f"Step 0:\nprerequisites: []\nobjective: losses 30%\nunits: {units} {kind}\n"
                f"- target position: {target}\n- behavior: stand  # there\n"
                f"units: nearest 1 of {kind} to (5, 5)\n- target position: centre\n- behavior: stand\n"
            )
            assert dsl.check_plan(plan, context=world.context()).diagnostics == ()
    assert not [word for word in ("under cover", "behind", "within 12", "sighted", "marker") if word in text]


def test_a_prompt_that_does_not_exist_is_refused() -> None:
    with pytest.raises(dsl.UserError, match="its versions are `1` and `2`"):
        replace(load_level("scout_fire_small"), prompt=3)


def test_the_map_shows_what_was_seen_with_north_above() -> None:
    """The published symbols, `[x, y]` with y south (docs/rules/wildfire.md 5.1)."""
    seen = np.zeros((9, 8), np.uint8)
    seen[3, 2], seen[4, 2], seen[5, 2], seen[3, 4] = 3, 8, Explored.IGNITED, Explored.BUILDING
    seen[5, 4] = Explored.WATER
    head = "What was seen of the map: x from 3 to 5, y from 2 to 4; all else is unseen.\n"
    assert seen_text(seen) == f"{head}'2',3,i,\n-,-,-,\nB,-,w,"
    assert seen_text(seen, compact=True) == f"{head}23i\n---\nB-w"
    assert seen_text(np.zeros((9, 8), np.uint8)) == "The crew has not seen any cell of the map yet."


@pytest.mark.parametrize("name", ["suppress_contain", "full_environment", "rescue_search", "cut_trees_sparse_small"])
def test_the_briefing_can_state_the_rules_that_a_scripted_commander_knows(name: str) -> None:
    """The rules of fire and of civilians, on levels that have them, and nothing about the map."""
    world, other = load_level(name), load_level(name, seed=5)
    level, text = world.site.level, rules_text(world.site.level)
    assert text == rules_text(other.site.level) and max(map(len, text.splitlines()), default=0) <= 120
    assert ("within about 86 degrees of the wind" in text) == bool(level.period)
    assert ("stray" in text) == bool(level.clusters)
    assert text in level_text(world, rules=True)
    assert level_text(world) == level_text(world, rules=True).replace(f"\n\n{text}" if text else "", "", 1)
    assert ("row by row" in rules_text(level.under("published"))) == bool(level.period)

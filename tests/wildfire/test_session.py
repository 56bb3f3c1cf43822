"""Games of a commander: what it is told, that it is asked again, and that doing nothing lets the fire alone decide."""

from __future__ import annotations

from dataclasses import fields

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from hive import spawning
from hive.wildfire.fireground import load_level
from hive.wildfire.session import Played, Report, play_level, report
from hive.world import fire as fires

burn, reset = jax.jit(fires.burn), jax.jit(spawning.reset)
STAND = "Step 0:\nprerequisites: []\nobjective: extinguish\nunits: all\n- target position: (1, 1)\n- behavior: stand\n"


class Scribe:
    """Writes one plan and remembers what it was told."""

    every = 5

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.reports: list[Report] = []

    def plan(self, report: Report) -> str:
        """The next of the texts, the last one for ever."""
        self.reports.append(report)
        return self.texts[min(len(self.reports), len(self.texts)) - 1]


def play(scribe: Scribe) -> Played:
    return play_level(load_level("suppress_contain", 7765, limit=40), scribe)


def test_doing_nothing_loses_what_the_fire_takes() -> None:
    """A game in which all stand is the automaton alone, one update each five ticks."""
    scribe = Scribe(STAND)
    played = play(scribe)
    blaze = load_level("suppress_contain", 7765).params.blaze
    assert blaze is not None
    fire, lost = blaze.start, [0]
    for tick in range(1, 41):
        fire = burn(blaze.fuel, fire, jnp.uint32(0)) if tick % 5 == 0 else fire
        lost.append(-int(fire.trees_lost) - 10 * int(fire.buildings_lost))
    assert played.scores.tolist() == lost and played.score == lost[-1] < 0
    assert (played.outcome, played.ticks, played.losses["trees"]) == ("timeout", 40, int(fire.trees_lost))
    assert [report.tick for report in scribe.reports] == list(range(0, 40, 5)) and len(played.plans) == 1


def test_a_commander_is_told_its_own_units_and_the_explored_map_alone() -> None:
    scribe = Scribe(STAND, STAND.replace("(1, 1)\n- behavior: stand", "(40, 20)\n- behavior: go_to"))
    played = play(scribe)
    first, last = scribe.reports[0], scribe.reports[-1]
    x, y = first.cell[0]
    assert len(set(map(tuple, first.cell.tolist()))) == 1 and first.kind.tolist() == [0] * 5 + [1]
    window = np.zeros_like(first.seen, bool)
    window[max(x - 5, 0) : x + 6, max(y - 5, 0) : y + 6] = True
    assert ((first.seen > 0) == window).all()
    assert (last.seen > 0).sum() > window.sum() and last.cell.tolist() == [[40, 20]] * 6
    assert len(played.plans) == 2 and [tick for tick, _ in played.plans] == [0, 5]


@pytest.mark.parametrize("name", ["cut_trees_lines_small", "rescue_known_small", "full_environment"])
def test_a_report_holds_nothing_that_is_hidden(name: str) -> None:
    """Unseen trees, fire and civilians may be anything, at any time of a game; wind and slope are not in it at all."""
    world = load_level(name, size=48)
    state = reset(world.params, jax.random.key(0))
    assert state.fire is not None and state.crew is not None
    hidden = np.asarray(state.crew.seen) == 0
    fire = state.fire.replace(
        trees=jnp.where(hidden, 3 - state.fire.trees, state.fire.trees),
        phase=jnp.where(hidden, jnp.uint8(fires.ON_FIRE), state.fire.phase),
        trees_lost=jnp.int32(99),
    )
    other = np.argwhere(hidden)[: len(state.crew.living)]
    crew = state.crew.replace(civilian=jnp.asarray(other, jnp.int32), living=~state.crew.living)
    one, two = report(world, state), report(world, state.replace(fire=fire, crew=crew))
    assert not one.level.seeds and 0 < hidden.mean() < 1
    for each in fields(Report):
        assert np.array_equal(getattr(one, each.name), getattr(two, each.name)), each.name


def test_a_wrong_plan_is_shown_with_all_its_errors() -> None:
    bad = STAND.replace("(1, 1)", "(60, 1)").replace("stand", "attack_and_move")
    with pytest.raises(dsl.DslError) as caught:
        play(Scribe(bad))
    assert {found.code for found in caught.value.diagnostics} == {"plan-coordinate", "plan-behaviour"}

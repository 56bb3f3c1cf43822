"""Games of a commander: what it is told, that it is asked again, and that doing nothing lets the fire alone decide."""

from __future__ import annotations

from dataclasses import fields

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from hive.engine import spawning
from hive.engine.crews.explored import codes
from hive.ground import fire as fires
from hive.worlds.wildfire.commanders import commander_for
from hive.worlds.wildfire.games import Played, play_level
from hive.worlds.wildfire.reports import Report, report
from hive.worlds.wildfire.world import load_level
from tests.tiers import tiers

burn, reset, codes_of = jax.jit(fires.burn), jax.jit(spawning.reset), jax.jit(codes)
STAND = "Step 0:\nprerequisites: []\nobjective: extinguish\nunits: all\n- target position: (1, 1)\n- behavior: stand\n"


class Scribe:
    """Writes one plan and remembers what it was told."""

    every = 5

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.reports: list[Report] = []

    def plan(self, report: Report) -> str:
        """The next of the texts; the last one is repeated."""
        self.reports.append(report)
        return self.texts[min(len(self.reports), len(self.texts)) - 1]


def play(scribe: Scribe) -> Played:
    return play_level(load_level("suppress_contain", 7765, limit=40), scribe)


@pytest.mark.long
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


@pytest.mark.long
def test_a_report_has_only_own_units_and_the_explored_map() -> None:
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


GAMES = (  # one of each
    "cut_trees_lines_small",
    "scout_fire_small",
    "transport_firefighters_small",
    "rescue_search_transport",
    "suppress_contain",
    "full_environment",
)


@pytest.mark.parametrize("name", tiers(GAMES, quick=["rescue_search_transport", "full_environment"], slow=GAMES))
def test_nothing_that_is_hidden_reaches_a_commander(name: str) -> None:
    """Unseen trees, fire and civilians may be anything, also with a fire in view: the same report and plan."""
    world = load_level(name, size=48)
    params, state = world.params, reset(world.params, jax.random.key(0))
    assert state.fire is not None and state.crew is not None and params.blaze is not None
    middle = world.site.places.fire or world.site.places.spawn
    fire = state.fire
    for _ in range(4):  # the start cell has spread by then
        fire = burn(params.blaze.fuel, fire, jnp.uint32(0))
    fire = jax.device_get(fire)
    state = jax.device_get(state).replace(fire=fire, tick=np.int32(20))
    window = np.zeros((48, 48), bool)
    window[max(middle[0] - 9, 0) : middle[0] + 9, max(middle[1] - 9, 0) : middle[1] + 9] = True
    seen = np.where(window, codes_of(params, state), state.crew.seen)
    state = state.replace(crew=state.crew.replace(seen=seen))
    hidden = seen == 0
    other = fire.replace(
        trees=np.where(hidden, 3 - fire.trees, fire.trees),
        phase=np.where(hidden, np.uint8(fires.Phase.ON_FIRE), fire.phase),
        trees_lost=np.int32(99),
    )
    cells = np.argwhere(hidden)[: len(state.crew.living)]
    crew = state.crew.replace(civilian=cells.astype(np.int32), living=~state.crew.living)
    one, two = report(world, state), report(world, state.replace(fire=other, crew=crew))
    assert not one.level.seeds and 0 < hidden.mean() < 1
    assert world.site.places.fire is None or bool(((one.seen > 8) & (one.seen < 13)).any())
    for each in fields(Report):
        assert np.array_equal(getattr(one, each.name), getattr(two, each.name)), each.name
    assert commander_for(world.site.level).plan(one) == commander_for(world.site.level).plan(two)


def test_a_wrong_plan_is_shown_with_all_its_errors() -> None:
    bad = STAND.replace("(1, 1)", "(60, 1)").replace("stand", "attack_and_move")
    with pytest.raises(dsl.DslError) as caught:
        play(Scribe(bad))
    assert {found.code for found in caught.value.diagnostics} == {"plan-coordinate", "plan-behaviour"}

"""Episodes of levels for teams of language agents: what agents read, which actions they have, steps in a batch."""

from __future__ import annotations

import numpy as np
import pytest

from dsl import UserError
from dsl.vocabulary import CREW_TYPES
from hive.engine.crews.explored import Explored
from hive.kit.contract import TeamRequest
from hive.kit.stage import IDLE, Choice
from hive.worlds import kind_of
from hive.worlds.wildfire.agents.catalogue import options
from hive.worlds.wildfire.agents.paragraphs import COMPASS, direction, paragraph
from hive.worlds.wildfire.agents.troupe import FireTroupe, open_troupe
from hive.worlds.wildfire.agents.views import View, read_view, role_text, view_text
from hive.worlds.wildfire.primitives import ONCE, PRIMITIVE_NAMES
from hive.worlds.wildfire.world import load_level

FIREFIGHTER, BULLDOZER, DRONE, HELICOPTER = 0, 2, 3, 4  # agents
SEEDS = (5, 7)


CREW = {"firefighters": 2, "bulldozers": 1, "drones": 1, "helicopters": 1, "size": 24, "limit": 20}


@pytest.fixture
def troupe() -> FireTroupe:
    """Two episodes with every type; all agents start in one cell."""
    return FireTroupe([load_level("cut_trees_sparse_small", seed, **CREW) for seed in SEEDS], keep=True)


def go(troupe: FireTroupe, steps: int = 1, playing: tuple[int, ...] = (0, 1)) -> None:
    for _ in range(steps):
        troupe.step(playing)


def test_every_action_of_both_sheets_is_an_option_with_its_number() -> None:
    """docs/rules/wildfire.md 6.4 and 6.5, dropping off included."""
    for type_, kind in enumerate(CREW_TYPES):
        assert [option.name for option in options(kind, False)] == list(PRIMITIVE_NAMES[type_])
        single = [option.name.replace("one tree", "n trees") for option in options(kind, True)]
        assert single == [PRIMITIVE_NAMES[type_][number] for number in ONCE[type_]]
        for option in (*options(kind, False), *options(kind, True)):
            assert option.example.startswith(option.name) and len(option.words) > 10 and "{" not in option.words
            assert len(option.example.removeprefix(option.name).split()) == len(option.values)


@pytest.mark.slow
def test_an_action_runs_until_it_is_done_and_a_single_step_ends_at_once(troupe: FireTroupe) -> None:
    one, other = troupe.stages
    there = Choice(1, (0, 0), "go")
    one.begin(FIREFIGHTER, there, False)
    other.begin(FIREFIGHTER, there, True)
    assert one.busy(FIREFIGHTER) and other.busy(FIREFIGHTER) and not one.busy(DRONE)
    start = one.view(FIREFIGHTER).cell
    go(troupe)
    assert one.busy(FIREFIGHTER) and not other.busy(FIREFIGHTER)
    assert one.view(FIREFIGHTER).cell != start != (0, 0)
    for _ in range(18):
        if not one.busy(FIREFIGHTER):
            break
        go(troupe)
    assert one.view(FIREFIGHTER).cell == (0, 0) != other.view(FIREFIGHTER).cell


def test_an_episode_that_does_not_play_stays_as_it_is(troupe: FireTroupe) -> None:
    one, other = troupe.stages
    before = other.sight(DRONE)
    other.begin(DRONE, Choice(1, (0, 0), "fly"), False)
    go(troupe, 2, playing=(0,))
    assert (one.tick, other.tick) == (2, 0) and other.sight(DRONE) == before
    go(troupe, 2, playing=(1,))
    assert other.tick == 2 and other.view(DRONE).cell == (0, 0), "the action was kept until the episode played"


def test_an_episode_plays_the_same_next_to_any_other(troupe: FireTroupe) -> None:
    alone = FireTroupe([troupe._worlds[1]] * 2, keep=True)  # of two, so that it runs the same program
    for stage in (*troupe.stages, alone.stages[0]):
        stage.begin(BULLDOZER, Choice(2, (3, 20), "clear"), False)
        stage.begin(DRONE, Choice(1, (20, 3), "fly"), True)
    go(troupe, 6)
    go(alone, 6, playing=(0,))
    for agent in range(5):
        assert alone.stages[0].sight(agent) == troupe.stages[1].sight(agent)
    assert alone.results(0) == troupe.results(1)
    assert alone.stages[0].score == troupe.stages[1].score
    np.testing.assert_array_equal(alone.recording(0).position, troupe.recording(1).position)
    kept = troupe.recording(1)
    assert (kept.frames, kept.code[0].max(), kept.code[1, BULLDOZER]) == (7, -1, 1) and (
        kept.position[0] % 1 > 0.4
    ).all()


def test_passengers_are_bound_perceive_a_sentence_and_lose_their_action(troupe: FireTroupe) -> None:
    stage = troupe.stages[0]
    stage.begin(FIREFIGHTER, Choice(2, (9,), "cut"), False)
    stage.begin(HELICOPTER, Choice(2, (), "lift"), False)
    go(troupe)
    assert stage.bound(FIREFIGHTER) == "ride helicopter" and stage.bound(HELICOPTER) is None
    sight = stage.sight(FIREFIGHTER)
    assert sight.view == "AGENT_1 is inside the helicopter AGENT_5 and cannot act until it is set down."
    assert "inside the helicopter AGENT_5" in sight.paragraph and len(sight.paragraph) < 100
    assert not stage.busy(FIREFIGHTER)
    assert "helicopter" in str(stage.check(FIREFIGHTER, IDLE, False))
    assert "I carry 2 firefighters" in stage.sight(HELICOPTER).paragraph
    stage.begin(HELICOPTER, Choice(3, (), "drop"), True)
    go(troupe)
    assert stage.bound(FIREFIGHTER) is None and not stage.busy(FIREFIGHTER)


@pytest.mark.parametrize(
    ("agent", "number", "values", "single", "says"),
    [
        (FIREFIGHTER, 8, (), False, "no action 8"),
        (FIREFIGHTER, 7, (), True, "no action 7"),
        (FIREFIGHTER, -1, (), False, "no action -1"),
        (DRONE, 2, (), True, "a drone has no action 2"),
        (FIREFIGHTER, 1, (3,), False, "not 1 numbers"),
        (FIREFIGHTER, 1, (3, 24), False, "(3, 24) lies outside"),
        (BULLDOZER, 2, (-1, 3), True, "(-1, 3) lies outside"),
        (FIREFIGHTER, 2, (0,), False, "at least 1 tree"),
        (FIREFIGHTER, 3, (2,), False, "no numbers"),
    ],
)
def test_what_an_agent_cannot_do_is_refused_in_a_sentence(
    troupe: FireTroupe, agent: int, number: int, values: tuple[int, ...], single: bool, says: str
) -> None:
    stage, choice = troupe.stages[0], Choice(number, values, "")
    assert says in str(stage.check(agent, choice, single))
    with pytest.raises(ValueError, match=r"\w"):
        stage.begin(agent, choice, single)
    go(troupe)
    assert troupe.results(0)["refused"] == 0, "the world was not asked"


@pytest.mark.slow
def test_a_dead_agent_is_not_living_and_cannot_act() -> None:
    troupe = FireTroupe([load_level("full_environment", seed, **CREW) for seed in SEEDS])
    stage = troupe.stages[0]
    burning = np.argwhere(np.asarray(troupe._worlds[0].params.blaze.start.phase) > 1)
    x, y = (int(part) for part in burning[0])
    stage.begin(FIREFIGHTER, Choice(1, (x, y), "into the fire"), False)
    while FIREFIGHTER in stage.living() and not stage.over:
        go(troupe)
    assert stage.living() == (1, 2, 3, 4) and not stage.busy(FIREFIGHTER)
    assert stage.check(FIREFIGHTER, IDLE, False) == "AGENT_1 is dead"
    assert troupe.results(0)["losses"]["firefighters"] == 1 and stage.score <= -20


def test_an_episode_ends_at_its_limit(troupe: FireTroupe) -> None:
    go(troupe, 19)
    assert not troupe.stages[0].over and troupe.results(0)["outcome"] == "running"
    go(troupe)
    assert troupe.stages[0].over and troupe.results(0)["outcome"] == "timeout"


def test_a_view_has_the_published_parts_and_is_read_back(troupe: FireTroupe) -> None:
    """What a perception model is asked holds all that the paragraph by rules says."""
    stage = troupe.stages[0]
    aims = load_level("cut_trees_sparse_small", SEEDS[0], **CREW).site.places.cells_to_cut
    go(troupe)
    for agent in range(5):
        sight, view = stage.sight(agent), stage.view(agent)
        for part in (f"Name: AGENT_{agent + 1}", f"Position: {view.cell}", "Window: x from", "Symbols:", "Team mates"):
            assert part in sight.view
        assert "0 in the west to 23" in sight.role
        read = read_view(sight.role, sight.view)
        assert read is not None and paragraph(read, aims) == sight.paragraph
        np.testing.assert_array_equal(read.window, view.window)
    assert read_view("x", "y") is None


def test_a_paragraph_names_what_matters_with_coordinates_and_directions() -> None:
    window = np.full((21, 21), Explored.DRY + 1, np.uint8)
    window[13, 10], window[10, 3], window[8, 8] = Explored.ON_FIRE, Explored.CIVILIAN, Explored.WATER
    window[9, 10], window[0:6], window[10, 10] = Explored.DRY + 3, Explored.UNSEEN, Explored.WET + 2
    mates = (("AGENT_1", "drone", (30, 30)),)
    view = View(
        name="AGENT_3", kind="firefighter", size=60, cell=(20, 20), window=window, mates=mates, carried=1, water=4
    )
    text = paragraph(view, aims=[(19, 20), (11, 20), (50, 50)])
    for part in (
        "I am at (20, 20), and my cell has 2 trees.",
        "I see 1 cell on fire: (23, 20) to the east.",
        "I see 1 civilian: (20, 13) to the north.",
        "I see 1 cell of water: (18, 18) to the north-west.",
        "Of the cells of my task, (19, 20) has 3 trees.",
        "thickest to the west",
        "Near me: AGENT_1, a drone, at (30, 30).",
        "I carry a civilian and have 4 of 5 water.",
    ):
        assert part in text
    assert "no fire" not in text and "50" not in text
    read = read_view(role_text(view), view_text(view))
    assert read is not None and (read.carried, read.water, read.mates) == (1, 4, mates)


def test_directions_are_those_of_the_compass_with_y_to_the_south() -> None:
    ways = ((9, 0), (1, 1), (0, 2), (-3, 3), (-1, 0), (-2, -2), (0, -5), (4, -4))
    assert tuple(map(direction, ways)) == COMPASS


def test_levels_are_played_by_teams_and_battles_say_that_they_have_no_agents() -> None:
    name = "wildfire/cut_trees_sparse_small"
    opened = open_troupe(name, SEEDS, CREW)
    assert [stage.seed for stage in opened.stages] == [*SEEDS] and opened.stages[0].limit == 20
    assert opened.stages[0].name == name and "cells: (" in opened.stages[0].task
    assert [seat.name for seat in opened.stages[0].seats] == [f"AGENT_{number}" for number in range(1, 6)]
    assert [*opened.stages[0].roles] == [*CREW_TYPES]
    with pytest.raises(ValueError, match="no recording"):
        opened.recording(0)
    with pytest.raises(UserError, match="1 to 64 seeds"):
        open_troupe(name, range(100), CREW)
    for wrong, given, says in (
        ("skirmish_27v30", {}, "is a battle"),
        ("wildfire/all", {}, "one level at a time"),
        ("wildfire/nowhere", {}, "there is no wildfire level"),
        (name, {"limt": 3}, "no setting `limt` for teams\n.*did you mean `limit`"),
        (name, {"burnt_kills": 2}, "`burnt_kills` is 0 or 1"),
    ):
        with pytest.raises(UserError, match=says):
            kind_of(wrong).team_world(TeamRequest(worlds=[wrong], options=given))

"""Episodes of levels for teams of language agents: what agents read, which actions they have, steps in a batch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dsl import UserError
from dsl.vocabulary import CREW_TYPES
from hive.engine.crews.explored import Explored
from hive.kit.agent_env import IDLE, Choice, Observation
from hive.kit.team_world import Cast, TeamRequest
from hive.worlds import kind_of
from hive.worlds.wildfire.agents.catalogue import options, roles
from hive.worlds.wildfire.agents.episodes import FireEpisodes, open_episodes
from hive.worlds.wildfire.agents.judging import SCORES, judge, judging, shows
from hive.worlds.wildfire.agents.paragraphs import COMPASS, direction, paragraph
from hive.worlds.wildfire.agents.views import View, picture_view, read_view, role_text, view_text
from hive.worlds.wildfire.primitives import ONCE, PRIMITIVE_NAMES
from hive.worlds.wildfire.world import load_level

FIREFIGHTER, BULLDOZER, DRONE, HELICOPTER = 0, 2, 3, 4  # agents
SEEDS = (5, 7)


CREW = {"firefighters": 2, "bulldozers": 1, "drones": 1, "helicopters": 1, "size": 24, "limit": 20}


@pytest.fixture
def episodes() -> FireEpisodes:
    """Two episodes with every type; all agents start in one cell."""
    return FireEpisodes([load_level("cut_trees_sparse_small", seed, **CREW) for seed in SEEDS], keep=True)


def go(episodes: FireEpisodes, steps: int = 1, playing: tuple[int, ...] = (0, 1)) -> None:
    for _ in range(steps):
        episodes.step(playing)


def test_every_action_of_both_sheets_is_an_option_with_its_number() -> None:
    """docs/rules/wildfire.md 6.4 and 6.5, dropping off included."""
    for type_, kind in enumerate(CREW_TYPES):
        assert [option.name for option in options(kind, False)] == list(PRIMITIVE_NAMES[type_])
        single = [option.name.replace("one tree", "n trees") for option in options(kind, True)]
        assert single == [PRIMITIVE_NAMES[type_][number] for number in ONCE[type_]]
        for option in (*options(kind, False), *options(kind, True)):
            assert option.example.startswith(option.name) and len(option.words) > 10 and "{" not in option.words
            assert len(option.example.removeprefix(option.name).split()) == len(option.values)


@pytest.mark.long
def test_an_agent_with_its_own_map_does_not_see_what_others_saw() -> None:
    """A drone flies away; what it saw is unseen for the others, and on the recording."""
    views = {}
    for shared in (True, False):
        world = load_level("cut_trees_sparse_small", SEEDS[0], shared=shared, **(CREW | {"size": 40}))
        episodes = FireEpisodes([world], keep=True)
        (env,) = episodes.envs
        x, y = env.view(DRONE).cell
        env.begin(DRONE, Choice(1, (0 if x > 20 else 39, y), "go"), False)
        env.begin(FIREFIGHTER, Choice(1, (0 if x > 20 else 39, y), "go"), False)
        go(episodes, 2, (0,))
        views[shared] = env.view(FIREFIGHTER).window, env.view(DRONE).window, episodes.recording(0).seen.at(2)
    (walker, flyer, seen), (own_walker, own_flyer, own_seen) = views[True], views[False]
    assert (own_flyer == flyer).mean() > 0.9 and (own_walker == Explored.UNSEEN).sum() > (
        walker == Explored.UNSEEN
    ).sum()
    assert ((own_walker == walker) | (own_walker == Explored.UNSEEN)).all()
    assert ((own_seen == Explored.UNSEEN) == (seen == Explored.UNSEEN)).all()


def test_a_commander_with_plans_needs_the_shared_map() -> None:
    name = "wildfire/cut_trees_sparse_small"
    world = kind_of(name).team_world(TeamRequest(worlds=[name], options={"own_maps": 1}))
    world.check(Cast("camon", "camon"))
    with pytest.raises(UserError, match="reads the map that its team shares"):
        world.check(Cast("plans", "plans"))


@pytest.mark.slow
def test_an_action_runs_until_it_is_done_and_a_single_step_ends_at_once(episodes: FireEpisodes) -> None:
    one, other = episodes.envs
    there = Choice(1, (0, 0), "go")
    one.begin(FIREFIGHTER, there, False)
    other.begin(FIREFIGHTER, there, True)
    assert one.busy(FIREFIGHTER) and other.busy(FIREFIGHTER) and not one.busy(DRONE)
    start = one.view(FIREFIGHTER).cell
    go(episodes)
    assert one.busy(FIREFIGHTER) and not other.busy(FIREFIGHTER)
    assert one.view(FIREFIGHTER).cell != start != (0, 0)
    for _ in range(18):
        if not one.busy(FIREFIGHTER):
            break
        go(episodes)
    assert one.view(FIREFIGHTER).cell == (0, 0) != other.view(FIREFIGHTER).cell


def test_an_episode_that_does_not_play_stays_as_it_is(episodes: FireEpisodes) -> None:
    one, other = episodes.envs
    before = other.observe(DRONE)
    other.begin(DRONE, Choice(1, (0, 0), "fly"), False)
    go(episodes, 2, playing=(0,))
    assert (one.tick, other.tick) == (2, 0) and other.observe(DRONE) == before
    go(episodes, 2, playing=(1,))
    assert other.tick == 2 and other.view(DRONE).cell == (0, 0), "the action was kept until the episode played"


def test_an_episode_plays_the_same_next_to_any_other(episodes: FireEpisodes) -> None:
    alone = FireEpisodes([episodes._worlds[1]] * 2, keep=True)  # of two, so that it runs the same program
    for env in (*episodes.envs, alone.envs[0]):
        env.begin(BULLDOZER, Choice(2, (3, 20), "clear"), False)
        env.begin(DRONE, Choice(1, (20, 3), "fly"), True)
    go(episodes, 6)
    go(alone, 6, playing=(0,))
    for agent in range(5):
        assert alone.envs[0].observe(agent) == episodes.envs[1].observe(agent)
    assert alone.results(0) == episodes.results(1)
    assert alone.envs[0].score == episodes.envs[1].score
    np.testing.assert_array_equal(alone.recording(0).position, episodes.recording(1).position)
    kept = episodes.recording(1)
    assert (kept.frames, kept.code[0].max(), kept.code[1, BULLDOZER]) == (7, -1, 1) and (
        kept.position[0] % 1 > 0.4
    ).all()


def test_passengers_are_bound_perceive_a_sentence_and_lose_their_action(episodes: FireEpisodes) -> None:
    env = episodes.envs[0]
    env.begin(FIREFIGHTER, Choice(2, (9,), "cut"), False)
    env.begin(HELICOPTER, Choice(2, (), "lift"), False)
    go(episodes)
    assert env.bound(FIREFIGHTER) == "ride helicopter" and env.bound(HELICOPTER) is None
    seen = env.observe(FIREFIGHTER)
    assert seen.view == "AGENT_1 is inside the helicopter AGENT_5 and cannot act until it is set down."
    assert "inside the helicopter AGENT_5" in seen.paragraph and len(seen.paragraph) < 100
    assert not env.busy(FIREFIGHTER)
    assert "helicopter" in str(env.check(FIREFIGHTER, IDLE, False))
    assert "I carry 2 firefighters" in env.observe(HELICOPTER).paragraph
    env.begin(HELICOPTER, Choice(3, (), "drop"), True)
    go(episodes)
    assert env.bound(FIREFIGHTER) is None and not env.busy(FIREFIGHTER)


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
    episodes: FireEpisodes, agent: int, number: int, values: tuple[int, ...], single: bool, says: str
) -> None:
    env, choice = episodes.envs[0], Choice(number, values, "")
    assert says in str(env.check(agent, choice, single))
    with pytest.raises(ValueError, match=r"\w"):
        env.begin(agent, choice, single)
    go(episodes)
    assert episodes.results(0)["refused"] == 0, "the world was not asked"


@pytest.mark.long
def test_a_dead_agent_is_not_living_and_cannot_act() -> None:
    episodes = FireEpisodes([load_level("full_environment", seed, **CREW) for seed in SEEDS])
    env = episodes.envs[0]
    burning = np.argwhere(np.asarray(episodes._worlds[0].params.blaze.start.phase) > 1)
    x, y = (int(part) for part in burning[0])
    env.begin(FIREFIGHTER, Choice(1, (x, y), "into the fire"), False)
    while FIREFIGHTER in env.living() and not env.over:
        go(episodes)
    assert env.living() == (1, 2, 3, 4) and not env.busy(FIREFIGHTER)
    assert env.check(FIREFIGHTER, IDLE, False) == "AGENT_1 is dead"
    assert episodes.results(0)["losses"]["firefighters"] == 1 and env.score <= -20


def test_an_episode_ends_at_its_limit(episodes: FireEpisodes) -> None:
    go(episodes, 19)
    assert not episodes.envs[0].over and episodes.results(0)["outcome"] == "running"
    go(episodes)
    assert episodes.envs[0].over and episodes.results(0)["outcome"] == "timeout"


def test_a_view_has_the_published_parts_and_is_read_back(episodes: FireEpisodes) -> None:
    """What a perception model is asked holds all that the paragraph by rules says."""
    env = episodes.envs[0]
    aims = load_level("cut_trees_sparse_small", SEEDS[0], **CREW).site.places.cells_to_cut
    go(episodes)
    for agent in range(5):
        seen, view = env.observe(agent), env.view(agent)
        for part in (f"Name: AGENT_{agent + 1}", f"Position: {view.cell}", "Window: x from", "Symbols:", "Team mates"):
            assert part in seen.view
        assert "0 in the west to 23" in seen.role
        read = read_view(seen.role, seen.view)
        assert read is not None and paragraph(read, aims) == seen.paragraph
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


def test_a_firefighter_is_told_whether_burnt_ground_kills_it() -> None:
    kill, safe = (roles(("firefighter", "drone"), burnt_kills)["firefighter"] for burnt_kills in (True, False))
    assert kill.endswith("fire and burnt ground kill it.") and safe.endswith("fire kills it, burnt ground does not.")


def test_levels_are_played_by_teams_and_battles_say_that_they_have_no_agents() -> None:
    name = "wildfire/cut_trees_sparse_small"
    opened = open_episodes(name, SEEDS, CREW)
    assert [env.seed for env in opened.envs] == [*SEEDS] and opened.envs[0].limit == 20
    assert opened.envs[0].name == name and "cells: (" in opened.envs[0].task
    assert [seat.name for seat in opened.envs[0].seats] == [f"AGENT_{number}" for number in range(1, 6)]
    assert [*opened.envs[0].roles] == [*CREW_TYPES]
    with pytest.raises(ValueError, match="no recording"):
        opened.recording(0)
    with pytest.raises(UserError, match="1 to 64 seeds"):
        open_episodes(name, range(100), CREW)
    for wrong, given, says in (
        ("skirmish_27v30", {}, "is a battle"),
        ("wildfire/all", {}, "one level at a time"),
        ("wildfire/nowhere", {}, "there is no wildfire level"),
        (name, {"limt": 3}, "no setting `limt` for teams\n.*did you mean `limit`"),
        (name, {"burnt_kills": 2}, "`burnt_kills` is 0 or 1"),
        (name, {"own_maps": 2}, "`own_maps` is 0 or 1"),
    ):
        with pytest.raises(UserError, match=says):
            kind_of(wrong).team_world(TeamRequest(worlds=[wrong], options=given))


def test_an_agent_is_drawn_with_what_its_text_says_besides() -> None:
    """docs/rules/wildfire.md 6.3: the picture stands for the window and its symbols; who rides sees nothing to draw."""
    window = np.full((21, 21), Explored.DRY + 1, np.uint8)
    view = View(name="AGENT_1", kind="firefighter", size=40, cell=(12, 7), window=window, water=3)
    for grid in (True, False):
        drawn = picture_view(view, grid)
        assert drawn is not None and drawn.png.startswith(b"\x89PNG")
        assert all(line in view_text(view) for line in drawn.facts.splitlines()), "facts of both forms are the same"
        assert "Position: (12, 7)" in drawn.facts and "1,1,1" not in drawn.facts and "Symbols" not in drawn.legend
        assert ("white\nwith a black frame a civilian" in drawn.legend) == grid
        assert ("cell (2, -3)" in drawn.legend) != grid, "the north-western corner, which a grid names"
    assert picture_view(replace(view, carrier="AGENT_2"), True) is None


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("I see 2 cells on fire: (12, 8), (13, 9). I see 1 civilian: (5, 5).", (10, 10)),
        ("At (13, 9) and (12, 8) it burns. I am at (12, 7), a civilian at (5, 6), AGENT_3 at (1, 1).", (10, 10)),
        ("It burns at (12, 8) and at (30, 30). Civilians: none.", (7, 0)),
        ("I see no fire, but a civilian at (8, 9).", (0, 0)),
        ("I see no fire and no civilians.", (0, 0)),
    ],
)  # fmt: skip
def test_a_judge_by_rules_compares_places_with_the_true_cells(text: str, scores: tuple[int, int]) -> None:
    """docs/rules/teams.md 2.1: (12, 8) and (13, 9) burn, and a civilian is at (5, 5); firefighters are no fire."""
    window = np.full((21, 21), Explored.DRY + 1, np.uint8)
    window[10, 11] = window[11, 12] = Explored.ON_FIRE
    window[3, 8] = Explored.CIVILIAN
    view = View(name="AGENT_1", kind="firefighter", size=40, cell=(12, 7), window=window)
    seen = Observation(role_text(view), view_text(view), "", "")
    assert shows(seen) == (True, True)
    told = judge("", [judging(seen, text)[1]])
    assert told.splitlines()[1:] == [f"<{name}>{score}</{name}>" for name, score in zip(SCORES, scores, strict=True)]
    empty = replace(view, window=np.full_like(window, Explored.UNSEEN))
    nothing = Observation(role_text(empty), view_text(empty), "", "")
    claims = judge("", [judging(nothing, text)[1]]).count("score>10<")
    assert claims == sum(f"no {word}" in text or f"{word}: none" in text for word in ("fire", "civilians", "Civilians"))

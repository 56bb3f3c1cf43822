"""Apartments and episodes are files: what ships is the published test set, and errors name their place."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from dsl import UserError
from hive.kit.errors import ScenarioError
from hive.worlds.household import options
from hive.worlds.household.apartment import apartment, read_apartment
from hive.worlds.household.assembly import FAR, make_params, routes
from hive.worlds.household.episode import episode, episodes, read_episode
from hive.worlds.household.options import OptionKind
from hive.worlds.household.reading import shipped
from tests.household.homes import LINE

TEN = [f"cwah_{number}" for number in (0, 5, 10, 16, 20, 26, 30, 32, 40, 49)]
SHIPPED = shipped("episodes", "cwah_16")


def problems(text: str, read: object = read_episode) -> list[tuple[str, str]]:
    """Codes and places of what is wrong with a file."""
    with pytest.raises(ScenarioError) as caught:
        read(text)  # type: ignore[operator]
    return [(problem.code.removeprefix("household-"), problem.place) for problem in caught.value.problems]


def test_the_ten_episodes_have_the_published_contents() -> None:
    """docs/rules/household.md 2.1, 2.2: 61 objects, 3 to 5 of them wanted, and the known decoys are empty."""
    assert [name for name in episodes() if name.startswith("cwah")] == TEN
    every = [episode(name) for name in TEN]
    places = Counter(each.apartment.receptacles[thing.place or 0].kind for each in every for thing in each.things)
    assert places == {
        "fridge": 13,
        "cabinet": 11,
        "dishwasher": 8,
        "microwave": 6,
        "kitchentable": 10,
        "coffeetable": 10,
        "bench": 3,
    }
    assert all(3 <= each.wanted <= 5 for each in every)


def test_the_two_apartments_are_a_chain_and_a_star() -> None:
    """docs/rules/household.md 1.3."""
    for name, joined in (("apartment_3", [1, 2, 2, 1]), ("apartment_6", [1, 3, 1, 1])):
        home = apartment(name)
        assert [room.name for room in home.rooms] == ["livingroom", "kitchen", "bedroom", "bathroom"]
        assert [sum(number in door.rooms for door in home.doors) for number in range(4)] == joined
        kinds = Counter(each.kind for each in home.receptacles)
        assert kinds["kitchencabinet"] == 8
        assert kinds["fridge"] == (1 if name == "apartment_3" else 2)


def test_routes_lead_through_the_doors_in_order() -> None:
    """Lengths by hand, in apartment 3 (docs/rules/household.md 3.1)."""
    home = apartment("apartment_3")
    found = routes(home)
    living, kitchen, bedroom, bathroom = range(4)
    (to_bath, to_bed, to_living) = range(3)
    assert found["behind"][bathroom, to_bath] == kitchen
    assert found["last_door"][bathroom, to_bath, living] == to_living
    legs = (3.76**2 + 6.22**2) ** 0.5, (5.0**2 + 2.47**2) ** 0.5
    assert found["door_route"][bathroom, to_bath, living] == pytest.approx(1_000 * sum(legs), abs=2)
    assert found["door_far"][kitchen, to_bath, living] == FAR  # no way leads back
    assert found["behind"][kitchen, to_bed] == bedroom


def test_numbers_and_kinds_of_options_agree() -> None:
    """docs/rules/household.md 4.1."""
    assert [options.index(*options.kind_of(each)) for each in range(options.COUNT)] == [*range(options.COUNT)]
    with pytest.raises(ValueError, match="EXPLORE takes an argument from 0 to 7"):
        options.index(OptionKind.EXPLORE, 8)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("fork = 3", "fork = 4", [("goal", "goals.fork")]),  # more than there are
        ("fork = 3", "spoon = 3", [("unknown-name", "goals.spoon")]),
        ("fork = 3", "fork = 0", [("range", "goals.fork")]),
        ('class = "plate"', 'class = "plat"', [("unknown-name", f"things[{n}].class") for n in (3, 4)]),
        ('place = "microwave"', 'place = "oven"', [("unknown-name", "things[3].place")]),
        ('room = "livingroom"', 'room = "hall"', [("unknown-name", "starts[0].room")]),
        ("[-1.4, 3.2]", "[-9.4, 3.2]", [("outside", "starts[0].at")]),
        ("[-1.4, 3.2]", '["here", 3.2]', [("type", "starts[0].at[0]")]),
        ('goal_place = "dishwasher"', 'goal_place = "sink"', [("unknown-name", "goal_place")]),
        ('goal_place = "dishwasher"', "", [("missing", "goal_place")]),
        ('"apartment_6"', '"apartment_7"', [("unknown-name", "apartment")]),
        ("schema = 1", "schema = 9", [("schema", "schema")]),
        ("task", "tusk", [("unknown-key", "tusk"), ("missing", "task")]),
        ("goals = {", "goals = [", [("syntax", "")]),
    ],
)
def test_bad_episodes_are_refused_with_their_place(old: str, new: str, found: list[tuple[str, str]]) -> None:
    """docs/rules/household.md 2.4."""
    assert old in SHIPPED
    assert problems(SHIPPED.replace(old, new)) == found


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('doors = [{ rooms = ["livingroom", "kitchen"], at = [10.0, 2.0] }]', "doors = []", [("unconnected", "doors")]),
        ('["livingroom", "kitchen"]', '["livingroom", "livingroom"]', [("door", "doors[0].rooms")]),
        ('["livingroom", "kitchen"]', '["livingroom", "attic"]', [("unknown-name", "doors[0].rooms")]),
        ("[18.0, 2.0]", "[28.0, 2.0]", [("outside", "receptacles[0].at")]),
        ("[18.0, 2.0]", "[48.0, 2.0]", [("size", "rooms"), ("outside", "receptacles[0].at")]),
        ('class = "cabinet"', 'class = "cabin"', [("unknown-name", "receptacles[1].class")]),
        ("size = [10.0, 4.0]", "size = [0.0, 4.0]", [("range", "rooms[0].size[0]")]),
        ('name = "kitchen"', 'name = "livingroom"', [("unknown-name", "doors[0].rooms")]),
    ],
)
def test_bad_apartments_are_refused_with_their_place(old: str, new: str, found: list[tuple[str, str]]) -> None:
    """docs/rules/household.md 1.1, 2.4."""
    assert old in LINE
    assert problems(LINE.replace(old, new, 1), read_apartment)[: len(found)] == found


def test_an_episode_that_is_finished_at_the_start_is_refused() -> None:
    """docs/rules/household.md 2.4."""
    text = SHIPPED.replace("{ fork = 3, plate = 1 }", "{ plate = 1 }").replace('"dishwasher"', '"microwave"')
    assert problems(text) == [("goal", "goals")]


def test_an_episode_of_the_user_brings_its_own_apartment(tmp_path: Path) -> None:
    """docs/rules/household.md 2.4: the file is looked for next to the episode, and its errors name it."""
    (tmp_path / "line.toml").write_text(LINE, encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(
        """
schema = 1
apartment = "line.toml"
task = "wash dishes"
goal_place = "dishwasher"
goals = { plate = 1 }
starts = [{ room = "livingroom", at = [1, 2] }]
things = [{ class = "plate", room = "livingroom", at = [3, 2] }, { class = "plate", place = "cabinet" }]
""",
        encoding="utf-8",
    )
    mine = episode(path)
    assert [thing.name for thing in mine.things] == ["plate_1", "plate_2"]
    assert mine.things[0].place is None
    with pytest.raises(ScenarioError, match=r"gone\.toml"):
        episode(tmp_path / "gone.toml")


@pytest.mark.parametrize("team", [0, 5])
def test_a_team_has_one_to_four_agents(team: int) -> None:
    """docs/rules/household.md 2.3."""
    with pytest.raises(UserError, match="a team has 1 to 4 agents"):
        make_params(episode("cwah_0"), team)


def test_further_agents_share_the_starts_in_order() -> None:
    """docs/rules/household.md 2.3."""
    params = make_params(episode("cwah_0"), 4)
    assert params.agent_at[:2].tolist() == params.agent_at[2:].tolist()
    assert params.agent_room[:2].tolist() == params.agent_room[2:].tolist()

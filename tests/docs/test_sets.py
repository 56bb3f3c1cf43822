"""Shipped sets of measured battles follow from the levels that are kept, and these from who won."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from docs.make.sets import DATA, FOLDER, PAGE, made_of, make_sets, merge
from hive.experiments.commanders.kept import Folder, stem_of
from hive.experiments.panel.choosing import divide
from hive.experiments.panel.measuring import Trial, play_solution
from hive.experiments.panel.members import GAMES, PLAIN, SEARCH, SOLUTION, PanelRow, level_of
from hive.experiments.panel.table import Measured, read_csv
from hive.worlds.battle.drawn.sets import digest_of_battle

FOUND = read_csv(DATA.read_text(encoding="utf-8"))
FILES = [PAGE, *(FOLDER / f"{name}.toml" for name in made_of(FOUND))]


@pytest.fixture(scope="module")
def made() -> dict[Path, str]:
    """What the levels make. It draws thousands of battles, so no process does that which runs other modules."""
    return make_sets()


@pytest.mark.long
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sets_and_page_are_those_that_the_levels_make(path: Path, made: dict[Path, str]) -> None:
    """Each shipped file is the made one, and none is left out here."""
    assert [*made] == FILES
    assert path.read_text(encoding="utf-8") == made[path], "run `python -m docs.make.sets`"


def test_every_level_follows_from_the_wins() -> None:
    """Of an unsolved battle the table does not say that its search was over; it had no win."""
    for each in FOUND:
        over = each.level == "unsolved"
        rows = {
            member: PanelRow(each.battle, "", member, wins, 0.0, plans=each.plans if member == SEARCH else 1, over=over)
            for member, wins in each.wins.items()
        }
        level = level_of(rows)
        assert each.level == ("" if level is None else str(level)) == each.level_by_wins, each.battle


def test_the_readme_has_the_shares_of_the_table() -> None:
    """README.md and the page of sets say the same of the test set, which grows."""
    shown = " ".join((PAGE.parents[1] / "README.md").read_text(encoding="utf-8").split())
    rows = re.findall(
        r"^([\w-]+) +(?:\d+% +){6}(\d+%) +(\d+)% to (\d+)%", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    shares = {name: found for name, *found in rows}
    policy = "One policy wins {} of the games (interval {} to {}) of 120 drawn battles".format(*shares["drawn-orders"])
    own = "their own plans ({}, {} to {})".format(*shares["default"])
    model, search = shares["language-model"][0], shares["search-64"][0]
    for words in (policy, own, f"a language model's plans win {model}, those found by a search of 64 win {search}."):
        assert words in shown


@pytest.mark.slow
def test_solutions_win_the_games_that_the_levels_count() -> None:
    """docs/rules/sets.md 2.2: what makes a battle one of level 5 can be played again by anybody."""
    folder = Folder(DATA.parent / "solutions")
    counted = {each.battle: each.wins[SOLUTION] for each in FOUND if SOLUTION in each.wins}
    assert {stem_of(battle) for battle in counted} == {path.stem for path in folder.folder.glob("*.plan")}
    for battle, wins in [*counted.items()][::5]:
        assert play_solution(Trial(battle), folder.file(battle)).wins == wins


@pytest.mark.slow
def test_measured_battles_are_those_that_are_drawn_today() -> None:
    """The digests of the sets, which are made above, are of their battles as drawn today; so a sample is enough."""
    for each in FOUND[::40]:
        assert digest_of_battle(each.battle).startswith(each.digest)


def test_a_folder_of_a_panel_adds_to_what_is_known_and_contradicts_nothing() -> None:
    """A row with a search stays, and gets the wins of a solution; battles of which nothing is known are left out."""

    def battle(name: str, wins: tuple[int, ...], plans: int = 0, level: str = "") -> Measured:
        return Measured(name, "", 80, "", "", dict(zip((*PLAIN, SEARCH), wins, strict=False)), plans, level)

    one, two, three = "battle/open/3", "battle/open/20", "battle/rivers/1"
    kept = [battle(one, (0, 0, 0, 1), 60), battle(three, (0, 8, 8), 0, "1")]
    more = [
        battle(three, (0, 8, 8), 0, "1"),
        battle(two, (0, 0, 0)),
        battle(one, (0, 0, 0)),
        battle("battle/open/4", (0,)),
        battle("battle/open/5", ()),
    ]
    assert merge(kept, more) == [kept[0], more[3], more[1], kept[1]]
    assert [each.known for each in merge(kept, more)] == ["4 or more", "1 or more", "3 or more", "level 1"]
    lost, tested = battle(one, (0, 0, 0, 1), 508), replace(battle(one, ()), wins={SOLUTION: 4})
    assert merge([lost], [tested]) == [replace(lost, wins={**lost.wins, SOLUTION: 4}, level="5")]
    assert merge(merge([lost], [tested]), [battle(one, (0, 0, 0))]) == merge([lost], [tested])
    longer = battle(one, (0, 0, 0, 5), 300, "4")
    assert merge(kept, [longer])[0] == longer
    for wrong in (battle(one, (0, 1, 0)), battle(one, (0, 0, 0, 2), 60)):
        with pytest.raises(ValueError, match="measured twice"):
            merge(kept, [wrong])


def test_a_test_has_no_more_than_half_of_a_level_and_all_classes_in_turn() -> None:
    def battle(name: str, level: str) -> Measured:
        return Measured(name, "", 80, "", "", {PLAIN[0]: GAMES}, 0, level)

    names = [f"battle/{each}/{seed}" for each in ("open", "towns") for seed in (9, 10, 2)]
    test, rest = divide([*(battle(name, "3") for name in names), battle("battle/mixed/1", "unsolved")], 8)
    assert [each.name for each in test] == ["battle/open/2", "battle/towns/2", "battle/open/9"]
    assert [each.name for each in rest] == ["battle/towns/9", "battle/open/10", "battle/towns/10"]
    assert len(divide([battle(name, "3") for name in names], 2)[0]) == 2
    assert len(divide([battle(name, "3") for name in names], 4, half=False)[0]) == 4
    many = [battle(f"battle/open/{seed}", str(level)) for level in (0, 1, 2) for seed in range(10 * level, 12 * level)]
    assert [each.level for each in divide(many, 0, total=3)[1]] == [1, 2, 2]
    before = ["battle/towns/10"], ["battle/open/2"]
    test, rest = divide([battle(name, "3") for name in names], 8, 2, before)
    assert [each.name for each in test] == ["battle/open/9", "battle/towns/10", "battle/open/10"]
    assert [each.name for each in rest] == ["battle/open/2", "battle/towns/2"]


def test_parts_for_tests_and_for_training_share_no_battle_in_any_version() -> None:
    """And a later version holds the earlier one, so what was trained on one can be tested on the other."""
    sets = {name: {each.name for each in battles} for name, (_, battles) in made_of(FOUND).items()}
    tests = sets["battles-v0/test"] | sets["battles-v1/test"]
    trains = sets["battles-v0/train"] | sets["battles-v1/train"]
    assert tests == sets["battles-v1/test"] and trains == sets["battles-v1/train"] and not tests & trains

"""Learned costs of options: what is read, what is learned, and the files (docs/rules/household.md 12)."""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from dsl import UserError
from hive.kit.own_code import no_own_code
from hive.kit.team_world import TeamRequest
from hive.worlds.household.options import OptionKind
from hive.worlds.household.teams import HouseholdTeams
from hive.worlds.household.utility.errors import LEARNED, LINE, MEAN, Error, errors, gain
from hive.worlds.household.utility.exploring import Pairs, split
from hive.worlds.household.utility.features import BUCKETS, PADDING, WORDS, features
from hive.worlds.household.utility.own import own_costs
from hive.worlds.household.utility.regression import TextSettings, TextUtility, learn, load, save

HERE = "I am in the <kitchen> (2), next to <fridge> (14). I hold nothing."
FOUND = "In the <bedroom> (3) I found <apple> (104) in <cabinet> (19)."


def invented(count: int, seed: int) -> Pairs:
    """Options whose ticks follow from words alone: the kind of option, and whether its target is in the own room."""
    draw = np.random.default_rng(seed)
    rooms = ("kitchen", "bedroom", "livingroom", "bathroom")
    rows = []
    for _ in range(count):
        here, there = draw.choice(4, 2)
        kind = OptionKind.CHECK if draw.random() < 0.5 else OptionKind.GRAB
        verb, number = ("check", 14) if kind is OptionKind.CHECK else ("grab", 104)
        where = f"I am in the <{rooms[here]}> ({here + 1}). I hold nothing."
        where += f" In the <{rooms[there]}> ({there + 1}) I found <thing> ({number})." if here != there else ""
        where += f" Here I found <thing> ({number})." if here == there else ""
        rows.append(
            (where, f"go {verb} <thing> ({number})", kind, (2 if here == there else 12) + (kind is OptionKind.GRAB))
        )
    texts, words, kinds, ticks = zip(*rows, strict=True)
    straight = np.full(count, 5, np.int32)
    return Pairs(texts, words, np.asarray(kinds), np.asarray(ticks), straight, np.zeros(count, np.int32))


@pytest.fixture(scope="module")
def utility() -> TextUtility:
    return learn(invented(400, 0), jax.random.key(0), TextSettings(epochs=15, learning_rate=0.01))


def test_words_are_numbers_in_a_range_and_the_rest_is_padding() -> None:
    found = features([HERE, f"{HERE} {FOUND}"], ["wait", "go grab <apple> (104)"])
    assert found.shape == (2, WORDS)
    assert (found[0] != PADDING).sum() == 1  # a wait has no target
    assert found.min() >= 0 and found.max() < BUCKETS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("go grab <apple> (104)", "go check <apple> (104)"),  # the verb
        ("go explore <kitchen> (2)", "go explore <bedroom> (3)"),  # the room
    ],
)
def test_other_options_read_otherwise(one: str, other: str) -> None:
    first, second = features([f"{HERE} {FOUND}"] * 2, [one, other])
    assert (first != second).any()


def test_the_room_and_the_furniture_of_a_target_are_read_from_its_sentence() -> None:
    far, near, unknown = features(
        [f"{HERE} {FOUND}", f"{HERE} Here I found <apple> (104) in <fridge> (14).", HERE], ["go grab <apple> (104)"] * 3
    )
    assert (far != near).any() and (near != unknown).any() and (far != unknown).any()


def test_what_is_wanted_placed_and_done_by_others_is_not_read() -> None:
    """A learned cost knows no goal: sentences about the goal and about others change nothing."""
    more = f"On the <coffeetable> (26): <cupcake> (101). {HERE} {FOUND} I last saw Bob in the <bathroom> (4)."
    first, second = features([f"{HERE} {FOUND}", more], ["go grab <apple> (104)"] * 2)
    assert (first == second).all()


def test_the_regression_learns_what_the_words_tell(utility: TextUtility) -> None:
    """On texts whose ticks follow from the words it comes near to them, and the mean of the kind does not."""
    table = errors(utility, invented(400, 0), invented(100, 1))
    assert table[LEARNED].absolute < 0.5 < 3 < table[MEAN].absolute
    assert table[LINE].count == 100


def test_estimates_do_not_depend_on_their_company(utility: TextUtility) -> None:
    pairs = invented(5, 2)
    together = utility.ticks(pairs.observations, pairs.options)
    alone = [utility.ticks([text], [option])[0] for text, option in zip(pairs.observations, pairs.options, strict=True)]
    np.testing.assert_allclose(together, alone, rtol=1e-5)
    assert utility.ticks([], []).shape == (0,)


def test_a_split_keeps_every_pair_once() -> None:
    pairs = invented(50, 0)
    one, other = split(pairs, 0.8, seed=3)
    assert (len(one), len(other)) == (40, 10)
    assert sorted((*one.observations, *other.observations)) == sorted(pairs.observations)


def test_saved_costs_are_the_same_and_others_are_refused(utility: TextUtility, tmp_path: Path) -> None:
    path, pairs = tmp_path / "costs.npz", invented(5, 2)
    save(utility, path)
    again = load(path)
    assert (again.ticks(pairs.observations, pairs.options) == utility.ticks(pairs.observations, pairs.options)).all()
    assert again.kinds == utility.kinds
    with pytest.raises(UserError, match=r"ends in \.npz"):
        save(utility, tmp_path / "costs.txt")
    np.savez(tmp_path / "other.npz", facts="{}")
    with pytest.raises(UserError, match="holds no learned costs of options"):
        load(tmp_path / "other.npz")
    with pytest.raises(UserError, match="cannot read"):
        load(tmp_path / "missing.npz")


def test_too_little_cannot_be_learned_from() -> None:
    with pytest.raises(UserError, match="1 options were finished"):
        learn(invented(1, 0), jax.random.key(0))
    with pytest.raises(UserError, match="`epochs` is 0"):
        TextSettings(epochs=0)


def test_costs_of_ones_own_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_costs.py").write_text(
        "def words(observations, options): return [len(option.split()) for option in options]\n"
        "def one(observations, options): return [1.0]\n"
        "def nan(observations, options): return [float('nan')] * len(options)\n"
        "def broken(observations, options): return options['no']\n"
        "number = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    texts = [HERE, HERE], ["go check <fridge> (14)", "wait"]
    assert own_costs("my_costs:words").ticks(*texts).tolist() == [4, 1]
    for name, message in {
        "my_costs": "names no function",
        "no_module_of_mine:words": "the module `no_module_of_mine` of the costs does not import: ModuleNotFoundError",
        "my_costs:none": "the module `my_costs` has no function `none`",
        "my_costs:number": "the module `my_costs` has no function `number`",
        "my_costs:one": r"returned numbers of shape \(1,\) for 2 options",
        "my_costs:nan": "returned nan for `go check <fridge>",
        "my_costs:broken": "the costs of my_costs:broken failed: TypeError",
    }.items():
        with pytest.raises(UserError, match=message):
            own_costs(name).ticks(*texts)


def test_code_of_a_stranger_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`hive verify` runs the words of a folder that a stranger wrote: what they name is refused, not imported."""
    (tmp_path / "their_costs.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    with no_own_code(), pytest.raises(UserError, match="whose code is not in the folder"):
        own_costs("their_costs:ticks")
    with no_own_code(), pytest.raises(UserError, match="whose code is not in the folder"):
        HouseholdTeams(TeamRequest(worlds=["cwah_0"], options={"costs": "their_costs:ticks"}))


def test_a_changed_function_is_another_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that resumes must not mix plays under two versions of one function."""
    (tmp_path / "changing_costs.py").write_text("def ticks(observations, options): return [1.0] * len(options)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    costs = own_costs("changing_costs:ticks")
    before = costs.identity
    (tmp_path / "changing_costs.py").write_text("def ticks(observations, options): return [2.0] * len(options)\n")
    assert before[0] == costs.identity[0] and before[1] != costs.identity[1]


def test_intervals_of_errors_count_episodes() -> None:
    """Copies of the options of an episode add nothing, and the gain of an estimate over itself is nothing."""
    gaps, homes = np.array([1.0, -3.0, 2.0, 0.0]), np.array([0, 0, 4, 4])
    once, twice = Error(gaps, homes), Error(np.tile(gaps, 2), np.tile(homes, 2))
    assert once.absolute == once.mean.value == 1.5 and once.mean.count == 2
    assert once.mean.margin == pytest.approx(twice.mean.margin)
    assert (gain(once, once).value, gain(once, once).margin) == (0, 0)
    assert gain(Error(2 * gaps, homes), once).value == 1.5


HOUSE = "I am in the <office_2> (4), next to <desk> (19). I hold <bowl> (111). In the <bedroom> (2) is the <bed> (13)."


def test_transport_is_read_by_verbs_and_by_how_far_apart_rooms_are_numbered() -> None:
    """Walks to rooms, transport and waiting differ; rooms as far away are alike, whatever they are called."""
    plan = (
        f"{HOUSE} The <kitchen> (1) is unexplored. The <office_1> (6) is unexplored. The <office_3> (3) is unexplored."
    )
    words = ["go to <bedroom> (2)", "go to <office_1> (6)", "go to <kitchen> (1)"]
    words += ["go transport <bowl> (111) to the <bed> (13)", "put <pen> (105) into <bowl> (111)", "wait"]
    found = [set(row[row != PADDING]) for row in features([plan] * len(words), words)]
    assert found[0] == found[1] and found[0] != found[2]
    assert len({frozenset(each) for each in found}) == 5


def test_homes_of_rooms_of_different_kinds_are_read_by_kinds() -> None:
    """Another number of a room changes nothing there."""
    texts = [f"{HERE} {FOUND}", f"{HERE} {FOUND}".replace("(3)", "(7)")]
    one, other = features(texts, ["go grab <apple> (104)"] * 2)
    assert (one == other).all()

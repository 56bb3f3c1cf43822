"""`hive household table` and `utility`: what they print, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from hive.players.running import play_team_run
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.options import OptionKind
from hive.worlds.household.planner.following import Planner
from hive.worlds.household.planner.splitting import TourPlan
from hive.worlds.household.policies.trials import PolicyTrial, try_out
from hive.worlds.household.utility import study
from hive.worlds.household.utility.regression import TextRegression, TextUtility
from tests.cli.conftest import Hive

SMALL = ("household", "table", "own", "--seeds", "1")
MANY = ("household", "table", "planner", "own", "learned-own", "--agents", "1", "2", "--seeds", "2", "--generated", "3")
PARTS = 12  # three policies, two sizes, two sets of episodes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("table", "shard"), "there is no policy `shard`\n  = help: did you mean `shared`?"),
        (("table", "own", "--agents", "5"), "a team has 1 to 4 agents, not 5"),
        (("table", "subgoals", "--transport"), "the policy `subgoals` does not play transport"),
        (("table", "own", "--utility", "costs.npz"), "--utility has no effect here"),
        (("table", "learned-own", "--utility", "costs.npz"), "cannot read costs.npz"),
        (("tabel",), "there is no command `household tabel`\n  = help: did you mean `table`?"),
        (("utility", "--epochs", "0"), "argument --epochs"),
    ],
)
def test_bad_input_is_refused_in_words(
    hive: Hive, words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = hive("household", *words)
    assert ran.code == 2 and message in ran.err
    assert not [*tmp_path.iterdir()]


@pytest.mark.long
def test_the_table_tells_means_with_the_warning(hive: Hive, tmp_path: Path) -> None:
    """The same figures as text, as an object and in a folder, next to the published ones."""
    folder = tmp_path / "table"
    found = json.loads(hive(*SMALL, "--json", "--out", str(folder)).out)
    (row,) = found["rows"]
    assert (row["policy"], row["agents"], row["published"]["episodes"]) == ("own", 2, 10)
    assert row["published"]["mean"] == pytest.approx(sum(row["published"]["each"]) / 10)
    assert "numbers may not" in found["warning"]
    assert json.loads((folder / "table.json").read_text()) == found
    assert f"{row['published']['mean']:.1f} ±" in (folder / "table.txt").read_text()
    assert (folder / "table.png").stat().st_size > 5_000
    again = hive(*SMALL, "--out", str(folder))
    assert again.code == 2 and "table" in again.err


@pytest.mark.long
def test_learned_costs_lie_between_their_references_and_serve_the_table(hive: Hive, tmp_path: Path) -> None:
    """In the published apartments: better than the mean of each kind, worse than the straight line through doors."""
    folder = tmp_path / "costs"
    found = json.loads(hive("household", "utility", "--published", "--json", "--out", str(folder)).out)
    same = found["errors"]["other options, same apartments"]
    mean, line, learned = (
        same[name]["absolute"] for name in ("mean of each kind", "straight line through doors", "learned from texts")
    )
    assert line < learned < 0.6 * mean
    unseen = found["errors"]["unseen generated apartments"]
    assert unseen["learned from texts"]["absolute"] < unseen["mean of each kind"]["absolute"]
    rows = ("learned-own", "kinds-own", "--seeds", "2", "--utility", str(folder / "utility.npz"))
    learned, kinds = json.loads(hive("household", "table", *rows, "--json").out)["rows"]
    assert learned["published"]["mean"] < kinds["published"]["mean"]


def fake(monkeypatch: pytest.MonkeyPatch, after: int | None = None) -> list[str]:
    """Play, plan and learn nothing: figures are drawn again for each part; part `after` is interrupted.

    Returns:
        What was asked for: the learning of costs, and the size of the team and the episodes of each part.
    """
    asked: list[str] = []
    draw = np.random.default_rng(7)
    drawn = {(size, count): _trial(draw, count, seeds) for size in (1, 2) for count, seeds in ((10, 2), (3, 1))}

    def play(policy: Any, episodes: Sequence[HouseholdEpisode], agents: int, *_: Any) -> PolicyTrial:
        if sum("costs" not in each for each in asked) == after:
            raise KeyboardInterrupt
        asked.append(f"{agents}, {len(episodes)}")
        return drawn[agents, len(episodes)]

    def learn(*_: Any) -> TextUtility:
        asked.append("costs")
        weights = TextRegression(2).init(jax.random.key(0), np.zeros((1, 1), np.int32))
        return TextUtility(weights, 1.5, 0.1, {OptionKind.GRAB: 3.25})

    def plan(_: Planner, episode: HouseholdEpisode, agents: int) -> TourPlan:
        return TourPlan((), 9, len(episode.name) + agents)

    monkeypatch.setattr("hive.cli.household.trials.try_out", play)
    monkeypatch.setattr(study, "learn_costs", learn)
    monkeypatch.setattr(Planner, "plan", plan)
    return asked


def _trial(draw: np.random.Generator, episodes: int, seeds: int) -> PolicyTrial:
    shape = episodes, seeds
    kinds = draw.integers(0, 9, (2, *shape, len(OptionKind)))
    return PolicyTrial(draw.integers(20, 250, shape), draw.random(shape) < 0.5, draw.random(shape), kinds[0], kinds[1])


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a table but config.json, which holds the command."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "config.json"}


@pytest.mark.parametrize("after", [pytest.param(0, marks=pytest.mark.long), pytest.param(1, marks=pytest.mark.long), 7])
def test_an_interrupted_table_resumes_with_identical_results(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Costs are learned once, and finished parts are not played again; another table is refused."""
    everything = fake(monkeypatch)
    ran = hive(*MANY, "--out", "whole")
    assert ran.code == 0, ran.err
    assert len(everything) == PARTS + 1 and not (tmp_path / "whole.progress").exists()
    before = fake(monkeypatch, after)
    ran = hive(*MANY, "--out", "again")
    assert ran.code == 130 and "the same command resumes from there" in ran.err
    progress = tmp_path / "again.progress"
    assert len([*progress.glob("part-*.npz")]) == after and not (tmp_path / "again").exists()
    other = hive(*MANY, "--seeds", "3", "--out", "again")
    assert other.code == 2 and "belongs to another table: `seeds` differ" in other.err
    rest = fake(monkeypatch)
    ran = hive(*MANY, "--out", "again")
    assert ran.code == 0 and (f"resuming after {after} of {PARTS} parts" in ran.err) == (after > 0)
    assert before + rest == everything
    assert contents(tmp_path / "again") == contents(tmp_path / "whole") and not progress.exists()


def test_damaged_progress_of_a_table_is_refused_and_dropped_on_request(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(monkeypatch, 2)
    assert hive(*MANY, "--out", "mine").code == 130
    (tmp_path / "mine.progress/part-00001.npz").write_bytes(b"PK")
    ran = hive(*MANY, "--out", "mine")
    assert ran.code == 2 and "cannot resume from" in ran.err and "part-00001.npz is damaged" in ran.err
    asked = fake(monkeypatch)
    assert hive(*MANY, "--out", "mine", "--restart").code == 0 and len(asked) == PARTS + 1


@pytest.mark.long
def test_plays_that_were_kept_are_those_that_are_played(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("household", "table", "own", "roaming", "--seeds", "1")
    assert hive(*words, "--out", "whole").code == 0
    played: list[PolicyTrial] = []

    def stop(*rest: Any) -> PolicyTrial:
        if played:
            raise KeyboardInterrupt
        played.append(try_out(*rest))
        return played[0]

    with monkeypatch.context() as patch:
        patch.setattr("hive.cli.household.trials.try_out", stop)
        assert hive(*words, "--out", "again").code == 130
    assert hive(*words, "--out", "again").code == 0
    assert contents(tmp_path / "again") == contents(tmp_path / "whole")


TEAMS = ("household", "table", "own", "--player", "team:coela", "--player", "team:proagent", "--agents", "1", "2")


@pytest.mark.long
def test_teams_of_a_table_are_paired_and_resume(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is paired with the first team of its size and with its own smallest team; nothing is played again."""
    words = (*TEAMS, "--generated", "2", "--seeds", "0")
    played = list[str]()

    def play(world: Any, *rest: Any, **more: Any) -> Any:
        if len(played) == 1:
            raise KeyboardInterrupt
        played.append(more["varied"])
        return play_team_run(world, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr("hive.players.varied.play_team_run", play)
        assert hive(*words, "--out", "mine").code == 130
    found = json.loads(hive(*words, "--out", "mine", "--json").out)
    whole = json.loads(hive(*words, "--out", "whole", "--json").out)
    assert found == whole and not (tmp_path / "mine.progress").exists()
    rows = {(row["policy"], row["agents"]): row["generated"] for row in found["rows"]}
    assert len(rows) == 2 + 4 and rows["coela", 1]["messages"] == 0
    pairs = {(each["policy"], each["agents"], each["less"], each["less_agents"]): each for each in found["differences"]}
    first, each = rows["coela", 2], rows["own", 2]
    gap = np.mean(np.subtract(each["each"], first["each"]))
    assert pairs["own", 2, "coela", 2]["generated"]["mean"] == pytest.approx(gap)
    assert ("coela", 2, "coela", 1) in pairs
    assert (tmp_path / "mine" / "differences.csv").read_text().startswith("policy,agents,less,less_agents,")


def test_sizes_of_teams_are_those_of_the_option(hive: Hive) -> None:
    ran = hive("household", "table", "--player", "team:coela", "--vary", "team=2,3")
    assert ran.code == 2 and "the setting `team` cannot be used here" in ran.err
    ran = hive("household", "table", "--set", "detection=0.5")
    assert ran.code == 2 and "no further player is named" in ran.err
    ran = hive("household", "table", "--seeds", "0")
    assert ran.code == 2 and "add `--generated N`" in ran.err
    ran = hive("household", "table", "--player", "team:coela", "--set", "detection=2")
    assert ran.code == 2 and "`detection` is above 0 and at most 1, not 2" in ran.err

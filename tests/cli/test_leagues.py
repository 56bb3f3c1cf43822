"""`hive league`: what is printed and kept, how an interrupted league resumes, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import scenarios
from dsl import PlanSyntax
from hive.cli.learning import league_search, leagues
from hive.experiments.league.games import Fixture, LeagueGame
from tests.cli.conftest import BROKEN, Hive

SMALL = ("--units", 20, "--set", "limit=60", "--seeds", 2)
WORDS = ("league", "plans", *SMALL)
FILES = {
    "config.json", "games.jsonl", "games.csv", "ratings.json", "ratings.csv", "table.txt", "league.png",
    "scenario.toml", "enemy.plan", "plans",
    "recording.npz", "picture.png", "digests.json",
}  # fmt: skip


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """Two plans that fit, one with errors, one for another map, a reply without a plan, and a text of 1 MB."""
    folder = tmp_path / "plans"
    folder.mkdir()
    for name in ("duel", "coordinate", "strategize_points"):
        (folder / f"{name}.plan").write_text(scenarios.plan(name))
    (folder / "broken.plan").write_text(BROKEN)
    (folder / "silent.plan").write_text("I would rather ask you something first.")
    (folder / "long.plan").write_text("Step 0:\n" * 130_000)
    (folder / "notes.txt").write_text("no plan")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Everything below a folder but config.json, which holds times, and its digests."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in ("config.json", "digests.json"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def fake(monkeypatch: pytest.MonkeyPatch, after: int | None = None) -> list[int]:
    """Play no game: the plan with the higher index wins; batch `after` is interrupted. Returns what was played."""
    played: list[int] = []

    def play(self: Fixture, number: int, progress: object = None) -> list[LeagueGame]:
        if number == after:
            raise KeyboardInterrupt
        played.append(number)
        none = (0,) * 5
        return [
            LeagueGame(one, other, seed, "win", 40, ((9, *none), (0, *none)))
            if one > other
            else LeagueGame(one, other, seed, "timeout", 60, ((1, *none), (8, *none)))
            for one, other, seed in self.expected(number)
        ]

    monkeypatch.setattr(Fixture, "play", play)
    return played


@pytest.mark.long
def test_a_league_is_a_table_and_a_folder_that_plays_again(
    hive: Hive, plans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plans that do not fit are listed with the reason; the closest game is kept as by `hive run --out`."""
    ran = hive(*WORDS, "--out", "kept")
    assert ran.code == 0, ran.err
    assert "left out long: a plan has at most 150,000 words" in ran.err
    assert "left out silent: " in ran.err and "left out broken: " in ran.err and ", and 4 more)" in ran.err
    assert "left out strategize_points: y is 246, but the map ends at 149" in ran.err
    kept = tmp_path / "kept"
    assert {path.name for path in kept.iterdir()} == FILES and not (tmp_path / "kept.progress").exists()
    assert {path.name for path in (kept / "plans").iterdir()} == {"duel.plan", "coordinate.plan"}
    assert (kept / "table.txt").read_text().strip() in ran.out
    games = [json.loads(line) for line in (kept / "games.jsonl").read_text().splitlines()]
    assert [(game["player"], game["enemy"], game["seed"]) for game in games] == [
        ("duel", "coordinate", 0), ("duel", "coordinate", 1), ("coordinate", "duel", 0), ("coordinate", "duel", 1),
    ]  # fmt: skip
    with Image.open(kept / "league.png") as picture:
        assert picture.width > 600
    assert hive("replay", "kept").code == 0
    monkeypatch.chdir(kept)
    again = json.loads((kept / "config.json").read_text())["again"].partition(": hive ")[2].split()
    once_more = hive(*again, "--json")
    assert once_more.json == {**json.loads((kept / "ratings.json").read_text()), "left_out": {}}


@pytest.mark.parametrize("after", [pytest.param(0, marks=pytest.mark.long), 2])
def test_a_league_cut_off_goes_on_and_gives_the_same(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Byte for byte, but for the times, and it plays only what is left."""
    monkeypatch.setattr("hive.cli.learning.league_files._recordings", lambda *_: {})
    words = ("league", "--shipped", *SMALL)
    fake(monkeypatch)
    assert hive(*words, "--out", "whole").code == 0
    fake(monkeypatch, after)
    assert hive(*words, "--out", "again").code == 130
    assert not (tmp_path / "again").exists()
    assert len(list((tmp_path / "again.progress").glob("batch-*.json"))) == after
    other = hive(*words, "--units", 22, "--out", "again")
    assert other.code == 2 and "belongs to another league: `scenario` differ" in other.err
    played = fake(monkeypatch)
    ran = hive(*words, "--out", "again")
    assert ran.code == 0 and played[0] == after and ("resuming after" in ran.err) == (after > 0)
    assert contents(tmp_path / "again") == contents(tmp_path / "whole")
    assert not (tmp_path / "again.progress").exists()


def test_damaged_progress_is_refused(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("league", "--shipped", *SMALL, "--out", "mine")
    fake(monkeypatch, 1)
    assert hive(*words).code == 130
    path = tmp_path / "mine.progress" / "batch-00000.json"
    for text in ("[[0, 1", "[]", "[[1, 0, 0]]"):
        path.write_text(text)
        ran = hive(*words)
        assert ran.code == 2 and "batch-00000.json is damaged" in ran.err and path.read_text() == text


def test_json_is_one_object_and_the_shipped_plans_that_fit_are_entered(
    hive: Hive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad ones included; those of the enemy are written from the other side (docs/rules/league.md 1.3)."""
    fake(monkeypatch)
    ran = hive("league", "--shipped", *SMALL, "--json")
    entered = {line["plan"] for line in ran.json["ratings"]}
    fits = {"burning_wood", "coordinate", "duel", "exploit_weakness"}
    assert entered == {*fits, *(f"{name}_bad" for name in fits), "follow_markers_bad"}
    assert entered | set(ran.json["left_out"]) == {name for name in scenarios.plans() if not name.endswith("_enemy")}
    assert ran.json["games"] == 2 * 9 * 8 and (ran.json["units"], ran.json["seeds"]) == (20, 2)
    assert [line["plan"] for line in ran.json["ratings"]] == sorted(entered, reverse=True), "as the games were decided"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no plans are given\n  = help: name a folder of .plan files, or give --shipped"),
        (["nowhere"], "there is no folder nowhere"),
        (["empty"], "the folder empty holds no .plan file\n  = help: copy plans there"),
        (["one"], "a league needs at least two plans for duel, and only `duel` fits"),
        (["none"], "a league needs at least two plans for duel, and none of the plans fits"),
        (["one", "--shipped"], "two plans are called `duel`"),
        (["plans", "--seeds", "0"], "argument --seeds: 0 is out of range"),
        (["plans", "--seeds", "100000"], "make 200,000 games\n  = help: a league has at most 100,000"),
        (["plans", "--scenario", "coordinate"], "the two sides of coordinate are not mirror images of each other"),
        (["plans", "--scenario", "wildfire/scout_fire_small"], "this command is for battles"),
        (["plans", "--scenario", "due"], "there is no scenario `due`"),
        (["plans", "--search", "0"], "argument --search: 0 is out of range"),
        (["plans", "--search", "15"], "--search 15 cannot compare two plans\n  = help: each plays 4 games a seed"),
        (["plans", "--out", "empty"], "exists already"),
        (
            ["plans", "--policy", "empty"],
            "empty is not the folder of a training run\n  = help: make one with `hive train`",
        ),
        (["plans", "--policy", "empty", "--out", "new"], "a league with a policy can neither be saved nor searched"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_played(
    hive: Hive, plans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    for name in ("empty", "one", "none"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "duel.plan").write_text(scenarios.plan("duel"))
    (tmp_path / "none" / "broken.plan").write_text(BROKEN)
    monkeypatch.setattr(leagues, "_play", lambda *_: pytest.fail("played before everything was known to be right"))
    before = sorted(tmp_path.rglob("*"))
    ran = hive("league", *words)
    assert (ran.code, ran.out) == (2, "") and message in ran.err, ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_policy_is_rated_beside_the_plans(hive: Hive, plans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch)
    none = (0,) * 5

    def games(own: int, others: Sequence[tuple[int, PlanSyntax]], seeds: range, *_: object) -> list[LeagueGame]:
        pairs = [pair for other, _ in others for pair in ((own, other), (other, own))]
        return [
            LeagueGame(
                *pair, seed, "timeout", 60, ((8 if pair[0] == own else 1, *none), (8 if pair[1] == own else 1, *none))
            )
            for pair in pairs
            for seed in seeds
        ]

    def against(own: int, other: int, opponent: object, seeds: range) -> list[LeagueGame]:
        return games(own, [(other, None)], seeds)  # type: ignore[list-item]

    both = dict.fromkeys(("policy mine", "policy other"), SimpleNamespace(games=games, games_against=against))
    monkeypatch.setattr(leagues, "_policies", lambda args, world: both)
    found = json.loads(hive(*WORDS, "--policy", "runs/mine", "--policy", "runs/other", "--json").out)
    first, second = found["ratings"][:2]
    assert (first["plan"], first["wins"], first["draws"], first["losses"]) == ("policy other", 12, 0, 0)
    assert (second["plan"], second["wins"], second["losses"]) == ("policy mine", 8, 4)
    assert found["games"] == 4 + 2 * 8 + 4


def test_a_search_that_finds_nothing_better_enters_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert league_search._entry(SimpleNamespace(best=0, games=8), "duel", 4) is None  # type: ignore[arg-type]
    assert "no better plan than duel in 32 games: none is entered" in capsys.readouterr().err


def rising(plans: Sequence[PlanSyntax], seeds: Sequence[int]) -> np.ndarray:
    """Values that are larger for later plans of a generation."""
    return np.repeat(np.linspace(0.1, 0.9, len(plans))[:, None], len(seeds), axis=1)


@pytest.mark.long
def test_a_searched_plan_enters_and_an_interrupted_search_resumes(
    hive: Hive, plans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its seeds are its own, it plays every other plan, and the same command gives the same folder.

    A search that is as short as this one need not find anything, so each change of a plan is said to be better here.
    """
    monkeypatch.setattr(
        "hive.experiments.league.against.Against.__call__", lambda _, plans, seeds: rising(plans, seeds)
    )
    words = (*WORDS, "--search", 48)
    ran = hive(*words, "--out", "whole")
    assert ran.code == 0, ran.err
    assert "searched-1: mean result " in ran.err and (tmp_path / "whole" / "searched-1.plan").exists()
    games = [json.loads(line) for line in (tmp_path / "whole" / "games.jsonl").read_text().splitlines()]
    met = {(game["player"], game["enemy"]) for game in games}
    assert len(games) == 12 and ("searched-1", "duel") in met and ("coordinate", "searched-1") in met
    with monkeypatch.context() as patch:
        patch.setattr("hive.cli.learning.league_search._entry", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert hive(*words, "--out", "again").code == 130
    with monkeypatch.context() as patch:
        patch.setattr(
            "hive.experiments.league.against.Against.__call__", lambda *_: pytest.fail("the search is finished")
        )
        assert hive(*words, "--out", "again").code == 0
    assert contents(tmp_path / "again") == contents(tmp_path / "whole")

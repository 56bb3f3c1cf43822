"""The leaderboard shows verified results alone, and its entries come out again with the present commit."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from docs.make import leaderboard
from docs.make.leaderboard import GAMES, PAGE, NoEntryError, is_verified, make_leaderboard, read_board, read_entries
from hive.experiments.commanders.kept import Folder
from hive.experiments.panel.measuring import Trial
from hive.experiments.sets.scoring import play_set
from hive.kit.errors import DataError
from hive.kit.keep.digests import write_digests
from hive.worlds.battle.drawn.sets import load_set
from tests.cli.conftest import Hive, hive

__all__ = ["hive"]

BOARD = read_board()
ENTRIES = {entry.name: entry for entry in read_entries(BOARD)}
SHORT = "battle/islands/5"  # no game of seed 0 of a plan takes 200 ticks there
PLANNED = [name for name, entry in ENTRIES.items() if (entry.folder / "plans").is_dir()]


def test_the_page_is_made_of_the_entries() -> None:
    assert PAGE.read_text(encoding="utf-8") == make_leaderboard(), "run `python -m docs.make`"


def test_every_entry_was_verified_at_a_commit() -> None:
    verified = leaderboard.read_verified()
    assert verified.keys() == ENTRIES.keys(), "run `python -m docs.make.leaderboard verify`"
    for name, entry in ENTRIES.items():
        assert is_verified(entry, verified), name
        assert verified[name]["verified_with"]["commit"] and not verified[name]["verified_with"]["dirty"]


def test_the_board_has_battles_of_every_level_of_the_set_that_it_is_a_part_of() -> None:
    whole = load_set("battles-v0/test")
    assert set(BOARD.found.battles) <= set(whole.battles)
    assert set(BOARD.found.levels) == set(whole.levels)


@pytest.mark.slow
def test_games_of_plans_come_out_again() -> None:
    """The rule: CI plays a game of each plan in one battle again, with the program of `panel/test_set_study.py`.

    Entries of plans are commanders of one study, so that they share a batch; the long tests verify all games of all
    entries.
    """
    some = replace(BOARD.found, battles=tuple(each for each in BOARD.found.battles if each.name == SHORT))
    trials = [Trial(name) for name in some.names]
    plans = {name: Folder(place) for name in PLANNED for place in (ENTRIES[name].folder / "plans").iterdir()}
    written = {name: {each.name: folder.written(each.name) for each in trials} for name, folder in plans.items()}
    study = play_set(some, trials, written, 1)
    now = [[row["commander"], row["battle"], row["seed"], row["outcome"], row["ticks"]] for row in study.games()]
    kept = [
        [name, row["battle"], int(row["seed"]), row["outcome"], int(row["ticks"])]
        for name in PLANNED
        for row in csv.DictReader((ENTRIES[name].folder / "games.csv").read_text(encoding="utf-8").splitlines())
        if row["seed"] == "0" and row["battle"] in written[name]
    ]
    assert now == kept


@pytest.mark.long
@pytest.mark.parametrize("name", ENTRIES)
def test_every_result_is_verified(hive: Hive, name: str) -> None:
    ran = hive("verify", ENTRIES[name].folder, "--json")
    (found,) = ran.json["results"]
    assert (ran.code, found["state"], found["games"]) == (0, "equal", len(BOARD.games)), found["why"]


def test_an_entry_that_does_not_fit_is_refused_and_an_unverified_one_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule: a digit, a battle or a number of games other than the board's never reaches the page."""
    shutil.copytree(leaderboard.FOLDER, tmp_path / "board")
    monkeypatch.setattr(leaderboard, "FOLDER", tmp_path / "board")
    monkeypatch.setattr(leaderboard, "VERIFIED", tmp_path / "board" / "verified.json")
    entry = tmp_path / "board" / "entries" / "words"
    folder = entry / GAMES
    games, config = folder / "games.csv", folder / "config.json"
    kept = games.read_bytes(), config.read_bytes()
    row = b"words,battle/open/3,0,0,"
    assert row in kept[0] and "entries/words)" in make_leaderboard()

    games.write_bytes(kept[0].replace(row, row.replace(b",0,0,", b",0,1,")))
    with pytest.raises(DataError, match=r"games\.csv was changed"):
        leaderboard.read_entry(entry, BOARD)
    write_digests(folder)
    with pytest.raises(NoEntryError, match="its games are not those of the seeds 0 to 3"):
        leaderboard.read_entry(entry, BOARD)

    games.write_bytes(kept[0].replace(row + b"win", row + b"lose"))
    assert games.read_bytes() != kept[0]
    write_digests(folder)
    assert "entries/words)" not in make_leaderboard(), "its digest is not the one that was verified"

    games.write_bytes(kept[0])
    found = json.loads(kept[1])
    record = found["record"]
    for change, why in (
        ({"again": found["again"].replace("--seeds 4", "--seeds 2")}, "it was not played with"),
        ({"again": f"{found['again']} --command"}, "it was not played with"),
        ({"record": {**record, "worlds": record["worlds"] | {"battle/open/3-v1": "0" * 64}}}, "other battles than"),
    ):
        config.write_text(json.dumps({**found, **change}), encoding="utf-8")
        write_digests(folder)
        with pytest.raises(NoEntryError, match=why):
            leaderboard.read_entry(entry, BOARD)
    shutil.rmtree(folder)
    with pytest.raises(NoEntryError, match="there is no folder games"):
        leaderboard.read_entry(entry, BOARD)

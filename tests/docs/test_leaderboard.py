"""The leaderboard shows verified results alone, and its entries come out again with the present commit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from docs.make import leaderboard
from docs.make.leaderboard import PAGE, NoEntryError, is_verified, make_leaderboard, place_of, read_board, read_entries
from hive.kit.errors import DataError
from hive.kit.keep.digests import write_digests
from tests.cli.conftest import Hive, hive

__all__ = ["hive"]

BOARD = read_board()
ENTRIES = read_entries(BOARD)
RESULTS = {place_of(result): result for entry in ENTRIES for result in entry.results}
WORDS = "entries/words/battle-rivers-1"


def test_the_page_is_made_of_the_entries() -> None:
    assert PAGE.read_text(encoding="utf-8") == make_leaderboard(), "run `python -m docs.make`"


def test_every_entry_was_verified_at_a_commit() -> None:
    verified = leaderboard.read_verified()
    assert verified.keys() == RESULTS.keys(), "run `python -m docs.make.leaderboard verify`"
    for place, result in RESULTS.items():
        assert is_verified(result, verified), place
        assert verified[place]["verified_with"]["commit"] and not verified[place]["verified_with"]["dirty"]


@pytest.mark.slow
@pytest.mark.parametrize("place", RESULTS)
def test_every_result_comes_out_again(hive: Hive, place: str) -> None:
    ran = hive("verify", RESULTS[place].folder, "--json")
    (found,) = ran.json["results"]
    assert (ran.code, found["state"], found["games"]) == (0, "equal", BOARD.seeds), found["why"]


def test_an_entry_that_does_not_fit_is_refused_and_an_unverified_one_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule: a digit, a battle or a number of games other than the board's never reaches the page."""
    shutil.copytree(leaderboard.FOLDER, tmp_path / "board")
    monkeypatch.setattr(leaderboard, "FOLDER", tmp_path / "board")
    monkeypatch.setattr(leaderboard, "VERIFIED", tmp_path / "board" / "verified.json")
    folder = tmp_path / "board" / WORDS
    entry = folder.parent
    outcome, config = folder / "outcome.json", folder / "config.json"
    kept = outcome.read_bytes(), config.read_bytes()

    outcome.write_bytes(kept[0].replace(b'"seed": 3', b'"seed": 4'))
    with pytest.raises(DataError, match=r"outcome\.json was changed"):
        leaderboard.read_entry(entry, BOARD)
    write_digests(folder)
    assert "entries/words)" not in make_leaderboard(), "its digest is not the one that was verified"

    outcome.write_bytes(kept[0])
    record = json.loads(kept[1])["record"]
    (player,) = record["players"]
    swapped = {**player, "identity": {**player["identity"], "enemy": {"0": "0" * 64}}}
    for change, why in (
        ({"seeds": [0, 1]}, "its seeds are not 0 to 9"),
        ({"record": {**record, "worlds": {"battle/rivers/1-v1": "0" * 64}}}, "another battle"),
        ({"record": {**record, "players": [swapped]}}, "the enemy followed another plan"),
    ):
        config.write_text(json.dumps({**json.loads(kept[1]), **change}), encoding="utf-8")
        write_digests(folder)
        with pytest.raises(NoEntryError, match=why):
            leaderboard.read_entry(entry, BOARD)
    shutil.rmtree(folder)
    with pytest.raises(NoEntryError, match="the games of battle/rivers/1-v1 are missing"):
        leaderboard.read_entry(entry, BOARD)

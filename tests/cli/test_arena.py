"""`hive arena duel`: games that are kept and verified, and words that are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Hive

NAME = "battle/rivers/17"


@pytest.mark.slow
def test_a_game_of_two_commanders_is_played_again_from_its_plans(hive: Hive, tmp_path: Path) -> None:
    """Both give new orders at the same ticks; `hive verify` needs neither of them."""
    words = ["arena", "duel", NAME, "--set", "limit=90", "--by", "words", "--by", "default", "--every", "30"]
    ran = hive(*words, "--out", tmp_path / "kept", "--json")
    assert ran.code == 0, ran.err
    assert {row["commander"] for row in ran.json["ratings"]} == {"words", "default"} and ran.json["games"] == 2
    folders = sorted((tmp_path / "kept" / "games").iterdir())
    assert [each.name for each in folders] == ["0000-default-words", "0001-words-default"]
    assert "says" in (folders[0] / "chat.md").read_text()
    assert "What both commanders were asked and said" in (folders[0] / "replay.html").read_text()
    assert "--enemy-swap 0=enemy-0.plan" in json.loads((folders[0] / "config.json").read_text())["again"]
    checked = hive("verify", tmp_path / "kept", "--json")  # its games, since it is a folder of games
    assert checked.code == 0, checked.err
    assert checked.out.count('"equal"') >= 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([NAME, "--by", "words"], "give --by twice"),
        (["--by", "words", "--by", "hold"], "no battle is named"),
        ([NAME, "--by", "words", "--by", "words"], "two commanders are called `words`"),
        ([NAME, "--by", "words", "--by", "wrods"], "there is no such commander"),
        ([NAME, "--by", "words", "--by", "plan:no_such"], "cannot be read"),
        ([NAME, "--by", "words", "--by", "plan:coordinate"], "error"),
    ],
)
def test_wrong_words_are_refused_before_anything_is_played(hive: Hive, words: list[str], message: str) -> None:
    ran = hive("arena", "duel", *words)
    assert ran.code == 2 and message in ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["coordinate", "--units", "20", "--against", "stand"], "cannot command the enemy of a live game"),
        (["wildfire/cut_trees_sparse_small", "--against", "words"], "has none"),
    ],
)
def test_a_wrong_commander_of_the_enemy_is_refused_by_the_page(
    hive: Hive, words: list[str], message: str, tmp_path: Path
) -> None:
    ran = hive("serve", *words, "--session", tmp_path / "session.jsonl")
    assert ran.code == 2 and message in ran.err and "Traceback" not in ran.err

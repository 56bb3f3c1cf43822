"""`hive arena duel`: games that are kept and verified, and words that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hive.cli.learning import arena_files
from hive.experiments.commanders import playing
from tests.cli.conftest import Hive
from tests.llm.faulty import serving, stream

NAME = "battle/rivers/17"
PLAN = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: position
units: all
- target position: (30, 30)
- behavior: follow_map
END PLAN
"""


@pytest.mark.long
def test_a_game_of_two_commanders_is_played_again_from_its_plans(hive: Hive, tmp_path: Path) -> None:
    """Both give new orders at the same ticks; `hive verify` needs neither of them."""
    words = ["arena", "duel", NAME, "--set", "limit=60", "--by", "words", "--by", "hold", "--every", "30"]
    ran = hive(*words, "--out", tmp_path / "kept", "--json")
    assert ran.code == 0, ran.err
    assert {row["commander"] for row in ran.json["ratings"]} == {"words", "hold"} and ran.json["games"] == 2
    folders = sorted((tmp_path / "kept" / "games").iterdir())
    assert [each.name for each in folders] == ["0000-hold-words", "0001-words-hold"]
    assert "says" in (folders[0] / "chat.md").read_text()
    assert "What both commanders were asked and said" in (folders[0] / "replay.html").read_text()
    assert "--enemy-swap 0=enemy-0.plan" in json.loads((folders[0] / "config.json").read_text())["again"]
    checked = hive("verify", tmp_path / "kept", "--json")  # its games, since it is a folder of games
    assert checked.code == 0, checked.err
    assert checked.out.count('"equal"') >= 2


def resume_arena(hive: Hive, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The second game is broken off; the same command asks for nothing twice, and keeps every reply."""
    out = folder / "kept"
    words = ("arena", "duel", NAME, "--set", "limit=24", "--by", "hold", "--every", 12, "--retries", 0, "--out", out)
    with serving(stream(PLAN)) as server:
        model = ("--by", f"model@{server.url}")
        played = playing.play_commanded
        games: list[int] = []

        def breaks_off(*given: Any, **named: Any) -> Any:
            games.append(1)
            if len(games) == 2:
                raise KeyboardInterrupt
            return played(*given, **named)

        monkeypatch.setattr(playing, "play_commanded", breaks_off)
        assert hive(*words, *model).code == 130
        assert [each.name[:4] for each in (folder / "kept.progress" / "games").iterdir()] == ["0000"]
        asked = len(server.requests)
        assert asked == 2, "at ticks 0 and 12"
        monkeypatch.setattr(playing, "play_commanded", played)
        ran = hive(*words, *model)
        assert ran.code == 0 and "resuming after 1 game of 2" in ran.err, ran.err
        assert len(server.requests) == 4
    assert len((out / "exchanges.jsonl").read_text().splitlines()) == 4
    costs = {
        row["commander"]: row["costs"]["calls"] for row in json.loads((out / "ratings.json").read_text())["ratings"]
    }
    assert costs == {"model": 4, "hold": 0}
    return out


@pytest.mark.slow
def test_a_resumed_arena_keeps_the_exchanges_of_the_games_before(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without recordings, which games played once more give: these need programs of their own."""
    monkeypatch.setattr(arena_files, "_game_files", lambda *given: {"config.json": "{}"})
    resume_arena(hive, tmp_path, monkeypatch)


@pytest.mark.long
def test_a_resumed_arena_is_verified(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hive("verify", resume_arena(hive, tmp_path, monkeypatch)).code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([NAME, "--by", "words"], "give --by twice"),
        (["--by", "words", "--by", "hold"], "no battle is named"),
        ([NAME, "--by", "words", "--by", "words"], "two commanders are called `words`"),
        ([NAME, "--by", "words", "--by", "wrods"], "there is no such commander"),
        ([NAME, "--by", "words", "--by", "plan:no_such"], "cannot be read"),
        ([NAME, "--by", "words", "--by", "search-64"], "`hive study` takes it; a duel has both sides"),
        (["coordinate", "--units", "20", "--by", "words", "--by", "attack"], "which is no drawn battle"),
        ([NAME, "--by", "words", "--by", "hold", "--at", "dawn"], "`dawn` is no event"),
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
        (["wildfire/cut_trees_sparse_small", "--against", "words"], "it is for battles"),
    ],
)
def test_a_wrong_commander_of_the_enemy_is_refused_by_the_page(
    hive: Hive, words: list[str], message: str, tmp_path: Path
) -> None:
    ran = hive("serve", *words, "--session", tmp_path / "session.jsonl")
    assert ran.code == 2 and message in ran.err and "Traceback" not in ran.err

"""Runs of households and `hive household styles`: results, resuming, a list that is carried on, wrong words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dsl import UserError
from hive.kit.team_world import TeamRequest
from hive.players.playing import play, player
from hive.players.teams import games
from hive.worlds.household.teams import HouseholdTeams
from tests.cli.conftest import Hive


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("household/cwah_6", "there is no household `cwah_6`\n  = help: did you mean `cwah_"),
        ("household/cwah_0 --player team:lied", "did you mean `team:liet`?"),
        ("household/cwah_0 --set team=5", "a team has 1 to 4 agents, not 5"),
        ("household/cwah_0 --set team=two", "a team has 1 to 4 agents, not two"),
        ("household/cwah_0 --set carry=yes", "the setting `carry` is 0 or 1, not yes"),
        ("household/cwah_0 --player team:roco --set carry=1", "`roco` has no shared list"),
        ("household/cwah_0 --set tips=missing.txt", "cannot read missing.txt"),
        ("missing.toml", "missing.toml"),
    ],
)
def test_a_wrong_command_line_is_explained(hive: Hive, words: str, why: str) -> None:
    ran = hive("run", *words.split())
    assert ran.code == 2 and ran.out == "" and why in ran.err


def test_a_list_that_is_too_long_is_refused(hive: Hive, tmp_path: Path) -> None:
    (tmp_path / "tips.txt").write_text("word " * 101, "utf-8")
    ran = hive("run", "household/cwah_0", "--set", f"tips={tmp_path / 'tips.txt'}")
    assert ran.code == 2 and "has 101 words, and a shared list has at most 100" in ran.err


def test_episodes_that_do_not_go_together_are_refused(hive: Hive, tmp_path: Path) -> None:
    """Each play has a folder of its episode's name, so one of two of one name would be lost."""
    for folder in ("a", "b"):
        assert hive("household", "write", "generated_7", "--out", str(tmp_path / folder)).code == 0
    files = [str(tmp_path / folder / "generated_7.toml") for folder in ("a", "b")]
    for worlds, why in ((files, "called `generated_7`"), (["cwah_0", "transport_1"], "cannot be played in one run")):
        with pytest.raises(UserError, match=why):
            HouseholdTeams(TeamRequest(worlds=worlds))


@pytest.mark.long
def test_a_run_is_kept_resumes_and_repeats(hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted run goes on from its journals, and ends as one that was not interrupted."""
    words = ("run", "household/cwah_30", "--set", "utility=exact", "--set", "carry=1", "--seeds", "1", "--json")
    first = hive(*words, "--out", str(tmp_path / "a"))
    assert first.code == 0, first.err
    result = json.loads(first.out)
    (game,) = result["games"]
    assert game["finished"] and game["placed"] == game["wanted"] == 5 and result["figures"]["steps"] == game["ticks"]
    assert not (tmp_path / "a.progress").exists()
    files = {path.name for path in (tmp_path / "a/cwah_30/0").iterdir()}
    assert files == {"result.json", "steps.jsonl", "transcript.md", "journal.jsonl", "recording.npz", "picture.png"}
    assert {path.name for path in (tmp_path / "a").iterdir()} >= {"games.csv", "table.txt", "config.json"}

    played = games.play_kept

    def interrupt(*args: object) -> None:
        def stop(*_: object) -> None:
            if args[0].envs[0].tick > 9:  # type: ignore[attr-defined]
                raise KeyboardInterrupt

        watch = args[-2]  # before `seen`
        monkeypatch.setattr(watch, "update", stop)
        played(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(games, "play_kept", interrupt)
    assert hive(*words, "--out", str(tmp_path / "b")).code == 130
    kept = (tmp_path / "b.progress/cwah_30-0.journal.jsonl").read_text("utf-8")
    assert 9 < len(kept.splitlines()) < game["ticks"]
    monkeypatch.setattr(games, "play_kept", played)
    second = hive(*words, "--out", str(tmp_path / "b"))
    assert second.code == 0, second.err
    assert json.loads(second.out) == result
    journals = [(tmp_path / name / "cwah_30/0/journal.jsonl").read_text("utf-8") for name in "ab"]
    assert journals[0] == journals[1]
    page = hive("replay", str(tmp_path / "a/cwah_30/0"))
    assert page.code == 0 and (tmp_path / "a/cwah_30/0/replay.html").exists()


@pytest.mark.long
def test_the_published_structure_asks_twice_and_the_scripted_team_plays_the_same(hive: Hive, tmp_path: Path) -> None:
    """docs/rules/household.md 10.8: the additions remove calls, and change nothing that the scripted team does."""
    games = []
    for name, more in (("a", ()), ("b", ("--published",))):
        words = ("--player", "team:coela", "--json", *more)
        ran = hive("run", "household/cwah_30", *words, "--out", str(tmp_path / name))
        assert ran.code == 0, ran.err
        games += json.loads(ran.out)["games"]
    assert games[0]["ticks"] == games[1]["ticks"] and games[0]["calls"] < games[1]["calls"]


@pytest.mark.long
def test_a_carried_list_begins_the_next_episode(tmp_path: Path) -> None:
    options = {"utility": "exact", "carry": True}
    world = HouseholdTeams(TeamRequest(worlds=["cwah_30", "cwah_0"], options=options))
    before, after = (game.tips for game in play(world, player()).games)
    assert before and after.startswith(before)


@pytest.mark.slow
def test_the_bandit_tells_what_it_tried(hive: Hive) -> None:
    ran = hive("household", "styles", "--rounds", "7", "--episodes", "1", "--json")
    assert ran.code == 0, ran.err
    result = json.loads(ran.out)
    assert [row["plays"] for row in result["styles"]] == [1] * 7 and result["best"]

"""The code of docs/teams.md runs as it is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from tests.teams.speaking import Speaker
from tests.teams.toy import Toy, ToyEpisodes

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```python\n(.+?)```", (ROOT / "docs/teams.md").read_text(encoding="utf-8"), re.S)
DOOR, _, FRAMEWORK, LEVEL = BLOCKS


def relay() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(FRAMEWORK, "docs/teams.md", "exec"), names)
    return names


def test_the_framework_of_the_page_plays_in_thirty_lines() -> None:
    assert len(FRAMEWORK.splitlines()) <= 35 and len([line for line in FRAMEWORK.splitlines() if line]) <= 30
    speaker = Speaker({"AGENT_2 act": "<action>walk to 1 0</action>", "AGENT_3 act": "nothing"})
    framework = relay()["RELAY"]
    (episode,) = play(ToyEpisodes([Toy(3)]), framework, speaker, TeamRules(steps=2))
    assert len(speaker.asked) == 2 * framework.calls(episode.team.rules, 3, 3) - 2
    assert speaker.of("act", "AGENT_3")[0].section("Messages").splitlines() == [
        "- step 1, AGENT_1 to all: I will light lamp",
        "- step 1, AGENT_2 to all: I will walk to 1 0",
    ]
    assert [act["read"] for act in episode.journal.rows[0]["acts"]] == ["idle", "call", "call"]


def test_the_door_of_the_page_lets_two_players_play(capsys: pytest.CaptureFixture[str]) -> None:
    """Both play the optimum of that map, 4 steps."""
    exec(compile(DOOR, "docs/teams.md", "exec"), {})
    row = next(line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("map_7/agents-1"))
    assert row == ["map_7/agents-1", "2", "4", "4", "4"]


@pytest.mark.long
def test_the_framework_of_the_page_plays_a_wildfire_level(capsys: pytest.CaptureFixture[str]) -> None:
    """The scripted speaker cuts all six cells through it."""
    exec(compile(LEVEL, "docs/teams.md", "exec"), relay())
    score, calls, *_ = capsys.readouterr().out.split()
    assert float(score) == 18 and int(calls) > 0


def test_files_and_modules_that_the_page_names_exist() -> None:
    page = (ROOT / "docs/teams.md").read_text(encoding="utf-8")
    names = re.findall(r"^\| ((?:`[\w/]+(?:\.py)?`(?:, )?)+) \|", page, re.M)
    files = [name for row in names for name in re.findall(r"`([\w/]+(?:\.py|/))`", row)]
    assert len(files) >= 10
    assert not [name for name in files if not (ROOT / "hive/players/teams" / name).exists()]
    assert not [link for link in re.findall(r"\]\(([^)#]+)\)", page) if not (ROOT / "docs" / link).exists()]

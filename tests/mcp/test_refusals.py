"""What a client may not do, or does wrongly: one clear message, nothing played, nothing written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hive.mcp import tools
from hive.mcp.limits import Limits
from hive.mcp.server import make_server
from tests.mcp.conftest import GAME, SMALL, WEST, Talk, play

KITCHEN = "kitchen/boiled_egg"
LEVEL = "wildfire/suppress_contain"
HUGE = "x" * 5_000_000
BAD = WEST.replace("follow_map", "folow_map").replace("(5, 20)", "(5, 400)")
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("describe", {"scenario": "cordinate"}, "there is no world `cordinate`\n  = help: did you mean `coord"),
    ("describe", {"scenario": "suppress_contain"}, f"did you mean `{LEVEL}`?"),
    ("describe", {"scenario": "pyproject.toml"}, "there is no world `pyproject.toml`"),
    ("describe", {"scenario": f"{LEVEL}/../../coordinate"}, "there is no world"),
    ("describe", {"scenario": "wildfire/all"}, "there is no world `wildfire/all`"),
    ("describe", {"scenario": HUGE}, "there is no world `xxx"),
    ("describe", {"scenario": "coordinate", "unitz": 3}, "`describe` has no argument `unitz`\n  = help: did you mean"),
    ("list_games", {"unitz": 3}, "`list_games` has no argument `unitz`: it takes none"),
    ("describe", {"scenario": "coordinate", "units": "many"}, "the argument `units`: input should be a valid integer"),
    ("describe", {}, "the argument `scenario`: field required"),
    ("describe", {"scenario": "coordinate", "units": 0}, "`units` is a whole number from 1 on, not 0"),
    ("describe", {"scenario": "coordinate", "units": 41}, "the largest game of this server is 80 units"),
    ("describe", {"scenario": "coordinate"}, "is 80 units, and 2,000 are asked for"),
    ("describe", {"scenario": LEVEL, "units": 9}, "is a wildfire level, and `units` is for battles"),
    ("describe", {"scenario": LEVEL, "rules": {"firefighters": 81}}, "is 80 units, and 81 are asked for"),
    ("describe", {"scenario": LEVEL, "rules": {"size": 513}}, "the largest map of this server is 512 cells, and 513"),
    ("describe", {"scenario": LEVEL, "rules": {"sise": 50}}, "there is no level number `sise`\n  = help: did you mean"),
    ("describe", {**SMALL, "rules": {"limt": 9}}, "there is no rule `limt`\n  = help: did you mean `limit`?"),
    ("describe", {**SMALL, "rules": {"limit": 0}}, "error[scenario-range]: 0 is out of range"),
    ("describe", {**SMALL, "rules": {"limit": "nan"}}, "the rule `limit` is a number, not nan"),
    ("describe", {**SMALL, "rules": {HUGE: 1}}, "there is no rule `xxx"),
    ("describe", {**SMALL, "rules": {str(number): 1 for number in range(51)}}, "the most rules in one call"),
    ("describe", {**SMALL, "seed": -1}, "`seed` is a whole number from 0 to 4,294,967,295, not -1"),
    ("check_plan", {**SMALL, "plan": "cordinate"}, "there is no shipped plan `cordinate`\n  = help: did you mean"),
    ("check_plan", {**SMALL, "plan": "/etc/passwd"}, "there is no shipped plan `/etc/passwd`"),
    ("check_plan", {**SMALL, "plan": "../scenarios/plans/coordinate.plan"}, "there is no shipped plan"),
    ("check_plan", {**SMALL, "plan": " "}, "the plan is empty"),
    ("check_plan", {**SMALL, "plan": HUGE}, "the longest plan of this server is 50,000 characters"),
    ("run_plan", {**SMALL, "plan": BAD}, "there is no behaviour called `folow_map`"),
    ("run_plan", {**SMALL, "seeds": 4}, "the largest batch of this server is 3 games, and 4 are asked for"),
    ("run_plan", {**SMALL, "seeds": 0}, "`seeds` is a whole number from 1 on, not 0"),
    ("run_plan", {**SMALL, "seeds": 2, "seed": 1}, "give `seed` for one game, or `seeds` for a batch, not both"),
    ("start_game", {**SMALL, "plan": BAD}, "error[plan-coordinate]: y is 400, but the map ends at 149"),
    ("start_game", {"scenario": LEVEL}, "has no plan of its own"),
    ("look", {"game": "g1"}, "there is no game `g1`\n  = help: there is none now: begin one with `start_game`"),
    ("look", {"game": HUGE}, "there is no game `xxx"),
    (
        "describe",
        {"scenario": KITCHEN, "units": 9},
        "is a kitchen order, and `units`, `rules` and `seed` are for worlds",
    ),
    ("describe", {"scenario": KITCHEN, "seed": 9}, "`take_seat` and `watch_team` take a seed"),
    (
        "watch_team",
        {"scenario": "coordinate"},
        "which plans command and no agents play\n  = help: `start_game` makes you its commander",
    ),
    ("fly", {}, "Unknown tool: fly"),
]


def test_each_bad_call_is_one_clear_message() -> None:
    async def story(talk: Talk) -> None:
        for tool, arguments, message in REFUSED:
            assert message in await talk.refused(tool, **arguments), (tool, message)
        assert not (await talk("list_games"))["games"]

    play(make_server(Limits(units=80, seeds=3)), story)


@pytest.mark.slow
def test_bad_calls_leave_a_game_as_it_was(tmp_path: Path) -> None:
    """Replays are written under new plain names inside the folder, and a link out of it is not followed."""
    folder = tmp_path / "replays"
    folder.mkdir()
    (folder / "taken").mkdir()
    os.symlink(tmp_path / "outside", folder / "link")
    names = ["", ".", "..", "../out", "/tmp/out", "a/b", "a\\b", "a.b", ".a", "a\n", "ä", "a" * 65, HUGE]
    calls: list[tuple[str, dict[str, Any], str]] = [
        *(("save_replay", {"name": name}, "is not a name for a replay") for name in names),
        ("save_replay", {"name": "taken"}, "`taken` exists already, and nothing is replaced"),
        ("save_replay", {"name": "link"}, "`link` exists already"),
        ("save_replay", {"name": "new", "every": 0}, "`every` is a whole number from 1 on"),
        ("order", {"plan": BAD}, "error[plan-behaviour]"),
        ("order", {"plan": "/etc/passwd"}, "there is no shipped plan"),
        ("step", {"ticks": 0}, "`ticks` is a whole number from 1 on, not 0"),
        ("step", {"ticks": 51}, "the longest step of this server is 50 ticks, and 51 are asked for"),
    ]

    async def story(talk: Talk) -> None:
        await talk("start_game", **GAME)
        before = await talk("step", game="g1", ticks=5)
        for tool, arguments, message in calls:
            assert message in await talk.refused(tool, game="g1", **arguments), (tool, message)
        assert (await talk("list_games"))["games"] == [{key: before[key] for key in before if key != "played"}]

    play(make_server(Limits(ticks=50), folder), story)
    assert sorted(path.name for path in folder.iterdir()) == ["link", "taken"]
    assert not list((folder / "taken").iterdir()) and not (tmp_path / "outside").exists()


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_said_without_its_place(tmp_path: Path) -> None:
    """Before the game is played again."""

    async def story(talk: Talk) -> None:
        await talk("start_game", **GAME)
        await talk("step", game="g1", ticks=1)
        message = await talk.refused("save_replay", game="g1", name="mine")
        assert "cannot create the run folder mine: the folder for replays is a file" in message
        assert str(tmp_path) not in message

    (tmp_path / "file").touch()
    play(make_server(Limits(seconds=0), tmp_path / "file"), story)


def test_without_a_folder_nothing_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def story(talk: Talk) -> None:
        await talk("start_game", **SMALL)
        assert "start it as `hive mcp --folder DIR`" in await talk.refused("save_replay", game="g1", name="mine")

    play(make_server(Limits()), story)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_replay_that_would_be_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive.mcp.saving.POSITIONS", 100)

    async def story(talk: Talk) -> None:
        await talk("start_game", **GAME)
        await talk("step", game="g1", ticks=5)
        message = await talk.refused("save_replay", game="g1", name="large")
        assert "at most 100 positions of units, and this one has 240" in message
        assert "keep fewer frames, as in `every` = 3" in message

    play(make_server(Limits(), tmp_path), story)


def test_an_error_of_ours_tells_the_client_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("in /a/secret/place")

    async def story(talk: Talk) -> None:
        monkeypatch.setattr(tools, "kinds", fail)
        assert await talk.refused("list_shipped") == "Error executing tool list_shipped"
        assert not (await talk("list_games"))["games"], "the server goes on"

    play(make_server(Limits()), story)

"""A client commands games: the same game as `hive run --swap`, two calls at once, time, cancellation, replays."""

from __future__ import annotations

import json
import shlex
import threading
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from anyio import to_thread

from hive.cli import main
from hive.engine.live import LiveGame
from hive.mcp import clock
from hive.mcp.limits import Limits
from hive.mcp.server import make_server
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.wildfire import running
from hive.worlds.wildfire.games import Played
from hive.worlds.wildfire.reports import Commander
from hive.worlds.wildfire.world import Fireground
from tests.mcp.conftest import EAST, GAME, SMALL, WEST, Talk, play

pytestmark = pytest.mark.slow

SEED = 3
OVER = "takes longer than the 0 seconds that the server allows"


def seen_of(result: dict[str, Any]) -> tuple[int, str, dict[str, int]]:
    return result["tick"], result["outcome"], result["alive"]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """What a client was answered in a game with two orders, and the folder in which its replays lie."""
    folder = tmp_path_factory.mktemp("replays")
    answers: dict[str, Any] = {}

    async def story(talk: Talk) -> None:
        answers["start"] = await talk("start_game", **GAME, seed=SEED)
        game = answers["start"]["game"]
        answers["compact"] = await talk("look", game=game)
        answers["full"] = await talk("look", game=game, full=True)
        answers["early"] = await talk.refused("save_replay", game=game, name="early")
        await talk("step", game=game, ticks=10)
        answers["west"] = await talk("order", game=game, plan=WEST)
        answers["running"] = await talk("save_replay", game=game, name="running")
        await talk("step", game=game, ticks=20)
        await talk("order", game=game, plan=WEST)
        answers["east"] = await talk("order", game=game, plan=EAST)
        answers["end"] = await talk("step", game=game, ticks=1000)
        answers["over"] = [
            await talk.refused("step", game=game, ticks=1),
            await talk.refused("order", game=game, plan=WEST),
        ]
        answers["saved"] = await talk("save_replay", game=game, name="battle-1")
        answers["games"] = await talk("list_games")
        await talk("end_game", game=game)
        answers["gone"] = await talk.refused("look", game=game)

    play(make_server(Limits(), folder), story)
    return answers, folder


def test_a_game_is_started_seen_ordered_and_stepped(told: tuple[dict[str, Any], Path]) -> None:
    answers, _ = told
    assert seen_of(answers["start"]) == (0, "running", {"player": 20, "enemy": 20})
    assert answers["compact"]["text"] != answers["full"]["text"] and "X positions" in answers["full"]["text"]
    assert answers["west"]["ordered_at"] == [0, 10]
    assert answers["east"]["ordered_at"] == [0, 10, 30], "a second order at one tick replaces the first"
    assert answers["end"]["tick"] == 60 and answers["end"]["played"] == 30
    assert all("the game is over after 60 ticks: timeout" in text for text in answers["over"])
    assert [each["game"] for each in answers["games"]["games"]] == ["g1"]
    assert "there is no game `g1`" in answers["gone"] and "nothing to save yet" in answers["early"]


def test_the_live_game_is_the_one_of_hive_run(
    told: tuple[dict[str, Any], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command in the replay's config.json repeats it, from the plans beside it."""
    answers, folder = told
    saved = folder / "battle-1"
    again = json.loads((saved / "config.json").read_text())["again"]
    swaps = "--swap 10=plan-10.plan --swap 30=plan-30.plan"
    assert again == f"in this folder: hive run scenario.toml --seed {SEED} {swaps} --written-for 20,20"
    assert [(saved / f"plan-{tick}.plan").read_text().strip() for tick in (10, 30)] == [WEST.strip(), EAST.strip()]
    monkeypatch.chdir(saved)
    assert main([*shlex.split(again.partition("hive ")[2]), "--out", str(tmp_path / "kept")]) == 0
    (game,) = json.loads((tmp_path / "kept" / "outcome.json").read_text())["results"]
    alive = {side: sum(types.values()) for side, types in game["survivors"].items()}
    assert (game["ticks"], game["outcome"], alive) == seen_of(answers["end"])
    ours, theirs = (BattleRecording.load(path / "recording.npz") for path in (saved, tmp_path / "kept"))
    assert np.array_equal(ours.position, theirs.position) and np.array_equal(ours.health, theirs.health)


def test_a_replay_is_a_run_folder_with_a_page(told: tuple[dict[str, Any], Path]) -> None:
    answers, folder = told
    assert sorted(path.name for path in folder.iterdir()) == ["battle-1", "running"]
    assert sorted(path.name for path in (folder / "battle-1").iterdir()) == answers["saved"]["files"]
    assert answers["saved"]["page"] == "battle-1/replay.html" and not answers["saved"]["remarks"]
    assert "<html" in (folder / "battle-1" / "replay.html").read_text(encoding="utf-8")


def test_the_replay_of_a_running_game_stops_at_its_tick(told: tuple[dict[str, Any], Path]) -> None:
    answers, folder = told
    assert "stops at tick 10 and calls that a timeout" in answers["running"]["remarks"][0]
    running, finished = (BattleRecording.load(folder / name / "recording.npz") for name in ("running", "battle-1"))
    assert running.tick.tolist() == list(range(11))
    assert np.array_equal(running.position, finished.position[:11])


@pytest.mark.long
def test_a_batch_and_a_description_are_those_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["coordinate", "--units", "20", "--set", "limit=60"]

    def hive(*more: str) -> Any:
        assert main([more[0], *words, *more[1:], "--json"]) == 0
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    async def story(talk: Talk) -> None:
        run = await talk("run_plan", **SMALL, seed=SEED)
        described = [await talk("describe", **SMALL, full=full) for full in (False, True)]
        expected, text = hive("run", "--seed", str(SEED)), hive("describe")
        assert [each["text"] for each in described] == [text["compact"], f"{text['system']}\n\n{text['state']}"]
        assert run["results"] == expected["results"], "a shipped plan is rescaled alike"
        assert (await talk("check_plan", **SMALL, plan=WEST))["ok"]
        (found,) = (await talk("check_plan", **SMALL, plan=WEST.replace("0:20", "0:21")))["diagnostics"]
        assert (found["line"], found["column"], found["hint"]) == (5, 9, "its end is at most 20")

    play(make_server(Limits()), story)


class Gate:
    """Holds a step inside the game until the test opens it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()
        before = LiveGame.play

        def wait(live: LiveGame, ticks: int) -> int:
            self.entered.set()
            assert self.opened.wait(60)
            return before(live, ticks)

        monkeypatch.setattr(LiveGame, "play", wait)


def test_a_game_does_one_call_at_a_time_and_the_server_a_stated_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """And calls for other things are answered meanwhile."""

    async def story(talk: Talk) -> None:
        for _ in range(2):
            await talk("start_game", **GAME)
        assert "keeps at most 2 games\n  = help: end one with `end_game`" in await talk.refused("start_game", **GAME)
        gate = Gate(monkeypatch)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: talk("step", game="g1", ticks=10))
            await to_thread.run_sync(gate.entered.wait)
            for tool, more in (("step", {"ticks": 10}), ("order", {"plan": WEST}), ("look", {}), ("end_game", {})):
                assert "another call uses the game g1" in await talk.refused(tool, game="g1", **more)
            assert len((await talk("list_games"))["games"]) == 2
            gate.entered.clear()
            tasks.start_soon(lambda: talk("step", game="g2", ticks=10))
            await to_thread.run_sync(gate.entered.wait)
            assert "this server does 2 calls at a time" in await talk.refused("list_games")
            gate.opened.set()
        assert [each["tick"] for each in (await talk("list_games"))["games"]] == [10, 10]

    play(make_server(Limits(games=2, calls=2)), story)


def test_a_call_that_is_cancelled_ends_and_leaves_its_game_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(talk: Talk) -> None:
        await talk("start_game", **GAME)
        gate = Gate(monkeypatch)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: talk("step", game="g1", ticks=60))
            await to_thread.run_sync(gate.entered.wait)
            tasks.cancel_scope.cancel()
            gate.opened.set()
        assert (await talk("step", game="g1", ticks=1))["tick"] == 11, "the cancelled step played one segment"

    play(make_server(Limits()), story)


def test_a_call_without_time_left_says_what_it_did(tmp_path: Path) -> None:
    """A step returns what it played; a replay fails, and nothing is written."""

    async def story(talk: Talk) -> None:
        await talk("start_game", **GAME)
        stepped = await talk("step", game="g1", ticks=60)
        assert (stepped["played"], stepped["tick"]) == (10, 10) and "step again to go on" in stepped["remark"]
        assert OVER in await talk.refused("save_replay", game="g1", name="late")

    play(make_server(Limits(seconds=0), tmp_path), story)
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_a_batch_without_time_left_fails() -> None:
    """It has the clock of the calls above, and a program of its own."""

    async def story(talk: Talk) -> None:
        assert OVER in await talk.refused("run_plan", **SMALL)

    play(make_server(Limits(seconds=0)), story)


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_PAUSE", 0.0)
    reports: list[tuple[float, float | None]] = []

    async def report(done: float, total: float | None, message: str | None) -> None:
        assert message == "playing"
        reports.append((done, total))

    async def story(talk: Talk) -> None:
        await talk("start_game", **GAME)
        await talk.client.call_tool("step", {"game": "g1", "ticks": 25}, progress_callback=report)

    play(make_server(Limits()), story)
    assert reports == [(10, 25), (20, 25), (25, 25)]


def test_a_level_without_a_plan_is_played_by_its_commander(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Commander] = []

    def played(world: Fireground, commander: Commander, **_: object) -> Played:
        seen.append(commander)
        losses = dict.fromkeys(("trees", "buildings", "civilians", "firefighters", "bulldozers"), 0)
        return Played(
            world=world, score=-1, scores=np.array([-1]), losses=losses, outcome="timeout", ticks=9, plans=()
        )  # fmt: skip

    async def story(talk: Talk) -> None:
        rules = {"size": 40, "firefighters": 1}
        found = await talk("run_plan", scenario="wildfire/suppress_contain", rules=rules, seeds=2)
        assert (found["method"], found["seeds"], found["ticks"]) == ("scripted", [0, 1], [9, 9])

    monkeypatch.setattr(running, "play_level", played)
    play(make_server(Limits()), story)
    assert [type(each).__module__ for each in seen] == ["hive.worlds.wildfire.commanders.suppress"] * 2


@pytest.mark.long
def test_a_level_is_commanded_and_is_the_one_of_hive_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    level = {"scenario": "wildfire/suppress_contain", "rules": {"limit": 11}, "seed": 5}
    stand = WEST.replace("elimination all", "extinguish").replace("[0:20]", "all").replace("follow_map any", "stand")
    go = stand.replace("stand", "go_to")
    answers: dict[str, Any] = {}

    async def story(talk: Talk) -> None:
        assert "has no plan of its own" in await talk.refused("start_game", **level)
        await talk("start_game", **level, plan=stand)
        await talk("step", game="g1", ticks=4)
        assert "follows already" in await talk.refused("order", game="g1", plan=stand)
        await talk("order", game="g1", plan=go)
        await talk("step", game="g1", ticks=4)
        answers["end"] = await talk("step", game="g1", ticks=20)
        answers["saved"] = await talk("save_replay", game="g1", name="level")

    play(make_server(Limits(), tmp_path), story)
    saved = tmp_path / "level"
    again = json.loads((saved / "config.json").read_text())["again"]
    assert "--plan plan.plan" in again and "--swap 4=plan-4.plan" in again
    monkeypatch.chdir(saved)
    assert main([*shlex.split(again.partition("hive ")[2]), "--out", str(tmp_path / "kept")]) == 0
    ours, theirs = (json.loads((path / "outcome.json").read_text()) for path in (saved, tmp_path / "kept"))
    assert ours["scores"] == theirs["scores"] and ours["ticks"] == [answers["end"]["tick"]] == [11]
    assert ours["outcomes"] == [answers["end"]["outcome"]]

"""A server that is killed while it is told orders comes back with everything that it had told of."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from hive.kit.planned_world import Request
from tests.web.page_server import ENEMY, MEADOW, PLAN, serving_request
from tests.web.talking import Tab
from tests.web.test_live import LATER, same, straight

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "import sys; from hive.cli import main; sys.exit(main())"
KEPT = ("said", "answer", "plan", "line")

Words = dict[str, Any]


@contextmanager
def living(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server of the session in a folder, which may be killed."""
    session = folder / "session.jsonl"
    words = [] if session.exists() else [str(folder / "meadow.toml"), "--seed", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", *words, "--session", str(session), "--plans", str(folder)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert process.stderr is not None
    said = []
    try:
        for line in process.stderr:
            said.append(line)
            found = re.search(r"open (http://\S+)", line)
            if found:
                break
        else:
            raise AssertionError("".join(said))
        yield found[1], process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def order(tab: Tab, rng: random.Random) -> None:
    """Give some order that may be given now."""
    tick = next((words["tick"] for words in reversed(tab.told) if words["is"] == "status"), 0)
    match rng.randrange(6):
        case 0:
            tab.ask("say", text="hold the meadow")
        case 1 | 2:
            tab.ask("plan", text=rng.choice((PLAN, LATER)))
        case 3:
            tab.send("branch", tick=rng.randrange(tick + 1))
            tab.hear("line", "refused")
        case 4:
            tab.send("step", ticks=rng.randrange(1, 9))
            tab.hear("status", "refused")
        case 5:
            tab.send("mark", letter="A", x=rng.randrange(48), y=rng.randrange(48))
            tab.hear("marked")


def kept(told: list[Words]) -> list[Words]:
    """What a session keeps of what its tabs are told; it keeps no answers to plans by hand, which have no text."""
    return [words for words in told if words["is"] in KEPT and (words["is"] != "answer" or words["text"])]


@pytest.mark.long
@pytest.mark.parametrize("kills", [1, 50])
def test_nothing_that_was_told_is_lost(kills: int, tmp_path: Path) -> None:
    (tmp_path / "meadow.toml").write_text(MEADOW)
    (tmp_path / "hold.plan").write_text(PLAN)
    (tmp_path / "meadow.plan").write_text(PLAN)
    (tmp_path / "enemy.plan").write_text(ENEMY)
    rng = random.Random(kills)
    known: list[Words] = []
    told = 0
    for _ in range(kills):
        with living(tmp_path) as (address, process), Tab(address) as tab:
            check(tab, known, tmp_path)
            known = kept(tab.hello["log"])
            tab.send("speed", ticks_per_second=1000)
            if tab.hello["status"]["preparing"] and rng.random() < 0.8:  # else it is killed while it compiles
                tab.until(lambda words: words["is"] == "status" and not words["preparing"])
                for _ in range(rng.randrange(2, 10)):
                    order(tab, rng)
            threading.Timer(rng.random() * 0.3, process.send_signal, [signal.SIGKILL]).start()
            with pytest.raises(ConnectionClosed):
                while True:
                    order(tab, rng)
            told += bool(kept(tab.told[1:]))
            known += kept(tab.told[1:])
    with serving_request(Request(scenario="meadow"), tmp_path) as address, Tab(address) as tab:  # the session's own
        check(tab, known, tmp_path)
    assert told > kills // 2, "most servers were killed while they carried out orders"
    assert "plan" in {words["is"] for words in known}


def check(tab: Tab, known: list[Words], folder: Path) -> None:
    """What was told is there, in order; the game has come to its last order, and is as the engine has it."""
    log = kept(tab.hello["log"])
    assert log[: len(known)] == known, "at most what was written and not told yet may be new"
    status, plans = tab.hello["status"], []
    for words in log:
        if words["is"] == "plan":
            plans = [plan for plan in plans if plan[0] < words["tick"]] + [(words["tick"], words["text"])]
        elif words["is"] == "line":
            plans = [] if words["again"] else [plan for plan in plans if plan[0] <= words["tick"]]
    assert status["plan"] == len(plans)
    assert not plans or status["tick"] >= plans[-1][0]
    if plans:
        same(tab.draw(status["tick"]), straight(folder, *plans, tick=status["tick"]))

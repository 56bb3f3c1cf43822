"""The environment inside OpenEnv: its own server and client, many sessions of one process, one batch; no model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.hive.skirmish import skirmish
from tests.llm.test_rewards import BROKEN, FEW, GOOD, QUESTION
from tests.study.batches import count_batches

core: Any = pytest.importorskip("openenv.core", reason="`make test-evaluators` installs openenv-core and runs this")

import uvicorn  # noqa: E402

from hive.experiments.study.openenv_server import make_app  # noqa: E402
from hive.experiments.study.prompted import AbilityTask  # noqa: E402
from hive.players.llm.rewards import Rewards  # noqa: E402

TEXTS = [GOOD, BROKEN, QUESTION, FEW]


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application in a thread; yields its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def test_sessions_side_by_side_share_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skirmish(tmp_path)
    scenario, batches = str(tmp_path / "skirmish.toml"), count_batches(monkeypatch)
    tasks = [AbilityTask(f"skirmish/{n}", scenario, "you command", f"prompt {n}") for n in range(4)]

    async def play(url: str, number: int) -> Any:
        async with core.GenericEnvClient(base_url=url, message_timeout_s=300) as env:
            first = await env.reset(task=f"skirmish/{number}")
            assert not first.done and first.observation["prompt"] == f"prompt {number}"
            done = await env.step({"text": TEXTS[number]})
            assert (await env.state())["task"] == f"skirmish/{number}"
            with pytest.raises(RuntimeError, match="it is answered already"):
                await env.step({"text": GOOD})
            return done

    async def play_all(url: str) -> list[Any]:
        return await asyncio.gather(*(play(url, number) for number in range(4)))

    with serving(make_app(tasks, seeds=(3, 4), pause=2.0)) as url:
        found = asyncio.run(play_all(url))
    assert batches == [4]
    expected = Rewards(scenario, [3, 4]).score(TEXTS)
    assert [each.reward for each in found] == [pytest.approx(score.value) for score in expected]
    assert all(each.done for each in found)


def test_a_reset_draws_a_prompt_by_its_seed_and_refuses_unknown_tasks(tmp_path: Path) -> None:
    skirmish(tmp_path)
    tasks = [AbilityTask(f"s/{n}", str(tmp_path / "skirmish.toml"), "", f"prompt {n}") for n in range(50)]

    async def ask(url: str) -> list[str]:
        async with core.GenericEnvClient(base_url=url) as env:
            with pytest.raises(RuntimeError, match="tasks are such as `s/0`"):
                await env.reset(task="other")
            return [(await env.reset(seed=seed)).observation["prompt"] for seed in (1, 2, 1)]

    with serving(make_app(tasks)) as url:
        one, other, again = asyncio.run(ask(url))
    assert one == again != other

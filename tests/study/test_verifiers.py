"""Rewards inside the package `verifiers`: its own environment asks, and its own scoring calls ours; no network."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.hive.skirmish import skirmish
from tests.llm.faulty import USAGE, Answer, reply, serving
from tests.llm.test_rewards import BROKEN, FEW, GOOD, QUESTION
from tests.study.batches import count_batches

vf: Any = pytest.importorskip("verifiers.v1", reason="`make test-trainers` installs verifiers and runs this")

from hive.experiments.study import taskset  # noqa: E402
from hive.players.llm.rewards import REWARD_FLOOR, Rewards  # noqa: E402

TEXTS = [GOOD, BROKEN, QUESTION, FEW]


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A small battle, and the module by which `verifiers` finds the taskset, as docs/rewards.md has it."""
    monkeypatch.setenv("HOME", str(tmp_path))  # where `verifiers` keeps its runtimes
    (tmp_path / "hive_plans.py").write_text(
        "from hive.experiments.study.taskset import Chat, Plans\n\n__all__ = ['Chat', 'Plans']\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    skirmish(tmp_path)
    return str(tmp_path / "skirmish.toml")


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes of the batches that are scored."""
    return count_batches(monkeypatch)


def completion(text: str) -> Answer:
    """A reply with all fields of the protocol."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    head = {"id": "1", "object": "chat.completion", "created": 1, "model": "m-1"}
    return reply({**head, "choices": [choice], "usage": USAGE})


def task_of(scenario: str) -> Any:
    config = taskset.PlanConfig(seeds=[3, 4], pause=0.5)
    return taskset.PlanTask(taskset.PlanData(scenario=scenario, prompt="attack", system_prompt="you command"), config)


def test_a_group_of_rollouts_is_scored_in_one_batch(scenario: str, batches: list[int]) -> None:
    """`Env.run_slot` for four rollouts of one task, with an endpoint that gives our texts."""
    config = vf.resolve_env_config(
        {"taskset": {"id": "hive-plans"}, "agent": {"runtime": {"type": "subprocess"}, "model": "m-1"}}
    )
    env = vf.load_environment(config)
    assert isinstance(env, vf.SingleAgentEnv) and isinstance(env.taskset, taskset.Plans)

    async def play(url: str) -> list[Any]:
        client = vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY")
        ctx = vf.ModelContext(model="m-1", client=client)
        async with env.serving():
            return await asyncio.gather(*(env.run_slot(slot, ctx) for slot in env.slots(task_of(scenario), len(TEXTS))))

    with serving(*map(completion, TEXTS)) as server:
        episodes = asyncio.run(play(server.url))
        assert all(request["messages"][0]["content"] == "you command" for request in server.requests)
    assert batches == [len(TEXTS)]
    traces = [trace for episode in episodes for trace in episode.traces]
    assert [trace.ok for trace in traces] == [True] * 4, [error for each in episodes for error in each.errors]
    expected = dict(zip(map(str.strip, TEXTS), Rewards(scenario, [3, 4]).score(TEXTS), strict=True))
    assert {trace.last_reply: trace.reward for trace in traces} == {
        text: pytest.approx(score.value) for text, score in expected.items()
    }
    assert sorted(trace.metrics["valid"] for trace in traces) == [0, 0, 1, 1]
    assert {trace.info["hive"]["reason"] for trace in traces} == {score.reason or None for score in expected.values()}


def test_saved_traces_are_scored_again_without_a_runtime(scenario: str) -> None:
    """`Task.score(trace)`, as `verifiers` re-scores a finished run."""
    task = task_of(scenario)

    def trace_of(text: str) -> Any:
        return vf.Trace(
            task=vf.TraceTask(type="PlanTask", data=task.data),
            agent=vf.AgentInfo(config=vf.AgentConfig(model="m-1")),
            nodes=[vf.MessageNode(message=vf.AssistantMessage(content=text), sampled=True)],
        )

    traces = [trace_of(text) for text in TEXTS]

    async def score() -> None:
        await asyncio.gather(*(task.score(trace) for trace in traces))

    asyncio.run(score())
    assert [trace.reward for trace in traces[1:3]] == [REWARD_FLOOR, REWARD_FLOOR]
    assert [trace.rewards["plan"].score for trace in traces] == [
        pytest.approx(each.value) for each in Rewards(scenario, [3, 4]).score(TEXTS)
    ]


def test_the_taskset_asks_the_prompts_of_the_abilities(scenario: str, tmp_path: Path) -> None:
    config = taskset.PlansConfig(id="hive-plans", abilities=["coordinate"])
    tasks = list(vf.load_taskset(config))
    assert len(tasks) == 10 and [task.data.name for task in tasks][:2] == ["coordinate/0", "coordinate/1"]
    assert "BEGIN PLAN" in tasks[0].data.system_prompt and tasks[0].data.scenario == "coordinate"
    assert len({task.data.prompt for task in tasks}) == 10
    with pytest.raises(Exception, match="`swim` is no ability"):
        list(vf.load_taskset(taskset.PlansConfig(id="hive-plans", abilities=["swim"])))

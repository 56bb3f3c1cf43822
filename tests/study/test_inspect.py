"""The task inside Inspect AI: its own runner asks a scripted model, and its own scoring calls ours; no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hive.skirmish import skirmish
from tests.llm.test_rewards import BROKEN, FEW, GOOD, QUESTION
from tests.study.batches import count_batches

inspect_ai: Any = pytest.importorskip("inspect_ai", reason="`make test-evaluators` installs inspect-ai and runs this")

from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402
from inspect_ai.solver import generate  # noqa: E402

from hive.experiments.study.inspect_task import games, plans  # noqa: E402
from hive.players.llm.rewards import REWARD_FLOOR, Rewards  # noqa: E402

TEXTS = [GOOD, BROKEN, QUESTION, FEW]


def test_replies_that_arrive_together_are_scored_in_one_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skirmish(tmp_path)
    scenario, batches = str(tmp_path / "skirmish.toml"), count_batches(monkeypatch)
    samples = [Sample(id=n, input=f"prompt {n}", metadata={"scenario": scenario}) for n in range(len(TEXTS))]
    task = inspect_ai.Task(
        dataset=MemoryDataset(samples), solver=generate(), scorer=games(None, (3, 4), REWARD_FLOOR, pause=2.0)
    )

    def answer(messages: list[Any], *_: Any) -> Any:
        found = ModelOutput.from_content("scripted", TEXTS[int(messages[-1].text.split()[1])])
        found.usage = ModelUsage()  # else Inspect fetches a tokenizer to count with
        return found

    model = get_model("mockllm/model", custom_outputs=answer)
    [log] = inspect_ai.eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none", score=True)
    assert log.status == "success", log.error
    assert batches == [len(TEXTS)]
    expected = Rewards(scenario, [3, 4]).score(TEXTS)
    found = {sample.id: sample.scores["games"] for sample in log.samples}
    assert [found[n].value["reward"] for n in range(4)] == [pytest.approx(each.value) for each in expected]
    assert [found[n].value["valid"] for n in range(4)] == [1, 0, 0, 1]
    assert [found[n].explanation for n in range(4)] == [each.reason or None for each in expected]
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means["valid"] == 0.5 and means["reward"] == pytest.approx(sum(each.value for each in expected) / 4)


def test_a_sample_is_a_prompt_of_an_ability_with_the_game_described() -> None:
    task = plans(abilities="coordinate,follow_markers", units=20)
    assert [sample.id for sample in task.dataset][::10] == ["coordinate/0", "follow_markers/0"]
    assert len(task.dataset) == 20 and task.dataset[19].metadata == {"scenario": "markers_terrain"}
    system, user = task.dataset[0].input
    assert "BEGIN PLAN" in system.text and "Allies:" in user.text

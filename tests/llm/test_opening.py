"""Which client answers, and the two that need no model: a script and a folder of plans."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dsl import UserError
from hive.players.llm.client import ChatRequest, Message, ModelError, Secret, Topic
from hive.players.llm.opening import ModelChoice, open_client
from hive.players.llm.scripted import PlanFolder, Script

ASKED = [Message("user", "Hold.")]
URL = "http://127.0.0.1:9/v1"


def test_without_a_model_the_shipped_plan_answers_and_that_is_said() -> None:
    caller = open_client(ModelChoice())
    assert "no model is named" in caller.about and "--model" in caller.about
    text = caller.complete(ChatRequest(ASKED, topic=Topic("coordinate", plan="Step 0:\n"))).text
    assert text == "BEGIN PLAN\nStep 0:\nEND PLAN\n"


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (ModelChoice(replay=Path("a"), plans=Path("b")), "leave out --replay or --plans"),
        (ModelChoice(model="m", base_url=URL, plans=Path("b")), "leave out --model or --plans"),
        (ModelChoice(base_url=URL), "--base-url needs the name of a model"),
        (ModelChoice(key=Secret("k")), "--api-key needs the name of a model"),
        (ModelChoice(replay=Path("none.jsonl")), "there is no recording none.jsonl"),
        (ModelChoice(plans=Path("none")), "there is no folder none"),
        (ModelChoice(record=Path(__file__) / "talk.jsonl"), "cannot write"),
    ],
)
def test_options_that_contradict_each_other_are_refused(choice: ModelChoice, words: str) -> None:
    with pytest.raises(UserError, match=words):
        open_client(choice)


def test_a_model_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(UserError, match=r"pip install 'hive-swarm\[llm\]'"):
        open_client(ModelChoice(model="m", base_url=URL))


def test_what_is_asked_can_be_recorded_and_replayed(tmp_path: Path) -> None:
    (tmp_path / "coordinate.plan").write_text("Step 0:")
    topic = Topic("coordinate")
    said = open_client(ModelChoice(plans=tmp_path, record=tmp_path / "talk.jsonl")).complete(
        ChatRequest(ASKED, topic=topic)
    )
    assert open_client(ModelChoice(replay=tmp_path / "talk.jsonl")).complete(ChatRequest(ASKED)).text == said.text


def test_prompts_of_a_task_get_its_plans_in_order_and_then_again(tmp_path: Path) -> None:
    for name in ("exploit_2.plan", "exploit_1.plan", "coordinate.plan"):
        (tmp_path / name).write_text(name)
    folder = PlanFolder(tmp_path)
    texts = [
        folder.complete(ChatRequest(ASKED, topic=Topic("coordinate", "exploit", number))).text for number in range(3)
    ]
    assert ["exploit_1" in texts[0], "exploit_2" in texts[1], "exploit_1" in texts[2]] == [True] * 3
    assert "coordinate.plan" in folder.complete(ChatRequest(ASKED, topic=Topic("coordinate"))).text
    with pytest.raises(ModelError, match="has no plan for wildfire/x"):
        folder.complete(ChatRequest(ASKED, topic=Topic("wildfire/x")))


def test_a_plan_that_cannot_be_read_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "coordinate.plan").write_bytes(b"\xff")
    with pytest.raises(ModelError, match="it is not UTF-8 text"):
        PlanFolder(tmp_path).complete(ChatRequest(ASKED, topic=Topic("coordinate")))


def test_a_script_ends() -> None:
    script = Script(["Yes.", ModelError("busy")])
    assert script.complete(ChatRequest(ASKED)).text == "Yes."
    for words in ("busy", "the script is over"):
        with pytest.raises(ModelError, match=words):
            script.complete(ChatRequest(ASKED))

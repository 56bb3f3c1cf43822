"""A real server: llama.cpp on the loopback, with tiny random weights or the model file that `MODEL` names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from dsl import PlanContext
from hive.llm.calling import Caller
from hive.llm.client import Constraint, Message, ModelError, Settings
from hive.llm.dialogue import Dialogue
from hive.llm.endpoint import Endpoint
from hive.llm.recorded import Recorder, Recording, Replay
from tests.conftest import missing
from tests.llm.llama_server import serving_model

pytestmark = pytest.mark.slow

ASKED = [Message("system", "You command ten units on a map of 50 metres."), Message("user", "Hold the hill.")]
CONTEXT = PlanContext(team_size=10, foe_size=8, map_size=50)
PLAN = """\
root ::= "BEGIN PLAN\\nStep 0:\\nprerequisites: []\\nobjective: elimination all\\nunits: all\\n- target position: (" \
place ", " place ")\\n- behavior: " tree "\\nEND PLAN\\n"
place ::= [0-9] | [1-4] [0-9]
tree ::= "attack_and_move" | "attack_in_close_range"
"""
VALID = Constraint(gbnf=PLAN, lark="")
INVALID = Constraint(
    gbnf=PLAN.replace("attack_and_move", "attack_and_sing").replace("attack_in_", "dance_in_"), lark=""
)
BROKEN = Constraint(gbnf="root ::= nothing", lark="")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not find_spec("xllamacpp") or not find_spec("gguf"):
        missing("xllamacpp and gguf are not installed: pip install 'hive-swarm[llm-server]'")
    path = Path(os.environ.get("MODEL", ""))
    if not path.name:
        from tests.llm.tiny_model import write_model

        path = tmp_path_factory.mktemp("model") / "tiny.gguf"
        write_model(path)
    with serving_model(path) as address:
        yield address


@pytest.fixture
def client(address: str) -> Endpoint:
    return Endpoint("any", base_url=address)


def settings(number: int = 0, tokens: int = 400) -> Settings:
    return Settings(temperature=1.0, seed=number, max_tokens=tokens)


def test_a_reply_is_streamed_counted_and_cut_off_at_its_limit(client: Endpoint) -> None:
    pieces: list[str] = []
    reply = client.complete(ASKED, settings=settings(tokens=24), told=pieces.append)
    assert reply.text == "".join(pieces) and len(pieces) > 1
    assert reply.usage.reply == 24 and reply.finish == "length" and reply.cut_off
    assert reply.usage.prompt and reply.usage.prompt > 10
    longer = client.complete([*ASKED[:1], Message("user", "Hold the hill. " * 20)], settings=settings(tokens=24))
    assert longer.usage.prompt and longer.usage.prompt > reply.usage.prompt + 50


def test_under_the_grammar_every_reply_is_a_plan(client: Endpoint) -> None:
    """Random weights write noise; the server lets them write plans alone."""
    texts = set()
    for number in range(20):
        dialogue = Dialogue(client, "You command.", CONTEXT, grammar=VALID, settings=settings(number), repairs=0)
        answer = dialogue.ask("Hold the hill.")
        assert answer.kind == "plan" and answer.replies[0].constrained and answer.replies[0].finish == "stop"
        texts.add(answer.text)
    assert len(texts) > 5, "the model chooses within the grammar"


def test_a_dialogue_is_repaired_over_the_wire(client: Endpoint) -> None:
    """A grammar of wrong plans: each goes back with its diagnostics, which the server reads."""
    dialogue = Dialogue(client, "You command.", CONTEXT, grammar=INVALID, settings=settings(), repairs=2)
    answer = dialogue.ask("Hold the hill.")
    assert answer.kind == "invalid_plan" and len(answer.replies) == 3
    counts = [reply.usage.prompt or 0 for reply in answer.replies]
    assert counts == sorted(set(counts)), "every repair sends more"
    assert "error[plan-behaviour]" in dialogue.messages[2].text

    dialogue.grammar = VALID
    assert dialogue.ask("Once more.").kind == "plan" and len(dialogue.messages) == 8


def test_a_plan_that_is_cut_off_is_asked_for_again(client: Endpoint) -> None:
    dialogue = Dialogue(client, "You command.", CONTEXT, grammar=VALID, settings=settings(tokens=5), repairs=1)
    answer = dialogue.ask("Hold the hill.")
    assert answer.kind == "cut_off" and len(answer.replies) == 2


def test_a_grammar_that_the_server_cannot_read_is_left_out(address: str) -> None:
    said: list[str] = []
    reply = Endpoint("any", base_url=address, say=said.append).complete(
        ASKED, grammar=BROKEN, settings=settings(tokens=8)
    )
    assert not reply.constrained and said == ["any: the server refused the grammar, so replies are free text"]


def test_a_prompt_that_is_too_long_is_a_message(client: Endpoint) -> None:
    with pytest.raises(ModelError, match="longer than the model can read") as caught:
        client.complete([Message("user", "Hold the hill. " * 5_000)])
    assert not caught.value.transient and "compact" in str(caught.value)


def test_what_a_server_said_is_replayed_without_it(client: Endpoint, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    caller = Caller(Recorder(client, [], Recording(path)))
    said = [caller.complete(ASKED, grammar=VALID, settings=settings(number)) for number in range(3)]
    replay = Replay(path)
    assert [replay.complete(ASKED, grammar=VALID, settings=settings(number)).text for number in range(3)] == [
        each.text for each in said
    ]
    assert caller.ledger.json()["reply_tokens"] == sum(each.usage.reply or 0 for each in said) > 0

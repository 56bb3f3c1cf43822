"""A real server: llama.cpp on the loopback, with tiny random weights or the model file that `MODEL` names."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from dsl import PlanContext
from dsl.narrowing import narrow
from hive.cli import main
from hive.kit.planned_world import Request
from hive.players.llm.calling import Caller
from hive.players.llm.client import ChatRequest, Constraint, Message, ModelError, Settings
from hive.players.llm.dialogue import Dialogue, read_reply
from hive.players.llm.endpoint import Endpoint
from hive.players.llm.recorded import Recorder, Replay, ReplyRecording
from hive.worlds import kind_of, kinds
from tests.cli.conftest import SMALL
from tests.conftest import missing
from tests.llm.llama_server import serving_model

pytestmark = pytest.mark.slow

ASKED = [
    Message("system", "You command ten units on a map of 50 metres."),
    Message("user", "Describe the hill in a hundred words."),
]
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
    model = os.environ.get("MODEL")
    path = Path(model).resolve() if model else tmp_path_factory.mktemp("model") / "tiny.gguf"
    if not model:
        from tests.llm.tiny_model import write_model

        write_model(path)
    assert path.is_file(), f"there is no model file {path}"
    with serving_model(path) as address:
        yield address


@pytest.fixture
def client(address: str) -> Endpoint:
    return Endpoint("any", base_url=address)


def settings(number: int = 0, tokens: int = 400) -> Settings:
    return Settings(temperature=1.0, seed=number, max_tokens=tokens)


def test_a_reply_is_streamed_counted_and_cut_off_at_its_limit(client: Endpoint) -> None:
    pieces: list[str] = []
    reply = client.complete(ChatRequest(ASKED, settings=settings(tokens=24)), pieces.append)
    assert reply.text == "".join(pieces) and len(pieces) > 1
    assert reply.usage.reply == 24 and reply.finish == "length" and reply.cut_off
    assert reply.usage.prompt and reply.usage.prompt > 10
    longer = client.complete(
        ChatRequest([*ASKED[:1], Message("user", "Hold the hill. " * 20)], settings=settings(tokens=24))
    )
    assert longer.usage.prompt and longer.usage.prompt > reply.usage.prompt + 50


PLANNED = [name for kind in kinds().values() if kind.planned for name in kind.names()]
FEW = ["coordinate", "markers_terrain", "wildfire/suppress_contain", "wildfire/cut_trees_sparse_small"]


@pytest.mark.parametrize("names", [FEW, pytest.param(PLANNED, marks=pytest.mark.long)], ids=["few", "all"])
def test_under_the_grammar_every_reply_is_a_plan(client: Endpoint, names: list[str]) -> None:
    """Random weights write noise; with the exported grammar the server lets them write plans of a world alone."""
    texts: list[str] = []
    for name in names:
        context, _ = kind_of(name).context(Request(scenario=name), 0)
        narrowed = narrow(context, cuts=20, steps=4)
        grammar = Constraint(narrowed.gbnf, narrowed.lark)
        reply = client.complete(ChatRequest(ASKED, grammar=grammar, settings=settings(len(texts), 8000)))
        assert reply.constrained and reply.finish == "stop"
        kind, plan = read_reply(reply, context)
        assert kind == "plan" and plan and not plan.report.diagnostics, f"{name}:\n{reply.text}"
        texts.append(reply.text)
    assert len(set(texts)) > len(texts) // 2, "the model chooses within the grammar"


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
        ChatRequest(ASKED, grammar=BROKEN, settings=settings(tokens=8))
    )
    assert not reply.constrained and said == ["any: the server refused the grammar, so replies are free text"]


def test_a_prompt_that_is_too_long_is_a_message(client: Endpoint) -> None:
    with pytest.raises(ModelError, match="longer than the model can read") as caught:
        client.complete(ChatRequest([Message("user", "Hold the hill. " * 5000)]))
    assert not caught.value.transient and "compact" in str(caught.value)


def test_what_a_server_said_is_replayed_without_it(client: Endpoint, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    caller = Caller(Recorder(client, [], ReplyRecording(path)))
    said = [caller.complete(ChatRequest(ASKED, grammar=VALID, settings=settings(number))) for number in range(3)]
    replay = Replay(path)
    assert [
        replay.complete(ChatRequest(ASKED, grammar=VALID, settings=settings(number))).text for number in range(3)
    ] == [each.text for each in said]
    assert caller.ledger.json()["reply_tokens"] == sum(each.usage.reply or 0 for each in said) > 0


@pytest.mark.long
def test_hive_ask_plays_what_a_served_model_wrote(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a prompt to a played game, and the same once more from the recording, without the server."""
    monkeypatch.chdir(tmp_path)
    ask = ["ask", *SMALL, "hold the south", "--model", "any", "--temperature", "1", "--max-tokens", "8000", "--json"]

    def run(*words: str) -> dict[str, Any]:
        assert main([*ask, *words]) == 0, capsys.readouterr().err
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    first = run("--base-url", address, "--out", "first")
    assert first["outcome"] == "plan" and first["usage"]["requests"] == 1
    assert first["usage"]["reply_tokens"] > 50 and first["usage"]["prompt_tokens"] > 500
    again = run("--replay", "first/exchanges.jsonl", "--out", "again")
    assert again["plans"] == first["plans"]
    assert again["results"][0]["results"] == first["results"][0]["results"]

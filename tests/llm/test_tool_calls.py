"""Calls of tools over the wire: offered with a request, they arrive as tagged text (docs/rules/rescue.md 9.3)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from hive.players.llm.client import ChatRequest, Message, Reply, Settings, Tool
from hive.players.llm.endpoint import Endpoint
from hive.players.llm.faults import ProtocolError
from hive.players.llm.wire import Received
from tests.llm.faulty import Server, error, events, reply, serving, stream

TOOLS = (Tool("navigate_to", "moves through a door", ("room",)), Tool("give_water", "hands over water"))
SAID = [Message("user", "Act.")]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with serving() as server:
        yield server


def ask(server: Server) -> Reply:
    return Endpoint("m", base_url=server.url).complete(ChatRequest(SAID, settings=Settings(tools=TOOLS)))


def piece(delta: object, finish: str | None = None) -> dict[str, object]:
    return {"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def test_tools_are_described_as_functions_whose_arguments_are_texts(server: Server) -> None:
    ask(server)
    (sent,) = server.requests
    assert sent["tools"][0] == {
        "type": "function",
        "function": {
            "name": "navigate_to",
            "description": "moves through a door",
            "parameters": {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]},
        },
    }
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["navigate_to", "give_water"]


def test_a_call_that_is_streamed_in_pieces_becomes_a_tag_after_the_text(server: Server) -> None:
    server.answers = [
        events(
            piece({"content": "I go on."}),
            piece({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "navigate_to", "arguments": ""}}]}),
            piece({"tool_calls": [{"index": 0, "function": {"arguments": '{"room": '}}]}),
            piece({"tool_calls": [{"index": 0, "function": {"arguments": '"room3"}'}}]}),
            piece({"tool_calls": [{"index": 1, "function": {"name": "give_water", "arguments": "{}"}}]}),
            piece({}, "tool_calls"),
        )
    ]
    found = ask(server)
    assert found.text == (
        'I go on.\n<tool_call>{"name": "navigate_to", "arguments": {"room": "room3"}}</tool_call>\n'
        '<tool_call>{"name": "give_water", "arguments": {}}</tool_call>'
    )
    assert found.finish == "tool_calls"


def test_a_reply_of_calls_alone_in_one_object_is_no_empty_reply(server: Server) -> None:
    calls = [{"id": "c", "function": {"name": name, "arguments": words}} for name, words in (("a", "{}"), ("b", "no"))]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    server.answers = [reply({"model": "m", "choices": [{"message": message, "finish_reason": "tool_calls"}]})]
    assert ask(server).text.splitlines() == [
        '<tool_call>{"name": "a", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "b", "arguments": "no"}</tool_call>',
    ]


def test_a_server_that_takes_no_tools_is_asked_without_them(server: Server) -> None:
    server.answers = [error(500, "tools param requires --jinja flag"), stream("navigate_to(room3)")]
    remarks: list[str] = []
    client = Endpoint("m", base_url=server.url, say=remarks.append)
    assert client.complete(ChatRequest(SAID, settings=Settings(tools=TOOLS))).text == "navigate_to(room3)"
    assert ["tools" in sent for sent in server.requests] == [True, False]
    assert len(remarks) == 1 and "takes no tools" in remarks[0]
    said = server.requests[1]["messages"][-1]["content"]
    assert said.startswith(SAID[-1].text) and "# Tools\n- navigate_to(room): " in said


def test_a_call_of_another_form_is_a_fault_of_the_protocol() -> None:
    for wrong in ([3], [{"index": "a"}], [{"function": []}], [{"function": {"arguments": {}}}], {}):
        with pytest.raises(ProtocolError, match="in place of"):
            Received().take(piece({"tool_calls": wrong}))


def test_tools_are_part_of_a_requests_key_and_their_absence_changes_no_key() -> None:
    """A recording that was made before there were tools is still found."""
    plain = Settings().json()
    assert plain == {"temperature": 0.0, "seed": 0, "max_tokens": 4096} == Settings().json() and json.dumps(
        Settings(tools=TOOLS).json()
    )
    keys = {ChatRequest(SAID, settings=Settings(tools=tools)).key("m") for tools in ((), TOOLS[:1], TOOLS)}
    assert len(keys) == 3


def test_an_empty_reply_is_a_reply_where_it_may_be_one(server: Server) -> None:
    """One agent of a team that says nothing must not end the episode; what is sent is the same."""
    server.answers = [stream("")]
    lenient = Settings(may_be_empty=True)
    assert Endpoint("m", base_url=server.url).complete(ChatRequest(SAID, settings=lenient)).text == ""
    assert ChatRequest(SAID, settings=lenient).key("m") == ChatRequest(SAID, settings=Settings()).key("m")

"""The client of endpoints: what it sends, what it reads, and what it leaves out for servers that refuse it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from dsl import UserError
from hive.players.llm.client import (
    ChatRequest,
    Constraint,
    Image,
    Message,
    ModelError,
    Reply,
    Secret,
    Settings,
    TextSink,
    Usage,
)
from hive.players.llm.endpoint import Endpoint
from tests.llm.faulty import Server, complete, error, reply, serving, stream

GRAMMAR = Constraint(gbnf='root ::= "yes"', lark='start: "yes"')
SAID = [Message("system", "You command."), Message("user", "Hold the hill.")]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # must not be asked for a server of this computer
    with serving() as server:
        yield server


def ask(server: Server, client: Endpoint | None = None, told: TextSink | None = None, **options: Any) -> Reply:
    return (client or Endpoint("m", base_url=server.url)).complete(ChatRequest(SAID, **options), told)


def test_a_reply_is_streamed_with_its_usage(server: Server) -> None:
    pieces: list[str] = []
    found = ask(server, told=pieces.append)

    assert "".join(pieces) == found.text == "Hello." and len(pieces) > 1
    assert (found.model, found.finish, found.constrained) == ("m-1", "stop", False)
    assert found.usage == Usage(prompt=7, reply=3)
    assert found.seconds > 0
    (sent,) = server.requests
    assert sent == {
        "model": "m",
        "messages": [{"role": "system", "content": "You command."}, {"role": "user", "content": "Hold the hill."}],
        "temperature": 0.0,
        "seed": 0,
        "max_tokens": 4096,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_settings_and_images_are_sent(server: Server) -> None:
    ask(server, settings=Settings(temperature=0.5, seed=None, max_tokens=9), images=[Image("map", b"png")])
    (sent,) = server.requests
    assert (sent["temperature"], sent["max_tokens"], "seed" in sent, "top_p" in sent) == (0.5, 9, False, False)
    ask(server, settings=Settings(top_p=0.25))
    assert server.requests[-1]["top_p"] == 0.25
    assert sent["messages"][-1]["content"] == [
        {"type": "text", "text": "Hold the hill."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}},
    ]


def test_a_server_that_does_not_stream_is_read(server: Server) -> None:
    server.answers = [complete("All of it.", "length")]
    pieces: list[str] = []
    found = ask(server, told=pieces.append)
    assert (found.text, found.cut_off, found.usage.reply, pieces) == ("All of it.", True, 3, ["All of it."])


def test_a_stream_with_another_content_type_is_read(server: Server) -> None:
    server.answers = [stream("Hello.", kind="text/plain")]
    assert ask(server).text == "Hello."


def test_the_key_of_the_call_comes_before_that_of_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(server)
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    ask(server)
    ask(server, Endpoint("m", base_url=server.url, key=Secret("of-the-call")))
    assert server.keys == ["Bearer none", "Bearer of-the-environment", "Bearer of-the-call"]


def test_the_address_may_come_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
    client = Endpoint("m")
    assert ask(server, client).text == "Hello."
    assert server.paths == ["/v1/chat/completions"]
    assert client.about == f"prompts go to m at {server.url}"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("127.0.0.1:8080", "no address of a server"),
        ("ftp://127.0.0.1/v1", "no address of a server"),
        ("http://127.0.0.1:port/v1", "no address of a server"),
        ("http://user:secret@127.0.0.1/v1", "holds a password"),
        ("https://models.example.org/v1", "there is no key for https://models.example.org/v1"),
    ],
)
def test_an_address_is_checked_before_anything_is_sent(url: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match=words) as caught:
        Endpoint("m", base_url=url)
    assert "secret" not in str(caught.value)


def test_a_key_that_cannot_be_sent_is_refused_without_being_shown() -> None:
    with pytest.raises(UserError, match="copy it again") as caught:
        Endpoint("m", base_url="http://127.0.0.1:1/v1", key=Secret("my-secret\n"))
    assert "my-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("refusal", "left_out", "sent_instead", "remark"),
    [
        (error(400, "'temperature' does not support 0.0", param="temperature"), "temperature", None, "replies vary"),
        (
            error(400, "Unsupported parameter: use 'max_completion_tokens' instead", param="max_tokens"),
            "max_tokens",
            "max_completion_tokens",
            "max_completion_tokens",
        ),
        (reply({"detail": [{"loc": ["body", "seed"], "msg": "extra"}]}, 422), "seed", None, "no seed"),
        (error(400, "unknown field stream_options"), "stream_options", None, "counts no tokens"),
        (error(501, "streaming is not supported"), "stream", None, "does not stream"),
    ],
)
def test_what_a_server_refuses_is_left_out_once_and_remembered(
    server: Server, refusal: object, left_out: str, sent_instead: str | None, remark: str
) -> None:
    server.answers = [refusal, stream("Yes."), stream("Again.")]  # type: ignore[list-item]
    remarks: list[str] = []
    client = Endpoint("m", base_url=server.url, say=remarks.append)

    assert [ask(server, client).text, ask(server, client).text] == ["Yes.", "Again."]

    first, second, third = server.requests
    assert left_out in first and left_out not in second and third == second
    assert sent_instead is None or second[sent_instead] == first[left_out]
    assert len(remarks) == 1 and remark in remarks[0]


def test_a_refusal_that_stays_is_shown_and_not_remembered(server: Server) -> None:
    server.answers = [error(400, "temperature is odd"), error(400, "this request is odd"), stream("Yes.")]
    client = Endpoint("m", base_url=server.url)
    with pytest.raises(ModelError, match="this request is odd"):
        ask(server, client)
    ask(server, client)
    assert "temperature" in server.requests[-1]


@pytest.mark.parametrize(
    ("owner", "field"),
    [("llamacpp", {"grammar": GRAMMAR.gbnf}), ("vllm", {"structured_outputs": {"grammar": GRAMMAR.gbnf}})],
)
def test_a_server_that_takes_grammars_is_given_it(server: Server, owner: str, field: dict[str, object]) -> None:
    server.models = reply({"data": [{"id": "other", "owned_by": "x"}, {"id": "m", "owned_by": owner}]})
    client = Endpoint("m", base_url=server.url)
    assert [ask(server, client, grammar=GRAMMAR).constrained for _ in range(2)] == [True, True]
    assert server.requests[0].items() >= field.items()
    assert server.paths.count("/v1/models") == 1

    assert not ask(server, client).constrained  # without a grammar none is sent
    assert not server.requests[-1].keys() & field.keys()


@pytest.mark.parametrize(
    "models",
    [reply({"data": [{"id": "m", "owned_by": "library"}]}), error(404, "no list"), reply([1]), reply({"data": [3]})],
)
def test_another_server_is_given_no_grammar_and_that_is_said_once(server: Server, models: object) -> None:
    server.models = models  # type: ignore[assignment]
    remarks: list[str] = []
    client = Endpoint("m", base_url=server.url, say=remarks.append)
    assert [ask(server, client, grammar=GRAMMAR).constrained for _ in range(2)] == [False, False]
    assert not server.requests[0].keys() & {"grammar", "structured_outputs"}
    assert len(remarks) == 1 and "free text" in remarks[0]


@pytest.mark.parametrize("grammar", ["llamacpp", "vllm", "off"])
def test_a_way_that_is_named_is_not_asked_for(server: Server, grammar: str) -> None:
    found = ask(server, Endpoint("m", base_url=server.url, grammar=grammar), grammar=GRAMMAR)
    assert found.constrained == (grammar != "off")
    assert server.paths == ["/v1/chat/completions"]


@pytest.mark.parametrize("refusal", [error(400, "unknown field"), error(500, "failed to parse grammar")])
def test_a_server_that_refuses_the_grammar_is_asked_without_it(server: Server, refusal: object) -> None:
    server.answers = [refusal, stream("Text.")]  # type: ignore[list-item]
    remarks: list[str] = []
    found = ask(server, Endpoint("m", base_url=server.url, grammar="llamacpp", say=remarks.append), grammar=GRAMMAR)
    assert (found.text, found.constrained) == ("Text.", False)
    assert remarks == ["m: the server refused the grammar, so replies are free text"]


def test_threads_share_a_client(server: Server) -> None:
    server.models = reply({"data": [{"id": "m", "owned_by": "llamacpp"}]})
    client = Endpoint("m", base_url=server.url)
    found: list[Reply] = []
    threads = [threading.Thread(target=lambda: found.append(ask(server, client, grammar=GRAMMAR))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(each.text, each.constrained) for each in found] == [("Hello.", True)] * 8
    assert server.paths.count("/v1/models") == 1

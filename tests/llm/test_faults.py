"""Faults of servers: each ends in a clear message and a kept dialogue, and the next prompt is answered."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from dsl import PlanContext
from hive.players.llm import wire
from hive.players.llm.calling import Caller
from hive.players.llm.client import ChatRequest, Constraint, Message, ModelError, Secret
from hive.players.llm.dialogue import Answer, Dialogue
from hive.players.llm.endpoint import Endpoint
from tests.llm import faulty
from tests.llm.faulty import (
    Handler,
    Server,
    choice,
    complete,
    error,
    events,
    raw,
    reply,
    serving,
    silence,
    stream,
)

KEY = "sk-very-secret-0123456789"
HTML = b"<!doctype html><html><body>Sign in to the network of this hotel</body></html>"
BEFORE = [Message("user", "Who are you?"), Message("assistant", "Your commander.")]
PLAN = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: elimination all
units: all
- target position: (5, 5)
- behavior: attack_and_move
END PLAN
"""


def endless_line(handler: Handler) -> None:
    """An event that never ends."""
    handler.begin()
    for _ in range(100):
        handler.chunk(b"data: " + b"x" * 1000)


def dropped_body(handler: Handler) -> None:
    """Fewer bytes than announced."""
    handler.begin(200, "application/json", content_length="1000")
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True
    handler.connection.close()


def no_bytes(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.close()


def bomb(handler: Handler) -> None:
    """An answer that calls itself compressed."""
    handler.begin(200, "application/json", content_length="4", content_encoding="gzip")
    handler.wfile.write(b"nope")


# Name of the fault: what the server answers, words of the message, and whether the same request may succeed later.
FAULTS: dict[str, tuple[faulty.Answer, str, bool]] = {
    "busy": (error(429, "slow down", retry_after="7"), "the server is busy: slow down", True),
    "loading": (error(503, "Loading model"), "the server is busy: Loading model", True),
    "internal error": (error(500, "it broke"), "the server failed with status 500: it broke", True),
    "bad gateway": (raw(HTML, "text/html", 502), "the server failed with status 502: a web page", True),
    "no credit": (error(429, "pay", "insufficient_quota"), "the account has no credit left: pay", False),
    "wrong key": (error(401, f"wrong key {KEY}"), "refused this key: wrong key [hidden]", False),
    "forbidden": (raw(b"", "text/plain", 403), "refused this key", False),
    "no such model": (error(404, "model `m` not found"), "there is no such model: model `m` not found", False),
    "no such path": (reply({"detail": "Not Found"}, 404), "there is no chat endpoint: Not Found", False),
    "too long": (error(400, "exceeds the context size", "x"), "longer than the model can read", False),
    "far too long": (raw(b"", "text/plain", 413), "longer than the model can read", False),
    "no pictures in a prompt": (error(400, "At most 0 image(s) may be provided"), "the model takes no pictures", False),
    "no parts of a picture": (error(422, "unknown variant `image_url`"), "the model takes no pictures", False),
    "no pictures": (error(500, "image input is not supported"), "the model takes no pictures: image input", False),
    "bad request": (error(400, "no\x1b[31m\n\nway"), "the server refused the request: no[31m way", False),
    "unknown status": (raw(b"", "text/plain", 418), "refused the request with status 418", False),
    "dropped stream": (events(choice("BEGIN PL"), end=False), "the connection broke off", True),
    "dropped body": (dropped_body, "the connection broke off", True),
    "no bytes": (no_bytes, "the connection broke off", True),
    "stream without an end": (events(choice("BEGIN PL")), "broke off before the reply was complete", True),
    "error in a stream": (
        events(choice("BEG"), {"error": {"message": "out of memory", "code": 500}}),
        "500: out of",
        True,
    ),
    "odd error in a stream": (events({"error": "no"}), "refused the request: no", False),
    "error with success": (reply({"error": {"message": "no"}}), "refused the request: no", False),
    "web page": (raw(HTML, "text/html"), "the server sent a web page", False),
    "prose": (raw(b"Hello, I am no server.", "text/plain"), "holds no reply (it is text/plain)", False),
    "no choices": (reply({"object": "chat.completion"}), "holds no reply", False),
    "empty choices": (reply({"choices": []}), "holds no reply", False),
    "null choices": (events({"choices": None}), "holds no reply", False),
    "empty content": (stream(""), "the reply is empty; it ended with `stop`", False),
    "null content": (complete(None), "the reply is empty; it ended with `stop`", False),
    "only spaces": (complete(" \n"), "the reply is empty", False),
    "filtered": (complete(None, "content_filter"), "the reply is empty; it ended with `content_filter`", False),
    "refusal": (
        events({"choices": [{"delta": {"refusal": "I will not."}, "finish_reason": "stop"}]}),
        "I will not",
        False,
    ),
    "only thoughts": (
        events({"choices": [{"delta": {"reasoning_content": "Hm"}, "finish_reason": "stop"}]}),
        "thought and then replied nothing",
        False,
    ),
    "megabyte": (stream("x" * 2**20, pieces=64), "longer than 1,000,000 characters", False),
    "megabyte at once": (complete("x" * 2**20), "longer than 1,000,000 characters", False),
    "endless line": (endless_line, "longer than 50,000 bytes", False),
    "wrong encoding": (events(b'{"choices": [{"delta": {"content": "caf\xe9"}}]}'), "text that is not UTF-8", False),
    "wrong encoding at once": (raw(b'{"choices": "caf\xe9"}', "application/json"), "text that is not UTF-8", False),
    "broken compression": (bomb, "the server's answer cannot be read", False),
    "broken event": (events(b'{"choices": [{"del'), "JSON that is broken or cut off", False),
    "broken JSON": (raw(b'{"choices": [{"me', "application/json"), "JSON that is broken or cut off", False),
    "deep JSON": (raw(b"[" * 200_000, "application/json"), "no chat completion: RecursionError", False),
    "huge number": (raw(b"9" * 5_000, "application/json"), "no chat completion: ValueError", False),
    "a list": (reply([1, 2]), "no chat completion: list in place of an object", False),
    "a number": (events(b"5"), "no chat completion: int in place of an object", False),
    "choices are text": (reply({"choices": "none"}), "`choices` is str in place of list", False),
    "a choice is null": (reply({"choices": [None]}), "NoneType in place of an object", False),
    "content is a number": (complete(5), "`content` is int in place of str", False),
    "content is a list": (events(choice(["a"])), "`content` is list in place of str", False),
    "finish is a number": (complete("Yes.", 5), "`finish_reason` is int in place of str", False),
    "usage is text": (reply({"choices": [], "usage": "many"}), "`usage` is str in place of dict", False),
    "message is text": (reply({"choices": [{"message": "Yes."}]}), "`message` is str in place of dict", False),
    "silence": (silence, "nothing arrived for 0.3 s", True),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Server) -> Endpoint:
    """One client for all faults: none of them spoils it."""
    return Endpoint("m", base_url=server.url, key=Secret(KEY), timeout=0.3)


@pytest.fixture
def talk(client: Endpoint) -> Dialogue:
    context = PlanContext(team_size=10, foe_size=8, map_size=50)
    return Dialogue(Caller(client, retries=0), "You command.", context, list(BEFORE), repairs=0)


def failing(talk: Dialogue) -> ModelError:
    with pytest.raises(ModelError) as caught:
        talk.ask("Hold the hill.")
    return caught.value


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_in_a_message_and_the_dialogue_goes_on(
    name: str, server: Server, talk: Dialogue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(wire, "MOST_STREAMED", 50_000 if name == "endless line" else wire.MOST_STREAMED)
    caplog.set_level(logging.DEBUG)
    answer, words, transient = FAULTS[name]
    server.answers = [answer, stream(PLAN)]

    fault = failing(talk)

    first, *advice = str(fault).split("\n")
    assert words in first and fault.transient == transient
    assert all(line.startswith("  = help: ") for line in advice)
    assert str(fault).replace("\n", "").isprintable() and len(str(fault)) < 800
    assert talk.messages == BEFORE

    assert talk.ask("Hold the hill.").kind == "plan"
    assert [message.role for message in talk.messages] == ["user", "assistant"] * 2

    told = "".join(traceback.TracebackException.from_exception(fault, capture_locals=True).format())
    assert "test_faults.py" in told and KEY not in told + str(fault) + repr(fault) + caplog.text
    assert fault.__cause__ is None and fault.__context__ is None  # whose frames hold the key


def test_no_server_listens_at_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    client = Endpoint("m", base_url=f"http://127.0.0.1:{port}/v1")
    for grammar in (None, Constraint("", "")):
        with pytest.raises(ModelError, match="no server answers") as caught:
            client.complete(ChatRequest(BEFORE, grammar=grammar))
        assert not caught.value.transient and "llama-server" in str(caught.value)


def test_a_server_without_encryption_is_asked_with_it(server: Server) -> None:
    client = Endpoint("m", base_url=server.url.replace("http:", "https:"))
    with pytest.raises(ModelError, match="no safe connection") as caught:
        client.complete(ChatRequest(BEFORE))
    assert not caught.value.transient and "http or https" in str(caught.value)


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ("7", 7, 7),
        ("0.5", 0.5, 0.5),
        ("-3", 0, 0),
        ("tomorrow", 80_000, 90_000),
        ("inf", None, None),
        ("soon", None, None),
    ],
)
def test_the_server_says_how_long_to_wait(
    header: str, low: float | None, high: float | None, server: Server, talk: Dialogue
) -> None:
    if header == "tomorrow":
        header = format_datetime(datetime.now(UTC) + timedelta(days=1))
    server.answers = [error(429, "slow down", retry_after=header)]
    wait = failing(talk).wait
    assert wait is low is None or (wait is not None and low is not None and high is not None and low <= wait <= high)


def test_a_prompt_is_asked_again_after_passing_faults(server: Server, client: Endpoint, talk: Dialogue) -> None:
    server.answers = [error(429, "slow down", retry_after="7"), events(choice("BEG"), end=False), stream(PLAN)]
    slept: list[float] = []
    said: list[str] = []
    talk.client = Caller(client, retries=2, sleep=slept.append, say=said.append)

    assert talk.ask("Hold the hill.").kind == "plan"

    assert slept[0] == 7 and 1.5 <= slept[1] <= 2.5
    assert [line.split(":")[0] for line in said] == ["the server is busy", "the connection broke off"]
    (entry,) = talk.client.ledger.entries
    assert (entry.attempts, entry.finish, entry.prompt) == (3, "stop", 7)


Replying = Callable[..., Answer]


@pytest.fixture
def replying(server: Server, talk: Dialogue) -> Replying:
    """What comes of a reply."""

    def ask(text: str, finish: str = "stop") -> Answer:
        server.answers = [stream(text, finish)]
        return talk.ask("Hold the hill.")

    return ask


def test_half_a_plan_is_no_plan(replying: Replying) -> None:
    assert replying(PLAN[:60]).kind == "invalid_plan"
    assert replying(PLAN[:60], "length").kind == "cut_off"


def test_a_reply_of_thoughts_alone_that_reaches_its_limit_is_cut_off(replying: Replying) -> None:
    assert replying("", "length").kind == "cut_off"


def test_of_two_plans_the_first_counts_and_that_is_said(replying: Replying) -> None:
    found = replying(PLAN + PLAN.replace("attack_and_move", "hold"))
    assert found.kind == "plan" and found.plan
    assert [each.severity for each in found.plan.report.diagnostics] == ["warning"]


def test_an_unknown_reason_for_the_end_is_kept(replying: Replying) -> None:
    found = replying(PLAN, "eos\x1b[2J_token")
    assert found.kind == "plan" and found.replies[0].finish == "eos[2J_token"


WATCHED: list[str] = []  # what Python was asked to open, import or run while `WATCHING`
WATCHING = threading.Event()


def watch(event: str, args: object) -> None:
    if WATCHING.is_set() and event in ("open", "import", "exec", "os.system", "subprocess.Popen", "os.posix_spawn"):
        WATCHED.append(repr(args))


sys.addaudithook(watch)


@pytest.mark.parametrize(
    "name", ["../../stolen", "/etc/stolen", "$(touch stolen)", "__import__('stolen').system('ls')"]
)
def test_a_reply_cannot_name_files_or_commands(name: str, replying: Replying) -> None:
    """A reply is text that is parsed: nothing that it names is opened, imported or run."""
    WATCHED.clear()
    WATCHING.set()
    try:
        kinds = [
            replying(text).kind for text in (PLAN.replace("attack_and_move", name), name, PLAN.replace("all", name))
        ]
    finally:
        WATCHING.clear()
    assert kinds == ["invalid_plan", "no_plan", "invalid_plan"]
    assert [line for line in WATCHED if "stolen" in line] == []


def test_a_reply_cannot_command_a_terminal(server: Server, talk: Dialogue) -> None:
    server.answers = [stream("Done.\x1b]0;owned\x07\x1b[2J\r\n\tYes \ud800!")]
    pieces: list[str] = []
    answer = talk.ask("Hold the hill.", told=pieces.append)
    assert answer.text == "".join(pieces) == "Done.]0;owned[2J\n\tYes \ufffd!"


@pytest.mark.parametrize("pieces", [1, 2, 7, 60])
def test_a_key_that_a_server_repeats_is_hidden_in_the_reply(pieces: int, server: Server, talk: Dialogue) -> None:
    """However the key is cut into pieces: what is printed piece by piece may go to a log."""
    server.answers = [stream(f"Keys: sk-, {KEY}, {KEY[:-1]}", pieces=pieces)]
    told: list[str] = []
    answer = talk.ask("Hold the hill.", told=told.append)
    assert answer.text == "".join(told) == f"Keys: sk-, [hidden], {KEY[:-1]}"

"""The caller: what is asked again and when, how many at once, and what the ledger counts."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hive.players.llm.calling import LONGEST_PAUSE, LONGEST_WAIT, Caller
from hive.players.llm.client import ChatRequest, Message, ModelError, Reply, Topic, Usage
from hive.players.llm.scripted import Script
from hive.players.words.commander import PlainCommander

ASKED = [Message("system", "Rules."), Message("user", "Hold.")]
BUSY = ModelError("the server is busy\n  = help: wait", transient=True)


def test_transient_errors_are_asked_again_after_growing_pauses() -> None:
    slept: list[float] = []
    said: list[str] = []
    caller = Caller(Script([BUSY] * 8 + ["Yes."]), retries=8, sleep=slept.append, say=said.append)

    assert caller.complete(ChatRequest(ASKED)).text == "Yes."

    for number, pause in enumerate(slept):
        full = min(LONGEST_PAUSE, 2.0**number)
        assert 0.75 * full <= pause <= 1.25 * full
    assert len(slept) == 8 and slept[7] != slept[6]  # noise, so that many clients do not come back together
    assert said[0] == "the server is busy; asking again in 1 s (1 of 8)"


def test_the_pause_that_a_server_asks_for_is_kept() -> None:
    slept: list[float] = []
    busy = ModelError("busy", transient=True, wait=17.5)
    Caller(Script([busy, "Yes."]), sleep=slept.append).complete(ChatRequest(ASKED))
    assert slept == [17.5]


@pytest.mark.parametrize(
    ("errors", "retries", "asked", "message"),
    [
        ([ModelError("wrong key")], 3, 1, "wrong key"),
        ([BUSY, BUSY, BUSY], 2, 3, "the server is busy (asked 3 times)\n  = help: wait"),
        ([BUSY, ModelError("wrong key")], 3, 2, "wrong key (asked 2 times)"),
        ([BUSY], 0, 1, "the server is busy\n  = help: wait"),
        (
            [ModelError("busy", transient=True, wait=LONGEST_WAIT + 1)],
            3,
            1,
            "busy (the server asks to wait 301 s, so it was not asked again)",
        ),
    ],
)
def test_the_last_error_is_shown_with_how_often_was_asked(
    errors: list[ModelError], retries: int, asked: int, message: str
) -> None:
    script = Script([*errors, "too late"])
    caller = Caller(script, retries=retries, sleep=lambda pause: None)
    with pytest.raises(ModelError) as caught:
        caller.complete(ChatRequest(ASKED))
    assert str(caught.value) == message and len(script.asked) == asked
    assert caught.value.transient == errors[-1].transient
    (entry,) = caller.ledger.entries
    assert (entry.finish, entry.attempts, entry.characters) == ("failed", asked, 11)


def test_the_ledger_adds_up_what_servers_counted() -> None:
    replies = [Reply("a", "m", Usage(10, 2), seconds=1.5), Reply("b", "m"), Reply("c", "m", Usage(5, 1), "length", 0.5)]
    caller = Caller(Script(replies))
    assert caller.ledger.json()["prompt_tokens"] is None, "nothing was counted, which is not 0"
    for _ in replies:
        caller.complete(ChatRequest(ASKED))
    found = caller.ledger.json()
    assert (found["requests"], found["prompt_tokens"], found["reply_tokens"], found["seconds"]) == (3, 15, 3, 2.0)
    assert [each["finish"] for each in found["exchanges"]] == ["stop", "stop", "length"]
    assert caller.ledger.line() == "3 exchanges, 15 tokens sent, 3 received, 2.0 s"


def test_the_plain_commander_is_no_model_so_its_tokens_are_not_counted() -> None:
    caller = Caller(PlainCommander())
    assert caller.complete(ChatRequest(ASKED, topic=Topic(plan="Step 0:\n"))).model == caller.name
    assert caller.ledger.json()["prompt_tokens"] is None and caller.ledger.line() == "1 exchange, 0.0 s"


def test_no_more_requests_than_allowed_run_at_the_same_time() -> None:
    """Two requests meet, and while they wait no third one comes in."""
    meet = threading.Barrier(2)
    lock = threading.Lock()
    inside, most = 0, 0

    class Slow(Script):
        def complete(self, *args: object, **options: object) -> Reply:  # type: ignore[override]
            nonlocal inside, most
            with lock:
                inside += 1
                most = max(most, inside)
            meet.wait(20)
            with lock:
                inside -= 1
            return Reply("Yes.", "m")

    caller = Caller(Slow([]), concurrent=2)
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda _: caller.complete(ChatRequest(ASKED)), range(6)))
    assert most == 2 and len(replies) == len(caller.ledger.entries) == 6

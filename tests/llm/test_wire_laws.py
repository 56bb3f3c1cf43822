"""Laws of reading what a server sends: any JSON is a piece of a reply or a clear refusal, and no key is printed."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hive.players.llm.client import Secret, clean
from hive.players.llm.faults import ModelAddress, ProtocolError, WireError
from hive.players.llm.wire import Received, Veil
from tests.dsl.strategies import ANY_TEXT

KEY = "sk-abcabcabd"
NAMES = st.sampled_from(
    ["choices", "delta", "message", "content", "finish_reason", "usage", "model", "index", "refusal", "error", "code"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT | st.sampled_from(["stop", KEY]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
PLACE = ModelAddress("m", "http://127.0.0.1/v1", 1.0, Secret(KEY))


@st.composite
def events(draw: st.DrawFn) -> Any:
    """An event as the protocol has it, some of whose parts are replaced by anything."""

    def part(content: Any) -> Any:
        return draw(JSON) if draw(st.integers(0, 4)) == 0 else content

    delta = part({"content": part("text"), "refusal": part(None)})
    choice = part({"index": part(0), draw(st.sampled_from(["delta", "message"])): delta, "finish_reason": part("stop")})
    return part({"model": part("m"), "choices": part([choice]), "usage": part({"prompt_tokens": part(7)})})


@given(st.lists(events(), max_size=4))
def test_an_event_is_text_or_is_refused(parts: list[Any]) -> None:
    received = Received()
    for event in parts:
        try:
            piece = received.take(event)
        except ProtocolError as error:
            assert " in place of " in str(error)
        else:
            assert piece == clean(piece)
    assert all(count is None or count >= 0 for count in (received.usage.prompt, received.usage.reply))
    assert isinstance(received.finish, str) and isinstance(received.model, str)


@given(st.none() | st.integers(100, 599), JSON)
def test_an_error_of_any_form_is_one_clear_line_and_advice(status: int | None, body: Any) -> None:
    error = PLACE.refused(status, body)
    first, *advice = str(error).split("\n")
    assert isinstance(error, WireError) and first.endswith("(m at http://127.0.0.1/v1)") and first.isprintable()
    assert len(first) < 450 and all(line.startswith("  = help: ") for line in advice)
    assert KEY not in str(error)


@given(st.lists(st.text("abcdsk-x") | st.sampled_from([KEY, KEY[:5], KEY[5:]]), max_size=8))
def test_pieces_never_hold_a_key_however_it_is_cut(pieces: list[str]) -> None:
    told: list[str] = []
    veil = Veil(told.append, Secret(KEY))
    for piece in pieces:
        veil(piece)
    veil.end()
    assert "".join(told) == Secret(KEY).hide("".join(pieces)) and all(told)

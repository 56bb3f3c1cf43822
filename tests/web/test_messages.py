"""What a browser sends is read strictly: a message is one of the protocol, or refused with a reason."""

from __future__ import annotations

import json

import pytest

from hive.web.messages import FIELDS, MOST_BYTES, RefusedError, read_message
from tests.web.hostile import messages

GOOD = {
    "step": {"ticks": 5},
    "speed": {"ticks_per_second": 0.5},
    "until": {"event": "loss"},
    "say": {"text": "hold the line"},
    "plan": {"text": "Step 0:"},
    "check": {"text": "", "at": 0},
    "mark": {"letter": "A", "x": 3, "y": 4},
    "branch": {"tick": 0},
    "look": {"tick": 0},
    "seen": {"tick": 7},
    "answer": {"number": 3, "fields": {"plan": "wait(1)"}},
}


@pytest.mark.parametrize("do", FIELDS)
def test_a_message_of_each_kind_is_read(do: str) -> None:
    fields = GOOD.get(do, {})
    read = read_message(json.dumps({"do": do, "id": "a-1", **fields}))
    assert (read.do, read.id, read.fields) == (do, "a-1", fields)


def test_what_may_be_left_out_is_none() -> None:
    assert read_message('{"do": "mark", "letter": "C"}').fields == {"letter": "C", "x": None, "y": None}
    assert read_message('{"do": "check", "text": "x"}').fields["at"] is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"do": "rum"}', "did you mean `run`?"),
        ('{"do": "run", "path": "/etc/passwd"}', '`run` has no field "path"'),
        ('{"do": "step", "ticks": true}', "`ticks` of `step` is a whole number from 1 to 1,000,000, not true"),
        ('{"do": "speed", "ticks_per_second": NaN}', "the message is not JSON"),
        ('{"do": "until", "event": "win"}', "`event` of `until` is `step`, `contact` or `loss`"),
        ('{"do": "say", "text": " "}', "`text` of `say` is what you want, in words"),
        ('{"do": "say"}', "`say` needs the field `text`"),
        ('{"do": "mark", "letter": "AB", "x": 1, "y": 1}', "is a letter from A to Z"),
        ('{"do": "say", "text": "\\ud800"}', "is a text of at most 20,000 characters"),
        ('{"do": "check", "text": "' + "ä" * (MOST_BYTES // 2) + '"}', "at most 65,536 bytes"),
        ("[" * 50_000, "the message is not JSON"),
    ],
)
def test_a_message_that_breaks_a_rule_is_refused_by_that_rule(text: str, why: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read_message(text)
    assert why in str(refused.value)


def test_a_refusal_repeats_the_id_where_it_can_be_read() -> None:
    with pytest.raises(RefusedError) as refused:
        read_message('{"do": "jump", "id": 7}')
    assert refused.value.id == 7
    with pytest.raises(RefusedError) as refused:
        read_message('{"do": "jump", "id": [7]}')
    assert refused.value.id is None


def test_hostile_messages_are_refused_in_few_words() -> None:
    """Plans with errors are messages all the same: the game answers what is wrong with them."""
    for text in messages(seed=1, count=600):
        try:
            read = read_message(text)
        except RefusedError as refused:
            assert 0 < len(str(refused)) < 600, text[:200]
            json.dumps(str(refused)).encode()
        else:
            assert read.do == "plan", text[:200]

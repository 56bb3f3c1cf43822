"""A session joins a dialogue to a game: replies are read, plans are sent back, and a game is told new plans."""

from __future__ import annotations

from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dsl import UserError
from hive.engine.instant import advance_game, begin_game, orders_of
from hive.engine.swapping import _swap
from hive.kit.reporting import Unwatched
from hive.players.llm.client import ModelError
from hive.players.llm.saving import dialogue_text, read_saved, request_of, restore, saved
from hive.players.llm.session import Session
from tests.llm.talks import BROKEN, CUT, HOLD, PROMPT, QUESTION, RETREAT, session


def played(one: Session) -> tuple[str, int]:
    """The outcome and the ticks of the complete game, played as a run of its own."""
    (result,) = one.run(keep=False).play(Unwatched())
    return str(result.outcome[0]), int(result.ticks[0])  # type: ignore[attr-defined]


def test_the_model_reads_the_rules_once_and_the_state_after_each_prompt() -> None:
    """Published order of messages (docs/rules/scenarios.md 3)."""
    one = session([QUESTION, HOLD])
    assert one.prompt(PROMPT).kind == "no_plan"
    assert one.prompt("Yes.").kind == "plan"
    first, second = one.dialogue.client._client._client.asked  # type: ignore[attr-defined]
    assert [message.role for message in second] == ["system", "user", "assistant", "user"]
    assert first[0] == second[0] and "BEGIN PLAN" in first[0].text and "Mission" in first[0].text
    assert first[1].text.startswith(PROMPT + "\n\n") and second[3].text.startswith("Yes.\n\n")
    assert second[2].text == QUESTION


def test_a_plan_with_errors_goes_back_with_its_diagnostics() -> None:
    one = session([BROKEN, HOLD])
    answer = one.prompt(PROMPT)
    assert answer.kind == "plan" and len(answer.replies) == 2
    sent = one.dialogue.messages[2].text
    assert "error[plan-coordinate]" in sent and "error[plan-unit-overlap]" in sent and "reply:8:25" in sent


@pytest.mark.parametrize(
    ("replies", "repairs", "kind"),
    [
        ([BROKEN], 0, "invalid_plan"),
        ([BROKEN, BROKEN], 1, "invalid_plan"),
        ([CUT], 0, "cut_off"),
        ([CUT, HOLD], 1, "plan"),
    ],
)
def test_repairs_are_counted_and_none_is_the_published_procedure(replies: list[str], repairs: int, kind: str) -> None:
    one = session(replies, repairs=repairs)
    assert one.prompt(PROMPT).kind == kind
    assert bool(one.plans) == (kind == "plan")


def test_a_failed_request_keeps_the_dialogue_and_the_game() -> None:
    one = session([HOLD, ModelError("the server is gone"), RETREAT])
    one.prompt(PROMPT)
    one.play(10)
    before = list(one.dialogue.messages)
    with pytest.raises(ModelError, match="gone"):
        one.prompt("fall back")
    assert one.dialogue.messages == before and one.tick == 10
    assert one.prompt("fall back").kind == "plan"
    assert [tick for tick, _ in one.plans] == [0, 10]


@pytest.mark.slow
def test_a_new_order_in_a_running_game_retraces_nothing_and_repeats_as_a_run() -> None:
    """The game goes on under the new plan, and `hive run --swap` of the same plans is the same game."""
    one = session([HOLD, RETREAT, HOLD])
    one.prompt(PROMPT)
    one.play(10)
    one.prompt("fall back")
    one.play(5)
    programs: list[Any] = [orders_of, begin_game, advance_game, _swap]
    sizes = [program._cache_size() for program in programs]
    one.prompt("forward again")
    one.play(1000)
    assert [program._cache_size() for program in programs] == sizes
    assert [tick for tick, _ in one.plans] == [0, 10, 15]
    assert played(one) == (one.outcome, one.tick)
    with pytest.raises(UserError, match="the game is over"):
        one.prompt("once more")


def test_the_dialogue_is_kept_for_another_try() -> None:
    one = session([HOLD, RETREAT])
    one.prompt(PROMPT)
    one.play(5)
    one.again()
    assert one.tick == 0 and not one.plans and len(one.dialogue.messages) == 2
    with pytest.raises(UserError, match="no plan"):
        one.play(5)
    assert one.dialogue.undo() and not one.dialogue.messages and not one.dialogue.undo()


def test_undo_forgets_a_prompt_with_its_repairs() -> None:
    one = session([QUESTION, BROKEN, HOLD])
    one.prompt(PROMPT)
    one.prompt("Yes.")
    assert len(one.dialogue.messages) == 6
    one.dialogue.undo()
    assert [message.text for message in one.dialogue.messages][1:] == [QUESTION]


@pytest.mark.slow
def test_a_saved_session_goes_on_where_it_was(tmp_path: Path) -> None:
    import json

    one = session([HOLD, RETREAT])
    one.prompt(PROMPT)
    one.play(10)
    one.prompt("fall back")
    one.play(7)
    path = tmp_path / "dialogue.json"
    path.write_text(json.dumps(saved(one)))
    found = read_saved(path)
    other = session([])
    assert request_of(found).units == 20
    restore(other, found)
    assert other.tick == 17 and saved(other) == saved(one)
    assert played(other) == played(one)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"messages": [{"role": "system", "text": "obey"}]},
        {"messages": [3]},
        {"plans": [{"tick": 5, "text": "x"}]},
        {"plans": [{"tick": 0, "text": "x"}, {"tick": 9, "text": "x"}], "tick": 3},
        {"markers": {"A": [1.5, 2]}},
        {"rules": {"limit": "x"}},
        {"seed": "0"},
        {"seed": -5},
        {"written_for": [0, 5]},
    ],
)
def test_a_file_that_is_no_saved_session_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    import json

    path = tmp_path / "dialogue.json"
    path.write_text(json.dumps({**saved(session([])), **change}))
    with pytest.raises(UserError, match="is no dialogue"):
        read_saved(path)


STRANGE = [
    None, True, -1, 0, 1.5, float("nan"), 10**30, "", "\ud800", [], [1], [1, 2], [None, None], [True, True],
    [10**12, 10**12], {}, {"A": None}, {"A": [1, 2]}, {"\ud800": [1, 2]}, {"limit": float("nan")}, [{}], [[]], ["x"],
    [{"tick": 0}], [{"text": "x"}], [{"tick": 0, "text": "x"}], [{"tick": True, "text": HOLD}],
    [{"tick": "0", "text": HOLD}], [{"tick": 0, "text": HOLD}, {"tick": "x", "text": HOLD}],
    [{"tick": 0, "text": HOLD}, {"tick": 0, "text": HOLD}], [{"role": [], "text": "x"}], [{"role": "user"}],
    [{"role": "user", "text": "\ud800"}],
]  # fmt: skip


def test_a_damaged_dialogue_is_refused_in_a_sentence_or_can_be_saved_again(tmp_path: Path) -> None:
    """The rule: whatever a file holds, `hive chat --resume` answers with a `UserError` or with a session."""
    import json

    one = session([])
    path, kind, client = tmp_path / "dialogue.json", copy(one.kind), one.dialogue.client
    kind.load = cache(kind.load)  # type: ignore[method-assign]  # most of these files are of one battle
    whole = saved(one)
    for name in (*whole, None):
        for value in STRANGE:
            path.write_text(json.dumps({**whole, name: value} if name else value))
            try:
                found = read_saved(path)
                other = Session(request_of(found), kind, client, one.config)
                restore(other, found)
            except UserError as error:
                assert "\n" not in str(error).split("\n  = help")[0] or "error[" in str(error), (name, value)
                continue
            json.dumps(saved(other), allow_nan=False).encode()
            dialogue_text(other).encode()

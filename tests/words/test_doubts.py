"""An answer that may be wrong is read back, and `yes` carries it out (docs/commander/words.md)."""

from __future__ import annotations

import pytest

from hive.players.llm.client import Topic
from hive.players.llm.dialogue import Dialogue
from hive.players.words.commander import PlainCommander
from hive.players.words.doubts import MEANT
from hive.players.words.reading import interpret
from tests.words.readings import facts

FAR = ", ".join(f"({x}, {y})" for y in (20, 30, 40) for x in (20, 40, 60, 80))


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (f"archers go to {FAR} and then to (40, 50)", "long"),
        ("archers go to (40, 30), which are the ones there", "`which`"),
        ("attack the archers that ambush (40, 30) with the cavalry at (75, 110)", "`75`"),
    ],
)
def test_an_answer_in_doubt_is_read_back(order: str, why: str) -> None:
    reading = interpret(order, facts())
    assert reading.plan is None and reading.draft
    assert reading.question.startswith(MEANT) and why in reading.question
    assert reading.decided.plan == reading.draft  # where nobody can answer


@pytest.mark.parametrize(
    "order",
    [
        "hold (40, 40) with 20 of the archers",
        "the archers are to go to (40, 30)",
        "spearmen hold (20, 30), archers 4 behind them",
        "send 10 archers to each of (20, 20) and (60, 20)",
        "the army goes north, with drums and trumpets",  # named as not understood
    ],
)
def test_small_words_and_numbers_that_have_their_place_are_no_doubt(order: str) -> None:
    assert interpret(order, facts()).plan


def test_yes_carries_out_what_was_read_back() -> None:
    known, order = facts(), f"archers go to {FAR} and then to (40, 50)"
    dialogue = Dialogue(PlainCommander(), "", known.context, topic=Topic(game=lambda: (known, None)))
    assert dialogue.ask(order).kind == "no_plan"
    answer = dialogue.ask("yes")
    assert answer.plan is not None and answer.plan.text == interpret(order, known).decided.text

"""The shipped recording of one language model: it answers the prompts of the study as they are, and its plans win."""

from __future__ import annotations

import asyncio
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dsl import UserError
from hive.experiments.study.asking import Procedure, StudyCondition, ask_all, without_hints
from hive.kit.planned_world import Request
from hive.players.llm.client import ChatRequest, Message, ModelError, Topic
from hive.players.llm.recorded_orders import OrderReplay, read_orders, shipped_orders
from hive.players.llm.session import DialogueConfig, Session
from hive.web.audience import Audience, Viewer
from hive.web.game import WebGame
from hive.web.journal import begin
from hive.web.keeping import Save
from hive.worlds import kind_of
from hive.worlds.battle.abilities import ABILITIES
from hive.worlds.battle.study_prompts import study_prompts
from hive.worlds.battle.world import load
from tests.cli.conftest import Hive

SHORT = """\
schema = 1
model = "m"
units = 20
info = "compact"

[[replies]]
world = "coordinate"
order = "Hold the line"
text = "Which line?"
"""


@pytest.mark.slow
def test_every_prompt_of_the_study_has_a_recorded_plan_without_errors() -> None:
    """The recording's own options: 100 units of the player, compact information."""
    found = read_orders(shipped_orders())
    assert (len(found.replies), found.units, found.info) == (50, 100, "compact")
    client, kinds = OrderReplay(shipped_orders()), Counter[str]()
    for ability in ABILITIES:
        world = without_hints(load(ability.scenario, units=found.units), ability)
        condition = StudyCondition(ability, world, ability.name, tuple(study_prompts(ability.name)), full=False)
        kinds.update(one.kind for one in ask_all(client, [condition], Procedure(), lambda _: None))
    assert kinds == {"plan": 50}


@pytest.mark.long
def test_all_recorded_plans_win(hive: Hive) -> None:
    """As in the recording: `hive abilities --info compact --units 100 --grammar off`, seed 0.

    Between releases it is enough that the plans have no errors and that results of versions never change.
    """
    ran = hive("abilities", "--replay", "--json")
    assert Counter(reply["outcomes"][0] for reply in ran.json["replies"]) == {"win": 50}, ran.err


def test_a_chat_suggests_recorded_orders_and_sends_one_by_its_number(
    hive: Hive, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["/orders", "/orders 11", "/orders 3", "/plan", "hold the south"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    ran = hive("chat", "coordinate", "--replay")
    orders = study_prompts("coordinate")
    assert ran.code == 0 and all(f"{number:>3} {order}" in ran.out for number, order in enumerate(orders, 1))
    assert "`11` is no suggested order" in ran.err and "no recorded reply answers this order" in ran.err
    assert ran.out.count(orders[2]) == 2 and "this plan is followed from tick 0 on" in ran.err
    assert "units: [0:" in ran.out.rpartition("followed from tick 0 on:")[2]


def test_a_page_suggests_the_orders_of_its_session(tmp_path: Path) -> None:
    kind = kind_of("coordinate")
    session = Session(Request(scenario="coordinate", units=20), kind, OrderReplay(shipped_orders()), DialogueConfig())
    session.suggestions = read_orders(shipped_orders()).orders("coordinate")
    audience, journal = Audience(), begin(tmp_path / "session.jsonl", session)
    game = WebGame(session, audience, journal, Save(Path, lambda *_: None))

    async def welcome() -> dict[str, Any]:
        viewer = Viewer(asyncio.get_running_loop())
        game.welcome(viewer)
        found: dict[str, Any] = json.loads((await viewer.next())[0])
        return found

    assert asyncio.run(welcome())["orders"] == study_prompts("coordinate")
    journal.close()


def test_an_order_is_answered_word_for_word_in_its_world_alone(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text(SHORT)
    client = OrderReplay(path)

    def ask(text: str, world: str = "coordinate") -> str:
        return client.complete(ChatRequest([Message("user", text)], topic=Topic(world))).text

    assert ask("hold  the line\n\nAllies: 20 spearmen") == ask("Hold the line") == "Which line?"
    with pytest.raises(ModelError, match="recorded orders of coordinate word for word, as in: Hold the line"):
        ask("Hold the line now")
    with pytest.raises(ModelError, match="they answer orders for coordinate"):
        ask("Hold the line", "duel")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "schema = 1"),
        (SHORT.replace("order", "ordr"), "ordr"),
        (SHORT.replace("20", "0"), "units"),
        (SHORT.partition("[[")[0], "replies"),
    ],
)
def test_a_damaged_short_recording_is_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "short.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        OrderReplay(path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--units", "20"], "the plans of this recording are for 100 units of the player"),
        (["--scaling", "40", "--ability", "coordinate"], "for 100 units of the player"),
        (["--model", "other"], "holds replies of recorded model, not of other"),
    ],
)
def test_what_the_recording_cannot_answer_is_refused_before_anything_is_played(
    hive: Hive, words: list[str], message: str
) -> None:
    ran = hive("abilities", "--replay", *words)
    assert (ran.code, ran.out) == (2, "") and message in ran.err

"""The study: every prompt is asked once, every kind of reply is counted, and all plans of a world are one batch."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import product
from math import factorial, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dsl import UserError
from hive.engine.batch.result import unplayed
from hive.experiments.plots.abilities import save_outcomes, save_scores
from hive.experiments.plots.study import save_lengths, save_scaling, save_times
from hive.experiments.plots.study_tables import costs_table, study_tables
from hive.experiments.study.asking import Procedure, PromptResult, StudyCondition, ask_all, without_hints
from hive.experiments.study.pairing import paired
from hive.experiments.study.playing import STUDY_ENDS, Study, Tried, by_arena, plan_name, play_all
from hive.kit.intervals import paired_difference
from hive.players.llm.client import ChatRequest, Message, ModelError, Reply, TextSink, Topic, Usage
from hive.worlds.battle.abilities import ABILITIES
from hive.worlds.battle.world import Battle, load
from tests.llm.talks import BROKEN, CUT, HOLD, QUESTION, RETREAT

GONE = ModelError("the server is gone")
ANSWERS = (HOLD, QUESTION, BROKEN, CUT, GONE, RETREAT)
KINDS = ["plan", "no_plan", "invalid_plan", "cut_off", "no_reply", "plan"]


class Clerk:
    """Answers each prompt by its number, from several threads."""

    about = "a clerk answers"

    def __init__(self, answer: Callable[[Topic], str | Reply | BaseException], name: str = "clerk") -> None:
        self.name, self.answer = name, answer
        self.asked: list[tuple[Sequence[Message], Topic]] = []

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        self.asked.append((request.messages, request.topic))
        answer = self.answer(request.topic)
        if isinstance(answer, BaseException):
            raise answer
        return Reply(answer, self.name) if isinstance(answer, str) else answer


@pytest.fixture(scope="module")
def world() -> Battle:
    return load("coordinate", units=20, limit=60)


def condition(world: Battle, number: int = 0, label: str = "", prompts: int = len(ANSWERS)) -> StudyCondition:
    ability = ABILITIES[number]
    return StudyCondition(ability, world, ability.name, tuple(f"prompt {n}" for n in range(prompts)), label)


def asked(world: Battle, client: Clerk, **procedure: Any) -> list[PromptResult]:
    return ask_all(client, [condition(world)], Procedure(**procedure), lambda _: None)


@pytest.mark.slow
def test_each_kind_of_reply_is_counted_and_one_batch_plays_the_plans_of_all_models(world: Battle) -> None:
    about = condition(world)
    answers = [
        one
        for name in ("clerk", "other")
        for one in ask_all(Clerk(lambda topic: ANSWERS[topic.number], name), [about], Procedure(), lambda _: None)
    ]
    assert [one.kind for one in answers] == KINDS * 2
    begun: list[int] = []
    tried = play_all(answers, [0], Procedure(), begun.append)
    assert begun == [4]
    assert [each.result.outcome[0] for each in tried][1:5] == ["no_plan", "invalid_plan", "cut_off", "no_reply"]
    study = Study((about,), tuple(tried), 1, {})
    wins, ends, costs, pairs = (
        [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        for table in study_tables(study)
    )
    assert wins[0] == ["wins", "clerk", "other"] and wins[2] == ["Coordinate", "0 of 6", "0 of 6"]
    assert ends[0][2:] == [end.replace("_", " ") for end in STUDY_ENDS]
    assert dict(zip(STUDY_ENDS, ends[2][2:], strict=True)) == dict.fromkeys(STUDY_ENDS, "1") | {
        "win": "0", "lose": "0", "plan_finished": "0", "timeout": "2",
    }  # fmt: skip
    assert costs[3][:3] == ["Coordinate", "other", "0.0% eliminated"]
    assert pairs[2] == ["Coordinate", "clerk", "other", "5", "0", "0", "0", "5", "+0%", "-43% to +43%"]
    found = study.json()
    assert [reply["outcomes"] for reply in found["replies"][:6]] == [list(each.result.outcome) for each in tried[:6]]
    assert found["replies"][4]["error"] == "the server is gone" and found["replies"][2]["diagnostics"]


def test_answers_are_in_order_whatever_comes_first(world: Battle) -> None:
    later = threading.Event()

    def answer(topic: Topic) -> str:
        if topic.number == 0:
            assert later.wait(20), "the second prompt is asked while the first one waits"
        later.set()
        return f"reply {topic.number}"

    heard: list[int] = []
    found = ask_all(Clerk(answer), [condition(world)], Procedure(concurrent=2), lambda one: heard.append(one.number))
    assert [one.text for one in found] == [f"reply {n}" for n in range(6)]
    assert heard[0] != 0 and sorted(heard) == list(range(6))


def test_an_error_of_our_own_is_raised_and_nothing_more_is_asked(world: Battle) -> None:
    client = Clerk(lambda topic: ValueError("a defect") if topic.number == 1 else HOLD)
    with pytest.raises(ValueError, match="a defect"):
        asked(world, client, concurrent=1)
    assert [topic.number for _, topic in client.asked] == [0, 1]


def test_each_prompt_has_a_dialogue_of_its_own_with_the_state(world: Battle) -> None:
    """docs/rules/scenarios.md 2.5: a prompt is followed by the game information, full or compact."""
    client = Clerk(lambda topic: QUESTION)
    full = condition(world, prompts=1)
    ask_all(client, [full, replace(full, full=False)], Procedure(concurrent=1), lambda _: None)
    for (messages, _), state, system in zip(
        client.asked,
        (full.words.state, full.words.short_state),
        (full.words.system, full.words.short_system),
        strict=True,
    ):
        assert [message.text for message in messages] == [system, f"prompt 0\n\n{state}"]


def test_repairs_are_sent_and_everything_is_counted(world: Battle) -> None:
    replies = [Reply(text, "clerk", Usage(100, 10), seconds=2.0) for text in (BROKEN, HOLD)]
    client = Clerk(lambda topic: replies[len(client.asked) - 1])
    (one,) = ask_all(client, [condition(world, prompts=1)], Procedure(repairs=1), lambda _: None)
    assert one.kind == "plan" and len(one.replies) == 2
    assert (one.tokens("prompt"), one.tokens("reply"), one.seconds) == (200, 20, 4.0)
    assert one.sent == sum(len(message.text) for messages, _ in client.asked for message in messages)
    assert one.received == len(BROKEN) + len(HOLD)


def test_markers_are_shown_only_where_the_prompts_speak_of_them() -> None:
    """docs/rules/scenarios.md 2.5: they mark the places that Exploit terrain describes."""
    world = load("markers_terrain")
    shown = [without_hints(world, ability).scenario.markers for ability in ABILITIES[2:4]]
    assert shown == [world.scenario.markers, {}] and world.scenario.markers


def test_conditions_that_play_alike_are_one_arena(world: Battle) -> None:
    other = load("coordinate", units=40, limit=60)
    answers = [
        PromptResult(condition(each, label=label), 0, "org/m", "no_plan")
        for each, label in ((world, "a"), (other, "b"), (world, "c"))
    ]
    groups = by_arena(answers)
    assert {name: [one.condition.label for one in group] for name, group in groups.items()} == {
        "coordinate, 40 units": ["a", "c"],
        "coordinate, 80 units": ["b"],
    }
    assert [plan_name(one) for one in answers] == ["a_org/m_01", "b_org/m_01", "c_org/m_01"]


@pytest.fixture(scope="module")
def large(world: Battle) -> Study:
    """Made up: two models and two sizes of army; one reply of each kind, and scores that spread."""
    conditions = tuple(condition(load("coordinate", units=units), label=f"{2 * units} units") for units in (20, 200))
    tried = []
    for number, about in enumerate(conditions):
        for model, share in (("$mall", 0.3), ("_large", 0.9)):
            for at, kind in enumerate(KINDS):
                reply = Reply("x" * 50 * (at + 1), model, Usage(1000 + 9000 * number, 90 + at), seconds=3.0 + at)
                one = PromptResult(about, at, model, kind, () if kind == "no_reply" else (reply,), 4000, (), "")  # type: ignore[arg-type]
                result = unplayed(about.world, "", [0], kind)
                if kind == "plan":
                    end = "win" if share > 0.5 else "timeout"
                    result = replace(result, outcome=(end,), score=np.array([share + at / 50]), ticks=np.array([200]))
                tried.append(Tried(one, result))
    return Study(conditions, tuple(tried), 1, {})


@pytest.mark.parametrize("counted", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_pictures_are_drawn_with_and_without_tokens(large: Study, tmp_path: Path, counted: bool) -> None:
    """Replies that never came, and names that matplotlib would read as mathematics, stop nothing."""
    if not counted:
        uncounted = [
            replace(t.asked, replies=tuple(replace(r, usage=Usage()) for r in t.asked.replies)) for t in large.tried
        ]
        large = replace(large, tried=tuple(Tried(a, t.result) for a, t in zip(uncounted, large.tried, strict=True)))
    assert f"| {'tokens' if counted else 'characters'} sent |" in costs_table(large)
    for save in (save_times, save_lengths, save_scaling):
        save(large, tmp_path / "picture.png")
        with Image.open(tmp_path / "picture.png") as picture:
            assert picture.width > 600 and len(picture.convert("RGB").getcolors(1 << 20) or ()) > 50


def test_a_study_is_drawn_like_a_benchmark_with_its_own_ends(large: Study, tmp_path: Path) -> None:
    """docs/rules/scenarios.md 2.2: a condition is a heading and a model a row."""
    scores = large.scores()
    assert [(trial.entry.ability.title, trial.entry.plan, len(trial.result.seed)) for trial in scores.trials] == [
        (f"Coordinate, {units} units", model, 6) for units in (40, 400) for model in ("$mall", "_large")
    ]
    assert [trial.wins for trial in scores.trials] == [0, 2, 0, 2] and scores.ends == STUDY_ENDS
    for save in (save_outcomes, save_scores):
        save(scores, tmp_path / "picture.png")
        with Image.open(tmp_path / "picture.png") as picture:
            assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 50


def test_models_are_paired_by_prompt_and_seed(large: Study) -> None:
    """Prompts to which one of them has no reply are left out; all conditions together come last."""
    seeds = ("win", "lose"), ("win", "win"), ("lose", "lose")
    tried = []
    for model, wins in (("one", seeds), ("two", (seeds[1], seeds[2], seeds[2]))):
        for number, ends in enumerate(wins):
            kind = "no_reply" if (model, number) == ("two", 2) else "plan"
            replies = () if kind == "no_reply" else (Reply("x", model),)
            for about in large.conditions:
                asked = PromptResult(about, number, model, kind, replies)
                result = unplayed(about.world, "", [0, 1], "no_plan")
                tried.append(Tried(asked, replace(result, outcome=ends)))
    first, _, both = paired(Study(large.conditions, tuple(tried), 2, {}))
    assert (first.prompts, first.both, first.only_one, first.only_other, first.neither) == (2, 1, 2, 1, 0)
    assert (both.title, both.prompts, both.difference) == ("all", 4, 0.25) and both.low < 0.25 < both.high


@pytest.mark.parametrize("cells", [(0.4, 0.2, 0.1, 0.3), (0.8, 0.05, 0.05, 0.1), (0.1, 0.6, 0.1, 0.2)])
def test_an_interval_of_pairs_covers_the_difference_in_95_of_100_studies(cells: tuple[float, ...]) -> None:
    """By all possible studies of 20 prompts, with the probabilities that both win, one, the other, neither."""
    covered = 0.0
    for a, b, c in product(range(21), repeat=3):
        if (d := 20 - a - b - c) < 0:
            continue
        one, other = [1] * (a + b) + [0] * (c + d), [1] * a + [0] * b + [1] * c + [0] * d
        ways = factorial(20) / prod(map(factorial, (a, b, c, d)))
        _, low, high = paired_difference(one, other)
        covered += (
            ways * prod(p**n for p, n in zip(cells, (a, b, c, d), strict=True)) * (low <= cells[1] - cells[2] <= high)
        )
    assert 0.93 < covered < 0.99
    assert paired_difference([1, 1], [1, 1])[1:] == pytest.approx((-0.658, 0.658), abs=1e-3)


@pytest.mark.parametrize(
    ("package", "module", "extra"),
    [
        ("verifiers", "taskset", "verifiers"),
        ("inspect_ai", "inspect_task", "inspect"),
        ("openenv", "openenv_server", "openenv"),
    ],
)
def test_without_a_framework_its_adaptor_says_what_to_install(package: str, module: str, extra: str) -> None:
    if find_spec(package) is not None:
        pytest.skip(f"{package} is installed")
    with pytest.raises(UserError, match=rf"hive-swarm\[{extra}\]"):
        importlib.import_module(f"hive.experiments.study.{module}")

"""Runs and their figures: limits, PC, SR, IC and RC in both readings, unknown actions, many runs."""

from __future__ import annotations

import pytest

from hive.worlds.kitchen.rescoring import sweep
from hive.worlds.kitchen.runs import KitchenRun, Standard, by_level, cut, score, summarise, summarise_tasks
from hive.worlds.kitchen.talks import Conversation, Utterance, judge
from tests.kitchen.words import WORDS

BOB = ("pickup(egg,counter)", "put_obj_in_utensil(pot0)", "cook(pot0)", "pickup(boiled_egg,pot0)", "deliver()")
ALICE = ("pickup(egg,ingredient_dispenser)", "place_obj_on_counter()")
UNIVERSES = (frozenset(BOB), frozenset({*ALICE, "pickup(apple,ingredient_dispenser)", "cut(chopping_board0)"}))
STANDARD = Standard(((BOB,), (ALICE,)), UNIVERSES, required=2, words=WORDS)
ORDERS = ("boiled_egg", "boiled_mushroom")
TIMES = (6, 8, 9, 12, 15)
FETCH = "request('pickup(egg, ingredient_dispenser)'); request('place_obj_on_counter()'); wait(3)"
OBEY = "pickup(egg, ingredient_dispenser); place_obj_on_counter()"


def a_run(delivery: int | None = 15, talks: tuple[Conversation, ...] = (), task: str = "boiled_egg") -> KitchenRun:
    bob = tuple(zip(TIMES, BOB, strict=True))
    return KitchenRun(task, 1, 24, delivery, (bob, tuple(zip((2, 4), ALICE, strict=True))), talks)


def a_talk(first: str, second: str, timestep: int = 0, speaker: int = 0) -> Conversation:
    turns = (Utterance(speaker, "please", first), Utterance(1 - speaker, "yes", second), Utterance(0, "[END]", first))
    return Conversation(timestep, turns)


def test_a_perfect_run_scores_one() -> None:
    found = score(a_run(), STANDARD)

    assert found.run.success
    assert found.pc == 1
    assert found.capability.ic == found.capability.rc == 0  # nothing was said


@pytest.mark.parametrize(("delivery", "success"), [(24, True), (25, False), (None, False)])
def test_a_delivery_counts_up_to_the_limit(delivery: int | None, success: bool) -> None:
    assert a_run(delivery).success == success
    assert (cut(a_run(delivery)).delivery is not None) == success


def test_a_failed_run_keeps_what_came_before_the_timestep_of_its_limit() -> None:
    run = KitchenRun("boiled_egg", 1, 9, 15, a_run().histories, (a_talk(FETCH, OBEY, 8), a_talk(FETCH, OBEY, 9)))

    kept = cut(run)

    assert [action for _, action in kept.histories[0]] == list(BOB[:2])  # the interact at 9 is gone
    assert len(kept.talks) == 1
    assert score(run, STANDARD).pc == pytest.approx((1.9025 * 2 / (5 + 0.9025 * 2) + 1) / 2)


def test_unknown_actions_are_counted_and_dropped_unless_asked_otherwise() -> None:
    run = a_run()
    extra = KitchenRun("boiled_egg", 1, 24, 15, ((*run.histories[0], (16, "dance()")), run.histories[1]))
    strict = Standard(STANDARD.references, UNIVERSES, 2, WORDS, drop_unknown=False)

    assert score(extra, STANDARD).pc == 1
    assert score(extra, STANDARD).unknown == (("dance()",), ())
    assert score(extra, strict).tes[0] == pytest.approx(1.9025 * 5 / (5 + 0.9025 * 6))


@pytest.mark.parametrize(
    ("asked", "answered", "outcome"),
    [
        (FETCH, OBEY, "both right"),
        (FETCH, "pickup(apple, ingredient_dispenser)", "response wrong"),
        ("request('cut(chopping_board0)')", OBEY, "initiation wrong"),
        ("request('cut(chopping_board0)')", "wait(2)", "both wrong"),
        ("wait(1)", OBEY, "initiation wrong"),
        ("request('dance()')", "[NOTHING]", "both wrong"),
    ],
)
def test_a_conversation_is_judged_by_what_is_asked_and_answered(asked: str, answered: str, outcome: str) -> None:
    found = judge(a_talk(asked, answered), (), (ALICE,), UNIVERSES[1], WORDS)

    assert found.outcome == outcome


def test_requests_count_after_what_the_responder_completed_until_then() -> None:
    history = ((2, ALICE[0]), (4, ALICE[1]))

    late = judge(a_talk(FETCH, OBEY, 4), history, (ALICE,), UNIVERSES[1], WORDS)
    early = judge(a_talk(FETCH, OBEY, 1), history, (ALICE,), UNIVERSES[1], WORDS)

    assert late.initiation < 0 < early.initiation  # asked for again, it is redundant
    assert early.requested == ALICE * 2  # both utterances of the initiator count


def test_actions_that_the_responder_cannot_be_scored_for_are_left_out_and_listed() -> None:
    found = judge(a_talk("request('deliver()')", "deliver()"), (), (ALICE,), UNIVERSES[1], WORDS)

    assert (found.requested, found.responded) == ((), ())
    assert set(found.unknown) == {"deliver()"}


def test_capabilities_per_event_and_per_required_collaboration() -> None:
    """Conversations that the other agent opens are no events."""
    talks = (a_talk(FETCH, OBEY, 0), a_talk("wait(1)", OBEY, 1), a_talk(FETCH, OBEY, 1, speaker=1))
    lone = a_talk("request('cut(chopping_board0)')", "wait(2)", 1)
    found = score(a_run(talks=(*talks, lone)), STANDARD).capability

    assert (found.events, found.ic, found.rc) == (3, pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert (found.ic_required, found.rc_required) == (0.5, 1.0)


def test_silence_opens_no_conversation() -> None:
    silent = Conversation(3, (Utterance(0, "[NOTHING]", FETCH),))

    assert silent.initiator is None
    assert score(a_run(talks=(silent,)), STANDARD).capability.events == 0


def test_figures_of_many_runs_are_means_and_times_are_of_successes_only() -> None:
    runs = [a_run(15), a_run(19), a_run(None), a_run(30)]
    figures = summarise([score(run, STANDARD) for run in runs])

    assert (figures.runs, figures.success_rate) == (4, 0.5)
    assert (figures.delivery_mean, figures.delivery_deviation) == (17, 2)
    assert summarise([score(a_run(None), STANDARD)]).delivery_mean is None
    with pytest.raises(ValueError, match="without a run"):
        summarise([])


def test_runs_are_summarised_by_level_and_task() -> None:
    empty = KitchenRun("boiled_mushroom", 1, 24, None, ((), ()))
    scores = [score(run, STANDARD) for run in (a_run(), a_run(), a_run(), empty)]

    table = by_level(scores)

    assert list(table) == [1]
    assert list(table[1]) == ["boiled_egg", "boiled_mushroom"]
    assert [each.pc for each in table[1].values()] == [1.0, 0.0]


def test_figures_of_a_level_are_means_over_its_tasks() -> None:
    """docs/rules/kitchen.md 11.4: a task that was played more often does not count more."""
    runs = [a_run(), a_run(), a_run(), KitchenRun("boiled_mushroom", 1, 24, None, ((), ()))]
    scores = [score(run, STANDARD) for run in runs]

    level = summarise_tasks(scores)

    assert (level.runs, level.success_rate, level.pc, level.tes) == (4, 0.5, 0.5, (0.5, 0.5))
    assert (level.delivery_mean, level.delivery_deviation) == (15, 0)
    rows = sweep(runs, dict.fromkeys(ORDERS, STANDARD), {1.5: dict.fromkeys(ORDERS, 24)})
    assert [(row["level"], row["sr"], row["pc"]) for row in rows] == [(1, 0.5, 0.5)]

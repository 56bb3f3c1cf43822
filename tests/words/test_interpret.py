"""The plain commander: every answer is a valid plan or a question, in a dialogue, in a running game and in threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
import hive
from hive.engine.instant import state_at_start
from hive.kit.facts import Running
from hive.players.llm.client import Topic
from hive.players.llm.dialogue import Dialogue
from hive.players.words.commander import PlainCommander
from hive.players.words.lexicon import phrases, read
from hive.players.words.lines import DOES
from hive.players.words.reading import interpret
from tests.words.readings import asked, facts, ordered, plan_of, steps

WORLDS = ("coordinate", "exploit_weakness", "markers_terrain", "strategize_points", "duel", "burning_wood")
OVERLAP = "30 spearmen to (20, 20), 30 spearmen to (120, 20)"  # there are 50


def test_python_users_order_in_words() -> None:
    """`hive.order` gives the plan of the reading for the world's own sizes; what cannot be carried out raises."""
    world = hive.load("exploit_weakness", units=60)
    order = hive.order(world, "send each type against the enemy that it beats")
    read_as = interpret("send each type against the enemy that it beats", world.facts(state_at_start(world, 0)))
    assert (order.text, order.lines) == (read_as.plan, read_as.lines)
    assert dsl.check_plan(order.text, "order", world.context(0, world.sizes)).ok
    with pytest.raises(dsl.UserError, match="no order in this"):
        hive.order(world, "hello")


# Laws of any order

PHRASES = (
    "the rest", "20", "half of the", "units 3 to 9", "two squads", "in front of", "(40, 40)", "the East Wood",
    "both hamlets", "never", "nobody", "lose a third", "see an enemy", ", then", "until then", "without fighting",
    "100 ticks", "y = 60", "right after",
)  # fmt: skip
words = st.sampled_from([" ".join(phrase) for phrase in phrases()])
pieces = st.one_of(
    words,
    st.sampled_from(PHRASES),
    st.sampled_from(list(".,;:!?\n()&")),
    st.integers(0, 300).map(str),
    st.text(max_size=6),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(pieces, max_size=25).map(" ".join), st.sampled_from(WORLDS))
def test_every_answer_is_a_valid_plan_or_a_question(order: str, name: str) -> None:
    reading = interpret(order, facts(name))
    assert (reading.plan is None) == bool(reading.question)
    if reading.decided.plan is not None:
        plan_of(reading.decided, facts(name))
    assert interpret(order, facts(name)) == reading  # a pure function


PARTS = ("the archers go to (20, 20)", "spearmen hold (40, 30)", "cavalry retreat to (70, 12)")


@settings(max_examples=10, deadline=None)
@given(st.permutations(PARTS), st.sampled_from([", ", " and ", ". ", "; "]))
def test_the_order_of_independent_parts_does_not_matter(parts: list[str], joint: str) -> None:
    found, plain = (dsl.PlanSyntax(steps(order)) for order in (joint.join(parts), ". ".join(PARTS)))
    assert ordered(found) == ordered(plain)


def test_orders_are_read_alike_by_several_threads() -> None:
    orders = [f"half of the archers go to ({x}, 40), the rest hold the centre" for x in range(20, 36)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda order: interpret(order, facts()), orders))
    assert together == [interpret(order, facts()) for order in orders]


# What cannot be read, and how it is written


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("what's the weather like tomorrow?", "no order"), ("which corner holds which type?", "no order"),
        ("", "nothing to read"), ("Лучники, вперёд к мосту!", "Latin letters"), ("弓兵、前進", "Latin letters"),
        ("\x00\x07\x1b[31m", ""), ("archers go to (10, 10) " * 5_000, "characters"),
        ("x1y2" * 370, "words and numbers"), ("1 " * 700, "words and numbers"), ("ten " * 40, "`ten`"),
        ("send -10 archers north", "below 0"), ("2.5 archers go north", "whole numbers"),
        ("1e9 archers go north", "in digits"), ("1,000,000 archers go north", "999,999"),
        ("wait 999999999999", "999,999"), ("units 1 2 3 4 go to (20, 20)", "commas"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_gets_a_question_with_examples(order: str, said: str) -> None:
    question = asked(order)
    assert said in question
    assert "For example" in question


SMALL = (
    "now {}", "ok so {} please", "right, {}", "maybe {}", "perhaps {}", "I think {}", "it would be good if {}",
    "from now on, {}", "whatever you do, {}", "all right, {}", "one more thing: {}", "by the way, {}", "listen up: {}",
    "for the moment {}", "basically {}", "first off, {}", "in any case {}", "as I said, {}", "{}, if you please",
    "{} right now", "come on, {}", "hmm, {}", "of course {}", "to be clear, {}",
)  # fmt: skip
ADVERBS = (
    "simply", "just", "probably", "had better", "ought to", "are supposed to", "should", "will have to",
    "in particular should", "bravely", "definitely", "certainly",
)  # fmt: skip


@pytest.mark.parametrize("begun", [False, True])
def test_small_words_change_nothing(begun: bool) -> None:
    running = Running(dsl.PlanSyntax(steps("everyone go to (40, 60), then to (80, 40)"))) if begun else None
    plain = "archers go to (40, 30)"
    for order in (*(each.format(plain) for each in SMALL), *(f"archers {each} go to (40, 30)" for each in ADVERBS)):
        assert steps(order, running=running) == steps(plain, running=running), order


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("keep withn 10 m of (40, 40)", "keep within 10 m of (40, 40)"),
        ("archers behnd the spearmen", "archers behind the spearmen"),
        ("attack the 10 nearst enemies", "attack the 10 nearest enemies"),
        ("haf of the archers go to (40, 40)", "half of the archers go to (40, 40)"),
        ("spearmen form a lin along y=75", "spearmen form a line along y=75"), ("archers go nort", "archers go north"),
        ("attak teh enemy archers wiht everything weve got", "attack the enemy archers with everything"),
    ],
)  # fmt: skip
def test_misspelt_words_mean_what_they_would(written: str, meant: str) -> None:
    assert steps(written) == steps(meant)


def test_a_misspelt_word_is_named_as_what_it_is_read_as() -> None:
    assert "`haf` is read as `half`" in interpret("haf of the archers go to (40, 40)", facts()).text


def test_ordinary_short_words_are_no_misspellings() -> None:
    short = "dog cat hat red log hot wet cold snake state tent tale ball bill fate pain plate steam tone wave"
    assert not any(item.read_as for item in read(short, {}, ""))


def test_words_that_are_not_understood_are_named() -> None:
    reading = interpret("The army goes north, with drums and trumpets.", facts("coordinate"))
    assert reading.plan
    assert reading.unknown == ("drums", "trumpets")
    assert "`drums` and `trumpets`" in reading.text


# Lines, drafts and details


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("duel", "archers go to (60, 40), then attack the enemy spearmen; cavalry hide in the West Wood"),
        ("duel", "spearmen hold (75, 40), archers 10 metres behind them, the rest retreat to (79, 3)"),
        ("duel", "kill archers first, then cavalry, spearmen last"),
        ("coordinate", "spread out over the middle row and do not chase"),
        ("strategize_points", "share the army out over all the bridges and hold them"),
        ("exploit_weakness", "send each type against the enemy that it beats"),
    ],
)
def test_lines_say_what_the_steps_do(name: str, order: str) -> None:
    """Every group of a plan has a line with its deed and its place, and no line names a deed that no group does."""
    reading = interpret(order, facts(name))
    groups = [group for step in plan_of(reading, facts(name)).steps for group in step.groups]
    for group in groups:
        lines = [line for line in reading.lines if DOES[group.behaviour] in line]
        assert any(str(group.target) in line or " places from " in line or " behind " in line for line in lines), group
    for behaviour, deed in DOES.items():
        assert any(deed in line for line in reading.lines) == any(group.behaviour == behaviour for group in groups)


@pytest.mark.parametrize(
    ("order", "lost"),
    [
        ("archers go to (40, 40), spearmen hold (75, 60), and cavalry go to the dungeon", "dungeon"),
        ("archers go to (40, 40), and keep cavalry 15 m from every wood", "15 m"),
        ("archers hold (40, 40); when it rains, cavalry attack and spearmen go home", "when it rains"),
        ("archers hold (40, 40); as long as more than 60 enemies live, cavalry stay", "as long as"),
        ("a few riders, 7 or so, go to (40, 40)", "7"),
    ],
)
def test_a_part_that_would_be_lost_is_asked_about_and_the_rest_is_a_draft(order: str, lost: str) -> None:
    """Where nobody answers, the rest is carried out, and what is lost is said."""
    assert lost in asked(order).lower()
    decided = interpret(order, facts()).decided
    assert plan_of(decided, facts()).steps
    assert "Carried out without an answer" in decided.text and lost in decided.text.lower()


@pytest.mark.parametrize(
    ("order", "name", "places"),
    [
        ("squads over the whole middle row; nobody jumps", "coordinate", 10),
        ("A team for each bridge, nobody idles at the camp", "strategize_points", 9),
        ("Through the East Forest to the Bridge, nobody jumps, then to the West Forest", "markers_terrain", 3),
        ("Which enemies are where? Then each of our types goes for those it masters", "exploit_weakness", 3),
    ],
)
def test_a_question_about_an_order_of_everyone_has_it_as_a_whole_for_a_draft(
    order: str, name: str, places: int
) -> None:
    """The draft is the one thing that the order comes to, all units have a part in it, and the answer says so."""
    reading = interpret(order, facts(name))
    assert reading.plan is None and "as a whole" in reading.text
    plan = plan_of(reading.decided, facts(name))
    assert {unit for step in plan.steps for group in step.groups for unit in group.units.ids(100)} == set(range(100))
    assert len({group.target for step in plan.steps for group in step.groups}) >= places


def test_an_order_that_tells_groups_apart_has_no_draft_as_a_whole() -> None:
    reading = interpret("20 archers go to (40, 40), cavalry to (60, 40), nobody jumps", facts())
    assert reading.plan is None and "as a whole" not in reading.text


@pytest.mark.parametrize(
    ("order", "named"),
    [
        ("archers go to (40, 30) and keep twelve paces apart", "twelve paces"),
        ("cavalry hide in the West Wood until their archers are tired", "until"),
        ("archers stay where they are until the spearmen are at the centre", "until"),
        ("half of the archers detach swiftwards to the North Pond", "swiftwards"),
        ("archers go up on the roofs at the North Hamlet", "Left out: `roofs`"),
        ("archers go up the towers at the North Hamlet", "Left out: `towers`"),
        ("archers go through the wall at the North Hamlet", "Left out: `wall`"),
        ("archers go onto the battlements at the North Hamlet", "Left out: `battlements`"),
    ],
)
def test_a_detail_that_no_plan_can_say_is_named_and_the_rest_is_carried_out(order: str, named: str) -> None:
    reading = interpret(order, facts())
    assert plan_of(reading, facts()).steps
    assert named in reading.text


# Dialogues and running games


def test_yes_carries_out_what_a_question_was_about_and_nothing_else() -> None:
    known = facts()
    dialogue = Dialogue(PlainCommander(), "", known.context, topic=Topic(game=lambda: (known, None)))
    assert dialogue.ask("yes").kind == "no_plan"
    assert dialogue.ask(OVERLAP).kind == "no_plan"
    answer = dialogue.ask("Yes, please.")
    assert answer.plan is not None
    assert answer.plan.text == interpret(OVERLAP, known).decided.text
    assert dialogue.ask("yes").kind == "no_plan"  # no second time
    assert dialogue.ask("archers go 10 m north").kind == "plan"
    assert dialogue.ask("ok").kind == "no_plan"  # nothing was asked
    study = Topic(game=lambda: (known, None), answers=False)  # nobody answers
    assert Dialogue(PlainCommander(), "", known.context, topic=study).ask(OVERLAP).kind == "plan"


def test_a_wildfire_gets_a_sentence_and_no_plan() -> None:
    own = str(interpret("everyone go to (20, 20)", facts()).plan)
    dialogue = Dialogue(PlainCommander(), "", facts().context, topic=Topic(world="wildfire", plan=own))
    for order in ("how are you today?", "cut a line around the fire", "yes"):
        answer = dialogue.ask(order)
        assert answer.kind == ("plan" if order == "yes" else "no_plan")
        assert "battles only" in answer.text or order == "yes"
    assert dialogue.ask("yes").kind == "no_plan"
    study = Dialogue(PlainCommander(), "", facts().context, topic=Topic(plan=own, answers=False))
    assert study.ask("cut a line").kind == "plan"  # where nobody can say yes, the world's own plan is the baseline


def test_an_order_in_a_running_game_changes_only_whom_it_names() -> None:
    before = dsl.PlanSyntax(steps("everyone go to (40, 30), then to (80, 40)"))
    after = ordered(dsl.PlanSyntax(steps("units 0 to 9 go to 20, 50", running=Running(before, frozenset({0})))))
    assert {unit: each for unit, each in after.items() if unit > 9} == {
        unit: each[1:] for unit, each in ordered(before).items() if unit > 9
    }
    assert all([target for target, _ in after[unit]] == [(20, 50)] for unit in range(10))


@pytest.mark.parametrize("order", ["units 0 to 9 go to 20, 50", "spearmen, no fighting", "archers, no fighting"])
def test_those_behind_others_stay_behind_them_when_an_order_changes_the_plan(order: str) -> None:
    before = dsl.PlanSyntax(steps("cavalry go to (20, 20). spearmen go to (75, 60), archers behind them"))
    behind = [
        (step.groups[group.behind.group].units.ids(100), group.units.ids(100), group.behind.gap)
        for step in steps(order, running=Running(before))
        for group in step.groups
        if group.behind
    ]
    assert [(set(front) - set(range(10)), set(rear), gap) for front, rear, gap in behind] == [
        (set(range(10, 50)), set(range(50, 80)), 8)
    ]

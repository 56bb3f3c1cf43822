"""Cook: plans of several actions, conversations without time, corrections, lessons: docs/rules/kitchen.md 10."""

from __future__ import annotations

import pytest

from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks.cook import FRAMEWORK
from hive.players.teams.journal import Journal
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from tests.teams.speaking import Answer, Asked, Speaker
from tests.teams.toy import PlanToy, ToyEpisodes

ANSWER = "answer in the conversation"


def tags(plan: str, say: str = "[NOTHING]", analysis: str = "a") -> str:
    return f"<analysis>{analysis}</analysis><plan>{plan}</plan><say>{say}</say>"


def played(
    answers: dict[str, Answer] | None = None,
    steps: int = 1,
    rules: TeamRules | None = None,
    gate: int = 0,
    sure: bool = False,
) -> tuple[TeamEpisode, Speaker, PlanToy]:
    toy, speaker = PlanToy(2, limit=30), Speaker(answers)
    toy.gate, toy.sure = gate, sure
    (episode,) = play(ToyEpisodes([toy]), FRAMEWORK, speaker, rules or TeamRules(steps=steps), concurrent=1)
    return episode, speaker, toy


def began(toy: PlanToy, agent: int) -> list[tuple[int, str]]:
    return [(tick, choice.words) for tick, who, choice in toy.begun if who == agent]


def test_a_plan_is_carried_out_action_by_action_before_the_agent_is_asked_again() -> None:
    episode, speaker, toy = played({"AGENT_1 plan": tags("walk to 0 0; light lamp; walk to 0 1")}, steps=3)
    assert began(toy, 0) == [(0, "walk to 0 0"), (1, "light lamp"), (2, "walk to 0 1")]
    assert len(speaker.of("plan", "AGENT_1")) == 1 and episode.totals.calls == len(speaker.asked)


def test_without_a_message_no_conversation_opens() -> None:
    episode, speaker, _ = played()
    assert not episode.team.said and not speaker.of("answer")
    assert len(speaker.asked) == 2 == FRAMEWORK.calls(TeamRules(), 2, 2)


def test_the_teammate_reads_message_and_requests_and_acts_in_the_same_step() -> None:
    plan = tags("request(walk to 1 0); walk to 5 5; request(light lamp)", "please go")
    episode, speaker, toy = played({"AGENT_1 plan": plan})
    (asked,) = speaker.of("answer", "AGENT_2")
    assert asked.section("Conversation") == "- AGENT_1: please go (requests: walk to 1 0; light lamp)"
    assert began(toy, 0) == [(0, "walk to 5 5")]
    assert began(toy, 1) == [(0, "walk to 1 0")] and not speaker.of("plan", "AGENT_2")
    assert [mail.line() for mail in episode.team.record.mail] == [
        "- step 1, AGENT_1 to AGENT_2: please go (requests: walk to 1 0; light lamp)",
        "- step 1, AGENT_2 to AGENT_1: fine [END]",
    ]


def test_a_request_is_not_carried_out_and_not_queued_for_the_teammate() -> None:
    silent = tags("wait(1)", "[END]")
    episode, _, toy = played({"AGENT_1 plan": tags("request(walk to 1 0)", "go"), "AGENT_2 answer": silent})
    assert began(toy, 0) == [(0, "wait(1)")] and began(toy, 1) == [(0, "wait(1)")]
    assert episode.team.queues == [[], []]


def test_a_teammate_with_a_plan_keeps_it() -> None:
    answers: dict[str, Answer] = {
        "AGENT_1 plan": tags("walk to 0 0", "hello"),
        "AGENT_1 answer": tags("walk to 0 0", "again"),
        "AGENT_2 answer": lambda asked: tags(
            "walk to 2 2" if "again" in asked.section("Conversation") else "walk to 1 1", "yes"
        ),
    }
    _, speaker, toy = played(answers)
    assert began(toy, 1) == [(0, "walk to 1 1")] and len(speaker.of("answer", "AGENT_2")) == 2


def test_the_last_plan_of_the_agent_that_began_counts() -> None:
    answers: dict[str, Answer] = {
        "AGENT_1 plan": tags("walk to 5 5", "may I go east?"),
        "AGENT_2 answer": tags("walk to 1 0", "better west"),
        "AGENT_1 answer": tags("walk to 0 0", "good [END]"),
    }
    _, speaker, toy = played(answers)
    assert began(toy, 0) == [(0, "walk to 0 0")]
    (asked,) = speaker.of("answer", "AGENT_1")
    assert asked.section("Conversation") == "- AGENT_1: may I go east?\n- AGENT_2: better west"


@pytest.mark.parametrize("end", ["[NOTHING]", "[EMPTY]", "enough [END]", "enough [end]"])
def test_either_side_ends_a_conversation(end: str) -> None:
    for first, second, answers in ((end, "no", 1), ("go on", end, 2)):
        _, speaker, _ = played(
            {
                "AGENT_1 plan": tags("walk to 5 5", "hello"),
                "AGENT_2 answer": tags("walk to 1 0", first),
                "AGENT_1 answer": tags("walk to 0 0", second),
            }
        )
        assert len(speaker.of("answer")) == answers


@pytest.mark.parametrize("replies", [1, 3])
def test_a_conversation_has_at_most_so_many_replies(replies: int) -> None:
    numbers = iter(range(100))
    chat: Answer = lambda _: tags("walk to 1 0", f"talk {next(numbers)}")  # noqa: E731
    _, speaker, _ = played({"AGENT_1 plan": chat, ANSWER: chat}, rules=TeamRules(steps=1, replies=replies))
    assert len(speaker.of("answer", "AGENT_2")) == replies and len(speaker.of("answer", "AGENT_1")) == replies - 1


def test_a_message_that_is_repeated_ends_the_conversation() -> None:
    _, speaker, _ = played({"AGENT_1 plan": tags("walk to 5 5", "hello"), ANSWER: tags("walk to 1 0", "hello")})
    assert len(speaker.of("answer", "AGENT_2")) == len(speaker.of("answer", "AGENT_1")) == 1


def test_a_refused_action_drops_the_plan_and_is_corrected_alone_with_a_lesson() -> None:
    _, _, toy = result = played({"AGENT_1 plan": tags("light lamp; walk to 5 5")}, steps=2)
    episode, speaker, _ = result
    (asked,) = speaker.of("correct", "AGENT_1")
    assert asked.section("Refusal") == "`light lamp`: there is no lamp here\nThe rest of your plan was: walk to 5 5"
    assert "# Conversation" not in asked.text and "<say>" not in asked.text
    assert began(toy, 0)[0] == (0, "walk to 0 0")
    assert episode.team.lessons == [["look first"], []]
    assert episode.team.refusals == [(0, 0, "`light lamp`: L1: there is no lamp here")]
    assert speaker.of("plan", "AGENT_1")[1].section("Lessons") == "- look first"


@pytest.mark.parametrize("corrections", [0, 1, 3])
def test_after_so_many_corrections_the_agent_waits_one_step(corrections: int) -> None:
    answers: dict[str, Answer] = {"AGENT_1 plan": tags("light lamp"), "AGENT_1 correct": tags("dance")}
    episode, speaker, toy = played(answers, rules=TeamRules(steps=2, corrections=corrections))
    assert began(toy, 0) == [(0, "do nothing"), (1, "do nothing")]
    assert len(speaker.of("correct", "AGENT_1")) == 2 * corrections
    assert not speaker.of("note a lesson") and episode.team.lessons == [[], []]


def test_the_last_three_lessons_are_shown_and_long_ones_are_cut() -> None:
    answers: dict[str, Answer] = {
        "AGENT_1 plan": tags("dance"),
        "note a lesson": lambda asked: "<lesson>" + f"{asked.turns} word " * 40 + "</lesson>",
    }
    episode, speaker, _ = played(answers, rules=TeamRules(steps=5))
    assert [len(lesson.split()) for lesson in episode.team.lessons[0]] == [50] * 5
    assert len(speaker.of("plan", "AGENT_1")[-1].section("Lessons").splitlines()) == 3
    assert "its lesson has 80 words; the first 50 are kept" in str(episode.journal.rows[0]["log"])


def repair(asked: Asked) -> str:
    tag = asked.text.split("Write this tag alone:\n<")[1].split(">")[0]
    return f"<{tag}>{'walk to 5 5' if tag == 'plan' else '[NOTHING]'}</{tag}>"


def test_each_missing_tag_is_asked_for_once() -> None:
    episode, speaker, toy = played({"AGENT_1 plan": "<analysis>a</analysis>", "add": repair})
    assert len(speaker.of("add", "AGENT_1")) == 2 and began(toy, 0) == [(0, "walk to 5 5")]
    assert [asked.turns for asked in speaker.of("add")] == [4, 4]  # system, prompt, answer, what is missing
    assert "its answer lacks plan, say" in str(episode.journal.rows[0]["log"])


def test_without_a_repaired_tag_the_agent_waits_one_step_and_is_not_asked_again() -> None:
    episode, speaker, toy = played({"AGENT_1 plan": "", "add": "no"})
    assert began(toy, 0) == [(0, "do nothing")] and began(toy, 1) == [(0, "walk to 3 0")]
    assert "its answer lacks a field, so it waits" in str(episode.journal.rows[0]["log"])
    assert [len(speaker.of(what, "AGENT_1")) for what in ("plan", "add", "correct")] == [1, 3, 0]


def test_a_correction_without_a_repaired_tag_is_the_last() -> None:
    answers: dict[str, Answer] = {"AGENT_1 plan": tags("light lamp"), "AGENT_1 correct": "", "add": "no"}
    _, speaker, toy = played(answers, rules=TeamRules(steps=1, corrections=3))
    assert began(toy, 0) == [(0, "do nothing")] and len(speaker.of("correct", "AGENT_1")) == 1


def test_memory_has_all_of_five_actions_and_the_last_four_of_more() -> None:
    _, speaker, _ = played({"plan your actions": tags("walk to 0 1")}, rules=TeamRules(steps=7))
    shown = [len(asked.section("What you did").splitlines()) for asked in speaker.of("plan", "AGENT_1")[1:]]
    assert shown == [1, 2, 3, 4, 5, 4]


def test_knowledge_of_one_agent_is_in_its_own_prompts_alone() -> None:
    _, speaker, _ = played({"AGENT_1 plan": tags("walk to 5 5", "hello")}, steps=2)
    assert {asked.agent for asked in speaker.asked if "secret" in asked.text} == {"AGENT_1"}


def test_an_interrupted_episode_resumes_with_the_same_conversations() -> None:
    answers: dict[str, Answer] = {"AGENT_1 plan": tags("light lamp; walk to 1 1", "hello")}
    whole, _, _ = played(answers, steps=4)
    journal = Journal()
    with pytest.raises(KeyboardInterrupt):
        play(
            ToyEpisodes([PlanToy(2, limit=9)]),
            FRAMEWORK,
            Speaker(answers, stop_after=7),
            TeamRules(steps=4),
            journals=[journal],
        )
    assert journal.rows
    (again,) = play(
        ToyEpisodes([PlanToy(2, limit=9)]), FRAMEWORK, Speaker(answers), TeamRules(steps=4), journals=[journal]
    )
    assert again.journal.rows == whole.journal.rows
    assert (again.team.said, again.team.lessons) == (whole.team.said, whole.team.lessons)


BUSY = tags("walk to 5 5; walk to 0 0; walk to 5 5; walk to 0 0; walk to 5 5")  # steps in which an agent is on its way
GATE = {"AGENT_1 plan": tags("open gate; walk to 0 0"), "AGENT_2 plan": BUSY}


def test_an_action_that_comes_too_early_waits_and_keeps_the_rest_of_its_plan() -> None:
    """docs/rules/kitchen.md 10.5: it is no refusal, and it begins in the step in which what it needs is there."""
    episode, speaker, toy = played(dict(GATE), steps=5, gate=3)
    waits = [(tick, "wait for gate") for tick in range(3)]
    assert began(toy, 0) == [*waits, (3, "open gate"), (4, "walk to 0 0")]
    assert len(speaker.of("plan", "AGENT_1")) == 1 and not speaker.of("correct") and not episode.team.refusals


def test_the_published_program_refuses_what_comes_too_early() -> None:
    """docs/rules/kitchen.md 10.5, with `published`: the plan is dropped, and a plan of nothing is refused too."""
    episode, speaker, toy = played(dict(GATE), gate=3, rules=TeamRules(steps=1, published=True))
    assert began(toy, 0) == [(0, "walk to 0 0")]
    assert episode.team.refusals == [(0, 0, "`open gate`: G1: the gate is shut")]
    assert speaker.of("correct")[0].section("Refusal") == "`open gate`: the gate is shut"
    _, speaker, _ = played({"plan your actions": tags("[NOTHING]")}, rules=TeamRules(steps=1, published=True))
    assert [asked.section("Refusal") for asked in speaker.of("correct")] == 2 * ["no action is given"]


@pytest.mark.parametrize(("sure", "patient"), [(False, False), (True, True)])
def test_nothing_is_waited_for_that_no_agent_brings(sure: bool, patient: bool) -> None:
    """docs/rules/kitchen.md 10.5: a mate without a plan brings nothing, and its next plan is waited for once."""
    idle: dict[str, Answer] = {"AGENT_1 plan": tags("open gate"), "AGENT_2 plan": tags("wait(1)")}
    idle["AGENT_1 plan"] = lambda asked: tags("open gate" if "walk" in asked.section("What you did") else "walk to 0 1")
    episode, speaker, _ = played(idle, steps=3, gate=9, sure=sure)
    assert bool(episode.team.refusals) is not patient and bool(speaker.of("correct")) is not patient


def test_of_two_agents_that_wait_for_each_other_one_is_refused_at_once() -> None:
    episode, speaker, _ = played({"plan your actions": tags("open gate; walk to 0 0")}, steps=3, gate=99)
    assert episode.team.refusals[0][:2] == (0, 1) and speaker.of("correct", "AGENT_2")


def test_a_hold_ends_after_twenty_steps() -> None:
    """An action whose item never comes is refused; a wait that was planned ends and the plan goes on."""
    answers: dict[str, Answer] = {"AGENT_1 plan": tags("open gate"), "AGENT_2 plan": BUSY}
    episode, _, _ = played(answers, steps=25, gate=99)
    assert episode.team.refusals[0][0] == 20
    answers["AGENT_1 plan"] = tags("wait for gate; walk to 0 0")
    episode, _, toy = played(answers, steps=25, gate=99)
    assert not episode.team.refusals and (21, "walk to 0 0") in began(toy, 0)


def test_a_planned_wait_ends_when_what_it_waits_for_is_there() -> None:
    """The next action begins in the same step, and a plan of satisfied waits alone is asked for again in the next."""
    answers: dict[str, Answer] = {"AGENT_1 plan": tags("wait for gate; walk to 0 0"), "AGENT_2 plan": tags("wait(1)")}
    episode, _, toy = played(answers, steps=4, gate=2)
    assert began(toy, 0)[:3] == [(0, "wait for gate"), (1, "wait for gate"), (2, "walk to 0 0")]
    answers["AGENT_1 plan"] = tags("wait for gate")
    episode, speaker, toy = played(answers, steps=3)
    assert [words for _, words in began(toy, 0)] == 3 * ["wait(1)"] and len(speaker.of("plan", "AGENT_1")) == 3
    assert not episode.team.refusals


@pytest.mark.parametrize("plan", ["[NOTHING]", "nothing more to do", "Nothing to do.", "none"])
def test_an_agent_with_nothing_to_do_rests_while_its_mate_is_busy(plan: str) -> None:
    """docs/rules/kitchen.md 10.3: it is asked again when the mate has nothing to do either, and no sooner."""
    answers: dict[str, Answer] = {"AGENT_1 plan": tags("walk to 5 0; walk to 0 0"), "AGENT_2 plan": tags(plan)}
    episode, speaker, toy = played(answers, steps=8)
    assert len(speaker.of("plan", "AGENT_2")) == 1 and not episode.team.refusals
    assert [words for _, words in began(toy, 1)] == 8 * ["wait(1)"]
    episode, speaker, _ = played({"plan your actions": tags(plan)}, steps=6)
    assert len(speaker.of("plan")) == 6, "two that rest are asked every second step"


def test_a_plan_in_a_conversation_replaces_one_that_waits_and_none_that_is_carried_out() -> None:
    """docs/rules/kitchen.md 10.4: the prompt says which of the two holds."""
    asks: dict[str, Answer] = {
        "AGENT_1 plan": lambda asked: tags(
            "walk to 0 0", "go" if "walk" in asked.section("What you did") else "[NOTHING]"
        ),
        "AGENT_2 plan": tags("wait for gate; walk to 5 5"),
        "AGENT_2 answer": tags("walk to 1 0", "yes [END]"),
    }
    _, speaker, toy = played(asks, steps=4, gate=99)
    assert "Your plan waits for something" in speaker.of("answer", "AGENT_2")[0].section("Answer")
    assert "walk to 1 0" in [words for _, words in began(toy, 1)]
    _, speaker, toy = played(asks | {"AGENT_2 answer": tags("[NOTHING]", "no [END]")}, steps=4, gate=99)
    assert "walk to 5 5" not in [words for _, words in began(toy, 1)], "a plan of nothing keeps the one that waits"
    _, speaker, toy = played(asks | {"AGENT_2 plan": BUSY}, steps=4)
    assert "a conversation does not change it" in speaker.of("answer", "AGENT_2")[0].section("Answer")
    assert "walk to 1 0" not in [words for _, words in began(toy, 1)]


def test_in_a_conversation_both_agents_read_the_plan_that_its_opener_has_written() -> None:
    """docs/rules/kitchen.md 10.4: its own actions without the requests; the published prompts do not have it."""
    plan = tags("request(walk to 1 0); walk to 5 5; light lamp", "please go")
    for published in (False, True):
        rules = TeamRules(steps=1, published=published)
        _, speaker, _ = played({"AGENT_1 plan": plan, "AGENT_2 answer": tags("walk to 1 0", "yes?")}, rules=rules)
        for agent, me in (("AGENT_2", ""), ("AGENT_1", " (you)")):
            shown = speaker.of("answer", agent)[0].section("Plans")
            assert (f"- AGENT_1{me} does: nothing. Then: walk to 5 5; light lamp" in shown) != published


def test_the_plans_say_what_is_left_of_a_wait_and_the_memory_has_waits() -> None:
    answers: dict[str, Answer] = {"AGENT_1 plan": tags("walk to 0 0"), "AGENT_2 plan": tags("open gate")}
    _, speaker, _ = played(answers, steps=4, gate=2)
    shown = speaker.of("plan", "AGENT_1")[1].section("Plans")
    assert "- AGENT_2 does: wait for gate. Then: open gate" in shown
    assert (
        speaker.of("plan", "AGENT_2")[-1].section("What you did").splitlines()[0] == "- timesteps 0 to 1: wait for gate"
    )


def test_the_memory_of_the_published_form_has_waits_too() -> None:
    """docs/rules/kitchen.md 10.5."""
    answers: dict[str, Answer] = {"AGENT_1 plan": tags("wait(1)"), "AGENT_2 plan": tags("walk to 1 1")}
    _, speaker, _ = played(answers, rules=TeamRules(steps=3, published=True))
    assert speaker.of("plan", "AGENT_1")[-1].section("What you did") == "- timesteps 0 to 1: wait"

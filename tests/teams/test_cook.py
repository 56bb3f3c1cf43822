"""Cook: plans of several actions, conversations without time, corrections, lessons: docs/rules/kitchen.md 10."""

from __future__ import annotations

import pytest

from hive.teams.episode import TeamEpisode
from hive.teams.frameworks.cook import FRAMEWORK
from hive.teams.journal import Journal
from hive.teams.playing import play
from hive.teams.rules import TeamRules
from tests.teams.speaking import Answer, Asked, Speaker
from tests.teams.toy import PlanToy, ToyTroupe

ANSWER = "answer in the conversation"


def tags(plan: str, say: str = "[NOTHING]", analysis: str = "a") -> str:
    return f"<analysis>{analysis}</analysis><plan>{plan}</plan><say>{say}</say>"


def played(
    answers: dict[str, Answer] | None = None, steps: int = 1, rules: TeamRules | None = None
) -> tuple[TeamEpisode, Speaker, PlanToy]:
    toy, speaker = PlanToy(2, limit=9), Speaker(answers)
    (episode,) = play(ToyTroupe([toy]), FRAMEWORK, speaker, rules or TeamRules(steps=steps), concurrent=1)
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
        "AGENT_2 answer": lambda asked: tags("walk to 2 2" if "again" in asked.text else "walk to 1 1", "yes"),
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
    assert asked.section("Refusal") == "`light lamp`: L1: there is no lamp here"
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


def test_without_a_repaired_tag_the_agent_waits_one_step() -> None:
    answers: dict[str, Answer] = {"AGENT_1 plan": "", "add": "no", "AGENT_1 correct": ""}
    episode, _, toy = played(answers)
    assert began(toy, 0) == [(0, "do nothing")] and began(toy, 1) == [(0, "walk to 3 0")]
    assert "its plan is refused: N0: no action is given" in str(episode.journal.rows[0]["log"])


def test_memory_has_all_of_five_actions_and_the_last_four_of_more() -> None:
    _, speaker, _ = played({"plan your actions": tags("wait(1)")}, rules=TeamRules(steps=7))
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
            ToyTroupe([PlanToy(2, limit=9)]),
            FRAMEWORK,
            Speaker(answers, stop_after=7),
            TeamRules(steps=4),
            journals=[journal],
        )
    assert journal.rows
    (again,) = play(
        ToyTroupe([PlanToy(2, limit=9)]), FRAMEWORK, Speaker(answers), TeamRules(steps=4), journals=[journal]
    )
    assert again.journal.rows == whole.journal.rows
    assert (again.team.said, again.team.lessons) == (whole.team.said, whole.team.lessons)

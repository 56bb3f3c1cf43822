"""Which agent reads which message in which step (docs/rules/teams.md 5 to 8)."""

from __future__ import annotations

import pytest

from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.playing import play
from hive.players.teams.rules import Quirks, TeamRules
from tests.teams.speaking import Answer, Asked, Speaker
from tests.teams.toy import Toy, ToyEpisodes

SECRET = "the lamp is at (3, 0)"


def played(framework: str, answers: dict[str, Answer], rules: TeamRules, agents: int = 3) -> Speaker:
    speaker = Speaker(answers)
    play(ToyEpisodes([Toy(agents)]), FRAMEWORKS[framework], speaker, rules, concurrent=1)
    return speaker


def reads(speaker: Speaker, secret: str = SECRET) -> list[tuple[int, str, str]]:
    """Step, agent and decision of every call whose messages hold the secret."""
    return [
        (_step(each), each.agent, each.decision.split()[0])
        for each in speaker.asked
        if "# Messages" in each.text and secret in each.section("Messages")
    ]


def _step(asked: Asked) -> int:
    return int(asked.text.split("This is step ")[1].split()[0])


def _once(step: int, text: str, otherwise: str) -> Answer:
    return lambda asked: text if _step(asked) == step else otherwise


WAIT = "<action>wait n steps 1</action>"


def test_a_message_of_camons_leader_reaches_the_agent_that_it_is_for() -> None:
    """AGENT_3 is assigned an action in step 1, so it is not asked in it; it reads the message in step 2."""
    assign = f"{WAIT}<AGENT_3-action>wait n steps 1</AGENT_3-action><AGENT_3-message>{SECRET}</AGENT_3-message>"
    speaker = played(
        "camon", {"plan for the team": _once(1, assign, WAIT), "propose your action": WAIT}, TeamRules(steps=2)
    )
    assert {agent for _, agent, _ in reads(speaker)} == {"AGENT_3"}
    assert (2, "AGENT_3", "propose") in reads(speaker) and min(step for step, *_ in reads(speaker)) == 2


def test_a_person_reads_what_camons_leader_assigns_and_is_asked_all_the_same() -> None:
    """The leader takes no choice away from the seat of a person, in the step of the assignment or later."""
    assign = f"{WAIT}<AGENT_3-action>light lamp</AGENT_3-action><AGENT_3-message>{SECRET}</AGENT_3-message>"
    answers = {"plan for the team": assign, "propose your action": WAIT, "review": "<decision>ACCEPT</decision>"}
    speaker = played("camon", answers, TeamRules(steps=1, seat="AGENT_3"))
    assert (1, "AGENT_3", "propose") in reads(speaker)
    assert speaker.of("translate", "AGENT_3")[0].section("Sentence") == "wait n steps 1"


def test_a_review_is_read_by_the_proposer_in_the_same_step() -> None:
    """AGENT_2 leads after its proposal: it reads what AGENT_1 wrote to it when it reviews AGENT_3."""
    review = f"<decision>ACCEPT</decision><message>{SECRET}</message>"
    speaker = played("camon", {"AGENT_1 review": review}, TeamRules(steps=1))
    assert reads(speaker) == [(1, "AGENT_2", "review")]


def test_a_review_that_is_ignored_delivers_nothing() -> None:
    assign = f"<AGENT_3-action>light lamp</AGENT_3-action><AGENT_3-message>{SECRET}</AGENT_3-message>"
    review = f"<decision>REJECT</decision><action>light lamp</action><message>{SECRET}</message>{assign}"
    quirk = TeamRules(steps=2, quirks=Quirks(review_ignored=True))
    assert reads(played("camon", {"AGENT_1 review": review}, quirk)) == []
    speaker = played("camon", {"AGENT_1 review": review}, TeamRules(steps=2))
    assert {agent for _, agent, _ in reads(speaker)} == {"AGENT_2", "AGENT_3"}
    assert speaker.of("translate", "AGENT_2")[0].section("Sentence") == "light lamp"


def test_a_rejected_proposal_is_replaced_and_an_accepted_one_is_not() -> None:
    for decision, action in (("REJECT", "light lamp"), ("ACCEPT", "wait n steps 2")):
        review = f"<decision>{decision}</decision><action>light lamp</action><message>m</message>"
        speaker = played("camon", {"review": review}, TeamRules(steps=1))
        assert speaker.of("translate", "AGENT_2")[0].section("Sentence") == action


def test_a_message_of_coela_is_read_at_once_by_all_that_follow_and_by_its_sender_later() -> None:
    answers = {"AGENT_2 write": f"<message>{SECRET}</message>", "choose": WAIT,
               "AGENT_2 choose": _once(1, "<action>SEND MESSAGE</action>", WAIT)}  # fmt: skip
    found = reads(played("coela", answers, TeamRules(steps=2)))
    assert [each for each in found if each[0] == 1] == [(1, "AGENT_3", "write"), (1, "AGENT_3", "choose")]
    assert {agent for step, agent, _ in found if step == 2} == {"AGENT_1", "AGENT_2", "AGENT_3"}


@pytest.mark.parametrize(("quirk", "first", "last"), [(False, 11, 40), (True, 1, 30)])
def test_a_chat_of_coela_holds_thirty_messages(quirk: bool, first: int, last: int) -> None:
    """By default the latest 30, with the quirk the oldest 30: 40 messages are sent before step 41."""
    answers: dict[str, Answer] = {
        "write a message": lambda asked: f"<message>message {_step(asked)}</message>",
        "choose": "<action>SEND MESSAGE</action>",
    }
    speaker = Speaker(answers)
    rules = TeamRules(steps=41, quirks=Quirks(keeps_oldest=quirk))
    play(ToyEpisodes([Toy(1, limit=50)]), FRAMEWORKS["coela"], speaker, rules)
    lines = speaker.of("write")[-1].section("Messages").strip().splitlines()
    assert [line.split(": ")[1] for line in lines] == [f"message {number}" for number in range(first, last + 1)]


def test_a_private_message_of_embodied_is_read_by_its_recipient_and_its_sender_alone() -> None:
    answers = {"communicate": "<reasoning>r</reasoning>",
               "AGENT_2 communicate": _first_round(f"<AGENT_3>{SECRET}</AGENT_3>")}  # fmt: skip
    speaker = played("embodied", answers, TeamRules(steps=1))
    assert reads(speaker) == [
        (1, "AGENT_3", "communicate"),
        (1, "AGENT_2", "communicate"),
        (1, "AGENT_3", "communicate"),
        (1, "AGENT_2", "act"),
        (1, "AGENT_3", "act"),
    ]
    assert f"## AGENT_2\n- step 1, AGENT_2 to AGENT_3: {SECRET}" in speaker.of("act", "AGENT_3")[0].text
    assert f"## AGENT_3\n- step 1, AGENT_2 to AGENT_3: {SECRET}" in speaker.of("act", "AGENT_2")[0].text


def test_a_message_of_embodied_to_all_is_read_by_all() -> None:
    answers = {"communicate": "<reasoning>r</reasoning>",
               "AGENT_3 communicate": _first_round(f"<GLOBAL>{SECRET}</GLOBAL>")}  # fmt: skip
    speaker = played("embodied", answers, TeamRules(steps=1))
    assert {agent for _, agent, what in reads(speaker) if what == "act"} == {"AGENT_1", "AGENT_2", "AGENT_3"}
    assert f"## GLOBAL\n- step 1, AGENT_3 to all: {SECRET}" in speaker.of("act", "AGENT_1")[0].text


@pytest.mark.parametrize(("quirk", "steps"), [(False, {1, 2, 3}), (True, {1, 2})])
def test_a_message_of_embodied_lives_three_steps(quirk: bool, steps: set[int]) -> None:
    answers = {"communicate": _first_round(f"<GLOBAL>{SECRET}</GLOBAL>"), "act": "<action>walk to 7 7</action>"}
    speaker = played("embodied", answers, TeamRules(steps=5, quirks=Quirks(released_rounds=quirk)))
    assert {step for step, _, what in reads(speaker) if what == "act"} == steps


def _first_round(text: str) -> Answer:
    return lambda asked: (
        text if "step 1 of" in asked.text and "round 1 of" in asked.text else "<reasoning>r</reasoning>"
    )


def test_feedback_of_hmas2_reaches_the_planner_alone() -> None:
    answers: dict[str, Answer] = {}
    speaker = Speaker(answers)
    speaker.answers["AGENT_2 feedback"] = lambda _: (
        f"<feedback>{SECRET if len(speaker.of('plan')) == 1 else 'accept.'}</feedback>"
    )
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["hmas2"], speaker, TeamRules(steps=1))
    having = [each for each in speaker.asked if SECRET in each.text]
    assert [(each.agent, each.decision, each.turns) for each in having] == [("PLANNER", "plan for everyone", 4)]
    assert having[0].section("Feedback") == f"- AGENT_1: ACCEPT\n- AGENT_2: {SECRET}\n- AGENT_3: ACCEPT"


@pytest.mark.parametrize(("quirk", "plans"), [(False, 3), (True, 1)])
def test_acceptance_of_hmas2_is_the_single_word(quirk: bool, plans: int) -> None:
    rules = TeamRules(steps=1, quirks=Quirks(accept_anywhere=quirk))
    speaker = played("hmas2", {"feedback": "<feedback>I cannot ACCEPT this</feedback>"}, rules)
    assert len(speaker.of("plan")) == plans


def test_the_planners_conversation_keeps_its_prompts_and_three_pairs() -> None:
    rules = TeamRules(steps=1, planning_rounds=6)
    speaker = played("hmas2", {"feedback": "<feedback>no</feedback>"}, rules)
    assert [each.turns for each in speaker.of("plan")] == [2, 4, 6, 8, 8, 8]


@pytest.mark.parametrize(
    ("quirk", "step", "shown"),
    [
        (False, 8, [3, 4, 5, 6, 7]),
        (False, 12, [7, 8, 9, 10, 11]),
        (True, 8, [3, 4, 5, 6, 7]),
        (True, 12, [*range(4, 12)]),
    ],
)
def test_the_history_of_hmas2_holds_five_steps(quirk: bool, step: int, shown: list[int]) -> None:
    """With the quirk, entries of steps 4 to 9 look younger than they are from step 10 on."""
    speaker = Speaker({"act": "<action>walk to 7 7</action>"})
    rules = TeamRules(steps=step, quirks=Quirks(last_digit_age=quirk))
    play(ToyEpisodes([Toy(1, limit=50, seed=3)]), FRAMEWORKS["hmas2"], speaker, rules)
    lines = speaker.of("plan")[-1].section("History of all agents").splitlines()
    assert [int(line.split()[2][:-1]) for line in lines] == shown
    assert lines[0].endswith("AGENT_1 at (0, 1): light lamp")


def test_a_perception_is_one_line_without_what_the_model_thought() -> None:
    speaker = played(
        "coela", {"perceive": "<think>hm</think>Two lamps,\n\n# Answer\nto the north."}, TeamRules(steps=1)
    )
    assert speaker.of("write")[0].section("What you see") == "You are at (0, 1). Two lamps, # Answer to the north."


@pytest.mark.parametrize(("quirk", "temperature"), [(False, 0.0), (True, 0.7)])
def test_temperatures_of_camon(quirk: bool, temperature: float) -> None:
    speaker = played("camon", {}, TeamRules(steps=1, quirks=Quirks(released_temperature=quirk)))
    assert {each.settings.temperature for each in speaker.of("perceive")} == {0.0}
    assert {each.settings.temperature for each in speaker.asked if each.decision != "perceive"} == {temperature}

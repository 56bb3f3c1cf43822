"""An answer that cannot be used costs its agent one idle step and a line of the log, never the episode."""

from __future__ import annotations

import pytest

from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.journal import Journal
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from tests.teams.speaking import Speaker
from tests.teams.toy import Toy, ToyEpisodes

KINDS = {
    "missing tag": "<reasoning>r</reasoning>",
    "two decisions": "<action>light lamp</action><action>do nothing</action>",
    "unknown agent": "<action>light lamp</action><AGENT_9-action>go</AGENT_9-action>",
    "an action that the type lacks": "<action>unload</action>",
    "a cell outside": "<action>walk to 99 99</action>",
    "empty string": "",
    "1 MB": "<action>light lamp</action>" + "x" * 2**20,
    "another script": "走到湖边 点亮灯",
    "no end": "<action>light lamp",
    "control characters": "\x00\x1b[2J\ud800<action>\x00</action>",
}
DECIDING = [
    ("camon", "AGENT_1", "plan for the team"),
    ("camon", "AGENT_2", "propose your action"),
    ("coela", "AGENT_2", "choose"),
    ("embodied", "AGENT_2", "act"),
]


def first_step(framework: str, key: str, answer: str, rules: TeamRules | None = None) -> tuple[Journal, Speaker]:
    """Play two steps; in the first, one decision of one agent gets a bad answer."""
    speaker, journal = Speaker(), Journal()
    good = speaker.answers[key.partition(" ")[2]]
    assert isinstance(good, str)
    speaker.answers[key] = lambda asked: answer if "step 1 of" in asked.text else good
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS[framework], speaker, rules or TeamRules(steps=2), journals=[journal])
    assert journal.rows[-1]["end"] and len(journal.rows) == 3
    return journal, speaker


def idle(journal: Journal) -> list[str]:
    return [act["agent"] for act in journal.rows[0]["acts"] if act["read"] == "idle"]


@pytest.mark.parametrize(("framework", "agent", "decision"), DECIDING)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direct", [False, True], ids=["calls", "direct"])
def test_a_malformed_decision_is_one_idle_action_and_a_line(
    framework: str, agent: str, decision: str, kind: str, direct: bool
) -> None:
    rules = TeamRules(steps=2, direct_perception=direct, direct_execution=direct)
    journal, _ = first_step(framework, f"{agent} {decision}", KINDS[kind], rules)
    row = journal.rows[0]
    mine = [act for act in row["acts"] if act["agent"] == agent]
    assert [act["number"] for act in mine] == [0]
    assert len(row["log"]) == 1 and row["log"][0].startswith(f"step 1, {agent}: its ")
    assert {act["agent"] for act in row["acts"]} == {"AGENT_1", "AGENT_2", "AGENT_3"}
    assert all(act["number"] != 0 for act in row["acts"] if act["agent"] != agent)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("<action>light lamp</action>", "lacks the tag <decision>"),
        ("<decision>ACCEPT or REJECT</decision>", "says both ACCEPT and REJECT"),
        ("<decision>maybe</decision>", "says neither ACCEPT nor REJECT"),
        ("<decision>REJECT</decision>", "rejects the proposal and names no other action"),
        ("<decision>ACCEPT</decision><AGENT_9-action>x</AGENT_9-action>", "names AGENT_9"),
        ("", "is empty"),
        ("x" * 2**20, "is too long"),
    ],
)
def test_a_malformed_review_idles_the_proposer(answer: str, why: str) -> None:
    journal, speaker = first_step("camon", "AGENT_1 review", answer)
    row = journal.rows[0]
    assert idle(journal) == ["AGENT_2"]
    assert len(row["log"]) == 1 and f"the review of AGENT_1 {why}" in row["log"][0]
    assert speaker.of("review", "AGENT_2"), "the proposer leads all the same"


@pytest.mark.parametrize(
    "answer", ["", "x", "<type>99</type>", "<type>1</type>", "<type>1</type><type>2</type>", "9" * 2**20]
)
@pytest.mark.parametrize("framework", ["camon", "coela", "embodied", "hmas2"])
def test_a_malformed_translation_is_one_idle_action_and_a_line(framework: str, answer: str) -> None:
    speaker, journal = Speaker({"AGENT_3 translate": answer}), Journal()
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS[framework], speaker, TeamRules(steps=1), journals=[journal])
    assert idle(journal) == ["AGENT_3"]
    assert len(journal.rows[0]["log"]) == 1 and "cannot be executed" in journal.rows[0]["log"][0]


@pytest.mark.parametrize("answer", ["", "x" * 2**20, "\x00 \ud800"[:2]])
@pytest.mark.parametrize("framework", ["camon", "coela", "embodied", "hmas2"])
def test_a_malformed_perception_is_a_line_and_the_agent_acts(framework: str, answer: str) -> None:
    speaker, journal = Speaker({"AGENT_2 perceive": answer}), Journal()
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS[framework], speaker, TeamRules(steps=1), journals=[journal])
    assert journal.rows[0]["log"] == ["step 1, AGENT_2: its perception is empty or too long; it perceives nothing"]
    assert not idle(journal)


def test_an_agent_of_coela_without_a_message_has_none_to_send() -> None:
    answers = {"AGENT_2 write a message": "hello", "AGENT_2 choose": "<action>SEND MESSAGE</action>"}
    speaker, journal = Speaker(answers), Journal()
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["coela"], speaker, TeamRules(steps=1), journals=[journal])
    assert idle(journal) == ["AGENT_2"] and journal.rows[0]["mail"] == []
    assert len(journal.rows[0]["log"]) == 2
    assert "SEND MESSAGE" not in speaker.of("choose", "AGENT_2")[0].section("Actions")


@pytest.mark.parametrize(
    "answer", ["", "<AGENT_9>hi</AGENT_9>", "<AGENT_3>a</AGENT_3><AGENT_3>b</AGENT_3>", "<GLOBAL>"]
)
def test_a_malformed_talk_of_embodied_is_not_delivered_and_the_agent_acts(answer: str) -> None:
    speaker, journal = Speaker({"AGENT_2 communicate": answer}), Journal()
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["embodied"], speaker, TeamRules(steps=1), journals=[journal])
    row = journal.rows[0]
    assert [mail["sender"] for mail in row["mail"]] == ["AGENT_1", "AGENT_3"] * 2
    assert len(row["log"]) == 2 and not idle(journal)


def test_a_plan_of_hmas2_that_lacks_an_agent_is_asked_for_again() -> None:
    plans = ["<AGENT_1>light lamp</AGENT_1>", "", "".join(f"<AGENT_{k}>light lamp</AGENT_{k}>" for k in (1, 2, 3))]
    speaker, journal = Speaker({"plan for everyone": lambda _: plans[len(speaker.of("plan")) - 1]}), Journal()
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["hmas2"], speaker, TeamRules(steps=1), journals=[journal])
    asked = speaker.of("plan")
    assert [each.turns for each in asked] == [2, 4, 6]
    assert asked[1].section("Feedback") == "- Your plan lacks AGENT_2, AGENT_3."
    assert asked[2].section("Feedback") == "- Your plan is empty."
    assert len(journal.rows[0]["log"]) == 2 and not idle(journal)


@pytest.mark.parametrize("kind", ["missing tag", "two decisions", "unknown agent", "empty string", "1 MB", "no end"])
def test_a_plan_of_hmas2_that_stays_malformed_idles_the_agents(kind: str) -> None:
    text = KINDS[kind].replace("-action>", ">").replace("action>", "AGENT_1>")
    speaker, journal = Speaker({"plan for everyone": text}), Journal()
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["hmas2"], speaker, TeamRules(steps=1), journals=[journal])
    assert idle(journal) == ["AGENT_1", "AGENT_2", "AGENT_3"]
    assert len(speaker.of("plan")) == 3
    assert [line for line in journal.rows[0]["log"] if "the plan has no action for it" in line]
    assert all(len(each.text) < 60_000 for each in speaker.asked)


def test_feedback_that_cannot_be_read_counts_as_accept() -> None:
    speaker, journal = Speaker({"AGENT_2 feedback": "fine"}), Journal()
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["hmas2"], speaker, TeamRules(steps=1), journals=[journal])
    assert len(speaker.of("plan")) == 1
    assert len(journal.rows[0]["log"]) == 1 and "counts as ACCEPT" in journal.rows[0]["log"][0]


def test_an_assignment_without_its_message_is_not_applied() -> None:
    answer = "<action>light lamp</action><AGENT_2-action>light lamp</AGENT_2-action>"
    journal, speaker = first_step("camon", "AGENT_1 plan for the team", answer)
    assert "needs an action and a message" in journal.rows[0]["log"][0]
    assert speaker.of("propose", "AGENT_2")

"""ProAgent on proposals: beliefs, checked plans, explanations: docs/rules/household.md 10.6."""

from __future__ import annotations

from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks import PROPOSING
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from tests.teams.speaking import Answer, Speaker
from tests.teams.toy import ProposalToy, ToyEpisodes

PLAN, AGAIN, EXPLAIN = "analyse, infer and plan", "plan again", "explain the failure"


def tags(plan: str, intention: str = "it lights a lamp") -> str:
    return f"<analysis>a</analysis><intention>{intention}</intention><plan>{plan}</plan>"


def played(answers: dict[str, Answer], steps: int = 1) -> tuple[TeamEpisode, Speaker, ProposalToy]:
    toy = ProposalToy(2)
    known: dict[str, Answer] = {PLAN: tags("go to <lamp> (1)"), EXPLAIN: "<reason>the lamp was not seen</reason>"}
    speaker = Speaker({**known, **answers})
    rules = TeamRules(steps=steps, direct_perception=True)
    (episode,) = play(ToyEpisodes([toy]), PROPOSING["proagent"], speaker, rules, concurrent=1)
    return episode, speaker, toy


def test_the_belief_holds_what_was_expected_and_what_was_really_seen() -> None:
    answers: dict[str, Answer] = {f"AGENT_2 {PLAN}": tags("go to <lamp> (0)", "AGENT_1 goes far")}
    episode, speaker, _ = played(answers, steps=2)
    assert "# Messages" not in speaker.asked[0].text and not episode.journal.rows[0]["mail"]
    assert speaker.of(PLAN, "AGENT_2")[-1].section("Belief").splitlines() == [
        "- step 1: I expected: AGENT_1 goes far",
        "- step 1: I saw that AGENT_1 began: go to <lamp> (1)",
    ]


def test_a_plan_that_is_not_possible_is_explained_and_made_again() -> None:
    answers: dict[str, Answer] = {
        f"AGENT_1 {PLAN}": tags("light <lamp> (7)"),
        f"AGENT_1 {AGAIN}": tags("go to <lamp> (0)"),
    }
    _, speaker, toy = played(answers)
    (explained,) = speaker.of(EXPLAIN)
    assert explained.section("Skill") == "light <lamp> (7)"
    (again,) = speaker.of(AGAIN)
    assert "the lamp was not seen" in again.text and again.turns == 4
    assert [choice.words for _, agent, choice in toy.begun if agent == 0] == ["go to <lamp> (0)"]


def test_after_more_than_three_failures_the_agent_waits_one_step() -> None:
    answers: dict[str, Answer] = {f"AGENT_1 {PLAN}": tags("dance"), f"AGENT_1 {AGAIN}": tags("dance")}
    episode, speaker, toy = played(answers)
    assert len(speaker.of(EXPLAIN)) == 3 and len(speaker.of(AGAIN)) == 3
    assert [choice.words for _, agent, choice in toy.begun if agent == 0] == ["do nothing"]
    assert "it planned 4 times what is not possible" in str(episode.journal.rows[0]["log"])

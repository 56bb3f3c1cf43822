"""RoCo on proposals: turns, a joint plan, feedback, and the price of talking: docs/rules/household.md 10.7."""

from __future__ import annotations

import pytest

from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks import PROPOSING
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from tests.teams.speaking import Answer, Asked, Speaker
from tests.teams.toy import ProposalToy, ToyEpisodes

TALK = "talk and agree on a plan"
NAMES = ("AGENT_1", "AGENT_2")


def tags(decision: str, plan: dict[str, str] | None = None, say: str = "hm") -> str:
    joint = "".join(f"<{name}>{words}</{name}>" for name, words in (plan or {}).items())
    return f"<reasoning>r</reasoning><say>{say}</say><own>x</own><decision>{decision}</decision>{joint}"


GOOD = {"AGENT_1": "go to <lamp> (0)", "AGENT_2": "go to <lamp> (1)"}


def played(answer: Answer, framework: str = "roco", steps: int = 1) -> tuple[TeamEpisode, Speaker, ProposalToy]:
    toy, speaker = ProposalToy(2), Speaker({"talk": answer})
    rules = TeamRules(steps=steps, direct_perception=True)
    (episode,) = play(ToyEpisodes([toy]), PROPOSING[framework], speaker, rules, concurrent=1)
    return episode, speaker, toy


def began(toy: ProposalToy, agent: int) -> list[str]:
    return [choice.words for _, who, choice in toy.begun if who == agent]


def test_agents_speak_in_turn_and_execute_counts_only_after_each_has_spoken() -> None:
    _, speaker, toy = played(tags("EXECUTE", GOOD, "let us go"))
    assert [asked.agent for asked in speaker.of(TALK)] == [*NAMES]
    assert speaker.of(TALK)[1].section("Chat") == "- AGENT_1 said: let us go"
    assert [began(toy, agent) for agent in (0, 1)] == [[words] for words in GOOD.values()]


def test_the_last_of_ten_calls_has_to_execute() -> None:
    def late(asked: Asked) -> str:
        return tags("EXECUTE", GOOD) if "This is the last call" in asked.text else tags("PROCEED")

    _, speaker, toy = played(late)
    assert len(speaker.of(TALK)) == 10 and began(toy, 0) == ["go to <lamp> (0)"]


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ({"AGENT_1": "dance", "AGENT_2": "go to <lamp> (1)"}, "AGENT_1 cannot do `dance` now"),
        ({"AGENT_1": "go to <lamp> (0)"}, "The joint plan has no action for AGENT_2."),
        ({"AGENT_1": "wait", "AGENT_2": "wait"}, "Not every agent may wait."),
    ],
)
def test_a_joint_plan_that_does_not_pass_is_fed_back_and_talked_over_again(plan: dict[str, str], why: str) -> None:
    def second(asked: Asked) -> str:
        return tags("EXECUTE", GOOD if why in asked.section("Feedback") else plan)

    _, speaker, toy = played(second)
    assert len(speaker.of(TALK)) == 3  # after a refusal the first speaker may end the talk
    assert "AGENT_1: " in speaker.of(TALK)[2].section("Refused plans") and began(toy, 0) == ["go to <lamp> (0)"]


def test_after_five_repetitions_what_can_begin_begins() -> None:
    episode, speaker, toy = played(tags("EXECUTE", {"AGENT_1": "dance", "AGENT_2": "go to <lamp> (1)"}))
    assert len(speaker.of(TALK)) == 2 + 5 and began(toy, 0) == ["do nothing"] and began(toy, 1) == ["go to <lamp> (1)"]
    assert "it has no action in the joint plan" in str(episode.journal.rows[0]["log"])


def test_an_utterance_costs_a_step_where_talking_is_paid() -> None:
    _, _, free = played(tags("EXECUTE", GOOD, "go"), steps=2)
    _, _, paid = played(tags("EXECUTE", GOOD, "go"), "roco_paid", steps=2)
    assert began(free, 0)[0] == "go to <lamp> (0)"
    assert began(paid, 0)[:2] == ["send message: go", "go to <lamp> (0)"]


def test_earlier_rounds_are_shown() -> None:
    _, speaker, _ = played(tags("EXECUTE", GOOD, "go"), steps=3)
    assert "- step 1: AGENT_1 said: go AGENT_2 said: go Then began: AGENT_1: go to <lamp> (0)" in speaker.of(TALK)[
        -1
    ].section("Earlier rounds")

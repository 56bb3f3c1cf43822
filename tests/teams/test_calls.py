"""Calls of a step by framework: docs/rules/teams.md 4."""

from __future__ import annotations

import pytest

from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.journal import Journal
from hive.players.teams.playing import play
from hive.players.teams.rules import Quirks, TeamRules
from tests.teams.speaking import Asked, Speaker
from tests.teams.toy import Toy, ToyEpisodes

DIRECT = {
    "calls": TeamRules(steps=1),
    "direct perception": TeamRules(steps=1, direct_perception=True),
    "direct execution": TeamRules(steps=1, direct_execution=True),
    "both direct": TeamRules(steps=1, direct_perception=True, direct_execution=True),
}


def calls_of_second_step(framework: str, living: int, idle: int, speaker: Speaker) -> int:
    """Calls of step 2, when all but `idle` agents wait since step 1."""
    waits = {f"AGENT_{agent + 1} {decision}": _wait(9) for agent in range(idle, living) for decision in _DECISIONS}
    short = {decision: _wait(1) for decision in _DECISIONS}
    speaker.answers |= short | waits
    (episode,) = play(ToyEpisodes([Toy(living)]), FRAMEWORKS[framework], speaker, TeamRules(steps=2), concurrent=1)
    return len(episode.journal.rows[1]["asked"])


_DECISIONS = ("plan for the team", "propose your action", "choose")


def _wait(steps: int) -> str:
    return f"<action>wait n steps {steps}</action>"


@pytest.mark.parametrize("living", [1, 3, 7])
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("rules", DIRECT.values(), ids=DIRECT)
def test_calls_of_a_step_of_idle_agents_are_those_of_the_formula(framework: str, living: int, rules: TeamRules) -> None:
    speaker = Speaker()
    play(ToyEpisodes([Toy(living)]), FRAMEWORKS[framework], speaker, rules)
    assert len(speaker.asked) == FRAMEWORKS[framework].calls(rules, living, living)


@pytest.mark.parametrize(
    ("framework", "living", "expected"),
    [
        ("camon", 7, 7 + 2 + 3 * 6),
        ("coela", 7, 7 + 3 * 7),
        ("embodied", 7, 7 * (1 + 2 + 2)),
        ("hmas2", 7, 7 + (1 + 7) + 7),
        ("nothing", 7, 0),
    ],
)
def test_the_formulas_have_the_published_numbers(framework: str, living: int, expected: int) -> None:
    assert FRAMEWORKS[framework].calls(TeamRules(), living, living) == expected


@pytest.mark.parametrize(("living", "idle"), [(1, 0), (1, 1), (3, 0), (3, 1), (3, 2), (7, 0), (7, 3), (7, 6)])
def test_a_busy_agent_of_coela_only_perceives(living: int, idle: int) -> None:
    assert calls_of_second_step("coela", living, idle, Speaker()) == living + 3 * idle


@pytest.mark.parametrize(("living", "idle"), [(3, 1), (3, 2), (7, 3), (7, 6)])
def test_a_busy_agent_of_camon_only_perceives(living: int, idle: int) -> None:
    """The last proposer of step 1 leads in step 2 and waits, so every idle agent proposes."""
    assert calls_of_second_step("camon", living, idle, Speaker()) == living + 3 * idle


def test_an_override_of_camon_costs_one_translation_and_saves_the_proposal() -> None:
    assigned = "<AGENT_3-action>wait n steps 2</AGENT_3-action><AGENT_3-message>do</AGENT_3-message>"
    speaker = Speaker({"plan for the team": f"<action>wait n steps 2</action>{assigned}"})
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["camon"], speaker, TeamRules(steps=1))
    assert len(speaker.asked) == 3 + (2 + 1) + 3


def test_an_override_of_a_busy_agent_costs_one_translation_and_replaces_its_action() -> None:
    def plan(asked: Asked) -> str:
        action = "walk to 7 7" if "step 1 of" in asked.text else "wait n steps 3"
        assigned = f"<AGENT_2-action>{action}</AGENT_2-action><AGENT_2-message>do</AGENT_2-message>"
        return f"<action>wait n steps 1</action>{assigned}"

    speaker = Speaker({"plan for the team": plan})
    (episode,) = play(ToyEpisodes([Toy(2)]), FRAMEWORKS["camon"], speaker, TeamRules(steps=2))
    assert [len(row["asked"]) for row in episode.journal.rows[:-1]] == [2 + (2 + 1)] * 2
    assert episode.team.doing[1].words == "wait n steps 3"
    assert [deed.words for deed in episode.team.histories[1]] == ["walk to 7 7"]


def test_an_agent_of_coela_that_sends_makes_two_calls() -> None:
    speaker = Speaker(
        {"AGENT_2 choose": "<action>SEND MESSAGE</action>", "AGENT_3 choose": "<action>send_message</action>"}
    )
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["coela"], speaker, TeamRules(steps=1))
    assert len(speaker.asked) == 3 + 3 + 2 + 2


@pytest.mark.parametrize(("accepts_in", "rounds"), [(1, 1), (2, 2), (3, 3), (4, 3)])
def test_hmas2_plans_until_all_accept_and_at_most_three_times(accepts_in: int, rounds: int) -> None:
    speaker = Speaker()
    speaker.answers["AGENT_2 feedback"] = lambda _: (
        "<feedback>ACCEPT</feedback>" if len(speaker.of("plan")) >= accepts_in else "<feedback>no</feedback>"
    )
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["hmas2"], speaker, TeamRules(steps=1))
    assert len(speaker.asked) == 3 + rounds * (1 + 3) + 3


def test_released_rounds_of_embodied_are_one() -> None:
    rules = TeamRules(steps=1, quirks=Quirks(released_rounds=True))
    speaker = Speaker()
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS["embodied"], speaker, rules)
    assert len(speaker.asked) == 3 * (1 + 1 + 2) == FRAMEWORKS["embodied"].calls(rules, 3, 3)


def test_totals_are_those_of_all_calls() -> None:
    speaker, journal = Speaker(), Journal()
    (episode,) = play(ToyEpisodes([Toy(3)]), FRAMEWORKS["coela"], speaker, TeamRules(steps=3), journals=[journal])
    replies = [call for row in journal.rows[:-1] for call in row["asked"]]
    last = journal.rows[-1]
    assert last["end"] and last["calls"] == episode.totals.calls == len(replies) == len(speaker.asked)
    assert last["prompt"] == sum(call["prompt"] for call in replies)
    assert last["reply"] == sum(call["reply"] for call in replies)
    assert journal.rows[1]["calls"] == len(journal.rows[0]["asked"])
    assert journal.rows[0]["calls"] == 0 and journal.rows[0]["prompt"] is None

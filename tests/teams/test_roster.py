"""Dead agents leave the rosters, passengers do not plan, and histories hold what was done (docs/rules/teams.md 1)."""

from __future__ import annotations

import re

import pytest

from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from tests.teams.speaking import Speaker
from tests.teams.toy import Toy, ToyEpisodes

TEAMS = ("camon", "coela", "embodied", "hmas2")
SHORT = dict.fromkeys(("plan for the team", "propose your action", "choose"), "<action>wait n steps 1</action>")


def of_step(speaker: Speaker, framework: str, toy: Toy, steps: int) -> list[str]:
    """Texts of all calls of the last step."""
    seen = 0

    def mark(_: object) -> None:
        nonlocal seen, texts
        texts, seen = speaker.asked[seen:], len(speaker.asked)

    texts = speaker.asked
    play(ToyEpisodes([toy]), FRAMEWORKS[framework], speaker, TeamRules(steps=steps), watch=mark)
    return [f"{each.agent} {each.decision}\n{each.text}" for each in texts]


@pytest.mark.parametrize("framework", TEAMS)
def test_a_dead_agent_is_neither_asked_nor_named_in_a_roster(framework: str) -> None:
    toy = Toy(3, limit=9)
    toy.deaths = {0: [1]}
    texts = of_step(Speaker(SHORT), framework, toy, 2)
    assert texts and not [text for text in texts if text.startswith("AGENT_2")]
    for text in texts:
        roster = re.search(r"# Team\n(.+)", text)
        assert roster is None or "AGENT_2" not in roster[1]
        assert "## AGENT_2" not in text and "to: AGENT_2" not in text and "of AGENT_1, AGENT_2" not in text


@pytest.mark.parametrize("framework", TEAMS)
def test_a_team_of_dead_agents_makes_no_calls_and_its_episode_ends(framework: str) -> None:
    toy = Toy(2)
    toy.deaths = {0: [0, 1]}
    assert of_step(Speaker(SHORT), framework, toy, 3) == []
    assert toy.tick == 3


def test_the_first_living_agent_leads_when_the_leader_is_lost() -> None:
    toy = Toy(3, limit=9)
    toy.deaths = {0: [2]}
    speaker = Speaker(SHORT)
    texts = of_step(speaker, "camon", toy, 2)
    assert [each.agent for each in speaker.of("review")][:2] == ["AGENT_1", "AGENT_2"]
    assert texts[2].startswith("AGENT_1 plan for the team")


def test_the_proposer_leads_at_once() -> None:
    speaker = Speaker(SHORT)
    play(ToyEpisodes([Toy(4)]), FRAMEWORKS["camon"], speaker, TeamRules(steps=2))
    assert [each.agent for each in speaker.of("review")] == [f"AGENT_{k}" for k in (1, 2, 3, 4, 1, 2, 3)]
    assert [each.agent for each in speaker.of("plan")] == ["AGENT_1"], "AGENT_3 leads before AGENT_4 proposes"


@pytest.mark.parametrize("framework", TEAMS)
def test_a_passenger_is_asked_for_its_perception_only(framework: str) -> None:
    toy = Toy(2, porters=1, limit=9)
    toy.carrier = {1: 2}
    speaker = Speaker(SHORT)
    (episode,) = play(ToyEpisodes([toy]), FRAMEWORKS[framework], speaker, TeamRules(steps=2), concurrent=1)
    assert [each.decision for each in speaker.asked if each.agent == "AGENT_2"] == ["perceive"] * 2
    assert episode.team.doing[1].words == "ride AGENT_3"
    acts = [act for row in episode.journal.rows[:-1] for act in row["acts"] if act["agent"] == "AGENT_2"]
    assert acts == [{"agent": "AGENT_2", "words": "ride AGENT_3", "read": "bound"}]


def test_a_passenger_cannot_be_assigned_an_action_and_plans_again_once_it_is_free() -> None:
    toy = Toy(2, porters=1, limit=9)
    toy.carrier = {1: 2}
    assign = (
        "<action>wait n steps 9</action><AGENT_2-action>light lamp</AGENT_2-action><AGENT_2-message>m</AGENT_2-message>"
    )
    speaker = Speaker({"plan for the team": assign, "propose your action": "<action>unload</action>"})
    (episode,) = play(ToyEpisodes([toy]), FRAMEWORKS["camon"], speaker, TeamRules(steps=2), concurrent=1)
    assert "it cannot choose an action now" in episode.journal.rows[0]["log"][0]
    assert [each.agent for each in speaker.of("propose")] == ["AGENT_3", "AGENT_2", "AGENT_3"]
    assert [deed.words for deed in episode.team.histories[1]] == ["ride AGENT_3"]


def test_histories_hold_finished_actions_with_their_steps_and_places() -> None:
    speaker = Speaker({"choose": "<action>walk to 2 1</action>"})
    toy = Toy(1, limit=9)
    play(ToyEpisodes([toy]), FRAMEWORKS["coela"], speaker, TeamRules(steps=4))
    first, second = "- steps 1 to 2 at (0, 1): walk to 2 1", "- step 3 at (2, 1): walk to 2 1"
    histories = [each.section("Your history") for each in speaker.of("write")]
    assert histories == ["(none)", first, f"{first}\n{second}"]


def test_single_step_frameworks_choose_in_every_step() -> None:
    speaker = Speaker({"act": "<action>walk to 7 1</action>"})
    play(ToyEpisodes([Toy(2)]), FRAMEWORKS["embodied"], speaker, TeamRules(steps=3))
    assert len(speaker.of("act")) == 6
    assert "wait n steps" not in speaker.of("act")[0].text
    history = speaker.of("act", "AGENT_1")[-1].section("Your history")
    assert history == "- step 1 at (0, 1): walk to 7 1\n- step 2 at (1, 1): walk to 7 1"


def test_do_nothing_plays_to_the_end_without_calls() -> None:
    toy, speaker = Toy(2), Speaker()
    play(ToyEpisodes([toy]), FRAMEWORKS["nothing"], speaker)
    assert toy.tick == toy.limit and not speaker.asked and not toy.begun

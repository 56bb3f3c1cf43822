"""What language agents read, choose and send in a household: docs/rules/household.md 10."""

from __future__ import annotations

from functools import cache

import jax
import numpy as np
import pytest

from dsl import UserError
from hive.kit.agent_env import IDLE
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks import PROPOSING
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from hive.players.teams.speaking import ScriptedSpeaker
from hive.worlds.household import options
from hive.worlds.household.agents.agent_env import HouseAgentEnv
from hive.worlds.household.agents.episodes import HouseEpisodes
from hive.worlds.household.agents.telling import Names, read_message
from hive.worlds.household.assembly import make_params
from hive.worlds.household.codes import AGENTS, FLOOR
from hive.worlds.household.dynamics import silence
from hive.worlds.household.episode import episode
from hive.worlds.household.recording import HouseRecording
from hive.worlds.household.speaker import answer
from hive.worlds.household.texts import Texts
from tests.household.homes import programs
from tests.tiers import tiers

pytestmark = pytest.mark.slow

RULES = TeamRules(direct_perception=True)


def episodes(**settings: object) -> HouseEpisodes:
    """Two worlds, so that all tests share one program."""
    return HouseEpisodes([episode("cwah_30"), episode("cwah_16")], **settings)  # type: ignore[arg-type]


def begin(env: HouseAgentEnv, agent: int, words: str) -> None:
    (choice,) = [each.choice for each in env.proposals(agent) if each.choice.words == words]
    env.begin(agent, choice, single=False)


def test_proposals_are_what_is_legal_in_its_order_with_true_costs_where_asked_for() -> None:
    env = episodes(exact=True).envs[0]  # Bob starts in the kitchen
    words = [each.choice.words for each in env.proposals(1)]
    kinds = [word.split()[1] for word in words]
    assert kinds == sorted(kinds, key=["explore", "check", "grab", "put"].index)
    assert "go grab <juice> (102)" in words and not any("send" in word for word in words)
    assert all(each.ticks and each.ticks >= 1 for each in env.proposals(1))
    assert all(each.ticks is None for each in episodes().envs[0].proposals(1))


def test_an_estimate_reads_nothing_but_texts() -> None:
    asked = []

    def estimate(observations: list[str], texts: list[str]) -> np.ndarray:
        asked.extend(zip(observations, texts, strict=True))
        return np.arange(len(texts), dtype=np.float32)

    env = episodes(estimate=estimate).envs[0]
    proposals = env.proposals(1)
    assert [each.ticks for each in proposals] == list(range(len(proposals)))
    assert [text for _, text in asked] == [each.choice.words for each in proposals]
    assert all("<kitchen> (2)" in observation for observation, _ in asked)


def test_what_is_not_legal_is_refused_with_its_reason() -> None:
    env = episodes().envs[0]
    put = env.proposals(1)[0].choice
    for number, why in ((options.PUT, "holds nothing"), (options.EXPLORE + 1, "in this room before")):
        wrong = type(put)(number + 1, (), "x")
        assert why in str(env.check(1, wrong, False))
        with pytest.raises(ValueError, match=why):
            env.begin(1, wrong, False)
    assert env.check(1, IDLE, False) is None and "no action" in str(env.check(1, type(put)(999, (), "x"), False))
    with pytest.raises(UserError, match="runs until it is done"):
        env.options("helper", single=True)


def test_a_message_takes_one_tick_and_tells_what_it_names_from_the_next_tick_on() -> None:
    """Bob sees juice and the table in the kitchen; he names the juice and the kitchen alone."""
    games = episodes()
    env = games.envs[0]
    stove = next(name for name in env.names.furniture if name.startswith("<stove>"))
    env.begin(1, env.sending(1, f"There is <juice> (102) in <kitchen> (2). I will go check {stove}."), False)
    assert env.busy(1) and env.state.beliefs.place[0, 1] == -1
    games.step([0])
    know = env.state.beliefs
    assert not env.busy(1) and env.tick == 1
    assert know.place[0, 1] == env.episode.things[1].place and know.place[0, 2] == -1
    assert know.known_room[0, 1] and not know.visited[0, 1] and not know.checked[0].any()
    assert "<juice> (102)" in env.observe(0).view and env.check(1, env.sending(1, "x"), False) is not None


def test_a_lie_tells_nothing() -> None:
    games = episodes()
    env = games.envs[0]
    env.begin(0, env.sending(0, "I checked <fridge> (19) and saw <apple> (105) in the <bedroom> (4)."), False)
    games.step([0])
    assert env.state.beliefs.place[1, 4] == games.states[0][0].beliefs.place[1, 4]
    assert not env.state.beliefs.checked[1].any() and not env.state.beliefs.known_room[1, 3]


def test_a_wait_lasts_until_something_is_seen_or_heard_and_ten_steps_at_most() -> None:
    """docs/rules/household.md 10.8."""
    games = episodes()
    env = games.envs[0]
    proposal = env.waiting(1)
    assert proposal and proposal.ticks is None and proposal.choice.words.startswith("wait until you see or hear")
    lasted = []
    for talks in (False, True):
        env.begin(1, proposal.choice, False)
        begun = env.tick
        while (goes_on := env.forced(1)) or env.tick == begun:
            if env.tick > begun:
                env.begin(1, goes_on or IDLE, False)
            if talks and env.tick == begun + 3:
                env.begin(0, env.sending(0, "hello"), False)
            games.step([0])
        lasted.append(env.tick - begun)
    assert lasted == [10, 4]


def test_an_abandoned_grab_has_its_reason() -> None:
    """Each option that was abandoned is reported once, mostly because the other agent was faster."""
    games, _ = played("coela")
    for number, env in enumerate(games.envs):
        assert sum(map(len, env.breaks)) == games.results(number)["abandoned"]
    why = [reason for env in games.envs for each in env.breaks for reason in each.values()]
    assert {"Alice has it", "Bob has it"} & {*why}


def test_texts_are_read_by_the_names_of_the_episode() -> None:
    names = Names(Texts(episode("cwah_30")))
    told = read_message("<apple>(104), <kitchen> (2), <unicorn> (7). Please go grab <apple> (104)!", names)
    assert told.objects == (3,) and told.rooms == (1,) and told.containers == ()


def test_episodes_that_do_not_play_stay_as_they_are() -> None:
    games = episodes()
    games.step([1])
    assert [env.tick for env in games.envs] == [0, 1] and [len(states) for states in games.states] == [1, 2]


def test_a_world_of_a_batch_is_played_as_alone() -> None:
    """Bit for bit, by agents that take their last proposals, those to grab and to put (docs/rules/household.md 3.1)."""
    games, key, run = episodes(), jax.random.key(0), programs()
    env = games.envs[1]
    params, state = make_params(env.episode, 2), games.states[1][0]
    jax.tree.map(np.testing.assert_array_equal, run["reset"](params, jax.random.fold_in(key, 0)), state)
    for tick in range(40):
        for each in games.envs:
            for agent in each.living():
                if not each.busy(agent) and (offered := each.proposals(agent)):
                    each.begin(agent, offered[-1].choice, single=False)
        chosen = np.full(AGENTS, options.WAIT, np.int32)
        for agent, option in env.chosen.items():
            chosen[agent] = option
        state = run["step"](params, state, chosen, jax.random.fold_in(key, tick + 1), silence())
        games.step([0, 1])
        jax.tree.map(np.testing.assert_array_equal, state, games.states[1][-1])
    assert (games.states[1][-1].hands >= 0).any()


@cache
def played(framework: str, exact: bool = True) -> tuple[HouseEpisodes, list[TeamEpisode]]:
    games = episodes(exact=exact)
    return games, play(games, PROPOSING[framework], ScriptedSpeaker(answer, "scripted team"), RULES, concurrent=1)


ALIKE = ("liet_guessed", "liet_fixed", "liet_report", "liet_kept", "roco_paid")  # tests/teams plays them on toys


@pytest.mark.parametrize("framework", tiers(PROPOSING, slow=PROPOSING.keys() - ALIKE))
def test_the_scripted_team_finishes_with_every_framework(framework: str) -> None:
    games, live = played(framework)
    assert [games.results(number)["finished"] for number in range(2)] == [True, True]
    assert all(each.env.score == each.env.episode.wanted for each in live)
    assert not any(
        "does not know" in call["text"] for each in live for row in each.journal.rows for call in row.get("asked", ())
    )


def test_costs_help_the_scripted_team_in_these_two_episodes() -> None:
    with_costs, without = played("liet"), played("liet_blind")
    assert sum(each.env.tick for each in with_costs[1]) < sum(each.env.tick for each in without[1])


def test_a_recording_keeps_every_tick_and_reads_back() -> None:
    games, live = played("liet")
    recording = games.recording(1)
    assert recording.frames == live[1].env.tick + 1 and recording.finished[-1] and not recording.finished[:-1].any()
    assert recording.placed(-1) == [(kind, count, count) for kind, count in recording.episode.goals]
    back = HouseRecording.decode(recording.encode())
    for name in ("tick", "room", "at", "hands", "place", "open", "finished", "doing"):
        np.testing.assert_array_equal(getattr(back, name), getattr(recording, name))
    assert back.episode == recording.episode and back.deeds == recording.deeds and back.agents == ("Alice", "Bob")
    assert (recording.place >= 0).all() and (recording.place != FLOOR).any()

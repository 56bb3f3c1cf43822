"""Episodes side by side: independent calls go out together, and no episode depends on the others."""

from __future__ import annotations

import threading

import pytest

from dsl import UserError
from hive.players.llm.calling import Caller
from hive.players.llm.client import ModelError, Reply
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.journal import Journal
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from hive.players.teams.team import Ask
from tests.teams.speaking import Asked, Speaker
from tests.teams.toy import Toy, ToyEpisodes


def test_independent_calls_of_all_episodes_go_out_together() -> None:
    """Six perceptions of two episodes wait for each other, which ends only if all of them are under way."""
    meeting = threading.Barrier(6, timeout=20)

    def meet(_: Asked) -> str:
        meeting.wait()
        return "It sees lamps."

    episodes = ToyEpisodes([Toy(3, seed=0), Toy(3, seed=1)])
    play(episodes, FRAMEWORKS["coela"], Speaker({"perceive": meet}), TeamRules(steps=1), concurrent=6)


def test_no_more_calls_than_allowed_go_out_together() -> None:
    now, most, lock = 0, 0, threading.Lock()

    def count(_: Asked) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        threading.Event().wait(0.01)
        with lock:
            now -= 1
        return "It sees lamps."

    play(ToyEpisodes([Toy(7)]), FRAMEWORKS["coela"], Speaker({"perceive": count}), TeamRules(steps=1), concurrent=3)
    assert 1 <= most <= 3


@pytest.mark.parametrize("framework", ["camon", "coela", "embodied", "hmas2"])
def test_an_episode_is_the_same_alone_and_next_to_others(framework: str) -> None:
    def rows(seeds: list[int]) -> dict[int, list[dict[str, object]]]:
        journals = [Journal() for _ in seeds]
        toys = [Toy(3, seed=seed, limit=3 + seed) for seed in seeds]
        play(
            ToyEpisodes(toys),
            FRAMEWORKS[framework],
            Speaker({"act": "<action>walk to 5 5</action>"}),
            journals=journals,
        )
        return {seed: journal.rows for seed, journal in zip(seeds, journals, strict=True)}

    assert rows([0, 1, 2]) == rows([2]) | rows([1]) | rows([0])


def test_a_call_that_fails_for_a_moment_is_made_again() -> None:
    failed: list[Asked] = []

    def flaky(asked: Asked) -> str:
        if not failed:
            failed.append(asked)
            raise ModelError("busy", transient=True)
        return "It sees lamps."

    caller = Caller(Speaker({"perceive": flaky}), sleep=lambda _: None)
    (episode,) = play(ToyEpisodes([Toy(2)]), FRAMEWORKS["coela"], caller, TeamRules(steps=1))
    assert episode.totals.calls == 2 + 3 * 2
    assert max(entry.attempts for entry in caller.ledger.entries) == 2


def test_answers_are_told_as_they_arrive_and_episodes_after_each_step() -> None:
    told: list[str] = []

    def answered(episode: TeamEpisode, ask: Ask, reply: Reply) -> None:
        told.append(f"{episode.team.name(ask.agent)} {ask.purpose}")

    steps: list[int] = []
    play(
        ToyEpisodes([Toy(1)]), FRAMEWORKS["coela"], Speaker(), TeamRules(steps=2),
        answered=answered, watch=lambda episodes: steps.append(episodes[0].env.tick),
    )  # fmt: skip
    assert told == [f"AGENT_1 {what}" for what in ("perceive", "message", "choose", "translate", "perceive")]
    assert steps == [1, 2]


def test_an_episode_that_is_over_at_its_start_has_a_last_line_alone() -> None:
    toy, journal = Toy(1), Journal()
    toy.lit = set(toy.lamps)
    play(ToyEpisodes([toy]), FRAMEWORKS["camon"], Speaker(), journals=[journal])
    assert [(row.get("end"), row["score"]) for row in journal.rows] == [(True, 1.0)]


@pytest.mark.parametrize(
    "numbers", [{"rounds": -1}, {"lifespan": 0}, {"planning_rounds": 0}, {"max_tokens": 0}, {"steps": 0}]
)
def test_rules_that_cannot_be_played_are_refused(numbers: dict[str, int]) -> None:
    (name,) = numbers
    with pytest.raises(UserError, match=f"{name} is .*, and must be"):
        TeamRules(**numbers)  # type: ignore[arg-type]

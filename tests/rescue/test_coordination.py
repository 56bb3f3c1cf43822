"""Levels of coordination: docs/rules/rescue.md 11, each rule by a run that is written down by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hive.kit.keep.dialogue import Line, LineKind
from hive.worlds.rescue.coordination import Coordination, coordination
from hive.worlds.rescue.instance import Agent, Victim
from hive.worlds.rescue.recording import RescueRecording
from tests.rescue.test_optimum import line

WAYS = ([2, 1, 1, 2, 3, 3], [2, 3, 4, 5, 5, 5])
"""Agent 0 serves victim1 in room 1 in step 2 and ends in the corridor; agent 1 serves victim2 in room 5 in step 4."""


def run(
    ways: Sequence[Sequence[int]] = WAYS,
    said: Sequence[tuple[int, int, str]] = (),
    refused: tuple[int, int] | None = None,
    gifts: Sequence[tuple[int, int, int]] = ((2, 0, 0), (4, 1, 1)),
) -> RescueRecording:
    """A run of five steps in a corridor of six rooms.

    Args:
        ways: Rooms of both agents at the end of each step.
        said: Step, agent and words of messages.
        refused: Step and agent of a gift that was refused.
        gifts: Step, agent and victim of each gift.
    """
    victims = [Victim(f"victim{n + 1}", (1, 5)[n], (True, False, False), urgent=False) for n in range(2)]
    agents = [Agent("Alpha", 2, (2, 0, 0)), Agent("Bravo", 2, (2, 0, 0))]
    supplies = np.zeros((6, 2, 3), np.int32)
    supplies[:, :, 0] = 2
    needs = np.zeros((6, 2, 3), bool)
    needs[:, :, 0] = True
    for step, agent, victim in gifts:
        supplies[step:, agent, 0] -= 1
        needs[step:, victim, 0] = False
    doing = np.ones((6, 2), np.int32)
    doing[0] = -1
    no = np.zeros((6, 2), bool)
    if refused:
        no[refused], doing[refused] = True, 0
    return RescueRecording(
        title="by hand",
        instance=line(victims, agents),
        limit=60,
        outcome="all victims helped",
        tick=np.arange(6),
        position=np.array(ways).T,
        supplies=supplies,
        needs=needs,
        active=np.ones((6, 2), bool),
        doing=doing,
        refused=no,
        deeds=("give_water()", "navigate_to(room1)"),
        lines=tuple(Line(step, agent, LineKind.SAY, words) for step, agent, words in said),
    )


TRUE = [(step, 0, "I go to victim1.") for step in (1, 2)] + [
    (step, 1, "I go to victim2 in room5.") for step in (1, 2, 3)
]
FALSE = [(1, 0, "I go to victim2."), (1, 1, "I go to victim1."), (2, 1, "I go to victim1."), (3, 1, "victim2 now.")]


def test_a_team_that_talks_truly_and_divides_the_work_has_level_two() -> None:
    """Ten turns, the last two after the end, and five messages; of victim1 after serving it Alpha announces nothing."""
    assert coordination(run(said=TRUE)) == Coordination(
        turns=8, informative=5, announcements=4, kept=4, doubled=0, refused=0
    )
    assert coordination(run(said=TRUE)).level == 2


def test_a_silent_team_and_one_that_says_nothing_of_use_have_level_zero() -> None:
    assert coordination(run()).level == 0
    vague = [(step, agent, "I help, as victim11 would.") for step in range(1, 6) for agent in (0, 1)]
    assert coordination(run(said=vague)).informative == 0
    assert coordination(run(said=TRUE[:3])).level == 0, "three of eight turns are less than half"


def test_words_that_do_not_come_true_cost_a_level() -> None:
    """One of three announcements names the victim that its sender serves next; victim1 has no need left in step 2."""
    found = coordination(run(said=[*FALSE, (5, 0, "I am in room3.")]))
    assert (found.announcements, found.kept, found.informative, found.level) == (3, 1, 5, 1)


def test_a_way_in_vain_costs_a_level_and_a_passage_does_not() -> None:
    """Bravo walks to victim1, which Alpha serves, and comes back through the same door; or passes through to room 0."""
    back = ([2, 1, 1, 2, 3, 3], [2, 1, 2, 3, 4, 5])
    found = coordination(run(back, TRUE, gifts=((2, 0, 0), (5, 1, 1))))
    assert (found.doubled, found.level) == (1, 1)
    through = ([2, 1, 1, 2, 3, 3], [2, 1, 0, 0, 1, 2])
    found = coordination(run(through, TRUE, gifts=((2, 0, 0),)))
    assert (found.doubled, found.level) == (0, 2)


def test_a_refused_gift_costs_a_level_and_both_faults_leave_none() -> None:
    assert coordination(run(said=TRUE, refused=(5, 0))).level == 1
    both = coordination(run(said=[*FALSE, (5, 0, "I am in room3.")], refused=(5, 0)))
    assert (both.talks, both.truthful, both.divided, both.level) == (True, False, False, 0)
    moves = replace(run(said=TRUE), refused=np.ones((6, 2), bool))
    assert coordination(moves).refused == 0, "a refused move is no gift"

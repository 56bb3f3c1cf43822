"""Overlap and repetition, by hand (docs/rules/teams.md 4.3)."""

from __future__ import annotations

from hive.kit.transcript import EpisodeStep, EpisodeTranscript
from hive.players.overlap import overlap_of


def test_agents_with_one_target_overlap_and_repeat_themselves() -> None:
    """An action stands until its agent chooses another; standing still and actions without a target do not overlap."""
    steps = (
        EpisodeStep(
            number=1,
            score=0,
            actions=(("A", "move to location 3 4"), ("B", "move to location 3 4"), ("C", "do nothing")),
            messages=(("A", "all", "I go."), ("B", "all", "I go.")),
        ),
        EpisodeStep(number=2, score=0, actions=(("B", "cut all trees in cell"), ("C", "cut all trees in cell"))),
        EpisodeStep(
            number=3,
            score=0,
            actions=(("A", "move to location 3 4"), ("B", "do nothing"), ("C", "move to location 3 4")),
            messages=(("A", "B", "I go."),),
        ),
    )
    found = overlap_of(EpisodeTranscript(seed=0, agents=3, start=0, steps=steps))
    assert (found["aimed"], found["overlapping"]) == (2 + 1 + 2, 2 + 0 + 2)
    assert (found["actions"], found["repeated_actions"]) == (6, 1)
    assert (found["messages"], found["repeated_messages"]) == (3, 1)

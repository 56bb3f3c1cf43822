"""Metrics of rescues: runs counted by hand, batches, sums over instances, and levels of coordination."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dsl import UserError
from hive.worlds.rescue.codes import AGENTS, VICTIMS
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.metrics import RescueMetrics, Trace, measure
from hive.worlds.rescue.score_files import RESULT, read_scores
from hive.worlds.rescue.scores import RescueScore, efficiency, measure_many, plain, with_optimum
from tests.lanes import lane_of, stack_lanes
from tests.rescue.test_optimum import two_victims

ROOMS = 6
MEASURE = jax.jit(lambda trace: measure(trace, ROOMS))
T = 8
NAMES = [field.name for field in fields(RescueMetrics)]


def trace(rooms: list[list[int]], served_at: list[int], urgent: list[bool], agents: int | None = None) -> Trace:
    """A run whose agents were in these rooms at the end of each step, row 0 the start; rows after it hold nonsense."""
    steps, many, victims = len(rooms) - 1, len(rooms[0]), len(served_at)
    positions = np.full((T + 1, AGENTS), 3, np.int32)  # all in one room: rows after the end must not count
    positions[: steps + 1, :many] = rooms
    padded = np.zeros((2, VICTIMS), np.int32)  # a victim that is not there was served in step 0
    padded[:, :victims] = served_at, urgent
    return Trace(
        positions=jnp.asarray(positions),
        served_at=jnp.asarray(padded[0]),
        steps=jnp.int32(steps),
        agent_there=jnp.arange(AGENTS) < (many if agents is None else agents),
        victim_there=jnp.arange(VICTIMS) < victims,
        urgent=jnp.asarray(padded[1] > 0),
        limit=jnp.int32(60),
    )


def values(found: RescueMetrics) -> dict[str, float | int | None]:
    return plain(jax.device_get(found))


def test_a_run_that_is_counted_by_hand() -> None:
    """docs/rules/rescue.md 10.1: every metric of a run of four steps.

    Agent 0 walks 0, 1, 0, 0, 1 and comes back twice; agent 1 walks 0, 1, 2, 2, 1 and comes back once. They are together
    in room 0 at the start, in room 1 after steps 1 and 4: three intervals, two steps.
    """
    found = values(MEASURE(trace([[0, 0], [1, 1], [0, 2], [0, 2], [1, 1]], [3, 1, -1], [True, True, False])))
    assert found == {
        "final_victims_amount": 1,
        "num_steps": 4,
        "total_redundant_agent_moves": 3,
        "steps_2_or_more_agents_same_room": 2,
        "occurrences_2_or_more_agents_same_room": 3,
        "average_steps_attend_urgent_victims": 2.0,
        "average_steps_attend_not_urgent_victims": None,
        "censored_steps_urgent_victims": 2.0,
        "censored_steps_not_urgent_victims": 60.0,
        "unserved_urgent_victims": 0,
        "unserved_not_urgent_victims": 1,
    }


def test_an_interval_counts_once_and_each_room_counts() -> None:
    """docs/rules/rescue.md 10.1: a third agent that comes or goes does not break an interval; two rooms are two."""
    rooms = [[0, 0, 4, 5], [0, 0, 0, 5], [0, 4, 0, 5], [4, 4, 5, 5]]
    found = values(MEASURE(trace(rooms, [2], [False])))
    assert found["occurrences_2_or_more_agents_same_room"] == 3
    assert found["steps_2_or_more_agents_same_room"] == 3
    assert found["total_redundant_agent_moves"] == 0


def test_staying_is_no_move_and_agents_that_are_not_there_do_not_count() -> None:
    found = values(MEASURE(trace([[2, 2], [2, 1], [2, 2], [3, 2]], [3], [True], agents=1)))
    assert found["total_redundant_agent_moves"] == 0
    assert found["steps_2_or_more_agents_same_room"] == found["occurrences_2_or_more_agents_same_room"] == 0


def test_a_run_of_no_step_and_one_that_fills_the_trace() -> None:
    """docs/rules/rescue.md 10.1: nothing happens in no step, and the last row of a full trace counts."""
    found = values(MEASURE(trace([[1, 1]], [-1], [True])))
    assert (found["num_steps"], found["occurrences_2_or_more_agents_same_room"]) == (0, 1)
    assert found["average_steps_attend_urgent_victims"] is None and found["censored_steps_urgent_victims"] == 60.0
    full = trace([[0, 1]] * T + [[1, 1]], [T], [True])
    assert values(MEASURE(full))["steps_2_or_more_agents_same_room"] == 1


def test_a_batch_has_the_metrics_of_its_runs() -> None:
    runs = [
        trace([[0, 0], [1, 1], [0, 2]], [2, -1], [True, False]),
        trace([[5, 0], [4, 0], [4, 0], [5, 0]], [1, 3], [False, False]),
    ]
    many = measure_many(stack_lanes(*runs))
    for row, run in enumerate(runs):
        assert values(lane_of(many, row)) == values(MEASURE(run))


def score(team: str, instance: Instance, served_at: tuple[int | None, ...], steps: int) -> RescueScore:
    return RescueScore(
        team=team,
        instance=instance,
        served_at=served_at,
        limit=60,
        reason="served",
        metrics=dict.fromkeys(NAMES, 0) | {"num_steps": steps},
        least=5,
        least_weighted=12,
    )


def test_urgency_efficiency_is_weighted_by_how_often_a_kind_occurs() -> None:
    """docs/rules/rescue.md 10.3, by hand: two instances, one with one urgent victim and one with two."""
    one = two_victims((False, True))
    two = replace(two_victims((True, True)), name="two")
    base = [score("literal", one, (4, 8), 8), score("literal", two, (2, 6), 6)]
    mine = [score("mine", one, (8, 4), 8), score("mine", two, (None, 3), 60)]
    assert efficiency(mine, base, urgent=True, censored=False) == (1 * 4 + 2 * 3) / (1 * 8 + 2 * 4)
    assert efficiency(mine, base, urgent=True, censored=True) == (1 * 4 + 2 * 31.5) / (1 * 8 + 2 * 4)
    assert efficiency(mine, base, urgent=False, censored=False) == 8 / 4
    assert efficiency(mine[1:], base, urgent=False, censored=False) is None
    assert efficiency(base, base, urgent=True, censored=False) == 1
    short = [replace(score("mine", one, (None, 4), 10), limit=10)]  # the larger limit counts: 60 in place of 10
    assert efficiency(short, base, urgent=True, censored=True) == 4 / 8
    assert efficiency(short, base, urgent=False, censored=True) == 60 / 4
    nothing = [score("mine", two, (None, None), 60)]
    assert efficiency(nothing, base, urgent=True, censored=False) is None


def test_runs_that_leave_a_victim_have_no_ratio_and_count_it_with_the_limit() -> None:
    """docs/rules/rescue.md 8.1."""
    done, left = (score("t", two_victims((False, True)), at, 10) for at in ((4, 10), (None, 10)))
    assert (done.ratio, done.weighted, done.weighted_ratio) == (2.0, 24, 2.0)
    assert (left.ratio, left.weighted, left.weighted_ratio, left.served) == (None, 80, None, 1)


def test_runs_of_a_folder_stand_next_to_known_instances(tmp_path: Path) -> None:
    """What `hive run rescue/...` writes is read back; runs of other instances are left out."""
    like = score("literal", two_victims((False, True)), (4, 8), 8)
    run = {
        "team": "model T=0",
        "instance": like.instance.name,
        "outcome": "step limit",
        "limit": 50,
        "helped_at": {"victim1": 3, "victim2": None},
        "metrics": dict(like.metrics) | {"num_steps": 50},
    }
    (tmp_path / RESULT).write_text(json.dumps({"runs": [run, run | {"instance": "elsewhere"}]}))
    found = with_optimum(*read_scores(tmp_path, [like.instance]), like)
    assert (found.team, found.served_at, found.steps, found.limit) == ("model T=0", (3, None), 50, 50)
    assert (found.least, found.instance, found.temperature) == (like.least, like.instance, 0)
    (tmp_path / RESULT).write_text(json.dumps({"runs": [run | {"team": "model", "temperature": 0.5}]}))
    assert read_scores(tmp_path, [like.instance])[0].temperature == 0.5
    (tmp_path / RESULT).write_text(json.dumps({"runs": [run, run]}))
    with pytest.raises(UserError, match="two runs of `model T=0` in line"):
        read_scores(tmp_path, [like.instance])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read"),
        ("{", "holds no JSON"),
        ("[]", "has no list `runs`"),
        ('{"runs": []}', "no run in"),
        ('{"runs": [{"instance": "line"}]}', r"runs\[0\] is no run of `hive run rescue/\.\.\.`: a field is missing"),
    ],
)
def test_folders_without_runs_are_refused_with_their_place(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / RESULT).write_text(text)
    with pytest.raises(UserError, match=message):
        read_scores(tmp_path, [two_victims((False, True))])

"""Normalised scores and competency by behaviour (docs/rules/wildfire_levels.md 5), and files of runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dsl import UserError
from hive.worlds.wildfire.competency import UNPUBLISHED, competency, normalised_score
from hive.worlds.wildfire.levels import find_level
from hive.worlds.wildfire.score_files import MethodRun, published_behaviours, published_runs, read_runs

SUPPRESS = "suppress_contain"


def test_the_published_table_is_the_published_one(shared: Path) -> None:
    facts = json.loads((shared / "spec" / "wildfire_levels.json").read_text())
    runs = {(run.level, run.method): (run.mean, run.deviation) for run in published_runs()}
    wanted = {
        (level["id"], method): (score["mean"], score["std"])
        for level in facts["levels"]
        for method, score in level["published_scores"].items()
    }
    assert runs == wanted and len(runs) == 17 * 5
    assert {
        code: [published_behaviours()[method][code] for method in facts["published_bcs"]["order"]]
        for code in ("TD", "AC", "SR", "OS", "RC", "PA")
    } == {code: row for code, row in facts["published_bcs"].items() if code != "order"}


def test_the_published_means_give_all_published_competency() -> None:
    """All 24 entries to three decimals (docs/rules/wildfire_levels.md 5.3), over as many levels as published (5.2)."""
    found = {method.method: method for method in competency(published_runs(), published=True)}
    published = published_behaviours()
    rounded = {
        team: {code: round(score or 0, 3) for code, score in found[team].behaviours.items() if code not in UNPUBLISHED}
        for team in published
    }
    assert rounded == published and sum(map(len, published.values())) == 24
    assert found["CAMON"].counts == {"TD": 15, "AC": 9, "SR": 13, "OS": 7, "RC": 5, "PA": 9, "OP": 1}


def test_the_worked_example() -> None:
    """CAMON's Realtime Coordination (docs/rules/wildfire_levels.md 5.1)."""
    scores = {
        "transport_firefighters_small": 6.0,
        "transport_firefighters_large": 10.0,
        "rescue_search_transport": 0.0,
        "suppress_locate_deploy": -729.67,
        "full_environment": -5571.67,
    }
    nothing = {"suppress_locate_deploy": -729.67, "full_environment": -5502.67}
    found = [normalised_score(find_level(name), score, nothing.get(name)) for name, score in scores.items()]
    assert [round(score, 3) for score in found] == [1.0, 0.833, 0.0, 0.281, 0.038]
    assert round(sum(found) / 5, 3) == 0.430


def test_doing_nothing_is_worth_something_where_losses_count() -> None:
    """The baseline has all firefighters and bulldozers lost besides (docs/rules/wildfire_levels.md 5.1)."""
    nothing = competency(published_runs())[-1]
    assert nothing.method == "Do Nothing"
    assert [round(score, 3) for score in nothing.normalised.values()][-5:] == [0.305, 0.206, 0.139, 0.281, 0.054]


def test_scores_outside_the_scale_are_clipped() -> None:
    """Where the logarithm is not defined too (docs/rules/wildfire_levels.md 5.1)."""
    level = find_level(SUPPRESS)
    assert [normalised_score(level, score, -100) for score in (-1e6, -500, -221, -220, 0)] == [0, 0, 0, 0, 1]
    assert 0 < normalised_score(level, -219, -100) < 0.01
    assert normalised_score(find_level("scout_fire_small"), 3) == 1


def test_means_are_over_the_levels_that_were_run() -> None:
    runs = [
        MethodRun(level="scout_fire_small", method="mine", mean=1.0),
        MethodRun(level="scout_fire_large", method="mine", mean=2.0),
    ]
    (mine,) = competency(reversed(runs))
    assert list(mine.runs) == ["scout_fire_small", "scout_fire_large"], "in the published order"
    assert mine.behaviours == {"TD": 0.75, "AC": None, "SR": 0.75, "OS": 0.75, "RC": None, "PA": None, "OP": None}
    assert mine.json()["behaviours"]["OS"] == {"score": 0.75, "levels": 2, "of": 7}
    assert mine.json()["behaviours"]["AC"] == {"score": None, "levels": 0, "of": 9}


def test_losses_need_a_run_of_do_nothing() -> None:
    """It is run, never assumed: the message says where and how."""
    mine = MethodRun(level=SUPPRESS, method="mine", mean=-300.0)
    with pytest.raises(UserError, match=f"no run of `Do Nothing` on `{SUPPRESS}`") as caught:
        competency([mine])
    assert f"hive run wildfire/{SUPPRESS} --seeds published --commander nothing --json" in str(caught.value)
    assert len(competency([mine, MethodRun(level=SUPPRESS, method="Do Nothing", mean=-600.0)])) == 2


def test_a_method_has_one_run_a_level() -> None:
    runs = [
        MethodRun(level="scout_fire_small", method="mine", mean=1.0, place=place) for place in ("a.json:1", "b.json:4")
    ]
    with pytest.raises(UserError, match=r"(?s)`mine` occurs twice .*b\.json:4.*a\.json:1"):
        competency(runs)


def test_runs_are_read_from_objects_lists_and_lines() -> None:
    one = {"level": "scout_fire_small", "method": "mine", "scores": [0, 1, 2], "seconds": 3}
    other = {"level": "scout_fire_large", "method": "mine", "mean": 1.5}
    lines = read_runs("\n".join(map(json.dumps, (one, other))), "a.jsonl")
    assert [(run.mean, run.deviation, run.seeds, run.place) for run in lines] == [
        (1.0, 1.0, 3, "a.jsonl:1"),
        (1.5, None, None, "a.jsonl:2"),
    ]
    listed = read_runs(json.dumps([one, other], indent=1), "a.json")
    assert [(run.level, run.mean) for run in listed] == [(run.level, run.mean) for run in lines]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"level": ', r"this is not JSON: .*\n --> f:1:11$"),
        ("[" * 100_000, r"nested too deeply\n --> f:1$"),
        (" \n[]", r"there is no run in the file\n --> f\n  = help: a run is an object"),
        ("\n[7]", r"this is not a run\n --> f:2: \[0\]\n"),
        ('{"method": "m", "mean": 1}', r"has no `level`\n --> f:1\n"),
        ('{"level": "scout_fire_small", "method": 7, "mean": 1}', r"has a `method` that is not a name\n --> f:1\n"),
        (
            '{"level": "scout_fire_smal", "method": "m", "mean": 1}',
            r"no wildfire level `scout_fire_smal`\n --> f:1\n  = help: did you mean `scout_fire_small`\?$",
        ),
        (
            '{"level": "scout_fire_small", "method": "m", "changes": {"limit": 9}, "scores": [2]}',
            r"changed limit, .*\n --> f:1\n  = help: play it without --set",
        ),
        ('{"level": "scout_fire_small", "method": "m"}', r"has neither `scores` nor `mean`\n --> f:1\n"),
        ('{"level": "scout_fire_small", "method": "m", "scores": []}', r"should be a list .*\n --> f:1\n"),
        *(
            (
                f'{{"level": "scout_fire_small", "method": "m", "scores": [1, {score}]}}',
                r"is not a score of this level\n --> f:1: scores\[1\]\n  = help: .* are numbers from 0 to 2$",
            )
            for score in ('"2"', "true", "null", "NaN", "3", "-1", "9" * 5000)
        ),
        ('{"level": "suppress_contain", "method": "m", "mean": 5}', r"5.0 is not a score .*\n --> f:1: mean\n"),
        ('{"level": "suppress_contain", "method": "m", "mean": -1e308}', r"numbers from -360000 to 0$"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_runs(text, "f")

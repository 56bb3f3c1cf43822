"""The heuristic next to the optimum: no team is better than it, and the sums of tables are those of their runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest

from hive.experiments.plots.rescue_teams import save_rescued
from hive.kit.reporting import Unwatched
from hive.worlds.rescue import comparing
from hive.worlds.rescue.assembly import make_params
from hive.worlds.rescue.codes import VARIANTS
from hive.worlds.rescue.comparing import Misses, compare, compare_generated
from hive.worlds.rescue.generator import generate
from hive.worlds.rescue.optimum.play import optimum
from hive.worlds.rescue.scores import RescueScore, by_model, by_team, by_temperature
from hive.worlds.rescue.shipped import names, shipped
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def scores() -> dict[str, list[RescueScore]]:
    return by_team(score for row in compare([shipped(name) for name in names()]) for score in row)


@pytest.mark.slow
def test_the_heuristic_serves_34_of_35_and_a_best_plan_all(scores: dict[str, list[RescueScore]]) -> None:
    """docs/rules/rescue.md 2.2 and 10.4: the total is the published one; the supplies suffice for everybody."""
    assert [*scores] == [*VARIANTS, "best steps", "best weighted"]
    served = {team: sum(score.served for score in mine) for team, mine in scores.items()}
    assert served == dict.fromkeys(VARIANTS, 34) | {"best steps": 35, "best weighted": 35}


@pytest.mark.slow
def test_no_team_beats_the_optimum_and_its_plans_reach_it(scores: dict[str, list[RescueScore]]) -> None:
    """docs/rules/rescue.md 8.1: the value of a best plan is a lower bound for every run that serves all victims."""
    for mine in scores.values():
        for score in mine:
            assert score.least and score.least_weighted and score.weighted >= score.least_weighted
            assert not score.solved or score.steps >= score.least
            assert (score.ratio is None) == (not score.solved)
    assert {score.ratio for score in scores["best steps"]} == {1.0}
    assert {score.weighted_ratio for score in scores["best weighted"]} == {1.0}


@pytest.mark.slow
def test_the_page_has_the_steps_of_the_table(scores: dict[str, list[RescueScore]]) -> None:
    """docs/rescue.md: the columns of the heuristic and of the best weighted plan."""
    page = (ROOT / "docs/rescue.md").read_text(encoding="utf-8")
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in page.splitlines() if "| `map_" in line]
    teams = ("literal", "recheck", "urgent_first", "best weighted")
    for number, (name, victims, least, *cells, _) in enumerate(rows):
        first = scores["literal"][number]
        assert (name, victims, least) == (first.instance.name, str(len(first.served_at)), str(first.least))
        for team, cell in zip(teams, cells, strict=True):
            score = scores[team][number]
            served = f"{score.served} of {len(score.served_at)} served"
            assert cell == (f"{score.steps} ({score.ratio:.2f})" if score.ratio else served), (name, team)
    assert len(rows) == len(names())


@pytest.mark.slow
def test_generated_instances_are_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that is not full is filled up, and what fills it does not count."""
    monkeypatch.setattr(comparing, "CHUNK", len(names()))  # the size of the batch above: one program for this module
    found = compare_generated(7, 15, Unwatched())
    assert [each.team for each in found] == [*VARIANTS]
    instances = [*generate(7, 15)]
    least = [optimum(jax.device_get(make_params(instance))).steps for instance in instances]
    for each in found:
        assert each.victims.tolist() == [len(instance.victims) for instance in instances]
        assert each.least.tolist() == least
        assert list(each.names) == [instance.name for instance in instances]
        assert sum(each.reasons.values()) == 15 and (each.extra >= 0).all()
        assert (each.served <= each.victims).all()


def test_figures_of_misses_are_counted() -> None:
    misses = Misses(
        team="literal",
        names=["a", "b", "c", "d"],
        served=np.array([2, 3, 1, 2]),
        victims=np.array([2, 3, 2, 2]),
        steps=np.array([4, 9, 3, 6]),
        least=np.array([4, 6, 3, 4]),
        reasons={"served": 3, "ended": 1},
    )
    found = misses.json()
    assert (found["solved"], found["share"], found["served"], found["victims"]) == (3, 0.75, 8, 9)
    assert found["extra"] == {"0": 1, "2": 1, "3": 1}
    assert found["mean_extra"] == pytest.approx(5 / 3) and found["mean_ratio"] == pytest.approx((1 + 1.5 + 1.5) / 3)
    assert found["worst"] == {"instance": "b", "extra": 3}
    assert replace(misses, served=misses.served * 0).worst is None
    low, high = found["interval"]
    assert low < 0.75 < high


def test_models_are_added_up_by_temperature_and_averaged_over_temperatures(tmp_path: Path) -> None:
    """docs/rules/rescue.md 10.5; settings after the temperature stay with the name of the model.

    A model without `--temperature` counts at that of its calls; folders of earlier versions do not know it.
    """
    instance = shipped("map_7/agents-1")

    def runs(team: str, *served_at: int | None, temperature: float | None = None) -> list[RescueScore]:
        score = RescueScore(team=team, instance=instance, served_at=served_at, limit=60, reason="served", metrics={})
        return [replace(score, temperature=temperature)]

    teams = {
        "literal": runs("literal", 3, 4),
        "one T=0": runs("one T=0", 3, None, temperature=0),
        "one T=0.5": runs("one T=0.5", 3, 4, temperature=0.5),
        "two T=0 [expiry=0]": runs("two T=0 [expiry=0]", None, None, temperature=0),
        "one": runs("one", 3, None),
        "three": runs("three", 3, 4, temperature=0),
    }
    assert by_temperature(teams) == {
        "0": {"teams": 3, "served": 3, "victims": 6},
        "0.5": {"teams": 1, "served": 2, "victims": 2},
    }
    assert by_model(teams) == {
        "literal": [(None, 2)],
        "one": [(0, 1), (0.5, 2), (None, 1)],
        "two [expiry=0]": [(0, 0)],
        "three": [(0, 2)],
    }
    save_rescued(teams, tmp_path / "rescued.png")
    assert (tmp_path / "rescued.png").stat().st_size

"""Every world has a plan of its own that fits the armies of its description: the answer where no model is asked."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest

import dsl
import hive
import scenarios
from dsl import UserError
from hive.kit.planned_world import Request
from hive.worlds import kind_of
from hive.worlds.wildfire.commanders import commander_for
from hive.worlds.wildfire.games import first_plan
from hive.worlds.wildfire.world import Fireground

LEVELS = [name for name in kind_of("wildfire/all").names() if not name.endswith("sparse_small")]


def own(name: str, **options: object) -> str | None:
    request = Request(scenario=name, **options)  # type: ignore[arg-type]
    return kind_of(name).own_plan(request)


@pytest.mark.parametrize("name", scenarios.names())
@pytest.mark.parametrize("units", [37])
def test_the_plan_of_a_battle_fits_the_armies_as_they_are_described(name: str, units: int | None) -> None:
    """The same arrays as when the scenario's plan is read and rescaled."""
    world = hive.load(name, **({} if units is None else {"units": units}))
    text = own(name, units=units)
    assert text is not None and world.plan is not None
    report = dsl.check_plan(text, "own", world.context(0, world.sizes))
    assert report.ok, dsl.render(report.diagnostics)
    plans = (hive.read_plan(text, world, written_for=world.sizes), hive.read_plan(world.plan, world))
    assert jax.tree.all(jax.tree.map(np.array_equal, *plans))


def test_at_its_own_sizes_a_battle_gives_its_plan_as_it_is_written() -> None:
    assert own("coordinate") == scenarios.plan("coordinate")


def test_a_scenario_without_a_plan_has_none(tmp_path: Path) -> None:
    (tmp_path / "bare.toml").write_text(scenarios.read("coordinate").replace('plan = "coordinate"\n', ""))
    assert own(str(tmp_path / "bare.toml"), units=20) is None


def test_a_level_gives_the_first_plan_of_a_commander_on_the_map_of_the_seed() -> None:
    name = "wildfire/cut_trees_sparse_small"
    texts = {seed: own(name, seed=seed) for seed in (None, 5)}
    for seed, text in texts.items():
        world = hive.load(name, **({} if seed is None else {"seed": seed}))
        assert isinstance(world, Fireground) and text == first_plan(world, commander_for(world.site.level))
        report = dsl.check_plan(text, "own", world.context(0, world.sizes))
        assert report.ok and not report.diagnostics
    assert texts[None] != texts[5]
    assert "behavior: stand" in (own(name, commander="nothing") or "")


@pytest.mark.long
@pytest.mark.parametrize("name", LEVELS)
def test_every_level_has_a_plan_that_can_be_checked(name: str) -> None:
    world = hive.load(name)
    report = dsl.check_plan(own(name) or "", "own", world.context(0, world.sizes))
    assert report.ok, dsl.render(report.diagnostics)


def test_a_request_that_is_wrong_is_refused() -> None:
    with pytest.raises(UserError, match="`--printed-speeds` cannot be used here"):
        own("wildfire/cut_trees_sparse_small", printed_speeds=True)
    with pytest.raises(UserError, match="there is no commander `scriptd`"):
        own("wildfire/cut_trees_sparse_small", commander="scriptd")
    with pytest.raises(UserError):
        own("coordinat")

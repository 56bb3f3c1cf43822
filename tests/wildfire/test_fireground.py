"""Levels as worlds: what a seed fixes, what may be changed, and what is refused."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from hive.engine.types import CrewType
from hive.ground.fire import DIRECTIONS
from hive.worlds.wildfire.levels import levels
from hive.worlds.wildfire.task_text import known, task_text
from hive.worlds.wildfire.world import load_level


def test_a_level_is_its_seeds_map_and_places() -> None:
    """Crew by type from one cell, three civilians to a cluster, labelled cells with 3 trees.

    Rules: docs/rules/wildfire_levels.md 2.2, 2.3, 3.1.
    """
    world = load_level("wildfire/rescue_known_large")
    params, places = world.params, world.site.places
    assert world.name == "wildfire/rescue_known_large" and world.site.seed == levels()["rescue_known_large"].seeds[0]
    assert params.units.type.tolist() == [CrewType.FIREFIGHTER] * 5 and params.terrain.size == 80
    assert params.crews is not None and params.crews.civilian.shape == (9, 2)
    assert {tuple(cell) for cell in params.crews.civilian.tolist()} == set(places.clusters)
    assert np.allclose(params.crews.spawn, np.array(places.spawn) + 0.5)
    lines = load_level("cut_trees_lines_small", 8456).params
    assert lines.units.type.tolist() == [CrewType.FIREFIGHTER] * 2 + [CrewType.BULLDOZER]
    assert lines.crews is not None and lines.blaze is not None and int(lines.crews.task.best) == 30
    cells = np.asarray(lines.crews.task.cell)
    assert (np.asarray(lines.blaze.start.trees)[cells[:, 0], cells[:, 1]] == 3).all()
    assert (26, 6) in map(tuple, cells.tolist())  # the published dialogue of this seed names it


def test_wind_blows_where_it_was_published_to() -> None:
    """docs/rules/wildfire.md 1.2, 2.3: its second part is to the north, and y grows to the south."""
    world = load_level("suppress_contain", 733)
    ground, blaze = world.site.ground, world.params.blaze
    assert blaze is not None
    verdict = np.asarray(blaze.fuel.verdict)
    for x, y in [(10, 10), (30, 41), (55, 3), (20, 50)]:
        for d, (dx, dy) in enumerate(DIRECTIONS):
            source = x - dx, y - dy
            slope = math.degrees(math.atan((ground.elevation[x, y] - ground.elevation[source]) * 890 / 30))
            steep = math.exp(0.069 * abs(slope))
            east, north = ground.wind[source]
            along = (east * dx - north * dy) / math.hypot(east, north) / math.hypot(dx, dy)
            factor = steep if slope >= 0 else steep / (2 * steep - 1)
            ratio = factor * (1 - ground.moisture[x, y] / 10) * (along + 1) / 2
            assert bool(verdict[x, y] >> d & 1) == (ratio > 0.5) or abs(ratio - 0.5) < 1e-4


def test_the_text_says_nothing_unknown() -> None:
    """docs/rules/wildfire.md 8: on levels marked unknown the task text hides fire, civilians and water."""
    for level in levels().values():
        site = load_level(level.id).site
        facts, text = known(site), task_text(site)
        hidden = [place for place in (site.places.fire, *site.places.clusters) if place is not None]
        assert level.known == all(str(place) in text for place in hidden) or not hidden
        assert level.known or (facts.fire, facts.water, facts.clusters) == (None, None, ())
        assert site.places.goal is None or str(site.places.goal) in text


def test_numbers_of_a_level_change() -> None:
    world = load_level("full_environment", 3, size=120, firefighters=7, drones=0, limit=9, chance=0.5, shared=False)
    assert world.site.level.agents == (7, 1, 0, 2) and world.params.count == 10
    assert int(world.params.rules.limit) == 9 and world.params.terrain.size == 120
    assert world.params.units.type.tolist()[-1] == CrewType.HELICOPTER
    assert world.params.blaze is not None and world.params.blaze.fuel.odds is not None
    assert jnp.isclose(world.params.blaze.fuel.odds.chance, 0.5)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("wildfire/scout_fire_smal", {}, "scout_fire_small"),
        ("scout_fire_small", {"seed": -1}, "seed"),
        ("scout_fire_small", {"size": 5}, "`size` of a wildfire level is a whole number from 20 to 4,096, not 5"),
        ("scout_fire_small", {"size": 20.5}, "not 20.5"),
        ("scout_fire_small", {"drone": 5}, "drones"),
        ("scout_fire_small", {"drones": 0}, "at least one unit"),
        ("scout_fire_small", {"drones": 1}, "2 drones"),
        ("rescue_known_small", {"civilians": 0}, "needs a person to bring to its goal"),
        ("scout_fire_small", {"drones": 65, "shared": False}, "64 units at most, not for 65"),
        ("scout_fire_small", {"chance": -0.5}, "chance"),
    ],
)
def test_what_a_level_cannot_be_is_said(name: str, options: dict[str, int], words: str) -> None:
    with pytest.raises(dsl.UserError, match=words):
        load_level(name, **options)

"""Searches of many battles at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest

import dsl
import hive
from hive.engine.batch.mixed import Entry, Shape
from hive.engine.batch.result import Result
from hive.engine.batch.tables import play_games
from hive.experiments.search import together
from hive.experiments.search.evolve import Search, SearchSettings
from hive.experiments.search.playing import Arena, capacities_for
from hive.experiments.search.site import site_of
from hive.experiments.search.together import BattleSearch, search_together
from hive.worlds.battle.world import Battle
from tests.panel.test_panel import made_up


def begun(world: Battle, seed: int) -> Search:
    plan = dsl.check_plan(world.plan or "", "default", world.context()).root
    assert isinstance(plan, dsl.PlanSyntax)
    how = SearchSettings(games=48, plans=4, parents=2, seeds=2, finalists=4, seed=seed)
    return Search(plan, site_of(world, world.sizes, capacities_for(plan, how.most_plans)), how)


def test_searches_go_on_side_by_side_as_each_does_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes its own games of a batch, generation by generation, in one shape to the end; games are made up."""
    shapes = set()

    def played(entries: Sequence[Entry], *, shape: Shape) -> list[Result]:
        shapes.add(shape)
        return made_up(entries)

    monkeypatch.setattr(together, "play_mixed", played)
    worlds = three()
    searches = [begun(world, seed) for seed, world in enumerate(worlds)]
    sites = [BattleSearch(*each) for each in zip(searches, worlds, strict=True)]
    search_together(sites)
    assert len(shapes) == 1 and all(each.over for each in searches)
    for seed, site in enumerate(sites):
        alone = begun(site.world, seed)
        search_together([replace(site, search=alone)])
        assert site.search.generations == alone.generations and site.search.best == alone.best
    assert len({each.best for each in searches}) > 1, "the searches find different plans"


@pytest.mark.long
def test_searches_of_many_battles_find_what_each_finds_alone_with_one_program() -> None:
    """Generation by generation, to the bit, although they end after other numbers of generations."""
    worlds = three()
    searches = [begun(world, seed) for seed, world in enumerate(worlds)]
    before = play_games._cache_size()
    search_together([BattleSearch(*each) for each in zip(searches, worlds, strict=True)])
    assert play_games._cache_size() == before + 1
    alone = begun(worlds[1], 1)
    arena = Arena(worlds[1], capacities_for(alone.start, alone.settings.most_plans), alone.settings.batch)
    while not alone.over:
        alone.advance(arena)
    assert searches[1].generations == alone.generations and searches[1].best == alone.best
    assert all(each.over for each in searches)


def three() -> list[Battle]:
    """Battles of other kinds, which are short."""
    worlds = [hive.load(name) for name in ("battle/open/22", "battle/rivers/31", "battle/forests/12")]
    return [
        replace(each, scenario=replace(each.scenario, rules=msgspec.structs.replace(each.scenario.rules, limit=40)))
        for each in worlds
    ]

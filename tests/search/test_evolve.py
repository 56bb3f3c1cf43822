"""The search itself: budget, fresh seeds, selection, determinism, resuming, and the family of a plan."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import dsl
from dsl import PlanSyntax, UserError
from hive.experiments.search.comparing import bounded, interval, ranked, strengths, surest, worth
from hive.experiments.search.evolve import FIRST_SEED, Evaluate, Search, SearchSettings
from hive.experiments.search.family import difference, family_page, lineage
from hive.experiments.search.generation import Candidate, Generation
from tests.search.field import away, search


def run(found: Search, most: int = 100) -> Search:
    while not found.over and len(found.generations) < most:
        found.advance(away)
    return found


def always(value: float) -> Evaluate:
    return lambda plans, seeds: np.full((len(plans), len(seeds)), value)


def test_a_search_keeps_its_budget_plays_fresh_seeds_and_keeps_the_parents() -> None:
    found = run(search(games=200, plans=8, parents=3, seeds=4, final=0))
    assert 200 - 4 * 4 < found.games <= 200
    assert found.games == sum(len(each.values) for g in found.generations for each in g.candidates)
    seeds = [g.first_seed + k for g in found.generations for k in range(4)]
    assert len(set(seeds)) == len(seeds) and min(seeds) >= FIRST_SEED
    for old, new in zip(found.generations, found.generations[1:], strict=False):
        assert [each.id for each in new.candidates][: len(old.kept)] == list(old.kept), "parents are played again"
    texts = [each.text for g in found.generations for each in g.candidates if each.text]
    assert len(texts) == len(found.plans) - 1


def test_a_search_finds_better_plans() -> None:
    found = run(search(games=400, seed=3))
    first, best = (away([found.plans[number]], range(50)).mean() for number in (0, found.best))
    assert best > first + 0.2


def test_searches_of_other_seeds_differ_and_of_one_seed_are_equal() -> None:
    one, same, other = (run(search(games=120, seed=seed)) for seed in (1, 1, 2))
    assert one.generations == same.generations
    assert [g.candidates for g in one.generations] != [g.candidates for g in other.generations]
    assert {g.first_seed for g in one.generations}.isdisjoint(g.first_seed for g in other.generations)


@pytest.fixture(scope="module")
def whole() -> Search:
    """A search with a final, to its end."""
    return run(search(games=128, plans=8, seeds=2, seed=5))


@pytest.mark.parametrize("after", [1, 5])
def test_a_resumed_search_gives_the_same(whole: Search, after: int) -> None:
    """From what JSON keeps of the generations, to the bit."""
    assert len(whole.generations) > after + 2
    kept = [Generation.from_json(json.loads(json.dumps(each.json()))) for each in whole.generations[:after]]
    again = run(Search(whole.start, whole.site, whole.settings, kept))
    assert again.generations == whole.generations and again.best == whole.best
    assert again.plans == whole.plans


def test_a_lucky_plan_does_not_displace_a_proven_one() -> None:
    """Eight wins of nine count more than four of four where games vary as much."""
    found = search(games=1000, parents=1, plans=2)
    luck: list[list[float]] = [[1, 1, 1, 1], [0, 0, 0, 0]]

    def evaluate(plans: Sequence[PlanSyntax], seeds: Sequence[int]) -> np.ndarray:
        return np.array([luck[0] if plan == found.start else luck[1] for plan in plans], float)

    for rows in ([[1, 1, 1, 1], [0] * 4], [[1, 1, 1, 1], [0] * 4], [[0.5, 1, 1, 1], [1, 1, 1, 0.9]]):
        luck[:] = rows
        found.advance(evaluate)
        assert found.best == 0


def test_the_last_games_are_a_final_of_the_plans_that_promise_most() -> None:
    """No plan is new in it, fewer plans play more games, and one that was lucky before loses its place."""
    found = run(search(games=400, plans=16, parents=3, seeds=2, finalists=4, seed=3))
    final = [g for g in found.generations if g.games > found.settings.before_final]
    assert found.settings.before_final == 304 and len(final) == 3 and found.games <= 400
    assert all(not each.text and len(each.values) == 8 for g in final for each in g.candidates)
    assert [len(g.candidates) for g in final] == [4, 4, 4]
    before = [g for g in found.generations if g not in final]
    values = {each.id: np.mean(each.values) for g in before for each in g.candidates}
    first = {each.id for each in final[0].candidates}
    assert min(values[number] for number in first) > np.quantile(list(values.values()), 0.8)
    luck = search(games=400, plans=4, parents=1, seeds=1, first_seeds=1, finalists=2, final=0.5)
    while luck.games < luck.settings.before_final:
        luck.advance(lambda plans, seeds: np.array([[float(plan != luck.start)] for plan in plans]))
    lucky = luck.advance(lambda plans, seeds: np.array([[0.0] * len(seeds), [2.0] * len(seeds)])).candidates[0].id
    assert lucky not in [each.id for each in luck.advance(always(2.0)).candidates]


def test_before_the_first_win_more_plans_play_fewer_games() -> None:
    found = search(games=400, plans=8, parents=2, seeds=4, first_seeds=2)
    for value, shape in ((0.5, (16, 2)), (0.9, (16, 2)), (1.5, (16, 2)), (0.5, (8, 4))):
        generation = found.advance(always(value))
        assert (len(generation.candidates), len(generation.candidates[0].values)) == shape
    assert found.settings.most_plans == 16


def played(*rows: dict[int, list[float]]) -> list[Generation]:
    """Generations of plans and their values; seeds never repeat."""
    return [
        Generation(number, 100 * number, 0, tuple(Candidate(plan, tuple(values)) for plan, values in row.items()), (0,))
        for number, row in enumerate(rows)
    ]


def test_the_best_plan_is_the_surest_one() -> None:
    """Four wins of four say less than 19 of 20, and more than four of eight."""
    few = {0: [0.5] * 4, 1: [1.0] * 4}
    assert surest(strengths(played(few, {2: [1.0] * 19 + [0.9]}))) == 2
    assert surest(strengths(played(few | {2: [1.0] * 4}, {2: [0.9] * 4}))) == 1


def test_wins_with_hard_seeds_count_more_than_wins_with_easy_ones() -> None:
    """Plan 0 plays both generations: it wins with the seeds of the second alone, and so do all plans but one there."""
    first = {0: [0.0, 0.0], 1: [2.0, 2.0], 2: [0.0, 0.0]}
    second = {0: [2.0, 2.0], 3: [2.0, 2.0], 4: [2.0, 2.0], 5: [0.0, 0.0]}
    found = strengths(played(first, second))
    assert ranked(found)[0] == 1 and ranked(found)[-1] in (2, 5)
    assert found[1].mean > found[3].mean > found[2].mean


def test_strengths_are_the_least_squares_that_numpy_finds() -> None:
    """The normal prior of a term is one more row of a least-squares problem."""
    rng = np.random.default_rng(3)
    worths = rng.random((2, 3, 4)) / 2  # two generations of three plans and four seeds; plan 0 is in both
    names = [[0, 1, 2], [0, 3, 4]]
    rows = [dict(zip(name, (2 * block).tolist(), strict=True)) for name, block in zip(names, worths, strict=True)]
    terms, right = [], []
    for generation in range(2):
        for place, plan in enumerate(names[generation]):
            for seed in range(4):
                row = np.zeros(5 + 2 + 8)
                row[[plan, 5 + (plan > 2), 7 + 4 * generation + seed]] = 1
                terms.append(row)
                right.append(worths[generation, place, seed] - worths.mean())
    prior = np.diag(np.sqrt([1.0] * 7 + [3.0] * 8))
    effects = np.linalg.lstsq(np.vstack([*terms, prior]), np.array([*right, *[0.0] * 15]), rcond=None)[0]
    found = strengths(played(*rows))
    for plan in range(5):
        assert found[plan].mean == pytest.approx(worths.mean() + effects[plan] + effects[5 + (plan > 2)])


def test_plans_that_have_won_every_game_play_more_games_before_any_is_changed() -> None:
    """When all of them have lost a game, plans are changed again."""
    found = search(games=1000, plans=8, parents=2, seeds=2, finalists=4)
    assert len(found.advance(always(2.0)).candidates) == 8
    proofs = [found.advance(always(0.5)) for _ in range(2)]
    assert [[len(each.values) for each in proof.candidates] for proof in proofs] == [[4] * 4] * 2
    assert not any(each.text for proof in proofs for each in proof.candidates)
    assert any(each.text for each in found.advance(always(0.5)).candidates)


def test_a_game_that_is_not_won_counts_half() -> None:
    np.testing.assert_array_equal(worth([0.98, 0.0]), [0.49, 0.0])


def test_a_win_with_fewer_losses_counts_more_and_any_win_more_than_none() -> None:
    """Values of a win are 1 + the share of own units alive; people read 1."""
    np.testing.assert_array_equal(worth([1.0, 1.5, 2.0]), [0.75, 0.875, 1.0])
    np.testing.assert_array_equal(bounded([0.5, 1.0, 1.5]), [0.5, 1.0, 1.0])


@pytest.mark.parametrize("games", [0, 3])
def test_a_budget_for_no_comparison_is_refused(games: int) -> None:
    with pytest.raises(UserError, match="give it 4 games or more"):
        SearchSettings(games=games)


def test_an_interval_holds_the_mean_and_narrows() -> None:
    assert interval([1.0] * 4)[0] == pytest.approx(0.510, abs=1e-3) and interval([1.0] * 4)[1] == 1.0
    assert interval([0.0, 1.0] * 10) == pytest.approx((0.299, 0.701), abs=1e-3)


@pytest.mark.parametrize("broken", [{}, {"number": 1}, {"candidates": [3]}, {"kept": []}])
def test_a_damaged_generation_is_refused(broken: dict[str, object]) -> None:
    found = run(search(games=64)).generations[0].json()
    Generation.from_json(json.loads(json.dumps(found)))
    with pytest.raises(ValueError, match="no generation"):
        Generation.from_json(found | broken if "kept" in broken else broken)


def test_a_generation_without_the_text_of_its_plan_is_refused() -> None:
    found = run(search(games=64))
    bare = tuple(replace(each, text="") for each in found.generations[0].candidates)
    with pytest.raises(UserError, match="has no text of plan 1"):
        Search(found.start, found.site, found.settings, [replace(found.generations[0], candidates=bare)])
    with pytest.raises(UserError, match="keeps plan 999, which was not played"):
        Search(found.start, found.site, found.settings, [replace(found.generations[0], kept=(999,))])


def test_a_family_leads_from_the_first_plan_to_the_best_by_differences() -> None:
    found = run(search(games=200, seed=1))
    last = found.generations[-1].kept[0]
    line = lineage(found, last)
    assert line[0] == 0 and line[-1] == last and len(line) > 2
    page = family_page(found, last)
    for old, new in pairwise(line):
        assert found.first[new].parent == old
        shown = difference(found, old, new)
        assert shown in page and shown.startswith(f"--- plan {old}\n+++ plan {new}\n")
        removed = [text[1:] for text in shown.splitlines()[2:] if text.startswith("-")]
        assert set(removed) <= set(dsl.format_plan(found.plans[old]).splitlines())

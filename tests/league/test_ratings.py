"""Ratings: equal to another implementation, in the order of points, with intervals that cover what they claim."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive.experiments.league.ratings import MEAN, POINTS, PRIOR, first_beaten, rate


@st.composite
def round_robins(draw: st.DrawFn) -> np.ndarray:
    """Points of a league in which each pair plays as many games, draws included."""
    count, games = draw(st.integers(2, 6)), draw(st.integers(1, 20))
    points = np.zeros((count, count))
    for one in range(count):
        for other in range(one):
            points[one, other] = draw(st.integers(0, 2 * games)) / 2
            points[other, one] = games - points[one, other]
    return points


@settings(max_examples=20)
@given(points=round_robins())
def test_ratings_are_those_of_another_implementation(points: np.ndarray) -> None:
    """choix knows no draws: each half point is a win there, so the penalty doubles too (docs/rules/league.md 3.1)."""
    import choix  # scipy takes a second to import, in each worker that collects this

    count = len(points)
    wins = [(one, other) for one in range(count) for other in range(count) for _ in range(int(2 * points[one, other]))]
    expected = choix.opt_pairwise(count, wins, alpha=1.0 / PRIOR**2, method="Newton-CG", tol=1e-12)
    np.testing.assert_allclose(rate(points).rating, MEAN + POINTS * expected, atol=1e-3)


@given(points=round_robins())
def test_the_order_of_ratings_is_that_of_points_and_their_mean_is_1500(points: np.ndarray) -> None:
    """As the model implies where all pairs play equally often."""
    ratings = rate(points)
    total = points.sum(1)
    for one in range(len(points)):
        for other in range(len(points)):
            if total[one] > total[other]:
                assert ratings.rating[one] > ratings.rating[other]
    np.testing.assert_allclose(ratings.rating.mean(), MEAN)
    assert np.isfinite([ratings.low, ratings.high]).all()
    assert (ratings.low < ratings.rating).all() and (ratings.rating < ratings.high).all()


def test_a_plan_that_won_everything_stays_finite_and_rises_with_its_games() -> None:
    few, many = (rate(np.array([[0.0, games], [0.0, 0.0]])).rating[0] for games in (10.0, 1000.0))
    assert MEAN < few < many < MEAN + 1000


def test_intervals_cover_the_truth_as_often_as_they_claim() -> None:
    """95% of the intervals of 400 simulated leagues of plans with known strengths, within three standard errors."""
    random = np.random.default_rng(7)
    strength = np.array([-1.2, -0.5, 0.0, 0.4, 1.3])
    truth = MEAN + POINTS * (strength - strength.mean())
    odds = 1 / (1 + np.exp(strength[None] - strength[:, None]))
    inside = []
    for _ in range(400):
        won = np.tril(random.binomial(40, odds), -1)
        points = (won + np.tril(40 - won, -1).T).astype(float)
        ratings = rate(points)
        inside.append((ratings.low <= truth) & (truth <= ratings.high))
    assert abs(np.mean(inside) - 0.95) < 0.015


def test_plans_are_below_the_first_where_chance_does_not_explain_it() -> None:
    points = np.array([[0, 11, 20], [9, 0, 20], [0, 0, 0.0]])
    assert first_beaten(rate(points)).tolist() == [False, False, True]


def test_expected_shares_are_those_of_the_model() -> None:
    ratings = rate(np.array([[0, 15.0], [5.0, 0]]))
    gap = ratings.rating[0] - ratings.rating[1]
    np.testing.assert_allclose(ratings.expected()[0, 1], 1 / (1 + 10 ** (-gap / 400)))
    np.testing.assert_allclose(ratings.expected() + ratings.expected().T, 1)


@pytest.mark.parametrize("points", [np.zeros((1, 1)), np.zeros((2, 3)), np.full((2, 2), -1.0), np.full((2, 2), np.nan)])
def test_tables_that_are_no_league_are_refused(points: np.ndarray) -> None:
    with pytest.raises(ValueError, match="square table"):
        rate(points)

"""Intervals and ratings of the arena against known values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from truco_agents.arena import play_match
from truco_agents.arena.errors import ArenaError
from truco_agents.arena.estimate import estimate_difference, estimate_mean, estimate_rate
from truco_agents.arena.tournament import ELO, Tournament, fit_bradley_terry, pairs_of
from truco_env.rules.options import Rules


def test_the_mean_has_students_interval() -> None:
    samples = np.random.default_rng(0).normal(2, 3, 25)
    expected = stats.ttest_1samp(samples, 0).confidence_interval(0.95)
    estimate = estimate_mean(samples)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))
    assert estimate.count == 25


def test_the_difference_is_paired() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(0, 1, 40)
    second = first + rng.normal(0.1, 0.1, 40)
    expected = stats.ttest_rel(first, second).confidence_interval(0.95)
    estimate = estimate_difference(first, second)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))
    with pytest.raises(ValueError, match="paired samples"):
        estimate_difference(first, second[:-1])


@pytest.mark.parametrize("won", [0, 3, 500, 997, 1000])
def test_the_rate_of_single_results_is_wilsons(won: int) -> None:
    samples = np.concatenate([np.ones(won), np.zeros(1000 - won)])
    expected = stats.binomtest(won, 1000).proportion_ci(0.95, method="wilson")
    estimate = estimate_rate(samples)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high), abs=1e-3)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_groups_do_not_pretend_to_be_certain(value: float) -> None:
    few, many = estimate_rate(np.full(5, value)), estimate_rate(np.full(500, value))
    assert few.high - few.low > 10 * (many.high - many.low) > 0
    assert 0 <= few.low <= value <= few.high <= 1


def _groups(rng: np.random.Generator, rate: float, correlation: float, groups: int) -> npt.NDArray[np.float64]:
    first = rng.random(groups)
    linked = first if correlation > 0 else 1 - first
    second = np.where(rng.random(groups) < abs(correlation), linked, rng.random(groups))
    return ((first < rate).astype(float) + (second < rate)) / 2


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("correlation", [-0.8, 0.0, 0.8])
def test_the_rate_interval_of_pairs_covers_the_truth(rate: float, correlation: float) -> None:
    rng = np.random.default_rng(2)
    estimates = [estimate_rate(_groups(rng, rate, correlation, 100)) for _ in range(1000)]
    assert np.mean([estimate.low <= rate <= estimate.high for estimate in estimates]) >= 0.93


def test_pairing_narrows_the_rate_interval() -> None:
    rng = np.random.default_rng(3)
    widths = {}
    for correlation in (-0.8, 0.0, 0.8):
        estimate = estimate_rate(_groups(rng, 0.5, correlation, 1000))
        widths[correlation] = estimate.high - estimate.low
    assert widths[-0.8] < 0.6 * widths[0.0] < 0.6 * widths[0.8]


def test_two_ratings_are_the_log_odds_of_the_win_rate() -> None:
    (strengths,) = fit_bradley_terry(np.array([[0.75]]), [(0, 1)], 10**9, 1)
    assert ELO * strengths[0] == pytest.approx(400 * np.log10(3))
    assert strengths[1] == 0


def test_ratings_recover_the_strengths_that_made_the_results() -> None:
    truth = np.array([1.5, 0.0, -0.7, 3.0])
    pairs = pairs_of(["a", "b", "c", "d"])
    shares = np.array([[1 / (1 + np.exp(truth[j] - truth[i])) for i, j in pairs]])
    np.testing.assert_allclose(fit_bradley_terry(shares, pairs, 10**9, 1)[0], truth, atol=1e-6)


def test_winning_everything_gives_a_finite_rating() -> None:
    (strengths,) = fit_bradley_terry(np.array([[1.0, 1.0, 1.0]]), pairs_of(["a", "b", "c"]), 1000, 2)
    assert np.all(np.isfinite(strengths))
    assert strengths[0] > strengths[1] > strengths[2] == 0


def test_a_tournament_rates_the_better_agent_higher_with_the_anchor_at_zero() -> None:
    labels = ("prudente", "random", "bravo")
    results = {(i, j): play_match(labels[i], labels[j], Rules(), groups=100) for i, j in pairs_of(labels)}
    tournament = Tournament(labels, results, anchor=1)
    prudente, random, bravo = tournament.ratings()
    assert (random.mean, random.low, random.high) == (0, 0, 0)
    assert 0 < prudente.low < prudente.mean < prudente.high
    assert 0 < bravo.low < bravo.mean < bravo.high
    assert tournament.win_rate(0, 2).mean == pytest.approx(1 - tournament.win_rate(2, 0).mean)
    assert tournament.ratings() == tournament.ratings()


def test_the_rating_of_two_sides_is_elo_of_their_win_rate_with_one_drawn_group_more() -> None:
    result = play_match("bravo", "random", Rules(), groups=100)
    odds = (result.group_wins.sum() + 0.5) / (100.5 - result.group_wins.sum())
    bravo, random = Tournament(("bravo", "random"), {(0, 1): result}, anchor=1).ratings()
    assert bravo.mean == pytest.approx(400 * np.log10(odds))
    assert random.mean == 0


@pytest.mark.parametrize("labels", [["a"], ["a", "b", "a"]])
def test_a_tournament_needs_different_sides(labels: list[str]) -> None:
    with pytest.raises(ArenaError):
        pairs_of(labels)

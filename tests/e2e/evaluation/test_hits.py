"""Intervals and tests of accuracies equal figures of the literature and sums of the binomial distribution."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from covenant.evaluation import Hits, mcnemar_p_value, rating, wilson_interval
from covenant.evaluation.metrics import shown, shown_gain


@pytest.mark.parametrize(
    ("right", "rows", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_of_the_literature(right, rows, low, high):
    """R. G. Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3."""
    assert wilson_interval(right, rows) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("rows", [1, 2, 7, 360, 50_000])
def test_the_interval_is_where_the_score_test_accepts(rows):
    """Its ends are the shares from which the observed one is 1.96 standard deviations away; ends are exact."""
    for right in sorted({0, 1, rows // 3, rows - 1, rows}):
        low, high = wilson_interval(right, rows)
        assert 0 <= low <= right / rows <= high <= 1
        for end in (low, high):
            if 0 < end < 1:
                assert abs(right / rows - end) / (end * (1 - end) / rows) ** 0.5 == pytest.approx(1.959964, abs=1e-5)
    assert wilson_interval(0, rows)[0] == 0
    assert wilson_interval(rows, rows)[1] == 1


def test_the_exact_test_is_a_sum_of_the_binomial_distribution():
    """All outcomes of that many fair coins, those counted that are at least as uneven."""
    for first, second in product(range(6), range(6)):
        differ = first + second
        uneven = [sum(coins) for coins in product((0, 1), repeat=differ)]
        as_far = sum(abs(2 * heads - differ) >= abs(first - second) for heads in uneven)
        assert mcnemar_p_value(first, second) == float(Fraction(as_far, 2**differ))


def test_few_differences_are_never_told_apart():
    assert mcnemar_p_value(0, 5) == 0.0625
    assert mcnemar_p_value(0, 6) == 0.03125
    assert mcnemar_p_value(9000, 9000) == 1.0
    assert 0 < mcnemar_p_value(9000, 9600) < 0.05


def test_hits_count_rows():
    rng = np.random.default_rng(1)
    first, second = rng.random((2, 1003)) < 0.9
    hits, others = Hits.of(first), Hits.of(second)
    assert (hits.rows, hits.right) == (1003, first.sum())
    assert Hits.parsed(hits.text) == hits
    assert hits.p_value(others) == mcnemar_p_value(int((first & ~second).sum()), int((second & ~first).sum()))
    assert hits.interval == wilson_interval(int(first.sum()), 1003)


def test_pairs_are_told_apart_where_intervals_overlap():
    """Six images more of a hundred: a pair shows it, two samples of a hundred do not."""
    few, more = Hits(100, (1 << 90) - 1, "x"), Hits(100, (1 << 96) - 1, "x")
    assert few.is_told_from(more)
    assert not few.is_told_from(more.on("y"))
    assert Hits(100, 1, "x").is_told_from(more.on("y"))


def test_a_metric_of_rows_has_hits():
    outputs = np.array([[[1.0, 2.0]], [[2.0, 1.0]], [[0.0, 3.0]]])
    rated = rating("top1", outputs, np.array([1, 1, 1]))
    assert (rated.figure, rated.hits) == (2 / 3, Hits(3, 0b101))
    assert shown("top1", rated.figure, rated.hits.interval) == "66.67% [20.8%, 93.9%]"
    assert shown_gain("top1", 0.01, 0.5) == "+1.00 (tied)"
    assert shown_gain("top1", 0.01, 0.01) == "+1.00"

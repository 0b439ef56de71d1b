"""Certainty of an accuracy on so many images: its confidence interval, and which accuracies can be told apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

__all__ = [
    "CONFIDENCE", "AccuracyIntervals", "Hits", "Interval", "interval_of", "mcnemar_p_value", "p_value_of",
    "wilson_interval",
]  # fmt: skip

CONFIDENCE = 0.95
"""Confidence of intervals; two accuracies are told apart where the p-value is below one less this."""
_NORMAL = 1.959963984540054
"""The normal distribution has this share between this and its negative."""
Interval = tuple[float, float]
"""Lower and upper end."""


def wilson_interval(right: int, rows: int) -> Interval:
    """The 95 % confidence interval of a share: Wilson's score interval, without correction for continuity.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927), 209-212. It stays within 0..1, and has a width where all or none are right.

    Args:
        right: how many are.
        rows: of so many, 1 or more.

    Example:
        >>> tuple(round(end, 4) for end in wilson_interval(81, 263))
        (0.2553, 0.3662)
    """
    share, square = right / rows, _NORMAL**2 / rows
    middle = share + square / 2
    half = (square * (share * (1 - share) + square / 4)) ** 0.5
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return (0.0 if right == 0 else low, 1.0 if right == rows else high)


@lru_cache(maxsize=65536)
def mcnemar_p_value(only_first: int, only_second: int) -> float:
    """Two-sided p-value of the exact McNemar test: how likely two equally good models differ as unevenly by chance.

    Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12 (1947), 153-157; exact: the binomial distribution with one half, no approximation of it.

    Args:
        only_first: rows that the first one alone has right.
        only_second: rows that the second one alone has right.

    Example:
        >>> mcnemar_p_value(1, 5), mcnemar_p_value(0, 0)
        (0.21875, 1.0)
    """
    differ = only_first + only_second
    tail = term = 1
    for place in range(min(only_first, only_second)):
        term = term * (differ - place) // (place + 1)
        tail += term
    return min(1.0, 2 * tail / 2**differ)


@dataclass(frozen=True)
class Hits:
    """The rows of outputs that are right, by a metric of rows of scores (`covenant.evaluation.RANKS`)."""

    rows: int
    """Number of all rows: of an output that has one row for each image, the number of images."""
    bits: int
    """A bit for each row, that of the first one the lowest: 1 where it is right."""
    data: str = ""
    """What the rows are of: hits of equal data are of the same images in the same order."""

    @classmethod
    def of(cls, right: np.ndarray) -> Hits:
        """Hits from bool[rows]."""
        return cls(len(right), int.from_bytes(np.packbits(right, bitorder="little").tobytes(), "little"))

    @classmethod
    def parsed(cls, text: str, data: str = "") -> Hits:
        """Hits from `text`."""
        rows, _, bits = text.partition(":")
        return cls(int(rows), int(bits, 16), data)

    @property
    def text(self) -> str:
        """Both numbers as text, the bits in hexadecimal."""
        return f"{self.rows}:{self.bits:x}"

    @property
    def right(self) -> int:
        """Number of rows that are right."""
        return self.bits.bit_count()

    @property
    def interval(self) -> Interval:
        """The 95 % confidence interval of the share of rows that are right (`wilson_interval`)."""
        return wilson_interval(self.right, self.rows)

    def p_value(self, other: Hits) -> float:
        """The p-value by which two models, or machines, differ on the same rows (`mcnemar_p_value`)."""
        return mcnemar_p_value((self.bits & ~other.bits).bit_count(), (other.bits & ~self.bits).bit_count())

    def is_told_from(self, other: Hits) -> bool:
        """Whether the two shares can be told apart.

        On the same rows by the exact McNemar test; else, because only counts are comparable, where the intervals do not
        overlap, which takes a larger difference. Each pair stands for itself: nothing corrects for many comparisons.
        """
        if (self.data, self.rows) == (other.data, other.rows):
            return self.p_value(other) < 1 - CONFIDENCE
        return self.interval[1] < other.interval[0] or other.interval[1] < self.interval[0]

    def on(self, data: str) -> Hits:
        """The same, of these data."""
        return replace(self, data=data)


def interval_of(hits: Hits | None) -> Interval | None:
    """The interval of an accuracy; None of a figure that is no share of rows."""
    return None if hits is None else hits.interval


def p_value_of(first: Hits | None, second: Hits | None) -> float | None:
    """The p-value by which two accuracies on the same rows differ; None where one is no share of rows, or missing."""
    return None if first is None or second is None else first.p_value(second)


class AccuracyIntervals:
    """The intervals that results have of the accuracies of a model and of its float model."""

    hits: Hits | None
    float_hits: Hits | None

    @property
    def accuracy_interval(self) -> Interval | None:
        """The 95 % confidence interval of `accuracy`; None where it is no share of rows."""
        return interval_of(self.hits)

    @property
    def float_accuracy_interval(self) -> Interval | None:
        """The same of `float_accuracy`."""
        return interval_of(self.float_hits)

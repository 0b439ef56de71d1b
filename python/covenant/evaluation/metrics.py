"""How well outputs fit labels: rows of scores, of which one is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["METRICS", "Scores", "rows_of", "scores_of"]


def _top(count: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Whether the label is among the `count` largest scores; of equal scores the first one is the larger."""

    def is_right(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        own = rows[np.arange(len(rows)), labels][:, None]
        places = np.arange(rows.shape[1])[None, :]
        above = (rows > own) | ((rows == own) & (places < labels[:, None]))
        return above.sum(axis=1) < count

    return is_right


METRICS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"top1": _top(1), "top5": _top(5)}
"""By name: of rows of scores, real[rows, classes], and labels, int64[rows], which rows are right."""


@dataclass(frozen=True)
class Scores:
    """What outputs are worth."""

    right: np.ndarray
    """bool[rows]: right by the metric."""
    guesses: np.ndarray
    """int64[rows]: place of the largest score."""
    margins: np.ndarray
    """f64[rows]: the score of the label less the largest other one; negative where another one is guessed."""
    losses: np.ndarray
    """f64[rows]: cross entropy of the scores as logits, in nats."""

    @property
    def accuracy(self) -> float:
        """The share of rows that are right."""
        return float(np.mean(self.right))


def rows_of(output: np.ndarray) -> np.ndarray:
    """Rows of scores: [images, rows, ...] -> f64[images * rows, classes]."""
    return output.reshape(output.shape[0] * output.shape[1], -1).astype(np.float64)


def scores_of(output: np.ndarray, labels: np.ndarray, metric: str) -> Scores:
    """Of an output of all images, [images, rows, ...], and the label of every row.

    Args:
        output: the scores.
        labels: int64[images * rows]: places of scores.
        metric: one of METRICS.
    """
    rows = rows_of(output)
    own = rows[np.arange(len(rows)), labels]
    others = rows.copy()
    others[np.arange(len(rows)), labels] = -np.inf
    largest = rows.max(axis=1)
    losses = np.log(np.exp(rows - largest[:, None]).sum(axis=1)) + largest - own
    return Scores(METRICS[metric](rows, labels), rows.argmax(axis=1), own - others.max(axis=1), losses)

"""Metrics of rows of scores: whether the score of the label is among the largest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from covenant.choices import LARGEST
from covenant.evaluation.errors import user_error

__all__ = ["RANKS", "Scores", "check_labels", "right_rows", "scores_of"]


def _top(count: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Whether the label is among the `count` largest scores; of equal scores the first one is the larger."""

    def is_right(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        own = rows[np.arange(len(rows)), labels][:, None]
        places = np.arange(rows.shape[1])[None, :]
        above = (rows > own) | ((rows == own) & (places < labels[:, None]))
        return above.sum(axis=1) < count

    return is_right


RANKS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    name: _top(count) for name, count in LARGEST.items()
}
"""Functions by name: from rows of scores, real[rows, classes], and labels, int64[rows], to which rows are right."""


@dataclass(frozen=True)
class Scores:
    """Rating of each row of an output: whether it is right, its guess, margin and loss."""

    right: np.ndarray
    """bool[rows]: right by the metric."""
    guesses: np.ndarray
    """int64[rows]: place of the largest score."""
    margins: np.ndarray
    """f64[rows]: the score of the label less the largest other one; negative where another one is guessed."""
    losses: np.ndarray
    """f64[rows]: cross entropy of the scores as logits, in nats."""


def check_labels(labels: np.ndarray, images: int, shape: Sequence[int], output: str) -> None:
    """Whether every row of an output of this shape, of every image, has a label that is the place of a score.

    Raises:
        CovenantError: ACC0004, it is not so.
    """
    rows, *rest = shape or (0,)
    classes = int(np.prod(rest, dtype=np.int64))
    if not rows or not classes:
        raise user_error("ACC0004", "the output has no rows of scores", output, offending=list(shape),
                         allowed=("[rows, scores]",), fix="name another output, or another metric")  # fmt: skip
    if len(labels) != images * rows:
        raise user_error("ACC0004", "there is not one label for each row of the output", output,
                         offending=f"{len(labels)} labels", allowed=(f"{images * rows} labels",),
                         fix="save as many labels as the outputs of all images have rows")  # fmt: skip
    if labels.min() < 0 or labels.max() >= classes:
        raise user_error("ACC0004", "a label is no place of a score", output,
                         offending=f"{labels.min()}..{labels.max()}", allowed=(f"0..{classes - 1}",),
                         fix="count classes from 0, in the order of the output")  # fmt: skip


def right_rows(output: np.ndarray, labels: np.ndarray, metric: str) -> np.ndarray:
    """bool[rows]: which rows of an output of all images are right.

    Args:
        output: real[images, rows, ...], the scores.
        labels: int64[images * rows]: places of scores.
        metric: one of RANKS.

    Raises:
        CovenantError: ACC0004, as `check_labels`; ACC0010, a score is NaN.
    """
    return RANKS[metric](_rows_of(output, labels), labels)


def scores_of(output: np.ndarray, labels: np.ndarray, metric: str) -> Scores:
    """Ratings of the rows of an output; arguments and mistakes as for `right_rows`."""
    rows = _rows_of(output, labels)
    own = rows[np.arange(len(rows)), labels]
    others = rows.copy()
    others[np.arange(len(rows)), labels] = -np.inf
    largest = rows.max(axis=1)
    losses = np.log(np.exp(rows - largest[:, None]).sum(axis=1)) + largest - own
    return Scores(RANKS[metric](rows, labels), rows.argmax(axis=1), own - others.max(axis=1), losses)


def _rows_of(output: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """[images, rows, ...] -> f64[images * rows, classes]."""
    check_labels(labels, len(output), output.shape[1:], "labels")
    rows = output.reshape(output.shape[0] * output.shape[1], -1).astype(np.float64)
    if np.isnan(rows).any():
        raise user_error("ACC0010", "the output has elements that are no numbers", "scores", offending="nan",
                         fix="name another output, or a metric that knows what they mean")  # fmt: skip
    return rows

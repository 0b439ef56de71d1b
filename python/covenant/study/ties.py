"""Points that the images of a study do not tell from those of its front."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from covenant.study.description import Objective
from covenant.study.row import ACCURACY, StudyRow, cost_of

__all__ = ["dominates", "ties_of"]


def ties_of(
    rows: Sequence[StudyRow], front: Iterable[int], objectives: Sequence[Objective]
) -> dict[int, tuple[int, ...]]:
    """By place of a row on the front, the places of the rows that are tied with it.

    A row is tied with one of the front if it is at least as good in every objective but the accuracy, and the
    accuracies cannot be told apart (`covenant.evaluation.Hits.is_told_from`) or are equal. Rows of the front may be
    tied, too: with another one that has fewer cycles, say, and by chance an image less.

    Args:
        rows: of the table.
        front: places of those on the front.
        objectives: of the front.
    """
    costs = [cost_of(row, objectives) for row in rows]
    rated = [one.column == ACCURACY for one in objectives]
    found = {}
    for best in front:
        found[best] = tuple(
            place
            for place, cost in enumerate(costs)
            if place != best and cost is not None and _is_tied(rows, costs, best, place, rated)
        )
    return found


def dominates(rows: Sequence[StudyRow], first: int, second: int, objectives: Sequence[Objective]) -> bool:
    """Whether a row is as good as another in every objective, and better in one beyond what chance explains."""
    better, worse = (cost_of(rows[place], objectives) for place in (first, second))
    if better is None or worse is None or any(a > b for a, b in zip(better, worse, strict=True)):
        return False
    return any(
        a < b and (one.column != ACCURACY or _is_told_apart(rows[first], rows[second]))
        for one, a, b in zip(objectives, better, worse, strict=True)
    )


def _is_tied(
    rows: Sequence[StudyRow], costs: Sequence[tuple[float, ...] | None], best: int, place: int, rated: Sequence[bool]
) -> bool:
    pairs = zip(costs[place] or (), costs[best] or (), rated, strict=True)
    return all(
        cost <= least or (is_accuracy and not _is_told_apart(rows[place], rows[best]))
        for cost, least, is_accuracy in pairs
    )


def _is_told_apart(first: StudyRow, second: StudyRow) -> bool:
    """Whether the accuracies differ beyond chance; figures that are no shares of rows do if they are not equal."""
    if first.hits is None or second.hits is None:
        return first.accuracy != second.accuracy
    return first.hits.is_told_from(second.hits)

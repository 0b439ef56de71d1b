"""Decides which points of the grid are computed, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from covenant.study.description import Objective, StudySearch
from covenant.study.draws import drawn
from covenant.study.errors import user_error
from covenant.study.grid import Grid
from covenant.study.points import Point
from covenant.study.row import StudyRow

__all__ = ["AllAtOnce", "Search", "start_search"]


class Search(Protocol):
    """Names points, batch by batch. What it names depends on the study and on rows it was told alone."""

    total: int
    """Points that it names in all."""
    first_batch: int
    """Points of its first batch, named without any result; 0: all are named at once."""

    def ask(self) -> tuple[Point, ...]:
        """The next points; none: it is at its end. Points of one batch may be computed in any order."""
        ...

    def tell(self, rows: Sequence[StudyRow]) -> None:
        """The rows of the points that were named last, in their order."""
        ...


class AllAtOnce:
    """A search that needs no result: all points are its first batch."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.total = len(points)
        self.first_batch = 0
        self._points = tuple(points)

    def ask(self) -> tuple[Point, ...]:
        """All points, then none."""
        points, self._points = self._points, ()
        return points

    def tell(self, rows: Sequence[StudyRow]) -> None:
        """Ignores results, because no later point depends on them."""


def start_search(grid: Grid, search: StudySearch, objectives: Sequence[Objective]) -> Search:
    """The search of a study, at its start.

    Raises:
        CovenantError: STU0011, it takes more points than there are; STU0017, Optuna is not installed.
    """
    if search.points is None:
        return AllAtOnce([grid.point(place) for place in range(len(grid))])
    if search.points > len(grid):
        raise user_error("STU0011", "a search takes more points than the grid has", "search.points",
                         offending=search.points, allowed=(f"1..{len(grid)}",),
                         fix='write method = "grid" for all of them')  # fmt: skip
    if search.method == "random":
        return AllAtOnce([grid.point(place) for place in drawn(len(grid), search.points, search.seed)])
    from covenant.study.optuna_search import OptunaSearch  # noqa: PLC0415 (optional, and slow to import)

    return OptunaSearch(grid, search, objectives)

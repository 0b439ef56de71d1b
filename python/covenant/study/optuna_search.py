"""A search by Optuna: each batch of points is proposed after the results of those before it.

Samplers: the tree-structured Parzen estimator (Bergstra, Bardenet, Bengio and Kégl, Algorithms for Hyper-Parameter
Optimization) and NSGA-II (Deb, Pratap, Agarwal and Meyarivan, A Fast and Elitist Multiobjective Genetic Algorithm).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from covenant.study.description import BATCH, Objective, StudySearch
from covenant.study.draws import drawn
from covenant.study.errors import user_error
from covenant.study.grid import Axis, Grid
from covenant.study.points import Point
from covenant.study.row import StudyRow

__all__ = ["OptunaSearch"]

_MOST_REPEATS = 20
"""Proposals in a row of points that are known already, after which one is drawn at random from the others."""


class OptunaSearch:
    """Proposes points of a grid, a batch at a time, none of them twice.

    A resumed study proposes the same points again, because the sampler starts from its seed and gets the same rows in
    the same order. A point that failed, or lacks an objective, is reported as failed: no model learns from it.

    Raises:
        CovenantError: STU0017, Optuna is not installed.
    """

    def __init__(self, grid: Grid, search: StudySearch, objectives: Sequence[Objective]) -> None:
        self._optuna = _optuna()
        self.total = search.points or 0
        self._grid = grid
        self._axes = grid.axes
        self._objectives = tuple(objectives)
        self._batch = search.batch or BATCH
        self.first_batch = min(self._batch, self.total)
        self._others = drawn(len(grid), len(grid), search.seed)
        self._told: set[int] = set()  # places in the grid
        self._open: list[tuple[Any, int]] = []  # trials of the batch that is out, with the places of their points
        with self._quietly():
            self._study = self._optuna.create_study(
                sampler=self._sampler(search),
                directions=["minimize" if one.sense == "min" else "maximize" for one in self._objectives],
            )

    def _sampler(self, search: StudySearch) -> Any:
        samplers = self._optuna.samplers
        kind = search.sampler or ("tpe" if len(self._objectives) == 1 else "nsga2")
        if kind == "tpe":
            # The first batch is drawn at random: nothing is known yet. Points that are out count as poor ones.
            return samplers.TPESampler(seed=search.seed, n_startup_trials=self._batch, constant_liar=True)
        return samplers.NSGAIISampler(seed=search.seed, population_size=max(2, self._batch))

    def ask(self) -> tuple[Point, ...]:
        """Up to a batch of points that it has not named before."""
        wanted = min(self._batch, self.total - len(self._told))
        with self._quietly():
            while len(self._open) < wanted:
                self._open.append(self._new_trial())
        return tuple(self._grid.point(place) for _, place in self._open)

    def tell(self, rows: Sequence[StudyRow]) -> None:
        """The rows of that batch."""
        with self._quietly():
            for (trial, place), row in zip(self._open, rows, strict=True):
                self._told.add(place)
                self._tell(trial, row)
        self._open = []

    def _new_trial(self) -> tuple[Any, int]:
        """A trial of a point that was never proposed. What is proposed again tells the sampler nothing: it fails."""
        for _ in range(_MOST_REPEATS):
            trial, place = self._trial()
            if self._is_fresh(place):
                return trial, place
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        fresh = next(filter(self._is_fresh, self._others))
        self._study.enqueue_trial(self._grid.chosen(fresh))
        return self._trial()[0], fresh

    def _is_fresh(self, place: int) -> bool:
        return place not in self._told and place not in (other for _, other in self._open)

    def _trial(self) -> tuple[Any, int]:
        trial = self._study.ask()
        chosen: dict[str, int] = {}
        for axis in self._axes:
            if axis.matters(chosen):
                chosen[axis.name] = _suggested(trial, axis)
        return trial, self._grid.place(chosen)

    def _tell(self, trial: Any, row: StudyRow) -> None:
        values = [getattr(row, one.column) for one in self._objectives]
        if any(value is None for value in values):
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        else:
            self._study.tell(trial, values)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Optuna logs to standard error what a progress bar shows."""
        before = self._optuna.logging.get_verbosity()
        self._optuna.logging.set_verbosity(self._optuna.logging.ERROR)
        try:
            yield
        finally:
            self._optuna.logging.set_verbosity(before)


def _suggested(trial: Any, axis: Axis) -> int:
    last = len(axis.values) - 1
    if axis.is_ordered:
        return trial.suggest_int(axis.name, 0, last)
    return trial.suggest_categorical(axis.name, range(last + 1))


def _optuna() -> Any:
    try:
        import optuna  # noqa: PLC0415 (optional, and slow to import)
    except ImportError as error:
        raise user_error("STU0017", "the search needs a Python package that cannot be loaded", "search.method",
                         offending=error, fix='pip install optuna, or write method = "random"') from error  # fmt: skip
    return optuna

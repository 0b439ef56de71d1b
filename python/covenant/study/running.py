"""Computes the points of a study that have no result yet, on all cores, along with other processes that do the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from covenant.study.description import Objective
from covenant.study.measure import Outcome
from covenant.study.points import Point, plan
from covenant.study.row import MISSING
from covenant.study.search import Search
from covenant.study.store import Store
from covenant.study.table import rows_of

__all__ = ["Progress", "Ran", "Run", "State", "walk"]

_POLL_SECONDS = 0.5


@dataclass(frozen=True)
class State:
    """Progress of a study."""

    done: int
    """Points that have a result."""
    failed: int
    """Points among them that have no values."""
    total: int


class Computers(Protocol):
    """A pool that computes points: `covenant.study.workers.Workers`, or `covenant.study.dask_workers.DaskWorkers`."""

    @property
    def has_room(self) -> bool:
        """Whether one could begin another group."""
        ...

    @property
    def is_busy(self) -> bool:
        """Whether an outcome is to come."""
        ...

    def send(self, points: Sequence[Point]) -> None:
        """Gives points of one group to one of them."""
        ...

    def receive(self, timeout_seconds: float) -> Iterator[tuple[Outcome, bool]]:
        """Outcomes that have come, after waiting for one; False beside one: it is not that of a computation."""
        ...


Progress = Callable[[State], None]
"""Told how far a study has come, at the start and after each point."""


@dataclass
class Ran:
    """Result of one call."""

    lost: dict[str, Outcome] = field(default_factory=dict)
    """Points whose outcome is not one of theirs, by key: not kept, for they may be computed another time."""
    computed: int = 0
    """Points that have a result by this call."""
    seconds: float = 0.0
    """Wall-clock time."""


Compute = Callable[[Sequence[Point]], None]


def walk(
    search: Search, store: Store, compute: Compute, objectives: Sequence[Objective] = ()
) -> tuple[Point, ...]:  # fmt: skip
    """Goes through a search for as long as its points have results.

    Args:
        search: at its start.
        store: where results are kept.
        compute: called with each batch of points, before its results are looked up.
        objectives: of the study: rows have what these name.

    Returns:
        All points that it has named; those of the last batch may be without a result.
    """
    named: list[Point] = []
    while batch := search.ask():
        named += batch
        compute(batch)
        points = plan(batch)
        rows = rows_of(points, store.outcomes(points.keys), objectives)
        if any(row.status == MISSING for row in rows):
            break
        search.tell(rows)
    return tuple(named)


class Run:
    """One call that computes what has no result yet, and waits for what others compute.

    Args:
        store: where results are kept.
        workers: who computes.
        total: points on machines in all.
        limit: at most so many points are computed; None: all of them.
        progress: told how far it has come.
    """

    def __init__(
        self, store: Store, workers: Computers, total: int, limit: int | None = None, progress: Progress | None = None
    ) -> None:
        self.ran = Ran()
        self._store = store
        self._workers = workers
        self._total = total
        self._left = limit
        self._progress = progress
        self._known: dict[str, bool] = {}  # by key of a point that has a result: whether it has no values
        self._references: set[str] = set()
        self._repeats = 0  # points that have the key of another one
        self._groups: list[list[Point]] = []
        self._start = time.perf_counter()

    def compute(self, batch: Sequence[Point]) -> None:
        """Computes until these points have a result, or the limit is reached."""
        part = plan(batch)
        self._references |= {point.key for point in part.references}
        points = part.by_key
        self._repeats += len(batch) + len(part.references) - len(points)
        self._known |= {key: outcome.values is None for key, outcome in self._store.outcomes(points).items()}
        # References first, then groups in the order of the study; what others have claimed stays in the list.
        self._groups = _grouped([point for key, point in points.items() if key not in self._known])
        self._tell()
        try:
            self._go()
        finally:
            self.ran.seconds = time.perf_counter() - self._start

    def _go(self) -> None:
        while True:
            waits = self._send()
            if not self._workers.is_busy and not waits:
                return
            if self._workers.is_busy:
                for outcome, is_computed in self._workers.receive(_POLL_SECONDS):
                    self._keep(outcome, is_computed=is_computed)
            else:
                time.sleep(_POLL_SECONDS)
            self._store.show_life()

    def _send(self) -> bool:
        """Gives work to all that are idle; True if there is work that others have claimed, and that may come back."""
        place = 0
        while place < len(self._groups) and self._workers.has_room and self._left != 0:
            group = self._groups[place]
            taken = [point.key for point in group][: self._left]
            mine, others = self._store.claim(taken)
            self._note_results(set(taken) - {*mine, *others})
            rest = [point for point in group if point.key in others or point.key not in taken]
            self._groups[place : place + 1] = [rest] if rest else []
            place += bool(rest)
            if mine:
                self._left = None if self._left is None else self._left - len(mine)
                self._workers.send([point for point in group if point.key in mine])
        return bool(self._groups) and self._left != 0

    def _note_results(self, keys: set[str]) -> None:
        """Points that others have computed meanwhile."""
        for key, outcome in self._store.outcomes(sorted(keys)).items():
            self._known[key] = outcome.values is None
        if keys:
            self._tell()

    def _keep(self, outcome: Outcome, *, is_computed: bool) -> None:
        if not is_computed:
            self._store.release(outcome.key)
            self.ran.lost[outcome.key] = outcome
        elif not self._store.finish(outcome):
            return  # taken over: the result of the other owner counts
        self.ran.computed += is_computed
        self._known[outcome.key] = outcome.values is None
        self._tell()

    def _tell(self) -> None:
        if self._progress:
            total = self._total + len(self._references) - self._repeats
            self._progress(State(len(self._known), sum(self._known.values()), total))


def _grouped(points: Sequence[Point]) -> list[list[Point]]:
    """Points of equal groups together, where the first of them stands."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(point.group, []).append(point)
    return list(groups.values())

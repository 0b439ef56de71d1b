"""Computing the points of a study that have no result yet, on all cores, beside other processes that do the same."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from covenant.study.measure import Outcome
from covenant.study.points import Plan, Point
from covenant.study.store import Store
from covenant.study.workers import Workers

__all__ = ["Progress", "Ran", "State", "run_points"]

_POLL_SECONDS = 0.5


@dataclass(frozen=True)
class State:
    """How far a study has come."""

    done: int
    """Points that have a result."""
    failed: int
    """Of them, those without values."""
    total: int


Progress = Callable[[State], None]
"""Told how far a study has come, at the start and after each point."""


@dataclass
class Ran:
    """What one call has computed."""

    lost: dict[str, Outcome] = field(default_factory=dict)
    """Points whose process has ended in the middle, by key: not kept, for they may be computed another time."""
    computed: int = 0
    """Points that have a result by this call."""
    seconds: float = 0.0
    """Wall-clock time."""


def run_points(
    plan: Plan, store: Store, *, jobs: int | None = None, limit: int | None = None, progress: Progress | None = None
) -> Ran:
    """Computes what has no result yet, and waits for what others compute.

    Args:
        plan: the points.
        store: where results are kept.
        jobs: processes at a time; None: one for each core.
        limit: at most so many points; None: all of them.
        progress: told how far it has come.
    """
    start = time.perf_counter()
    run = _Run(plan, store, limit, progress)
    try:
        with Workers(jobs or os.cpu_count() or 1) as workers:
            run.go(workers)
    finally:
        run.ran.seconds = time.perf_counter() - start
    return run.ran


class _Run:
    """One call of `run_points`."""

    def __init__(self, plan: Plan, store: Store, limit: int | None, progress: Progress | None) -> None:
        points = {point.key: point for point in (*plan.references, *plan.points)}
        self.ran = Ran()
        self._store = store
        self._left = limit
        self._progress = progress
        self._known = {key: outcome.values is None for key, outcome in store.outcomes(points).items()}
        self._total = len(points)
        # References first, then groups in the order of the study; what others have claimed stays in the list.
        self._groups = _grouped([point for key, point in points.items() if key not in self._known])

    def go(self, workers: Workers) -> None:
        """Until everything has a result, or the limit is reached."""
        self._tell()
        while True:
            waits = self._send(workers)
            if not workers.is_busy and not waits:
                return
            if workers.is_busy:
                for outcome, is_computed in workers.receive(_POLL_SECONDS):
                    self._keep(outcome, is_computed=is_computed)
            else:
                time.sleep(_POLL_SECONDS)
            self._store.show_life()

    def _send(self, workers: Workers) -> bool:
        """Gives work to all that are idle; True if there is work that others have claimed, and that may come back."""
        place = 0
        while place < len(self._groups) and workers.has_room and self._left != 0:
            group = self._groups[place]
            taken = [point.key for point in group][: self._left]
            mine, others = self._store.claim(taken)
            self._note_results(set(taken) - {*mine, *others})
            rest = [point for point in group if point.key in others or point.key not in taken]
            self._groups[place : place + 1] = [rest] if rest else []
            place += bool(rest)
            if mine:
                self._left = None if self._left is None else self._left - len(mine)
                workers.send([point for point in group if point.key in mine])
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
            self._progress(State(len(self._known), sum(self._known.values()), self._total))


def _grouped(points: Sequence[Point]) -> list[list[Point]]:
    """Points of equal groups together, where the first of them stands."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(point.group, []).append(point)
    return list(groups.values())

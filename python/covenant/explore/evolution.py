"""An evolutionary search of machines within limits.

Good machines lie at the edge of the allowed space: a machine that takes less of everything is seldom the best
one. So children of good machines trade one resource for another, shrink until the limits hold, and spend what is
left; a general sampler proposes mostly machines that are too large, or too small. Selection is that of NSGA-II (Deb,
Pratap, Agarwal and Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II", 2002): rank of the front,
then distance from neighbours.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from covenant.explore.constraints import Constraint, cost_within
from covenant.explore.space import Choice, Space
from covenant.study.description import Objective
from covenant.study.front import front_of
from covenant.study.hardware import AREA, hardware_of
from covenant.study.points import Point, Resolved
from covenant.study.row import StudyRow

__all__ = ["BATCH", "Evolution"]

BATCH = 8
"""Points that are proposed at a time, independent of the number of processes, because proposals depend on it."""
_MOST_TRIES = 200
"""Children in a row that are known or out of limits, after which the search ends."""
_NEW, _MIXED = 0.05, 0.2
"""Shares of children that have no parents, and of those that have two."""

Cost = tuple[float, ...]


class Evolution:
    """Proposes machines, a batch at a time, none of them twice; a `covenant.study.search.Search`.

    Args:
        space: the machines that may be proposed.
        make: the point of a machine.
        objectives: by which machines are good.
        constraints: that all proposals hold, as far as a machine alone tells.
        points: to propose in all.
        seed: proposals depend on it, and on the results so far.

    Attributes:
        total: points that it proposes at most.
        first_batch: points that it proposes before it has a result.
        refused: machines that were considered, and not proposed, for they miss a constraint or do not hold together.
    """

    def __init__(
        self, space: Space, make: Callable[[Resolved], Point], objectives: Sequence[Objective],
        constraints: Sequence[Constraint], *, points: int, seed: int = 0,
    ) -> None:  # fmt: skip
        self.total = points
        self.first_batch = min(BATCH, points)
        self.refused = 0
        self._space = space
        self._make = make
        self._objectives = tuple(objectives)
        self._constraints = tuple(constraints)
        self._random = random.Random(seed)  # noqa: S311 (a search is no secret)
        self._known: set[Choice] = set()
        self._open: list[Choice] = []
        self._rated: list[tuple[Choice, Cost]] = []
        self._resolved: dict[Choice, Resolved] = {}  # a machine is looked at many times before it is proposed

    def ask(self) -> tuple[Point, ...]:
        """The next machines; none: all points are proposed, or nothing new is found."""
        wanted = min(BATCH, self.total - len(self._known))
        while len(self._open) < wanted and (child := self._fresh()) is not None:
            self._known.add(child)
            self._open.append(child)
        self._resolved = {choice: self._machine(choice) for choice in self._open}
        return tuple(self._make(machine) for machine in self._resolved.values())

    def tell(self, rows: Sequence[StudyRow]) -> None:
        """The rows of that batch."""
        for choice, row in zip(self._open, rows, strict=True):
            if (cost := cost_within(row, self._objectives, self._constraints)) is not None:
                self._rated.append((choice, cost))
        self._open = []
        self._rated = _survivors(self._rated, 2 * BATCH)

    def _fresh(self) -> Choice | None:
        """A machine that was not proposed, and that may be."""
        if not self._known and self._holds(start := self._space.start):
            return start
        for _ in range(_MOST_TRIES):
            child = self._within(self._child())
            if child is not None and child not in self._known and self._holds(child):
                return child
        return None

    def _child(self) -> Choice:
        draw = self._random
        if not self._rated or draw.random() < _NEW:
            return tuple(draw.randrange(len(values)) for _, values in self._space.axes)
        first, second = (min(draw.randrange(len(self._rated)) for _ in range(2)) for _ in range(2))
        parent, other = self._rated[first][0], self._rated[second][0]
        mixes = draw.random() < _MIXED
        child = [b if mixes and draw.random() < 0.5 else a for a, b in zip(parent, other, strict=True)]
        for step in (1, *((1,) if draw.random() < 0.4 else ()), *((-1,) if draw.random() < 0.4 else ())):
            axis = draw.randrange(len(child))
            child[axis] = self._moved(axis, child[axis], step)
        return tuple(child)

    def _machine(self, choice: Choice) -> Resolved:
        if choice not in self._resolved:
            self._resolved[choice] = self._space.resolved(choice)
        return self._resolved[choice]

    def _moved(self, axis: int, place: int, step: int) -> int:
        return max(0, min(len(self._space.axes[axis][1]) - 1, place + step))

    def _within(self, choice: Choice) -> Choice | None:
        """Shrinks a machine until its counts are within their limits, then grows it while they stay so."""
        child = list(choice)
        excess = self._counted_excess(tuple(child))
        while excess > 0:
            smaller = self._smaller(child, excess)
            if smaller is None:
                return None
            child = smaller
            excess = self._counted_excess(tuple(child))
        order = list(range(len(child)))
        self._random.shuffle(order)
        for axis in order:
            larger = [*child[:axis], self._moved(axis, child[axis], 1), *child[axis + 1 :]]
            if self._random.random() < 0.3 and self._counted_excess(tuple(larger)) == 0:
                child = larger
        return tuple(child)

    def _smaller(self, child: list[int], excess: float) -> list[int] | None:
        """One parameter a step lower, of those by which less is missed."""
        order = list(range(len(child)))
        self._random.shuffle(order)
        for axis in order:
            smaller = [*child[:axis], self._moved(axis, child[axis], -1), *child[axis + 1 :]]
            if smaller != child and self._counted_excess(tuple(smaller)) < excess:
                return smaller
        return None

    def _counted_excess(self, choice: Choice) -> float:
        """Excess of a machine over the limits on its counts; 0 for one that contradicts itself."""
        limits = [one for one in self._constraints if one.is_of_hardware and one.column != AREA]
        json = self._machine(choice).json if limits else ""
        if not json:
            return 0.0
        found = hardware_of(json, [one.column for one in limits])
        return sum(one.excess(found) for one in limits)

    def _holds(self, choice: Choice) -> bool:
        """Whether the machine is consistent and within all limits that depend on it alone."""
        limits = [one for one in self._constraints if one.is_of_hardware]
        json = self._machine(choice).json
        # Counts come first, because areas take a synthesis.
        for column in sorted({one.column for one in limits}, key=lambda name: (name == AREA, name)):
            found = hardware_of(json, [column])
            if any(one.excess(found) for one in limits if one.column == column):
                self.refused += 1
                return False
        self.refused += not json
        return bool(json)


def _survivors(rated: list[tuple[Choice, Cost]], count: int) -> list[tuple[Choice, Cost]]:
    """The best, best first: front by front, within one those far from their neighbours first."""
    kept: list[tuple[Choice, Cost]] = []
    rest = list(rated)
    while rest and len(kept) < count:
        places = set(front_of([cost for _, cost in rest]))
        front = [one for place, one in enumerate(rest) if place in places]
        rest = [one for place, one in enumerate(rest) if place not in places]
        far = _distances([cost for _, cost in front])
        kept += [one for _, one in sorted(zip(far, front, strict=True), key=lambda pair: (-pair[0], pair[1]))]
    return kept[:count]


def _distances(costs: Sequence[Cost]) -> list[float]:
    """Crowding distance of each cost: how far apart its neighbours are, summed over the parts; ends are farthest."""
    found = [0.0] * len(costs)
    for part in range(len(costs[0])):
        order = sorted(range(len(costs)), key=lambda place: (costs[place][part], place))
        span = costs[order[-1]][part] - costs[order[0]][part]
        for at, place in enumerate(order):
            if at in (0, len(order) - 1):
                found[place] = float("inf")
            elif span:
                found[place] += (costs[order[at + 1]][part] - costs[order[at - 1]][part]) / span
    return found

"""A complete search: from a model and limits to a table, its front, and the growth of the front."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from covenant.explore.constraints import Constraint, cost_within
from covenant.explore.evolution import Evolution
from covenant.explore.hypervolume import hypervolume
from covenant.explore.space import Space, default_ranges
from covenant.machine.memory_models import FIXED_MEMORY
from covenant.study.data_set import contents_of
from covenant.study.description import Objective, StudyModel
from covenant.study.front import front_of
from covenant.study.points import Point, Resolved, memory_content, plan, point_of
from covenant.study.row import MISSING, StudyRow, flat_row, html_of
from covenant.study.running import Progress, Run, walk
from covenant.study.store import Store
from covenant.study.table import rows_of
from covenant.study.ties import dominates, ties_of
from covenant.study.workers import Workers
from covenant.tables import data_frame

if TYPE_CHECKING:  # optional, and slow to import
    from pandas import DataFrame

__all__ = ["Exploration", "explore"]


@dataclass(frozen=True)
class Exploration:
    """Result of a search. Equal searches give equal tables, however often they were interrupted."""

    machine: str
    ranges: Mapping[str, tuple[int, ...]]
    objectives: tuple[Objective, ...]
    constraints: tuple[Constraint, ...]
    rows: tuple[StudyRow, ...]
    """All points in the order in which they were proposed."""
    refused: int
    """Machines that were considered and not compiled, for they miss a constraint or do not hold together."""
    start: int | None = None
    """Place of the machine where the search started; None: it misses a constraint, and was not compiled."""
    computed: int = field(default=0, compare=False)
    """Points that the call that gave this has computed."""
    run_seconds: float = field(default=0.0, compare=False)
    """Wall-clock time of that call."""

    def holds(self, row: StudyRow) -> bool:
        """Whether a row has all objectives, and all constraints hold."""
        return cost_within(row, self.objectives, self.constraints) is not None

    @cached_property
    def _costs(self) -> list[tuple[float, ...] | None]:
        return [cost_within(row, self.objectives, self.constraints) for row in self.rows]

    @cached_property
    def front_places(self) -> tuple[int, ...]:
        """Places of the rows that no other row within the constraints dominates."""
        return tuple(front_of(self._costs))

    def front(self) -> tuple[StudyRow, ...]:
        """These rows."""
        return tuple(self.rows[place] for place in self.front_places)

    @cached_property
    def ties(self) -> dict[int, tuple[int, ...]]:
        """By place of a row on the front, the rows within the constraints that are tied with it.

        `covenant.study.ties.ties_of` says what that means.
        """
        found = ties_of(self.rows, self.front_places, self.objectives)
        return {best: tuple(one for one in tied if self._costs[one] is not None) for best, tied in found.items()}

    @property
    def found_better(self) -> bool | None:
        """Whether a row of the front is better than the machine where the search started.

        It is as good in every objective, and better in one beyond what chance explains. None: the start was not
        compiled, or has no result.
        """
        if self.start is None or self.rows[self.start].cycles is None:
            return None
        if self._costs[self.start] is None:  # it misses a limit of what is measured
            return bool(self.front_places)
        return any(dominates(self.rows, place, self.start, self.objectives) for place in self.front_places)

    @cached_property
    def hypervolumes(self) -> tuple[float, ...]:
        """After each row: the share that the front dominates of the box from the best to the worst of all."""
        known = [cost for cost in self._costs if cost is not None]
        if not known:
            return tuple(0.0 for _ in self.rows)
        best = [min(part) for part in zip(*known, strict=True)]
        spans = [(max(part) - low) or 1.0 for part, low in zip(zip(*known, strict=True), best, strict=True)]
        found: list[float] = []
        front: list[tuple[float, ...]] = []
        for cost in self._costs:
            before = found[-1] if found else 0.0
            if cost is None:
                found.append(before)
                continue
            scaled = tuple((a - low) / span for a, low, span in zip(cost, best, spans, strict=True))
            front = [one for one in front if not all(a <= b for a, b in zip(scaled, one, strict=True))] + [scaled]
            found.append(max(before, hypervolume(front, [1.0] * len(best))))  # sums of floats differ in the last bit
        return tuple(found)

    def to_dict(self, *, seconds: bool = False) -> dict[str, Any]:
        """Plain values; keys: docs/reference/explore.md."""
        return {
            "machine": self.machine,
            "ranges": {name: list(values) for name, values in self.ranges.items()},
            "objectives": {one.column: one.sense for one in self.objectives},
            "constraints": [str(one) for one in self.constraints],
            "rows": [row.to_dict(seconds=seconds) | {"holds": self.holds(row)} for row in self.rows],
            "front": list(self.front_places),
            "ties": [list(self.ties[place]) for place in self.front_places],
            "start": self.start,
            "found_better": self.found_better,
            "hypervolumes": list(self.hypervolumes),
            "refused": self.refused,
            "failed": sum(bool(row.code) for row in self.rows),
        }

    def to_dataframe(self) -> DataFrame:
        """The rows as a data frame of pandas, as `covenant.study.StudyResult.to_dataframe`, with `holds` and `front`.

        Raises:
            CovenantError: CLI0012, pandas is not installed.
        """
        return data_frame(
            flat_row(row) | {"holds": self.holds(row), "front": int(place in self.front_places)}
            for place, row in enumerate(self.rows)
        )

    def _repr_html_(self) -> str:
        return html_of(f"machines by {self.machine}", self.rows, self.ties, self.objectives)

    def to_json(self) -> str:
        """`to_dict` as text: equal searches give equal bytes."""
        return json.dumps(self.to_dict(), indent=2) + "\n"


def explore(
    model: str | os.PathLike[str] | StudyModel,
    machine: str,
    *,
    objectives: Sequence[Objective] = (Objective("cycles", "min"),),
    constraints: Sequence[Constraint] = (),
    ranges: Mapping[str, Sequence[int]] | None = None,
    memory: str = FIXED_MEMORY,
    points: int = 64,
    seed: int = 0,
    results: str | os.PathLike[str],
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Exploration:
    """Searches for the best machines for a model within limits. Every point is compiled and simulated.

    Results are kept in `results`: another call, also with more points, computes only the missing ones.

    Args:
        model: an .onnx file; a StudyModel with data, where accuracy counts.
        machine: spec of the machine from which the search starts.
        objectives: one or more columns of a study.
        constraints: of columns of a study; those of the machine alone are checked before anything is compiled.
        ranges: by parameter, the values that it may take; None: `default_ranges`.
        memory: model of off-chip memory.
        points: the most points to compute.
        seed: of the random choices.
        results: an SQLite file, as of a study.
        jobs: points that are computed at a time; None: one for each core.
        progress: called with the progress.

    Raises:
        CovenantError: EXP0003, nothing varies; codes ACGnnnn, MEMnnnn and STUnnnn as a study; as `area_of` where
            areas are asked for.
        ValueError: `points` is below 1, or there is no objective.
    """
    if points < 1 or not objectives:
        raise ValueError("a search has points and objectives")
    wanted = model if isinstance(model, StudyModel) else StudyModel(model)
    found = default_ranges(machine) if ranges is None else {name: tuple(sorted(one)) for name, one in ranges.items()}
    (content,), text = contents_of(wanted), memory_content(memory)
    space = Space(machine, found)

    def made(resolved: Resolved) -> Point:
        return point_of(content, resolved, memory, text)

    search = Evolution(space, made, objectives, constraints, points=points, seed=seed)
    named_areas = [*objectives, *(Objective(one.column, "min") for one in constraints)]
    with Store(results) as store, Workers(jobs or os.cpu_count() or 1) as workers:
        run = Run(store, workers, points, None, progress)
        named = walk(search, store, run.compute, named_areas)
        planned = plan(named)
        rows = rows_of(planned, run.ran.lost | store.outcomes(planned.keys), named_areas)
    is_started = bool(rows) and planned.points[0].key == made(space.resolved(space.start)).key
    return Exploration(
        machine=machine,
        ranges=found,
        objectives=tuple(objectives),
        constraints=tuple(constraints),
        rows=tuple(row for row in rows if row.status != MISSING),
        refused=search.refused,
        start=0 if is_started else None,
        computed=run.ran.computed,
        run_seconds=run.ran.seconds,
    )

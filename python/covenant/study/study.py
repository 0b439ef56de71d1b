"""A study: models, machines, memories, and the objectives by which their points are compared."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from covenant.machine.memory_models import FIXED_MEMORY
from covenant.study.dask_workers import DaskWorkers
from covenant.study.description import Objective, StudyMachine, StudyModel, StudySearch, default_objectives
from covenant.study.errors import placed, user_error
from covenant.study.grid import Grid
from covenant.study.numerics import StudyNumerics
from covenant.study.points import Plan, Point, plan
from covenant.study.reading import read_study
from covenant.study.running import Progress, Ran, Run, walk
from covenant.study.search import Search, start_search
from covenant.study.store import Store
from covenant.study.table import StudyResult, rows_of
from covenant.study.workers import Workers

__all__ = ["Study"]


@dataclass(frozen=True)
class Study:
    """Models, machines and memories to compile, simulate and compare; a value, which running does not change.

    Raises:
        CovenantError: STU0005, a list is empty; STU0008, an objective is named twice.

    Example:
        >>> study = Study("one", (StudyModel("x.onnx", "x.npz"),), (StudyMachine("genesys", {"M": (8, 16)}),))
        >>> study.memory, study.search.method
        (('fixed',), 'grid')
    """

    name: str
    """Heading of the table."""
    models: tuple[StudyModel, ...]
    machines: tuple[StudyMachine, ...]
    memory: tuple[str, ...] = (FIXED_MEMORY,)
    """Models of off-chip memory, as `Session.run` takes them."""
    search: StudySearch = field(default_factory=StudySearch)
    objectives: tuple[Objective, ...] = field(default_factory=default_objectives)
    """Objectives of the front."""
    numerics: tuple[StudyNumerics, ...] = ()
    """Ways to quantise float models: each model is quantised in every one of them."""
    path: str = ""
    """The file that it was read from; empty if it was made here."""

    def __post_init__(self) -> None:
        for name in ("models", "machines", "memory", "objectives"):
            if not getattr(self, name):
                raise user_error("STU0005", "a study has at least one of each", name, offending="none",
                                 fix=f"add one to {name}")  # fmt: skip

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Study:
        """Reads a study (docs/guide/studies.md); paths in it are relative to its folder.

        Raises:
            CovenantError: the file cannot be read (CLI0009), or is no study (STU0001 to STU0008, STU0011).
        """
        given = read_study(path)
        with placed(file=os.fspath(path)):
            return cls(**given, path=os.fspath(path))

    def plan(self) -> Plan:
        """The points, with the hashes by which their results are kept; reads all files, computes nothing.

        For a search by Optuna they are the first batch: later points depend on results.

        Raises:
            CovenantError: as `covenant.study.grid.Grid` and `covenant.study.search.start_search`.
        """
        return plan(self._search().ask())

    def _search(self) -> Search:
        with placed(file=self.path):
            return start_search(
                Grid(self.models, self.machines, self.memory, self.numerics), self.search, self.objectives
            )

    def run(
        self,
        results: str | os.PathLike[str] | None = None,
        jobs: int | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
        dask: str | None = None,
    ) -> StudyResult:
        """Computes every point that has no result yet; what is done is kept, whatever happens later.

        Args:
            results: the SQLite file of results; None: beside the file of the study, with the ending .sqlite. Several
                processes may use one at once, and several studies, too.
            jobs: points that are computed at a time, each in a process of its own; None: one for each core.
            limit: at most so many points are computed; None: all.
            progress: told how far it has come, at the start and after each point.
            dask: address of the scheduler of a Dask cluster, whose workers then compute the points; they need the same
                version of the SDK, and none of this computer's files.

        Raises:
            CovenantError: the study is wrong (`plan`); CLI0006 or STU0012, the results cannot be kept there; STU0017 to
                STU0019, the cluster cannot compute. A point that fails raises nothing: its row says why.
            ValueError: `jobs` or `limit` is below 1; `jobs` and `dask` are given both; `results` is not given, and the
                study was not read from a file.
        """
        if (jobs is not None and jobs < 1) or (limit is not None and limit < 1):
            raise ValueError("jobs and limit are at least 1")
        if jobs is not None and dask is not None:
            raise ValueError("either processes of this computer, or a cluster")
        search = self._search()
        with Store(self._results(results)) as store:
            with DaskWorkers(dask) if dask else Workers(jobs or os.cpu_count() or 1) as workers:
                run = Run(store, workers, search.total, limit, progress)
                named = walk(search, store, run.compute, self.objectives)
            return self._result(named, search, store, run.ran)

    def known(self, results: str | os.PathLike[str] | None = None) -> StudyResult:
        """The table as far as it is computed; computes nothing.

        Raises:
            CovenantError, ValueError: as `run`.
        """
        search = self._search()
        with Store(self._results(results)) as store:
            named = walk(search, store, lambda _: None, self.objectives)
            return self._result(named, search, store, Ran())

    def _results(self, given: str | os.PathLike[str] | None) -> str | os.PathLike[str]:
        if given is not None:
            return given
        if not self.path:
            raise ValueError("a study that was not read from a file keeps its results where `results` says")
        return Path(self.path).with_suffix(".sqlite")

    def _result(self, named: Sequence[Point], search: Search, store: Store, ran: Ran) -> StudyResult:
        points = plan(named)
        outcomes = ran.lost | store.outcomes(points.keys)
        refused = {
            one.model.name: outcomes[one.key].text
            for one in points.references
            if one.key in outcomes and outcomes[one.key].values is None
        }
        return StudyResult(
            name=self.name,
            objectives=self.objectives,
            rows=rows_of(points, outcomes, self.objectives),
            failed=sum(outcomes[key].values is None for key in points.keys if key in outcomes),
            reference_failures=refused,
            unnamed=search.total - len(named),
            first_batch=search.first_batch,
            points=points.points,
            computed=ran.computed,
            run_seconds=ran.seconds,
        )

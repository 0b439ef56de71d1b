"""Runs points on the workers of a Dask cluster instead of local processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any

from covenant._core import version
from covenant.errors import CovenantError
from covenant.files import read_whole
from covenant.study.dask_task import Sent, compute, files_of
from covenant.study.errors import user_error
from covenant.study.measure import INTERNAL, Outcome
from covenant.study.points import Point

__all__ = ["CONNECT_SECONDS", "DaskWorkers"]

CONNECT_SECONDS = 30
"""Time in which the scheduler has to answer, with a worker present."""
_AHEAD = 2
"""Groups for each worker: one that it computes, and the next."""


class DaskWorkers:
    """A cluster, as `covenant.study.workers.Workers` is the processes of this computer.

    What a worker computed when it was lost, the scheduler gives to another one; only a point whose worker is lost again
    and again (`distributed.scheduler.allowed-failures`) is given up, and not kept.

    Args:
        address: of the scheduler, as in "tcp://10.0.0.1:8786".

    Raises:
        CovenantError: STU0017, Dask is not installed; STU0018, there is no cluster, or it has no worker.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._distributed = _distributed()
        self._contents: dict[str, Any] = {}  # by path: where on the cluster
        self._groups: dict[Any, tuple[Point, ...]] = {}  # by future
        try:
            self._client = self._distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise self._lost("no Dask scheduler answers there", error) from error
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except self._distributed.TimeoutError as error:
            self._client.close()
            raise self._lost("the Dask cluster has no worker", error) from error

    def __enter__(self) -> DaskWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._groups:
            future.release()
        self._client.close()

    @property
    def has_room(self) -> bool:
        """Whether the cluster should have more groups."""
        with self._reached():
            return len(self._groups) < _AHEAD * max(1, len(self._client.nthreads()))

    @property
    def is_busy(self) -> bool:
        """Whether an outcome is to come."""
        return bool(self._groups)

    def send(self, points: Sequence[Point]) -> None:
        """Gives points of one group to the cluster, with the content of the files that they name."""
        sent = Sent(tuple(points), version)
        with self._reached():
            contents = {path: self._content(path) for path in files_of(points)}
            self._groups[self._client.submit(compute, sent, contents, pure=False)] = sent.points

    def receive(self, timeout_seconds: float) -> Iterator[tuple[Outcome, bool]]:
        """Outcomes that have come, after waiting for one; and whether they are those of a computation.

        Raises:
            CovenantError: STU0018, the cluster is gone; STU0019, a worker cannot compute points.
        """
        with self._reached(), suppress(self._distributed.TimeoutError, CancelledError), self._client.as_current():
            self._distributed.wait(list(self._groups), timeout_seconds, return_when="FIRST_COMPLETED")
        # A wait for a cancelled future raises: which are done, each future says itself.
        for future in [one for one in self._groups if one.status != "pending"]:
            yield from self._outcomes(future, self._groups.pop(future))

    def _outcomes(self, future: Any, points: tuple[Point, ...]) -> Iterator[tuple[Outcome, bool]]:
        if future.status == "finished":
            yield from ((outcome, outcome.is_of_the_point) for outcome in future.result())
            return
        error = None if future.cancelled() else future.exception()
        if error is None:  # the only workers that had the files are gone, and the files with them
            self._contents = {}
            self.send(points)
        elif isinstance(error, self._distributed.KilledWorker):
            for point in points:
                yield Outcome(point.key, None, INTERNAL, f"the workers that computed it have ended: {error}"), False
        elif isinstance(error, CovenantError):
            raise error
        else:
            raise user_error("STU0019", "a worker of the cluster cannot compute points", "dask",
                             offending=f"{type(error).__name__}: {error}",
                             fix="install the same version of the SDK on all workers") from error  # fmt: skip

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Whatever fails because the scheduler is gone says so."""
        try:
            yield
        except (OSError, self._distributed.client.ClosedClientError) as error:
            raise self._lost("the Dask cluster is gone", error) from error
        if self._client.status != "running":  # it would try for long to reach it again, and has forgotten its points
            raise self._lost("the Dask cluster is gone", f"the connection to its scheduler is {self._client.status}")

    def _content(self, path: str) -> Any:
        """The bytes of a file; they travel to each worker once."""
        if path not in self._contents:
            self._contents[path] = self._client.scatter(read_whole(path), hash=False)
        return self._contents[path]

    def _lost(self, message: str, why: object) -> CovenantError:
        return user_error("STU0018", message, "dask", offending=f"{self._address}: {why}",
                          fix="start one: dask scheduler, and dask worker ADDRESS on each computer")  # fmt: skip


def _distributed() -> Any:
    try:
        import distributed  # noqa: PLC0415 (optional, and slow to import)
    except ImportError as error:
        raise user_error("STU0017", "a cluster needs a Python package that cannot be loaded", "dask", offending=error,
                         fix="pip install distributed, or use the processes of this computer") from error  # fmt: skip
    return distributed

"""Starts worker processes that compute points; a process runs one simulation at a time."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait

from covenant.study.measure import INTERNAL, Outcome
from covenant.study.points import Point

__all__ = ["Workers"]

# The same modules as here, and nothing of the program that is running: a study may be run from any script.
_START = "import sys; sys.path[:] = {path!r}; from covenant.study.worker import main; main({handle}, {parent})"


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    connection: Connection
    waiting: list[str] = field(default_factory=list)
    """Keys of the points that it has been sent and has not answered."""


class Workers:
    """Up to `count` processes, started as they are needed. Ends them all at the end of its block."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._workers: list[_Worker] = []

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.connection.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.wait()

    @property
    def has_room(self) -> bool:
        """Whether one is idle, or may be started."""
        return len(self._workers) < self._count or any(not worker.waiting for worker in self._workers)

    @property
    def is_busy(self) -> bool:
        """Whether an outcome is to come."""
        return any(worker.waiting for worker in self._workers)

    def send(self, points: Sequence[Point]) -> None:
        """Gives points of one group to an idle one."""
        worker = next((one for one in self._workers if not one.waiting), None) or self._start()
        worker.waiting = [point.key for point in points]
        with contextlib.suppress(OSError):  # it has ended: `receive` will say so
            worker.connection.send(tuple(points))

    def receive(self, timeout_seconds: float) -> Iterator[tuple[Outcome, bool]]:
        """Outcomes that have come, after waiting for one; and whether they are those of a computation.

        False: they say nothing about the point. The process has ended in the middle: memory has run out, or it was
        killed; or there was no room for a file.
        """
        by_connection = {worker.connection: worker for worker in self._workers if worker.waiting}
        for connection in wait(list(by_connection), timeout_seconds):
            worker = by_connection[connection]  # type: ignore[index]
            try:
                outcome = worker.connection.recv()
            except (EOFError, OSError):
                yield from self._lost(worker)
                continue
            worker.waiting.remove(outcome.key)
            yield outcome, outcome.is_of_the_point

    def _start(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        with theirs:
            code = _START.format(path=sys.path, handle=theirs.fileno(), parent=os.getpid())
            # In a session of its own: Ctrl-C is for the process that asked, which then ends this one.
            process = subprocess.Popen(
                [sys.executable, "-c", code], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _lost(self, worker: _Worker) -> Iterator[tuple[Outcome, bool]]:
        self._workers.remove(worker)
        worker.connection.close()
        code = worker.process.wait()
        for key in worker.waiting:
            yield Outcome(key, None, INTERNAL, f"the process that computed it has ended with exit code {code}"), False

"""Several results at once, each in a thread of its own; runs of Yosys in them take turns."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["Workers"]

Result = TypeVar("Result")


class Workers:
    """Threads that run as many programs at once as there are processors, and none after one of them has failed."""

    def __init__(self) -> None:
        self._free = threading.Semaphore(os.cpu_count() or 1)
        self._stopped = threading.Event()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Waits for a processor.

        Raises:
            CancelledError: another turn or result has failed.
        """
        with self._free:
            if self._stopped.is_set():
                raise CancelledError
            try:
                yield
            except BaseException:
                self._stopped.set()
                raise

    def results(self, calls: Sequence[Callable[[], Result]]) -> list[Result]:
        """Values that the calls return, in their order; the first failure, if there is one."""
        with ThreadPoolExecutor(max(1, len(calls))) as pool:
            parts = [pool.submit(call) for call in calls]
            try:
                failures = [part.exception() for part in parts]
            except BaseException:  # Ctrl-C
                self._stopped.set()
                raise
        for failure in failures:
            if failure is not None and not isinstance(failure, CancelledError):
                raise failure
        return [part.result() for part in parts]

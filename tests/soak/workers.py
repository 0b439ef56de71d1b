"""Processes that run points, so that one that dies or hangs takes nothing else with it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import interrupts
from ahead import in_order
from comparing import Outcome
from failures import write_model
from plans import Plan

LIMIT_SECONDS = 300
"""A point that takes longer hangs: points are small by counts, and end in seconds."""


def _serve(connection: Connection) -> None:
    """Runs the plans that arrive, until there are no more."""
    os.nice(10)
    import onnxruntime
    import outcome

    onnxruntime.set_default_logger_severity(4)
    with tempfile.TemporaryDirectory(prefix="soak") as folder, contextlib.suppress(EOFError):
        while True:
            plan, place = connection.recv()
            if place:
                write_model(Path(place), Plan.from_json(plan))
                connection.send("")
            else:
                connection.send(outcome.run(Plan.from_json(plan), folder).to_json())


class Worker:
    """Runs one plan after another in a process, which is started again after it has died."""

    def __init__(self, limit_seconds: float = LIMIT_SECONDS) -> None:
        self._limit = limit_seconds
        self._is_stopped = False
        self._process: Any = None
        self._connection: Any = None

    def run(self, plan: Plan) -> Outcome:
        """The outcome of a plan."""
        return self._ask(plan, "")

    def write(self, plan: Plan, place: Path) -> None:
        """Writes the model, the inputs and the machine of a plan into a folder; what cannot be made is not there."""
        self._ask(plan, str(place))

    def _ask(self, plan: Plan, place: str) -> Outcome:
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._connection, other = context.Pipe()
            self._process = context.Process(target=_serve, args=(other,), daemon=True)
            with interrupts.held_back():  # the process that draws decides when to stop
                self._process.start()
            other.close()
            if self._is_stopped:  # while it was starting
                self._process.kill()
        try:
            self._connection.send((plan.to_json(), place))
            if self._connection.poll(self._limit):
                said = self._connection.recv()
                return Outcome.from_json(said) if said else Outcome("void")
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            self.close()
            return Outcome("crash", f"exit {code}", text="the process has died")
        self.close()
        return Outcome("timeout", text=f"no end within {self._limit:g} s")

    def stop(self) -> None:
        """Ends the process while another thread may be waiting for it; that one sees it die, as any from now on."""
        self._is_stopped = True
        process = self._process
        if process is not None and process.pid is not None:
            process.kill()

    def close(self) -> None:
        """Ends the process; no other thread uses it any more."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
        self._process = self._connection = None


def outcomes(plans: Iterable[Plan], jobs: int, stopped: Callable[[], bool]) -> Iterator[tuple[Plan, Outcome]]:
    """Plans with what became of them, in their order, `jobs` at once; a few more are drawn ahead.

    Soon after `stopped` says so, the processes are ended and no more plans come.
    """
    free: SimpleQueue[Worker] = SimpleQueue()
    workers = [Worker() for _ in range(jobs)]
    for worker in workers:
        free.put(worker)

    def run(plan: Plan) -> Outcome:
        worker = free.get()
        try:
            return worker.run(plan)
        finally:
            free.put(worker)

    pool = ThreadPoolExecutor(jobs)
    try:
        yield from in_order(plans, lambda plan: pool.submit(run, plan), ahead=8 * jobs, stopped=stopped)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.stop()
        pool.shutdown()
        for worker in workers:
            worker.close()

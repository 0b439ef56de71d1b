"""Processes that an interrupt leaves alone."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker

INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
"""Ctrl-C and `timeout` send them to a whole group of processes, also to one that is still loading its modules."""


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Holds interrupts back: a process that starts meanwhile never sees any, its parent sees them after."""
    resource_tracker.ensure_running()  # starting it with the first process would let them through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_through() -> None:
    """Lets interrupts come again, in a process whose parent started while they were held back."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)

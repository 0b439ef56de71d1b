"""Ends a command within a second of Ctrl-C, whatever it is in.

Python raises KeyboardInterrupt between two steps of its own. A pass of the compiler, a simulation or a build of RTL is
one such step, however long it takes; a second thread ends the process then.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

from covenant.files import remove_unfinished

__all__ = ["end_on_interrupt"]

PATIENCE = 0.6
"""Seconds that the command has for an end of its own."""


def end_on_interrupt(code: int) -> None:
    """From now on the process ends, with this exit code, soon after SIGINT. For the main thread."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading, code), daemon=True, name="interrupt").start()


def _watch(reading: int, code: int) -> None:
    while signal.SIGINT not in os.read(reading, 64):
        pass
    time.sleep(PATIENCE)  # an interpreter that ends by itself takes this thread along
    remove_unfinished()
    for child in _descendants(os.getpid()):
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGTERM)
    os._exit(code)


def _descendants(process: int) -> list[int]:
    """Processes that this one has started, and those that they have: the last first."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [*_descendants(child), child]
    return found

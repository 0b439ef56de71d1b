"""Main program of a worker process: it receives groups of points, and sends back an outcome for each."""

from __future__ import annotations

import os
import sys
import threading
import time
from multiprocessing.connection import Connection

from covenant.study.measure import measure

__all__ = ["main"]


def main(handle: int, parent: int) -> None:
    """Computes what comes through a connection until it is closed, or its owner is gone."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    with Connection(handle) as connection:
        try:
            while True:
                for outcome in measure(connection.recv()):
                    connection.send(outcome)
        except (EOFError, OSError):  # the owner has closed the connection
            sys.exit(0)


def _end_with(parent: int) -> None:
    """Ends this process when its owner was killed: no process would read the result of a long simulation."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)

"""Several results at once, each in a thread of its own; Yosys itself limits how many of its runs there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["results"]

Result = TypeVar("Result")


def results(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Values that the calls return, in their order. After the first that raises, none is begun."""
    with ThreadPoolExecutor(max(1, len(calls))) as pool:
        parts = [pool.submit(call) for call in calls]
        try:
            return [part.result() for part in parts]
        finally:
            for part in parts:
                part.cancel()

"""Cost of a piece of work on this computer: time, processor time and memory."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class Cost:
    """Cost of one piece of work, done by this process and its threads."""

    seconds: float
    """Wall-clock time."""
    processor_seconds: float
    """Processor time of all threads together: above `seconds` where several cores were busy."""
    peak_memory_bytes: int
    """Most memory that the process has held since it began, the interpreter included."""


def measured(work: Callable[[], Value]) -> tuple[Value, Cost]:
    """Result of `work`, and its cost.

    Example:
        >>> value, cost = measured(lambda: sum(range(100_000)))
        >>> value, cost.processor_seconds > 0, cost.peak_memory_bytes > 1_000_000
        (4999950000, True, True)
    """
    processor, start = time.process_time(), time.perf_counter()
    value = work()
    seconds, processor_seconds = time.perf_counter() - start, time.process_time() - processor
    return value, Cost(seconds, processor_seconds, peak_memory_bytes())


def peak_memory_bytes() -> int:
    """Most memory that this process has held since it began.

    Linux counts what getrusage tells from before the program was loaded: a small one that a large one has started would
    report the large one's memory. So what the kernel says of this program's own memory is read where there is that.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (peak,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
        return int(peak.split()[1]) * 1024
    peak_unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * peak_unit

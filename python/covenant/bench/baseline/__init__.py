"""Benchmark layers on this computer's processor, for comparison with machines.

Only the layer is timed: its weights are constants (packed before the first run), inputs and outputs stay where
they are, and one call computes the layer as often as it takes for the call itself not to matter.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from covenant.bench.baseline import onnx_runtime, pytorch
from covenant.bench.baseline.task import Task
from covenant.bench.layers import BenchmarkLayer, exact_sums
from covenant.choices import BASELINES
from covenant.errors import CovenantError, Diagnostic
from covenant.onnx_runtime.sessions import OracleError

__all__ = ["Baseline", "Timing", "processor_name"]

LEAST_CALL_SECONDS = 1e-3
MOST_COPIES = 32
SAME_WITHIN = 1e-5  # of the largest sum, in float32


@dataclass(frozen=True)
class Timing:
    """One layer on the processor."""

    seconds: float
    """Time of one layer: the median of all calls, over the layers that a call computes."""
    copies: int
    """Layers that one call computes."""
    identical: bool
    """Whether its sums are the exact ones; in float32, up to SAME_WITHIN of the largest."""


class Baseline:
    """A library on this computer's processor.

    Args:
        name: one of BASELINES.
        threads: that it may use.

    Attributes:
        name, threads: as given.
        library, element: what BASELINES says.
        version: of the library.
        processor: model of this computer's processor.

    Raises:
        CovenantError: CLI0012, the library is not installed; CLI0004, ONNX Runtime is not the pinned one.

    Example:
        >>> from covenant.bench.layers import benchmark_layers
        >>> layer = benchmark_layers()[9]
        >>> layer.name, Baseline().measure(layer, np.ones((1, 256), np.int8), repeats=1).seconds > 0
        ('DLRM/FC4', True)
    """

    def __init__(self, name: str = "onnxruntime", threads: int = 1) -> None:
        self.name = name
        self.threads = threads
        self.library, self.element = BASELINES[name]
        self.processor = processor_name()
        module = pytorch if self.library == "PyTorch" else onnx_runtime
        self._prepare = module.prepare
        try:
            self.version = module.version()
        except ImportError as error:
            raise CovenantError(
                Diagnostic("CLI0012", "a Python package that this needs cannot be loaded", "command line", subject=name,
                           offending=str(error), fix=f"pip install {error.name}, or choose another baseline")
            ) from error  # fmt: skip
        except OracleError as error:
            raise CovenantError(
                Diagnostic("CLI0004", f"ONNX Runtime cannot be compared with: {error}", "command line", subject=name,
                           fix="install that version, or choose another baseline")
            ) from error  # fmt: skip

    def measure(self, layer: BenchmarkLayer, x: np.ndarray, repeats: int) -> Timing:
        """Times a layer: a call that warms up, then the median of `repeats` calls.

        Args:
            layer: the layer.
            x: int8, [heads*m, k] or [batch, channels, rows, columns].
            repeats: calls, at least 1.
        """
        call, sums = self._prepare(Task(layer, x, self.element, self.threads, copies=1))
        call()
        identical = self._is_same(sums(), exact_sums(layer, x))
        copies = max(1, min(MOST_COPIES, round(LEAST_CALL_SECONDS / _median_seconds(call, 3))))
        if copies > 1:
            call, _ = self._prepare(Task(layer, x, self.element, self.threads, copies))
            call()
        return Timing(_median_seconds(call, repeats) / copies, copies, identical)

    def _is_same(self, sums: np.ndarray, exact: np.ndarray) -> bool:
        if self.element == "int8":
            return sums.tobytes() == exact.tobytes()
        return bool(np.abs(sums.reshape(exact.shape) - exact).max() <= SAME_WITHIN * np.abs(exact).max())


def processor_name() -> str:
    """The model of this computer's processor, as the operating system calls it.

    Example:
        >>> processor_name() != ""
        True
    """
    described = Path("/proc/cpuinfo")
    lines = described.read_text().splitlines() if described.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _median_seconds(call: Callable[[], None], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)

"""One network on a machine, measured."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from covenant.bench.cost import measured
from covenant.compiler import compile as compile_model
from covenant.machine import Machine
from covenant.onnx_runtime.sessions import Style, session
from covenant.program.inputs import random_feeds
from covenant.report.layers import ReportLayer, bound_of_layers, report_layers
from covenant.runtime.session import Session
from covenant.verify.expected import source_here
from covenant.verify.verdict import verdict_of

__all__ = ["NetworkFigures", "NetworkLayer", "measure"]

_TURNS = 3
_SEED = 0


@dataclass(frozen=True)
class NetworkLayer:
    """One layer beside its bound."""

    layer: str
    operation: str
    cycles: int
    bound: int | None
    """Cycles that no schedule can beat; None where no bound is known."""
    ratio: float | None
    """Cycles over the bound."""
    limited_by: str | None
    """Limit that makes the bound."""
    cause: str
    """Cause for which its compute node has waited longest; empty: it has not waited."""


@dataclass(frozen=True)
class NetworkFigures:
    """Figures measured for one network on one machine; one image, random."""

    cycles: int
    bound: int | None
    """The sum of those of the layers."""
    ratio: float | None
    """Cycles over the bound."""
    identical: bool
    """Whether every output byte is the expected one."""
    within_a_step: bool | None
    """`within_a_step` of the verdict on a network some of whose operators ONNX Runtime rounds in its own order."""
    largest_steps: float | None
    """Largest difference of an output, in steps of its scale; None where the host goes on with it."""
    mean_steps: float | None
    """The mean of all."""
    expected_from: str
    """onnxruntime; reference where a kernel of ONNX Runtime is not exact on this processor."""
    compile_seconds: float
    compile_processor_seconds: float
    """Processor time of all threads."""
    peak_memory_bytes: int
    """Most memory of the process while compiling, the interpreter's included."""
    simulate_seconds: float
    """Values and cycles."""
    timing_seconds: float
    """Cycles only."""
    onnxruntime_seconds: float
    """Time of ONNX Runtime's own inference in the same process: one thread, default optimisations."""
    layers: tuple[NetworkLayer, ...]

    @property
    def ratio_to_onnxruntime(self) -> float:
        """Seconds of the simulation over those of ONNX Runtime's inference."""
        return self.simulate_seconds / self.onnxruntime_seconds

    @property
    def timing_ratio_to_onnxruntime(self) -> float:
        """The same of cycles only."""
        return self.timing_seconds / self.onnxruntime_seconds


def measure(model: str | os.PathLike[str], machine: Machine) -> NetworkFigures:
    """Compiles a network, runs it, and compares it with ONNX Runtime; seconds are those of the fastest of some turns.

    For memory to be that of compiling, the process has to be a new one.

    Args:
        model: path of an .onnx model.
        machine: where it runs.

    Raises:
        CovenantError: the model does not fit the machine, or cannot be compiled.
        OracleError: ONNX Runtime is missing, of another version, or would not run the model in integers.
    """
    program, cost = measured(lambda: compile_model(model, machine))
    feeds = random_feeds(program, 1, _SEED)
    opened = Session(program)
    result = opened.run(feeds[0])
    source = source_here(model)
    verdict = verdict_of(program, model, feeds, [result], source)
    theirs = session(Path(model).read_bytes(), Style.FLOAT)
    layers = report_layers(program, result)
    bound = bound_of_layers(layers)
    return NetworkFigures(
        cycles=result.cycles,
        bound=bound,
        ratio=result.cycles / bound if bound else None,
        identical=verdict.comparison.identical,
        within_a_step=verdict.within_a_step,
        largest_steps=verdict.steps.largest_difference if verdict.steps else None,
        mean_steps=verdict.steps.mean_difference if verdict.steps else None,
        expected_from=source.value,
        compile_seconds=cost.seconds,
        compile_processor_seconds=cost.processor_seconds,
        peak_memory_bytes=cost.peak_memory_bytes,
        simulate_seconds=_fastest(lambda: opened.run(feeds[0])),
        timing_seconds=_fastest(lambda: opened.run(feeds[0], values=False)),
        onnxruntime_seconds=_fastest(lambda: theirs.run(None, feeds[0])),
        layers=tuple(map(_layer, layers)),
    )


def _layer(layer: ReportLayer) -> NetworkLayer:
    return NetworkLayer(
        layer=layer.name,
        operation=layer.operation,
        cycles=layer.cycles,
        bound=layer.bound,
        ratio=layer.cycles / layer.bound if layer.bound else None,
        limited_by=layer.limited_by,
        cause=max(layer.stalls, key=lambda cause: layer.stalls[cause], default=""),
    )


def _fastest(call: Callable[[], object]) -> float:
    """Seconds of the fastest of some turns."""
    seconds = []
    for _ in range(_TURNS):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)

"""One layer on a machine: cycles, the bound, and its values beside ONNX Runtime's."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from covenant.bench.deepbench.layers import DeepBenchLayer, model_of
from covenant.compiler import compile as compile_model
from covenant.machine import Machine
from covenant.oracle import Oracle
from covenant.program import Program
from covenant.report.layers import report_layers
from covenant.runtime.session import Session

__all__ = ["LayerFigures", "measure"]

MOST_MACS = 20 * 10**9
"""Most multiply-accumulates of a layer whose values are all compared; a larger product is compared in its first rows,
as a layer of their own."""
_ROWS = 8


@dataclass(frozen=True)
class LayerFigures:
    """Figures measured for one layer."""

    layer: str
    macs: int
    cycles: int
    bound: int | None
    """Cycles that no schedule can beat; None where no bound is known."""
    ratio: float | None
    """Cycles over the bound."""
    compared: str
    """all, or the rows of which values were compared."""
    identical: bool
    """Whether these are ONNX Runtime's, every byte."""
    compile_seconds: float
    simulate_seconds: float


def measure(layer: DeepBenchLayer, machine: Machine) -> LayerFigures:
    """Compiles and simulates a layer, and compares its values.

    Raises:
        CovenantError: the layer does not fit the machine (codes CDLnnnn, GENnnnn).
        OracleError: ONNX Runtime is missing, or of another version.
    """
    is_whole = layer.macs <= MOST_MACS
    start = time.perf_counter()
    program = _compiled(layer, machine)
    compile_seconds = time.perf_counter() - start
    x = np.random.default_rng(1).integers(-128, 128, layer.input, np.int8)
    result = Session(program).run(x, values=is_whole)
    part = layer if is_whole else layer.with_rows(_ROWS)
    made = result.outputs if is_whole else Session(_compiled(part, machine)).run(x[:_ROWS]).outputs
    expected = Oracle(model_of(part)).run(x[: part.input[0]])
    (bound,) = (one.bound for one in report_layers(program, result)[-1:])
    return LayerFigures(
        layer=layer.name,
        macs=layer.macs,
        cycles=result.cycles,
        bound=bound,
        ratio=result.cycles / bound if bound else None,
        compared="all" if is_whole else f"{part.input[0]} rows",
        identical=made["y"].tobytes() == expected["y"].tobytes(),
        compile_seconds=compile_seconds,
        simulate_seconds=result.seconds,
    )


def _compiled(layer: DeepBenchLayer, machine: Machine) -> Program:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layer.onnx"
        path.write_bytes(model_of(layer).SerializeToString())
        return compile_model(path, machine)

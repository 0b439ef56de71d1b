"""Running programs on a backend."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from covenant import _core
from covenant.errors import CovenantError, Diagnostic
from covenant.program import Program, Tensor
from covenant.result import Result

BACKENDS = ("systemc", "interpret")
"""systemc: executes the encoded words; values and cycles. interpret: executes the codelets; values only."""


def run(
    program: Program,
    inputs: Mapping[str, np.ndarray] | np.ndarray,
    *,
    backend: str = "systemc",
    trace: bool = False,
    records: bool = False,
) -> Result:
    """Runs a program once.

    Args:
        program: what `covenant.compile` made.
        inputs: one array per input of the program, by name; or just the array, if there is one input. Shapes and types
            are those of `program.inputs`.
        backend: one of BACKENDS.
        trace: also make a Perfetto trace.
        records: also give the retire record of every command.

    Returns:
        Outputs by name in the model's own shapes and types, cycles, statistics.

    Raises:
        CovenantError: an input is missing, unknown, or of the wrong shape or type (codes RUNnnnn); the machine stopped
            at a fault, a race or a deadlock (codes SIMnnnn).
    """
    if backend not in BACKENDS:
        raise CovenantError(
            Diagnostic("CLI0004", "no such backend", offending=backend, allowed=BACKENDS, fix="name one of these")
        )
    arrays = by_name(program, inputs)
    start = time.perf_counter()
    raw = _core.run(program._core, arrays, backend, trace, records)
    seconds = time.perf_counter() - start
    return Result(
        outputs=raw["outputs"],
        cycles=raw["cycles"],
        backend=backend,
        seconds=seconds,
        stats_json=raw["stats"],
        trace_json=raw["trace"],
        records=raw["records"],
    )


def by_name(program: Program, inputs: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, np.ndarray]:
    """Inputs as contiguous arrays by name. Shapes and types are the runtime's to judge."""
    tensors = program.inputs
    if not isinstance(inputs, Mapping):
        _refuse_unless(len(tensors) == 1, "one array was given to a program with several inputs", tensors, "an array")
        inputs = {tensors[0].name: inputs}
    return {name: np.ascontiguousarray(array) for name, array in inputs.items()}


def _refuse_unless(condition: bool, message: str, tensors: tuple[Tensor, ...], offending: str) -> None:  # noqa: FBT001
    if condition:
        return
    raise CovenantError(
        Diagnostic(
            "CLI0005", message, offending=offending, allowed=tuple(tensor.name for tensor in tensors),
            fix="give a dictionary with these names",
        )
    )  # fmt: skip

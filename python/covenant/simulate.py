"""Running programs on a backend."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.program import Program
from covenant.result import Result

BACKENDS = ("systemc", "interpret")
"""systemc: executes the encoded words; values and cycles. interpret: executes the codelets; values only."""

ELEMENT_TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32")
"""Element types that tensors may have; which one an input wants, its program says."""


def run(
    program: Program,
    inputs: Mapping[str, np.ndarray] | np.ndarray,
    *,
    backend: str = "systemc",
    values: bool = True,
    trace: bool = False,
    records: bool = False,
) -> Result:
    """Runs a program once. What it takes to load the program is done once for many runs.

    Args:
        program: what `covenant.compile` made.
        inputs: one array per input of the program, by name; or just the array, if there is one input. Shapes and types
            are those of `program.inputs`.
        backend: one of BACKENDS.
        values: False computes cycles only (systemc); outputs are then meaningless.
        trace: also make a Perfetto trace.
        records: also give the retire record of every command.

    Returns:
        Outputs by name in the model's own shapes and types, cycles, statistics.

    Raises:
        CovenantError: an input is missing, unknown, or of the wrong shape or type (codes RUNnnnn, CLI0005, CLI0010);
            there is no such backend (RUN0005); the machine stopped at a fault, a race or a deadlock (codes SIMnnnn).
    """
    session = program._session(backend)
    arrays = _by_name(program, inputs)
    start = time.perf_counter()
    raw = session.run(arrays, values, trace, records)
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


def _by_name(program: Program, inputs: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, np.ndarray]:
    """Inputs as contiguous arrays by name. Whether they fit the program is for the runtime to judge."""
    if not isinstance(inputs, Mapping):
        names = tuple(tensor.name for tensor in program.inputs)
        if len(names) != 1:
            raise CovenantError(
                Diagnostic(
                    "CLI0005",
                    "one array was given to a program with several inputs",
                    offending="an array",
                    allowed=names,
                    fix="give a dictionary with these names",
                )
            )
        inputs = {names[0]: inputs}
    return {name: _plain(name, array) for name, array in inputs.items()}


def _plain(name: str, array: np.ndarray) -> np.ndarray:
    plain = np.ascontiguousarray(array).reshape(np.shape(array))
    if plain.dtype.name not in ELEMENT_TYPES or not plain.dtype.isnative:
        raise CovenantError(
            Diagnostic(
                "CLI0010",
                "no tensor of a program has this element type",
                subject=name,
                offending=str(plain.dtype),
                allowed=ELEMENT_TYPES,
                fix="convert the array with astype",
            )
        )
    return plain

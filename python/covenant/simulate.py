"""Running programs on a backend."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

import numpy as np

from covenant.inputs import arrays_by_name
from covenant.program import Program
from covenant.result import Result
from covenant.rtl import Build, Progress

BACKENDS = ("systemc", "rtl", "interpret")
"""systemc: executes the encoded words; values and cycles. rtl: the same words on the Verilated RTL. interpret: executes
the codelets; values only."""


def run(
    program: Program,
    inputs: Mapping[str, np.ndarray] | np.ndarray,
    *,
    backend: str = "systemc",
    values: bool = True,
    trace: bool = False,
    records: bool = False,
    wave: str | os.PathLike[str] | None = None,
    build: Build | None = None,
    progress: Progress | None = None,
) -> Result:
    """Runs a program once. What it takes to load the program is done once for many runs.

    Args:
        program: what `covenant.compile` made.
        inputs: one array per input of the program, by name; or just the array, if there is one input. Shapes and types
            are those of `program.inputs`.
        backend: one of BACKENDS.
        values: False computes cycles only; outputs are then meaningless. Only systemc can.
        trace: also make a Perfetto trace (systemc, rtl).
        records: also give the retire record of every command (systemc, rtl).
        wave: file for waveforms, FST (rtl).
        build: how the Verilated model is built (rtl); it is kept for later runs, in other processes too.
        progress: told how far building it has come (rtl).

    Returns:
        Outputs by name in the model's own shapes and types, cycles, statistics.

    Raises:
        CovenantError: an input is missing, unknown, or of the wrong shape or type (codes RUNnnnn, CLI0005, CLI0010);
            there is no such backend (RUN0005), or it cannot do what is asked (RUN0009); the Verilated model cannot be
            built (codes RTLnnnn); the machine stopped at a fault, a race or a deadlock (codes SIMnnnn).
    """
    session, build_seconds = program._session(backend, build or Build(), wave=wave is not None, progress=progress)
    arrays = arrays_by_name(program, inputs)
    start = time.perf_counter()
    raw = session.run(arrays, values, trace, records, "" if wave is None else os.fspath(wave))
    seconds = time.perf_counter() - start
    return Result(
        outputs=raw["outputs"],
        cycles=raw["cycles"],
        backend=backend,
        seconds=seconds,
        stats_json=raw["stats"],
        trace_json=raw["trace"],
        build_seconds=build_seconds,
        records=raw["records"],
    )

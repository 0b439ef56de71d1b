"""Runs a program once."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from covenant.machine.memory_models import FIXED_MEMORY
from covenant.program import Program
from covenant.progress import Progress
from covenant.runtime.build import Build
from covenant.runtime.result import Result
from covenant.runtime.session import Session


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
    profile: bool = False,
    packets: tuple[int, int] | None = None,
    memory: str | os.PathLike[str] = FIXED_MEMORY,
) -> Result:
    """Runs a program once. Many runs on the RTL are faster in one `Session`.

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
        profile: also say what each packet has cost (systemc, of a machine that issues packets).
        packets: of such a machine: the first and the last packet, counted as they issue from 0, that have a record and
            a place in the trace; None: all.
        memory: model of off-chip memory, as for `Session.run` (systemc, rtl).

    Returns:
        Outputs by name in the model's own shapes and types, cycles, statistics.

    Raises:
        CovenantError: as `Session` and `Session.run`.
    """
    session = Session(program, backend, waves=wave is not None, build=build, progress=progress)
    return session.run(
        inputs, values=values, trace=trace, records=records, wave=wave, profile=profile, packets=packets, memory=memory
    )

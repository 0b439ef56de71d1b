"""Sessions of programs of several parts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from covenant import _core
from covenant.machine.memory_models import FIXED_MEMORY
from covenant.program.host import Made
from covenant.program.parts import ProgramParts
from covenant.progress import Progress
from covenant.runtime.build import Build
from covenant.runtime.result import Result, result_of
from covenant.runtime.stateful import Stateful
from covenant.runtime.verilated import loading_options


@dataclass(frozen=True)
class PartRun:
    """The run of one part."""

    name: str
    inputs: dict[str, np.ndarray] = field(repr=False)
    """Arrays that it was given, under the names that it has for them."""
    result: Result


@dataclass(frozen=True)
class PartsResult:
    """One run of all parts, one after the other."""

    outputs: dict[str, np.ndarray]
    """Outputs by name, in the model's shapes and types."""
    parts: tuple[PartRun, ...]
    cycles: int
    """Sum over the parts, each in cycles of its own machine's clock; 0 on a backend without time."""
    machine_seconds: float
    """Sum of the times that the machines took at their clocks. Nothing overlaps, and handing tensors on takes none."""
    seconds: float
    """Wall-clock time of the run. Not part of what two equal runs share."""
    backend: str
    host_seconds: float = 0.0
    """Wall-clock time of the float operators that the host computes, not part of `seconds`."""


class PartsSession(Stateful[ProgramParts]):
    """A program of several parts on a backend, loaded once, run on any number of inputs; state as in a `Session`.

    Args:
        program: result of `covenant.compile_parts`.
        backend: one of `covenant.BACKENDS`, for all parts.
        build: how Verilated models are built (rtl), one for each machine.
        progress: called with the progress of building them (rtl).

    Attributes:
        program: as given.
        backend: as given.
        build_seconds: wall-clock time of building Verilated models; 0 if they were built before.

    Raises:
        CovenantError: there is no such backend (RUN0005); a Verilated model cannot be built (codes RTLnnnn).
        TypeError: it is one program, which runs in a `Session`.
    """

    __slots__ = ("backend", "build_seconds")

    def __init__(
        self,
        program: ProgramParts,
        backend: str = "systemc",
        *,
        build: Build | None = None,
        progress: Progress | None = None,
    ) -> None:
        if not isinstance(program, ProgramParts):
            raise TypeError("a PartsSession runs ProgramParts; one Program runs in covenant.Session")
        self.backend = backend
        machines = (part.program.machine for part in program.parts)
        options, self.build_seconds = loading_options(backend, machines, build, waves=False, progress=progress)
        super().__init__(_core.PartsSession(program._core, backend, options), program)

    def run(
        self,
        inputs: Mapping[str, np.ndarray] | np.ndarray,
        *,
        values: bool = True,
        trace: bool = False,
        records: bool = False,
        memory: str | os.PathLike[str] = FIXED_MEMORY,
    ) -> PartsResult:
        """Runs all parts once.

        Args:
            inputs: as for `Session.run`: of the whole.
            values: False computes cycles only; outputs are then meaningless, and state is kept. Only systemc can.
            trace: also make a Perfetto trace of each part (systemc, rtl).
            records: also give the retire record of every command of each part (systemc, rtl).
            memory: model of the off-chip memory of each machine, as for `Session.run` (systemc, rtl).

        Raises:
            CovenantError: as `Session.run`; what a part cannot do names the part.
        """
        before = self.program.started(self._with_state(inputs))
        raw = self._core.run(self.program.for_machine(before.arrays), values, trace, records, os.fspath(memory))
        if values:
            self._keep_state(raw["outputs"])
        after = self.program.finished(raw["outputs"], before.arrays) if values else Made(raw["outputs"], 0.0)
        runs = tuple(
            PartRun(part.name, given, result_of(one, self.backend, part.program.machine, one["seconds"]))
            for part, (given, one) in zip(self.program.parts, raw["parts"], strict=True)
        )
        return PartsResult(
            outputs=after.arrays,
            parts=runs,
            cycles=raw["cycles"],
            machine_seconds=raw["machine_seconds"],
            seconds=sum(run.result.seconds for run in runs),
            backend=self.backend,
            host_seconds=before.seconds + after.seconds,
        )

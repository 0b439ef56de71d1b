"""Sessions: programs loaded on a backend."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from covenant import _core
from covenant.errors import CovenantError, Diagnostic
from covenant.machine.families import family_of
from covenant.machine.memory_models import FIXED_MEMORY
from covenant.program import Program
from covenant.program.host import Made
from covenant.progress import Progress
from covenant.runtime.build import Build
from covenant.runtime.layer_comparison import counterpart
from covenant.runtime.packet_profile import ALL_PACKETS
from covenant.runtime.result import LayerTensor, Result, TogetherResult, result_of
from covenant.runtime.stateful import Stateful
from covenant.runtime.verilated import loading_options


class Session(Stateful[Program]):
    """A program on a backend, loaded once, run on any number of inputs. Runs do not see each other but for the state.

    Where a program has state (docs/reference/state.md), what a run has made is what the next one begins with, unless
    that is given the input itself.

    Args:
        program: result of `covenant.compile`.
        backend: one of `covenant.BACKENDS`.
        waves: runs can write waveforms (rtl).
        build: how the Verilated model is built (rtl); it is kept for later sessions, in other processes too.
        progress: called with the progress of building it (rtl).

    Attributes:
        program: as given.
        backend: as given.
        build_seconds: wall-clock time of building the Verilated model; 0 if it was built before.

    Raises:
        CovenantError: there is no such backend (RUN0005); the Verilated model cannot be built (codes RTLnnnn).
        TypeError: the program is one of several parts, which runs in a `PartsSession`.
    """

    __slots__ = ("backend", "build_seconds")

    def __init__(
        self,
        program: Program,
        backend: str = "systemc",
        *,
        waves: bool = False,
        build: Build | None = None,
        progress: Progress | None = None,
    ) -> None:
        if not isinstance(program, Program):
            raise TypeError("a Session runs one Program; one of several parts runs in covenant.PartsSession")
        self.backend = backend
        options, self.build_seconds = loading_options(
            backend, (program.machine,), build, waves=waves, progress=progress
        )
        super().__init__(_core.Session(program._core, backend, options), program)

    def run(
        self,
        inputs: Mapping[str, np.ndarray] | np.ndarray,
        *,
        values: bool = True,
        trace: bool = False,
        records: bool = False,
        wave: str | os.PathLike[str] | None = None,
        profile: bool = False,
        packets: tuple[int, int] | None = None,
        memory: str | os.PathLike[str] = FIXED_MEMORY,
    ) -> Result:
        """Runs the program once.

        Args:
            inputs: one array per input of the program, by name; or just the array, if there is one input. Shapes and
                types are those of `program.inputs`. Those that are state need not be given.
            values: False computes cycles only; outputs are then meaningless, and state is kept. Only systemc can.
            trace: also make a Perfetto trace (systemc, rtl).
            records: also give the retire record of every command (systemc, rtl).
            wave: file for waveforms, FST (rtl, of a session with `waves`).
            profile: also give the cost of each packet (systemc, on a machine that issues packets).
            packets: of such a machine: the first and the last packet, counted as they issue from 0, that have a record
                and a place in the trace; None: all.
            memory: model of off-chip memory (systemc, rtl): FIXED_MEMORY, the latency that the machine states; one of
                `covenant.memories()`; or the path of a file of parameters.

        Returns:
            Outputs by name in the model's own shapes and types, cycles, statistics.

        Raises:
            CovenantError: an input is missing, unknown, or of the wrong shape or type (codes RUNnnnn, CLI0005,
                CLI0010); the backend does not offer an option (RUN0009, RUN0010); there is no such memory, or its file
                is wrong (codes MEMnnnn); the machine stopped at a fault, a race or a deadlock (codes SIMnnnn).
        """
        before = self.program.started(self._with_state(inputs))
        arrays = self.program.for_machine(before.arrays)
        start = time.perf_counter()
        path = "" if wave is None else os.fspath(wave)
        raw = self._core.run(arrays, values, trace, records, path, profile, packets or ALL_PACKETS,
                             os.fspath(memory))  # fmt: skip
        seconds = time.perf_counter() - start
        if values:
            self._keep_state(raw["outputs"])
        return self._result(raw, before, seconds, values=values)

    def run_together(
        self,
        inputs: Sequence[Mapping[str, np.ndarray] | np.ndarray],
        *,
        trace: bool = False,
        records: bool = False,
        profile: bool = False,
        packets: tuple[int, int] | None = None,
        memory: str | os.PathLike[str] = FIXED_MEMORY,
    ) -> TogetherResult:
        """Runs the program on several inputs at once, each on a hardware context of its own (systemc).

        The runs influence only each other's time: docs/reference/units/vliw_core.md says how contexts issue in turn and
        which resources they share. The program's constants are in memory once. All begin
        with the state of the session, which stays as it is.

        Args:
            inputs: one or more, each as for `run`; at most as many as the machine has contexts.
            trace: also make a Perfetto trace.
            records: also give the retire record of every packet.
            profile: also give the cost of each packet.
            packets: the first and the last packet of each, counted as they issue from 0, that have a record and a place
                in the trace; None: all.
            memory: as for `run`; several contexts at once take no other than FIXED_MEMORY (SIM0091).

        Raises:
            CovenantError: as `run`; SIM0087, there are more inputs than contexts, or the machine issues no packets.
            ValueError: there is no input.
        """
        if len(inputs) == 0:
            raise ValueError("no input to run on")
        before = [self.program.started(self._with_state(one)) for one in inputs]
        arrays = [self.program.for_machine(one.arrays) for one in before]
        start = time.perf_counter()
        raw = self._core.run_together(arrays, trace, records, profile, packets or ALL_PACKETS, os.fspath(memory))
        seconds = time.perf_counter() - start
        return TogetherResult(
            results=tuple(
                self._result(one, made, seconds, values=True) for one, made in zip(raw["contexts"], before, strict=True)
            ),
            cycles=raw["cycles"],
            packets=raw["packets"],
            events=raw["events"],
            context_events=tuple(one["events"] for one in raw["contexts"]),
            trace_json=raw["trace"],
        )

    def _result(self, raw: dict[str, Any], before: Made, seconds: float, *, values: bool) -> Result:
        """Result of one run; `raw` has no records and no trace where contexts ran together."""
        after = self.program.finished(raw["outputs"], before.arrays) if values else Made(raw["outputs"], 0.0)
        made = result_of(raw, self.backend, self.program.machine, seconds)
        return replace(made, outputs=after.arrays, build_seconds=self.build_seconds,
                       host_seconds=before.seconds + after.seconds)  # fmt: skip

    def layer_tensors(
        self, inputs: Mapping[str, np.ndarray] | np.ndarray, expected: Mapping[str, np.ndarray] | None = None
    ) -> tuple[LayerTensor, ...]:
        """Runs the program once, layer by layer, and returns the tensors that each layer has written.

        A layer reads only off-chip memory, so the tensors are those of `run`. Only `run` gives cycles. The state of the
        session stays as it is.

        Args:
            inputs: as for `run`.
            expected: expected tensors by name. Later layers read them instead of the written ones, if type and shape
                agree, so that errors do not accumulate.

        Returns:
            Tensors in order of execution, without those that no layer writes because they are fused away or are views.

        Raises:
            CovenantError: as `run`; CLI0016, the program was loaded: a file does not say where its tensors lie;
                CLI0028, the machine issues packets, and does not stop between layers.
        """
        if not family_of(self.program.machine).stops_between_layers:
            raise CovenantError(
                Diagnostic("CLI0028", "the machine does not stop between layers: it issues packets",
                           self.program.machine.name, fix="compare outputs; a tensor may be an output of the model")
            )  # fmt: skip
        results = self.program._results
        if results is None:
            raise CovenantError(
                Diagnostic("CLI0016", "a program file does not say where the tensors of its layers lie",
                           self.program.model, fix="compile the model, and use the program that this gives")
            )  # fmt: skip
        before = self.program.started(self._with_state(inputs))
        given = [counterpart(expected, one.name, one.dtype, one.shape) for one in results] if expected else []
        arrays = self._core.run_blocks(self.program.for_machine(before.arrays), results, given)
        blocks = self.program.blocks
        return tuple(
            LayerTensor(blocks[result.block].layer, result.block, result.name, array)
            for result, array in zip(results, arrays, strict=True)
        )

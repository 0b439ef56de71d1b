"""Runs of the SystemC model and of the RTL in lock step: every command and every byte compared."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from covenant import _core
from covenant.machine.memory_models import FIXED_MEMORY
from covenant.program import Program
from covenant.program.inputs import arrays_by_name
from covenant.progress import Progress, of_step
from covenant.runtime.build import Build
from covenant.runtime.difference import Difference, difference_of
from covenant.runtime.memory_statistics import MemoryStatistics, memory_of
from covenant.runtime.result import Layer, layers_of
from covenant.runtime.verilated import VerilatedModel, model_for

LAST_CYCLE = 2**64 - 1


@dataclass(frozen=True)
class CosimResult:
    """One program on one input, on both models."""

    instructions: int
    """Commands compared, those of instruction fetch included."""
    cycles: int
    """Cycles of the SystemC model."""
    differences: int
    """0: every field of every record, every byte and the end are equal. The run is given up soon after the first."""
    first: Difference | None
    outputs: dict[str, np.ndarray]
    """Outputs of the RTL, by name; meaningless if there is a difference."""
    build_seconds: float
    """Wall-clock time of building the Verilated model that it ran on; 0 if that was in the cache."""
    systemc_seconds: float
    """Wall-clock time of the SystemC run, records and digests included."""
    rtl_seconds: float
    stats_json: str = field(repr=False, default="{}")

    @property
    def identical(self) -> bool:
        """True if there is no difference."""
        return self.differences == 0

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Statistics of the SystemC model; keys: docs/reference/statistics.md."""
        return json.loads(self.stats_json)

    @cached_property
    def memory(self) -> MemoryStatistics | None:
        """Statistics of off-chip memory on the SystemC model; None with a fixed latency."""
        return memory_of(self.stats)

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """Cycles of the layers, on the SystemC model."""
        return layers_of(self.stats)


def cosim(
    program: Program,
    inputs: Mapping[str, np.ndarray] | np.ndarray,
    *,
    wave: str | os.PathLike[str] | None = None,
    wave_cycles: tuple[int, int] = (0, LAST_CYCLE),
    memory: str | os.PathLike[str] = FIXED_MEMORY,
    build: Build | VerilatedModel | None = None,
    progress: Progress | None = None,
) -> CosimResult:
    """Runs a program on the SystemC model and on the RTL, and compares every command and every byte.

    Args:
        program: what `covenant.compile` made.
        inputs: as `covenant.run` takes them.
        wave: file for waveforms of the RTL (FST); needs a Verilated model that can write them.
        wave_cycles: first and last cycle in that file; cycle c is at time 2 c + 8.
        memory: model of off-chip memory, as for `Session.run`; each of the two has one of its own.
        build: how the Verilated model is built; or the model, for many runs.
        progress: told how far building and running have come.

    Raises:
        CovenantError: the inputs do not fit (as `covenant.run`), the machine has no RTL, or its model cannot be built
            (codes RTLnnnn), the model given does not suit (CLI0014), there is no such memory (codes MEMnnnn), or the
            program is wrong (codes SIMnnnn). A difference is a result, not an error.
    """
    known = program.started(arrays_by_name(program, inputs)).arrays
    model = model_for(program, build, waves=wave is not None, progress=progress)
    raw = _core.cosim(
        model._core, program._core, program.for_machine(known), "" if wave is None else os.fspath(wave), wave_cycles,
        os.fspath(memory), of_step(progress, "running the RTL"),
    )  # fmt: skip
    return CosimResult(
        instructions=raw["instructions"],
        cycles=raw["cycles"],
        differences=raw["differences"],
        first=difference_of(raw["first"]),
        outputs=program.finished(raw["outputs"], known).arrays,
        build_seconds=model.build_seconds,
        systemc_seconds=raw["systemc_seconds"],
        rtl_seconds=raw["rtl_seconds"],
        stats_json=raw["stats"],
    )

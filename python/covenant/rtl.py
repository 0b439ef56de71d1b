"""The RTL of a machine: its Verilated model, and runs in lock step with the SystemC model."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from covenant import _core
from covenant.inputs import arrays_by_name
from covenant.program import Program
from covenant.result import Layer, layers_of

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""

LAST_CYCLE = 2**64 - 1


@dataclass(frozen=True)
class Build:
    """How the Verilated model of a machine is built, and where it is kept."""

    cache: str | os.PathLike[str] | None = None
    """Folder of built models; None: $COVENANT_RTL_CACHE, else covenant/rtl in the user's folder of caches."""
    quick: bool = False
    """Built in a third of the time, runs at half the speed."""
    jobs: int = 0
    """Compilers at a time; 0: one for each core."""

    def to_core(self, *, wave: bool, progress: Progress | None) -> dict[str, Any]:
        """As the C++ core takes it."""
        made: dict[str, Any] = {"wave": wave, "quick": self.quick, "jobs": self.jobs}
        if self.cache is not None:
            made["cache"] = os.fspath(self.cache)
        if progress is not None:
            made["progress"] = progress
        return made


@dataclass(frozen=True)
class RecordBeside:
    """A retire record of one side beside a difference; the fields are those of acg/isa/retire_record.h."""

    sequence: int
    word_index: int
    issue: int
    first_port: int
    last_port: int
    retire: int
    stall: int
    digest: int
    instruction: str


@dataclass(frozen=True)
class Difference:
    """Where the RTL and the SystemC model part for the first time."""

    kind: str
    """record: fields of a command; missing: a command that one side never retires; memory: a byte of off-chip memory
    after the run; end: the cycle in which the run ends."""
    engine: str
    instruction: str
    """Disassembled."""
    layer: str
    block: int
    word_index: int
    """Within the words of the engine in this block."""
    cycle: int
    """First cycle that the two do not share."""
    fields: tuple[dict[str, str], ...]
    """`name`, and the values of both sides as text (`systemc`, `rtl`); the first is the cause of the others."""
    around_systemc: tuple[RecordBeside, ...]
    """Records of the same engine before and after."""
    around_rtl: tuple[RecordBeside, ...]
    text: str = field(repr=False)
    """All of it for people, several lines."""

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON of the command line."""
        return {
            "kind": self.kind,
            "engine": self.engine,
            "instruction": self.instruction,
            "layer": self.layer,
            "block": self.block,
            "word_index": self.word_index,
            "cycle": self.cycle,
            "fields": list(self.fields),
            "around_systemc": [dict(vars(record)) for record in self.around_systemc],
            "around_rtl": [dict(vars(record)) for record in self.around_rtl],
        }


@dataclass(frozen=True)
class CosimResult:
    """One program on one input, on both models."""

    instructions: int
    """Commands compared, those of instruction fetch included."""
    cycles: int
    """Of the SystemC model."""
    differences: int
    """0: every field of every record, every byte and the end are equal. The run is given up soon after the first."""
    first: Difference | None
    outputs: dict[str, np.ndarray]
    """Of the RTL, by name; meaningless if there is a difference."""
    build_seconds: float
    """Wall-clock time of building the Verilated model; 0 if it was in the cache."""
    systemc_seconds: float
    """Wall-clock time of the SystemC run, records and digests included."""
    rtl_seconds: float
    stats_json: str = field(repr=False, default="{}")

    @property
    def identical(self) -> bool:
        """True if there is no difference."""
        return self.differences == 0

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """Cycles of the layers, on the SystemC model."""
        return layers_of(json.loads(self.stats_json))


@dataclass(frozen=True)
class MixedLayer:
    """One layer of a run of mixed fidelity."""

    layer: Layer
    backend: str
    """rtl or systemc."""
    agreement: str
    """Of layers on the RTL: equal, different, or unknown (it ran behind a difference). Empty for the others."""

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON of the command line."""
        return self.layer.to_dict() | {"backend": self.backend, "agreement": self.agreement or None}


@dataclass(frozen=True)
class MixedResult:
    """A program of which some layers ran on the RTL and the rest on the SystemC model."""

    outputs: dict[str, np.ndarray]
    """By name; what the last window left."""
    layers: tuple[MixedLayer, ...]
    cycles: int
    """Of the whole program on the SystemC model."""
    rtl_cycles: int
    """Of the windows on the RTL."""
    instructions: int
    """Commands of the RTL that were compared."""
    differences: int
    first: Difference | None
    build_seconds: float
    systemc_seconds: float
    """Of the whole program."""
    rtl_seconds: float
    """Of the windows on the RTL."""
    stats_json: str = field(repr=False, default="{}")
    """Statistics of the whole program on the SystemC model."""

    @property
    def identical(self) -> bool:
        """True if every layer on the RTL did what it does on the SystemC model."""
        return self.differences == 0


def cosim(
    program: Program,
    inputs: Mapping[str, np.ndarray] | np.ndarray,
    *,
    wave: str | os.PathLike[str] | None = None,
    wave_cycles: tuple[int, int] = (0, LAST_CYCLE),
    build: Build | None = None,
    progress: Progress | None = None,
) -> CosimResult:
    """Runs a program on the SystemC model and on the RTL, and compares every command and every byte.

    Args:
        program: what `covenant.compile` made.
        inputs: as `covenant.run` takes them.
        wave: file for waveforms of the RTL (FST); needs a Verilated model of its own, built when missing.
        wave_cycles: first and last cycle in that file; cycle c is at time 2 c + 8.
        build: how the Verilated model is built.
        progress: told how far building and running have come.

    Raises:
        CovenantError: the inputs do not fit (as `covenant.run`), the machine has no RTL, or its model cannot be built
            (codes RTLnnnn), or the program is wrong (codes SIMnnnn). A difference is a result, not an error.
    """
    arrays = arrays_by_name(program, inputs)
    model = program._rtl(build or Build(), wave=wave is not None, progress=progress)
    raw = _core.cosim(
        model, program._core, arrays, "" if wave is None else os.fspath(wave), wave_cycles, _running(progress)
    )
    return CosimResult(
        instructions=raw["instructions"],
        cycles=raw["cycles"],
        differences=raw["differences"],
        first=_difference(raw["first"]),
        outputs=raw["outputs"],
        build_seconds=model.build_seconds,
        systemc_seconds=raw["systemc_seconds"],
        rtl_seconds=raw["rtl_seconds"],
        stats_json=raw["stats"],
    )


def run_mixed(
    program: Program,
    inputs: Mapping[str, np.ndarray] | np.ndarray,
    layers: Sequence[str] = (),
    *,
    words: tuple[int, int] | None = None,
    build: Build | None = None,
    progress: Progress | None = None,
) -> MixedResult:
    """Runs some layers of a program on the RTL and the rest on the SystemC model, and compares them at the seams.

    A layer begins with nothing but off-chip memory, which is handed over. Neighbouring layers on the RTL run together.

    Args:
        program: what `covenant.compile` made.
        inputs: as `covenant.run` takes them.
        layers: names of layers that run on the RTL.
        words: first and last word of the instruction stream, as `covenant disasm` numbers them: the layers in which
            these lie run on the RTL, too.
        build: how the Verilated model is built.
        progress: told how far building and running have come.

    Raises:
        CovenantError: there is no such layer (RUN0012) or word (RUN0013); and as `cosim`.
    """
    arrays = arrays_by_name(program, inputs)
    on_rtl = _core.choose_blocks(program._core, list(layers), words)
    model = program._rtl(build or Build(), wave=False, progress=progress)
    raw = _core.run_mixed(model, program._core, arrays, on_rtl, _running(progress))
    timed = layers_of(json.loads(raw["stats"]))
    return MixedResult(
        outputs=raw["outputs"],
        layers=tuple(
            MixedLayer(layer, "rtl" if chosen else "systemc", agreement if chosen else "")
            for layer, chosen, agreement in zip(timed, on_rtl, raw["agreements"], strict=True)
        ),
        cycles=raw["cycles"],
        rtl_cycles=raw["rtl_cycles"],
        instructions=raw["instructions"],
        differences=raw["differences"],
        first=_difference(raw["first"]),
        build_seconds=model.build_seconds,
        systemc_seconds=raw["systemc_seconds"],
        rtl_seconds=raw["rtl_seconds"],
        stats_json=raw["stats"],
    )


def _running(progress: Progress | None) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda cycle, cycles: progress("running the RTL", cycle, cycles)


def _difference(raw: dict[str, Any] | None) -> Difference | None:
    if raw is None:
        return None
    around = {side: tuple(RecordBeside(**record) for record in raw[side]) for side in ("around_systemc", "around_rtl")}
    return Difference(**(raw | around | {"fields": tuple(raw["fields"])}))

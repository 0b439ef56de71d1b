"""Runs of mixed fidelity: some layers on the RTL, the rest on the SystemC model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from covenant import _core
from covenant.program import Program
from covenant.program.inputs import arrays_by_name
from covenant.progress import Progress, of_step
from covenant.runtime.build import Build
from covenant.runtime.difference import Difference, difference_of
from covenant.runtime.result import Layer, layers_of
from covenant.runtime.verilated import VerilatedModel, model_for


@dataclass(frozen=True)
class MixedLayer:
    """One layer of a run of mixed fidelity."""

    layer: Layer
    backend: str
    """rtl or systemc."""
    agreement: str
    """Outcome for layers on the RTL: equal, different, or unknown (it ran after a difference). Empty for the others."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in the JSON of the command line."""
        return self.layer.to_dict() | {"backend": self.backend, "agreement": self.agreement or None}


@dataclass(frozen=True)
class MixedResult:
    """A program of which some layers ran on the RTL and the rest on the SystemC model."""

    outputs: dict[str, np.ndarray]
    """Outputs by name, as the last window left them."""
    layers: tuple[MixedLayer, ...]
    cycles: int
    """Cycles of the whole program on the SystemC model."""
    rtl_cycles: int
    """Cycles of the windows on the RTL."""
    instructions: int
    """Commands of the RTL that were compared."""
    differences: int
    first: Difference | None
    build_seconds: float
    systemc_seconds: float
    """Time of the whole program."""
    rtl_seconds: float
    """Time of the windows on the RTL."""
    stats_json: str = field(repr=False, default="{}")
    """Statistics of the whole program on the SystemC model."""

    @property
    def identical(self) -> bool:
        """True if every layer on the RTL did what it does on the SystemC model."""
        return self.differences == 0


def choose_layers(program: Program, layers: Sequence[str], words: tuple[int, int] | None) -> list[bool]:
    """Whether `run_mixed` runs each layer of the program on the RTL.

    Raises:
        CovenantError: there is no such layer (RUN0012) or word (RUN0013), or none is chosen (RUN0013).
    """
    return _core.choose_blocks(program._core, list(layers), words)


def run_mixed(
    program: Program,
    inputs: Mapping[str, np.ndarray] | np.ndarray,
    layers: Sequence[str] = (),
    *,
    words: tuple[int, int] | None = None,
    build: Build | VerilatedModel | None = None,
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
        build: how the Verilated model is built; or the model, for many runs.
        progress: told how far building and running have come.

    Raises:
        CovenantError: as `choose_layers`, and as `cosim`.
    """
    known = program.started(arrays_by_name(program, inputs)).arrays
    on_rtl = choose_layers(program, layers, words)
    model = model_for(program, build, waves=False, progress=progress)
    arrays = program.for_machine(known)
    raw = _core.run_mixed(model._core, program._core, arrays, on_rtl, of_step(progress, "running the RTL"))
    timed = layers_of(json.loads(raw["stats"]))
    return MixedResult(
        outputs=program.finished(raw["outputs"], known).arrays,
        layers=tuple(
            MixedLayer(layer, "rtl" if chosen else "systemc", agreement if chosen else "")
            for layer, chosen, agreement in zip(timed, on_rtl, raw["agreements"], strict=True)
        ),
        cycles=raw["cycles"],
        rtl_cycles=raw["rtl_cycles"],
        instructions=raw["instructions"],
        differences=raw["differences"],
        first=difference_of(raw["first"]),
        build_seconds=model.build_seconds,
        systemc_seconds=raw["systemc_seconds"],
        rtl_seconds=raw["rtl_seconds"],
        stats_json=raw["stats"],
    )

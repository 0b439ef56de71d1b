"""Our compiler's code for the peers' kernels: the nearest that it compiles to an executable of its own."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from covenant.benchmark import compile_layer
from covenant.executable import run_executable
from covenant.machine import Machine

# Rows of the table of layers with the shapes of the kernels: products of signed bytes.
_LAYERS = {"gemm": "BERT-LG/ATN4-GEMM", "conv": "ResNet50/CONV2"}
_MOST_INPUT = 1 << 24  # bytes: more than the inputs of these layers
_ALONE = "the compiler takes it as a part of a layer only"


@dataclass(frozen=True)
class Ours:
    """What our code takes, from the entry of its executable to its end."""

    packets: int | None
    cycles: int | None
    what: str


def ours_of(kernel: str, machine: Machine) -> Ours:
    """Compiled and run on zeros: neither packets nor cycles depend on values.

    Raises:
        CovenantError: as `compile_layer`.
    """
    layer = _LAYERS.get(kernel)
    if layer is None:
        return Ours(None, None, _ALONE)
    program = compile_layer(layer, machine)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ours.elf"
        path.write_bytes(program.executable())
        run = run_executable(path, machine, standard_input=bytes(_MOST_INPUT))
    return Ours(run.packets, run.cycles, f"{layer}: i8 * i8 -> i32")

"""Our compiler's code for the peers' kernels, compared with the same values."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from covenant import compiler
from covenant.bench.layers import compile_layer
from covenant.bench.peers import models, networks
from covenant.bench.peers.kernel import Inputs, Kernel
from covenant.bench.peers.kernels import SIGNED_CONV
from covenant.machine import Machine
from covenant.program import Program
from covenant.runtime.session import Session

_LIBRARY = Path(__file__).parent / "library"
_NETWORKS: Mapping[str, Callable[[Inputs, np.ndarray], networks.Network]] = {
    "gemm": networks.gemm,
    "conv": networks.conv,
    "requantise": networks.requantize,
    "pool": networks.pool,
}
_MODELS: Mapping[str, Callable[[Inputs, np.ndarray], models.Model]] = {
    "depthwise": models.depthwise,
    "pointwise": models.pointwise,
    "gemv": models.gemv,
    "average_pool": models.average_pool,
    "add": models.add,
}
_PREFETCH = ".y5_l2fetch"


@dataclass(frozen=True)
class Ours:
    """Packets and cycles of our code, with caches empty at first."""

    packets: int
    cycles: int
    identical: bool
    """Every byte of its output is exact."""


def ours_of(kernel: Kernel, machine: Machine, *, prefetch: bool = True) -> Ours:
    """Compiled and run.

    Args:
        kernel: what is computed.
        machine: a machine that issues packets.
        prefetch: False: for the same machine without the instruction that prefetches.

    Raises:
        CovenantError: as `covenant.compile`.
    """
    case = _case(kernel, machine if prefetch else without_prefetch(machine))
    result = Session(case.program).run(case.feeds)
    (output,) = result.outputs.values()
    return Ours(result.packets or 0, result.cycles, np.array_equal(output, case.y))


@dataclass(frozen=True)
class _Case:
    """A program with its inputs and its one expected output."""

    program: Program
    feeds: dict[str, np.ndarray]
    y: np.ndarray


def _case(kernel: Kernel, machine: Machine) -> _Case:
    inputs = kernel.inputs()
    expected = kernel.expected(*inputs)
    if kernel.name == "conv_i8":
        x, y = networks.pixels(inputs[0][1:-1, 1:-1]), networks.pixels(expected)
        return _Case(compile_layer(SIGNED_CONV, machine), {"x": x}, y)
    with tempfile.TemporaryDirectory() as folder:
        if kernel.name in _MODELS:
            model = _MODELS[kernel.name](inputs, expected)
            path = Path(folder, f"{kernel.name}.onnx")
            path.write_bytes(model.content)
            return _Case(compiler.compile(path, machine), model.feeds, model.y)
        network = _NETWORKS[kernel.name](inputs, expected)
        path = Path(folder, f"{kernel.name}.network")
        path.write_text(network.text)
        return _Case(compiler.compile(path, machine, library=_LIBRARY), {"x": network.x}, network.y)


def without_prefetch(machine: Machine) -> Machine:
    """The machine without its instruction that prefetches: there the compiler writes none."""
    graph = machine.to_dict()
    graph["mnemonics"] = [mnemonic for mnemonic in graph["mnemonics"] if not mnemonic["does"].endswith(_PREFETCH)]
    return Machine.from_json(json.dumps(graph))

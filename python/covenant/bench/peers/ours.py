"""Our compiler's code for the peers' kernels, compared with the same values."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from covenant import compiler
from covenant.bench.peers import networks
from covenant.bench.peers.kernels import Inputs, Kernel
from covenant.machine import Machine
from covenant.runtime.session import Session

_LIBRARY = Path(__file__).parent / "library"
_NETWORKS: Mapping[str, Callable[[Inputs, np.ndarray], networks.Network]] = {
    "gemm": networks.gemm,
    "conv": networks.conv,
    "requantise": networks.requantize,
    "pool": networks.pool,
}


@dataclass(frozen=True)
class Ours:
    """Packets and cycles of our code, with caches empty at first."""

    packets: int
    cycles: int
    identical: bool
    """Every byte of its output is exact."""


def ours_of(kernel: Kernel, machine: Machine) -> Ours:
    """Compiled and run.

    Raises:
        CovenantError: as `covenant.compile`.
    """
    inputs = kernel.inputs()
    network = _NETWORKS[kernel.name](inputs, kernel.expected(*inputs))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{kernel.name}.network"
        path.write_text(network.text)
        program = compiler.compile(path, machine, library=_LIBRARY)
    result = Session(program).run({"x": network.x})
    return Ours(result.packets or 0, result.cycles, np.array_equal(result.outputs["y"], network.y))

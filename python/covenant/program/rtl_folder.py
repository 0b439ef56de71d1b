"""Writes the RTL of a machine as a folder that needs nothing else."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from covenant import _core, folders
from covenant.choices import AxiMasters
from covenant.machine import Machine, as_machine
from covenant.program.inputs import arrays_by_name
from covenant.program.program import Program

TOP = "covenant_top.sv"
"""The file by which a folder of ours is known."""


def rtl_files(
    machine: Machine | str,
    program: Program | None = None,
    inputs: Mapping[str, np.ndarray] | np.ndarray | None = None,
    axi: AxiMasters | None = None,
) -> dict[str, str]:
    """The RTL of a machine by path below its folder: SystemVerilog, README.md, Makefile, a self-checking program.

    Args:
        machine: a Machine, or the spec of one ("genesys:8x8").
        program: for this machine, what `make test` runs; without it a small convolution.
        inputs: of the program, as `covenant.run` takes them.
        axi: AXI4 masters of the device: one of each off-chip port, of each bus that edges share, or one of all ports.
            Without it one of each port, and no device if AXI4 does not carry the machine's beats.

    Raises:
        CovenantError: the machine has no RTL (RTL0002 and following), or with `axi` no device (RTL0018); the inputs do
            not fit the program.
    """
    core = as_machine(machine)._core
    if program is None:
        return _core.rtl_files(core, None, {}, axi)
    return _core.rtl_files(core, program._core, arrays_by_name(program, {} if inputs is None else inputs), axi)


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Checks that `write_files` may write this folder: it is not there, empty, or a folder of RTL that it replaces.

    Raises:
        CovenantError: CLI0011, it has other files; CLI0006, it cannot be written.
    """
    folders.check_folder(folder, TOP, "RTL")


def write_files(files: Mapping[str, str], folder: str | os.PathLike[str]) -> None:
    """Writes the folder whole or not at all; a folder of RTL that is there already is replaced.

    Raises:
        CovenantError: as `check_folder`.
    """
    folders.write_folder(files, folder, TOP, "RTL")

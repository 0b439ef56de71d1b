"""Executable files of the Hexagon, from any compiler, on the vliw_core of a machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from covenant import _core
from covenant.files import read_whole
from covenant.machine import Machine, as_machine
from covenant.runtime.packet_profile import ALL_PACKETS, PacketProfile, RunProfile

MOST_PACKETS = 1_000_000_000_000
"""A longer run is refused, unless more are allowed."""


@dataclass(frozen=True)
class ExecutableRun:
    """One run of an executable file, from its entry to the call of the system that ended it."""

    exit_code: int
    """Code that the program gave to `exit`."""
    output: bytes = field(repr=False)
    """Bytes that it wrote to the standard output."""
    errors: bytes = field(repr=False)
    """Bytes that it wrote to the standard error output."""
    packets: int
    """Packets that were executed."""
    cycles: int
    """Cycles of the machine's clock; 0 for a run without cycles."""
    events: dict[str, int] = field(repr=False)
    """Events of the core, by name; empty for a run without cycles. Names: docs/reference/units/vliw_core.md."""
    profile: tuple[PacketProfile, ...] = field(repr=False)
    """Every packet that was executed, by address; nothing unless asked for."""
    trace_json: str = field(repr=False, default="")
    """Chrome/Perfetto trace; empty unless asked for."""

    def profile_of(self, path: str | os.PathLike[str], machine: Machine | str) -> RunProfile:
        """The profile with a description of its run, to be saved and shown beside a listing."""
        return RunProfile(os.fspath(path), as_machine(machine).name, self.packets, self.cycles, self.profile)


def run_executable(
    path: str | os.PathLike[str],
    machine: Machine | str,
    *,
    cycles: bool = True,
    profile: bool = False,
    max_packets: int = MOST_PACKETS,
    standard_input: bytes = b"",
    trace: bool = False,
    packets: tuple[int, int] | None = None,
) -> ExecutableRun:
    """Runs an executable file: static, of 32 bits, for the Hexagon.

    Its registers are zero at the start, but for r29, the end of a stack of 1 MiB. It may read the standard
    input, write to the standard output and to that of errors, and ends itself by `exit`: calls of Linux, by
    `trap0(#1)`.

    Args:
        path: the file, as `ld.lld -static` writes it.
        machine: one that issues packets, or its name: "hvx".
        cycles: False computes values only, several times as fast.
        profile: also give the cost of each packet.
        max_packets: a longer run is refused.
        standard_input: what it can read.
        trace: also make a Perfetto trace.
        packets: the first and the last packet, counted as they issue from 0, that have a place in it; None: all.

    Raises:
        CovenantError: CLI0009, the file cannot be read; ISA0020 or ISA0021, it is no such executable; SIM0060, it does
            not end; SIM0061, the machine issues no packets; SIM0001 SIM0086, a trace without cycles; SIM0001 and
            SIM0080 to SIM0085, the program needs something that the core does not support.
    """
    content = read_whole(path)
    core = as_machine(machine)._core
    run = _core.execute(
        core, content, os.fspath(path), cycles, profile, max_packets, standard_input, trace, packets or ALL_PACKETS
    )
    return _run_of(run)


@dataclass(frozen=True)
class ExecutablesRun:
    """One run of several executable files at once, each on a hardware context of its own."""

    contexts: tuple[ExecutableRun, ...]
    """Run of each file, in their order. Its cycles are those until it had ended; what contexts share is in no `events`
    of theirs, and their trace is empty."""
    cycles: int
    """Cycles until the last one had ended; 0 for a run without cycles."""
    packets: int
    """Executed by all."""
    events: dict[str, int] = field(repr=False)
    """Events of the whole core."""
    trace_json: str = field(repr=False, default="")
    """Chrome/Perfetto trace, the tracks of each context one below the other; empty unless asked for."""


def run_executables(
    paths: Sequence[str | os.PathLike[str]],
    machine: Machine | str,
    *,
    cycles: bool = True,
    profile: bool = False,
    max_packets: int = MOST_PACKETS,
    standard_input: bytes = b"",
    trace: bool = False,
    packets: tuple[int, int] | None = None,
) -> ExecutablesRun:
    """Runs several executable files at once, or one several times, each on a hardware context of its own.

    They influence only each other's time: docs/reference/units/vliw_core.md says how contexts issue in turn and which
    resources they share.

    Args:
        paths: the files, one or more; at most as many as the machine has contexts.
        machine: one that issues packets, or its name: "hvx".
        cycles: False computes values only, several times as fast.
        profile: also give the cost of each packet of each file.
        max_packets: a longer run of one of them is refused.
        standard_input: what each can read.
        trace: also make a Perfetto trace.
        packets: the first and the last packet of each, counted as they issue from 0, that have a place in it; None:
            all.

    Raises:
        CovenantError: as `run_executable`; SIM0087, there are more files than contexts.
        ValueError: there is no file.
    """
    if not paths:
        raise ValueError("no file to run")
    files = [(read_whole(path), os.fspath(path)) for path in paths]
    core = as_machine(machine)._core
    run = _core.execute_together(
        core, files, cycles, profile, max_packets, standard_input, trace, packets or ALL_PACKETS
    )  # fmt: skip
    return ExecutablesRun(**run | {"contexts": tuple(_run_of(context) for context in run["contexts"])})


def _run_of(run: dict[str, Any]) -> ExecutableRun:
    return ExecutableRun(**run | {"profile": tuple(PacketProfile(**packet) for packet in run["profile"])})


def disassemble_executable(path: str | os.PathLike[str], machine: Machine | str) -> str:
    """The packets of an executable file as text, with their addresses and the names of its symbols.

    Raises:
        CovenantError: CLI0009, ISA0020 and ISA0021 as `run_executable`; ISA0022, the machine issues no packets.
    """
    return _core.disassemble_executable(as_machine(machine)._core, read_whole(path), os.fspath(path))


def is_executable_file(path: str | os.PathLike[str]) -> bool:
    """True if there is a file that begins as executables do, whatever its name."""
    try:
        if not Path(path).is_file():  # what is no file may be read only once
            return False
        with Path(path).open("rb") as file:
            return _core.is_elf(file.read(4))
    except OSError:
        return False

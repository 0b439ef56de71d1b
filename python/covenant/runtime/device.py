"""A machine as a device: registers, an interrupt line, memory, and the driver that runs programs on it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from covenant import _core
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine, as_machine
from covenant.machine.memory_models import FIXED_MEMORY
from covenant.program import Program
from covenant.program.inputs import arrays_by_name
from covenant.progress import Progress
from covenant.runtime.build import Build

DEVICE_BACKENDS = ("systemc", "rtl")
"""systemc: the cycle-accurate model. rtl: the Verilated RTL, its registers on AXI4-Lite and its memories on AXI4."""

MEGABYTE = 1 << 20
STOPS = ("none", "machine", "memory", "abort")
REFUSALS = ("none", "busy", "address")


@dataclass(frozen=True)
class RunReport:
    """Cost of a run on a device, by the device's own counters."""

    cycles: int
    """Number of the cycle in which the last block was done."""
    blocks: int
    bytes_read: int
    """Over all off-chip ports, instructions among them."""
    bytes_written: int
    stalled: int
    """Cycles in which the oldest access of a port was due and not answered, summed over ports."""


@dataclass(frozen=True)
class DeviceStatus:
    """Content of the status register (docs/reference/registers.md)."""

    is_busy: bool
    is_done: bool
    """The last run has come to its end."""
    stop: str
    """Cause that stopped the last run: "none", "machine", "memory", "abort"."""
    refusal: str
    """Why the last start was refused: "none", "busy", "address"."""


@dataclass(frozen=True)
class DeviceRun:
    """One program run on one set of inputs."""

    outputs: dict[str, np.ndarray]
    """Outputs by name, in the model's own shapes and types."""
    report: RunReport


class Device:
    """One machine with off-chip memory of its own, driven by its registers as a host would drive it.

    Time stands still between calls: `wait` lets it pass. An access to a register takes no time (systemc) or some cycles
    (rtl). Both backends are driven by the same code. One thread at a time uses a device; any number may be open.

    Args:
        machine: a Machine, or the spec of one ("genesys:8x8").
        backend: one of DEVICE_BACKENDS.
        memory: model of off-chip memory: FIXED_MEMORY, the latency that the machine states; one of
            `covenant.memories()`; or the path of a file of parameters.
        memory_bytes: size of each off-chip memory; it holds zeros at first, and untouched parts take no room.
        build: how the Verilated device is built (rtl); it is kept for later devices, in other processes too.
        progress: called with the progress of building it (rtl).

    Attributes:
        machine: as given.
        backend: as given.

    Raises:
        CovenantError: there is no such backend (RUN0005); no such memory, or its file is wrong (codes MEMnnnn); there
            is no model of the machine, or its Verilated device cannot be built (codes ACG0051, SIMnnnn, RTLnnnn).

    Example:
        >>> import covenant
        >>> device = covenant.Device("genesys:8x8", memory_bytes=4096)
        >>> device.read32(0x00).to_bytes(4, "little")
        b'COVN'
    """

    __slots__ = ("_core", "backend", "machine")

    def __init__(
        self,
        machine: Machine | str,
        backend: str = "systemc",
        *,
        memory: str | os.PathLike[str] = FIXED_MEMORY,
        memory_bytes: int = 256 * MEGABYTE,
        build: Build | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.machine = as_machine(machine)
        self.backend = backend
        if memory_bytes < 0:
            raise ValueError(f"memory_bytes={memory_bytes}: none, or more")
        if backend == "systemc":
            self._core = _core.open_systemc_device(self.machine._core, memory_bytes, os.fspath(memory))
        elif backend == "rtl":
            options = (build or Build()).to_core(wave=False, progress=progress)
            self._core = _core.open_rtl_device(self.machine._core, memory_bytes, os.fspath(memory), options)
        else:
            raise CovenantError(
                Diagnostic("RUN0005", "there is no such backend of a device", offending=backend,
                           allowed=DEVICE_BACKENDS, fix="choose one of these")
            )  # fmt: skip

    def run(
        self, program: Program, inputs: Mapping[str, np.ndarray] | np.ndarray, *, timeout: float = 1.0
    ) -> DeviceRun:
        """Loads a program with its inputs, starts it, waits for its interrupt, and reads the outputs back.

        The host's parts before and after the machine (`program.start`, `program.end`) are computed, too.

        Args:
            program: compiled for the device's machine.
            inputs: one array for each input of the program, by name; or just the array, if there is one input.
            timeout: seconds of the device's time.

        Raises:
            CovenantError: as `load`, `start`, `wait` and `outputs`; RUN0014, of the host's part.
        """
        before = program.started(arrays_by_name(program, inputs))
        self.load(program, program.for_machine(before.arrays))
        self.start(program)
        report = self.wait(timeout)
        return DeviceRun(program.finished(self.outputs(program), before.arrays).arrays, report)

    def load(self, program: Program, inputs: Mapping[str, np.ndarray]) -> None:
        """Puts a program, its constants and its inputs where they belong in memory.

        Args:
            program: compiled for the device's machine.
            inputs: inputs of the machine by name (`program.for_machine`).

        Raises:
            CovenantError: the inputs are not those of the program (RUN0001 to RUN0008); the program is of another
                machine (DRV0006), or larger than the memory (DRV0005).
        """
        self._core.load(program._core, dict(inputs))

    def start(self, program: Program | int) -> None:
        """Starts a program that is in memory.

        Args:
            program: the loaded program; or the address of the first block of one that was written to memory otherwise.

        Raises:
            CovenantError: of another machine (DRV0006); a run is under way, and goes on (DRV0007); no program can begin
                at this address (DRV0008).
        """
        if isinstance(program, Program):
            self._core.start(program._core)
        else:
            self._core.start_at(program)

    def wait(self, timeout: float = 1.0) -> RunReport:
        """Lets time pass until the run ends. Ctrl-C ends the wait, not the run.

        Args:
            timeout: seconds of the device's time, at most.

        Raises:
            CovenantError: the time is over, and the run goes on (DRV0009); a fault of the machine (DRV0010) or of a
                memory (DRV0011) has stopped it; it was aborted (DRV0012); there was none (DRV0013).
        """
        return RunReport(**self._core.wait(max(0, round(timeout * 1e9))))

    def wait_interrupt(self, timeout: float = 1.0) -> bool:
        """Lets time pass until the interrupt line is high, at most so many seconds of the device's; returns its level.

        The register `interrupt_enable` selects the events that raise it. `wait` sets it by itself.
        """
        return self._core.wait_interrupt(max(0, round(timeout * 1e9)))

    def outputs(self, program: Program) -> dict[str, np.ndarray]:
        """Outputs of the program in memory, by name; those of the machine, not of the host after it.

        Raises:
            CovenantError: as `load`.
        """
        return self._core.outputs(program._core)

    def abort(self) -> None:
        """Stops the run that is under way; nothing happens if there is none."""
        self._core.abort()

    def clear(self) -> None:
        """Forgets all events of the past: the interrupt line falls."""
        self._core.clear()

    @property
    def status(self) -> DeviceStatus:
        """Status of the run that is under way, or of the last one."""
        status = self._core.status()
        return DeviceStatus(status["is_busy"], status["is_done"], STOPS[status["stop"]], REFUSALS[status["refusal"]])

    @property
    def counters(self) -> RunReport:
        """Counters of the run that is under way, or of the last one."""
        return RunReport(**self._core.counters())

    @property
    def interrupt(self) -> bool:
        """Level of the interrupt line."""
        return self._core.interrupt()

    def read32(self, address: int) -> int:
        """A register, by its address in bytes from the start of the window.

        Raises:
            CovenantError: DRV0004, the device refuses it.
        """
        return self._core.read32(address)

    def write32(self, address: int, value: int) -> None:
        """Writes a register.

        Raises:
            CovenantError: DRV0004, the device refuses it.
        """
        self._core.write32(address, value)

    def read_memory(self, address: int, length: int, memory: str | None = None) -> bytes:
        """Bytes of an off-chip memory, by its name; None: the machine's only one.

        Raises:
            CovenantError: DRV0015, they are not all there; CLI0024, there is no such memory, or several.
        """
        return self._core.read_memory(self._number(memory), address, length)

    def write_memory(self, address: int, data: bytes | np.ndarray, memory: str | None = None) -> None:
        """Puts bytes into an off-chip memory, at once.

        Raises:
            CovenantError: as `read_memory`.
        """
        self._core.write_memory(self._number(memory), address, np.ascontiguousarray(np.frombuffer(data, np.uint8)))

    def _number(self, memory: str | None) -> int:
        """Number of an off-chip memory, in the machine."""
        there = self.machine._core.offchip_memories
        if memory is None and len(there) == 1:
            return next(iter(there.values()))
        if memory not in there:
            raise CovenantError(
                Diagnostic("CLI0024", "which off-chip memory is meant?", self.machine.name, offending=str(memory),
                           allowed=tuple(there), fix="name one of these")
            )  # fmt: skip
        return there[memory]

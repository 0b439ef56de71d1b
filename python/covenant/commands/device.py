"""A machine that a host drives by commands, as its text defines it."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, SupportsIndex

import numpy as np

from covenant import _core
from covenant.commands.description import described, manual
from covenant.commands.encode import FieldValue, encoded
from covenant.commands.formats import NumberFormat
from covenant.commands.given import Octets, octets, path_text, refuse, settings_text, shown_hex, shown_name, text, whole
from covenant.commands.layout import PortLayout, mask, port_layouts
from covenant.commands.record import CommandRecord, record_of
from covenant.commands.stream import HostCommand
from covenant.errors import CovenantError, Diagnostic

MOST_CYCLES = 10_000_000_000
"""Cycles after which a command that does not end, and a machine that does not ask for its host, is given up."""

_MOST_NUMBER = 2**64 - 1
ENGINES = ("auto", "native", "evaluator", "recorded")
"""What may run a machine."""


@dataclass(frozen=True)
class Port:
    """A port that a host drives."""

    name: str
    address_bits: int
    data_bytes: int


class CommandDevice:
    """A machine that runs no compiled program: a host writes to its addresses and reads from them.

    Runs the machine's text cycle by cycle. A command takes at least a cycle, and returns when its update has ended.

    Args:
        spec: name of a machine that comes with the SDK ("vta"), or the path of an `.acg` file with a behaviour, as
            text or as `pathlib.Path`.
        engine: what runs the machine. All give the same bytes, cycles and errors.
            "evaluator": reads the text as it goes. "native": C++ that is made of the text, compiled when it is first
            needed and kept in $COVENANT_MACHINE_CACHE, else in covenant/machines in the user's folder of caches.
            "recorded": as "evaluator", and it keeps what `record` gives.
            "auto": "native" if it is kept there; else "evaluator", and "native" from where it takes longer than
            compiling does, if there is a compiler.
        settings: parameters to override, as numbers or as names.

    Raises:
        CovenantError: ACGnnnn and BEH0001 to BEH0014, the text is malformed or no such machine; BEH0044, no
            such engine; BEH0050 to BEH0054, engine="native" and the machine cannot be compiled.

    Example:
        >>> device = CommandDevice("vta", dram_bytes="4K")
        >>> device.write(0x80000010, bytes(range(16)))
        >>> device.read(0x80000010)[:4].hex()
        '00010203'
        >>> device.cycles
        2
    """

    __slots__ = ("_core", "_is_recorded", "_layouts", "_ports")

    def __init__(self, spec: str | os.PathLike[str], *, engine: str = "auto", **settings: int | str) -> None:
        self._open(spec, settings, engine)

    @classmethod
    def of(cls, spec: str | os.PathLike[str], settings: Mapping[str, int | str], engine: str = "auto") -> Self:
        """The machine with settings of any names; arguments and errors are those of the class."""
        device = cls.__new__(cls)
        device._open(spec, settings, engine)
        return device

    def _open(self, spec: str | os.PathLike[str], settings: Mapping[str, int | str], engine: str) -> None:
        machine = text("the machine", path_text("the machine", spec))
        if not isinstance(engine, str) or engine not in ENGINES:
            raise CovenantError(
                Diagnostic("BEH0044", "no engine has this name", subject=machine, offending=shown_name(engine),
                           allowed=ENGINES, fix="name one of these, or leave it out")
            )  # fmt: skip
        self._is_recorded = engine == "recorded"
        self._core = _core.CommandMachine(machine, settings_text(settings, machine), engine)
        self._ports = {
            port["name"]: Port(port["name"], port["address_bits"], port["data_bits"] // 8)
            for port in self._core.describe()["ports"]
            if not port["is_stream"]
        }
        self._layouts: tuple[PortLayout, ...] = ()

    @property
    def name(self) -> str:
        """Name of the machine."""
        return self._core.name

    @property
    def engine(self) -> str:
        """Engine that runs the machine now: "evaluator" or "native"."""
        return self._core.engine

    @property
    def cycles(self) -> int:
        """Cycles since the start."""
        return self._core.cycles

    @property
    def ports(self) -> tuple[Port, ...]:
        """Ports that a host drives."""
        return tuple(self._ports.values())

    def port_named(self, name: str | None = None) -> Port:
        """The port of this name, or the only one.

        Raises:
            CovenantError: BEH0031, no such port, or none is named and there are others.
        """
        if name is None and len(self._ports) == 1:
            return next(iter(self._ports.values()))
        if isinstance(name, str) and name in self._ports:
            return self._ports[name]
        told = "none" if name is None else shown_name(name)
        raise CovenantError(
            Diagnostic("BEH0031", "no such port", subject=self.name, offending=told,
                       allowed=tuple(self._ports), fix="name one of the machine's ports")
        )  # fmt: skip

    @property
    def formats(self) -> dict[str, NumberFormat]:
        """Number formats of the machine, by name."""
        return {one["name"]: NumberFormat(self._core, one) for one in self._core.describe()["formats"]}

    def record(self) -> CommandRecord:
        """Counts, ranges and a trace of what it has done since it was opened.

        Raises:
            CovenantError: BEH0043, it was not opened with engine="recorded".
        """
        if not self._is_recorded:
            raise CovenantError(
                Diagnostic("BEH0043", "the machine keeps no record", subject=self.name, offending=self.engine,
                           allowed=("recorded",), fix='open it with engine="recorded"')
            )  # fmt: skip
        return record_of(self._core)

    def describe(self) -> dict[str, Any]:
        """Ports, state, instructions and processes: what `covenant show MACHINE --json` prints."""
        return described(self._core.describe())

    def isa_manual(self) -> str:
        """All instructions, processes and functions as Markdown: what `covenant show MACHINE --isa` prints."""
        return manual(self.describe())

    def use_memory(self, state: str, memory: np.ndarray) -> None:
        """Has an off-chip state lie in an array of the caller's, which the machine reads and writes from now on.

        The machine sees what is written into the array between its commands, and the array what the machine writes: no
        command has to carry the bytes. All of them count as written. With the engine "auto", a machine that has done
        nothing yet is compiled now.

        Args:
            state: a state that the machine's text has `off_chip`, such as `dram` of VTA.
            memory: shape (elements of the state,), of one byte each, contiguous, writable. The device keeps it alive.

        Raises:
            CovenantError: BEH0060, no such off-chip state; BEH0046, an array of another kind.

        Examples:
            >>> import covenant, numpy as np
            >>> device = covenant.CommandDevice("vta", engine="evaluator")
            >>> dram = np.zeros(1 << 24, np.uint8)
            >>> device.use_memory("dram", dram)
            >>> dram[16:20] = 1, 2, 3, 4
            >>> device.read(0x80000010)[:4].hex()
            '01020304'
        """
        elements = {one["name"]: one["elements"] for one in self._core.describe()["state"] if one["is_off_chip"]}
        if not isinstance(state, str) or state not in elements:
            raise CovenantError(
                Diagnostic("BEH0060", "the machine has no such off-chip state", subject=self.name,
                           offending=shown_name(state), allowed=tuple(elements),
                           fix="name one of those; a state is off-chip if the text says so: `u8[64K] off_chip`")
            )  # fmt: skip
        is_of_bytes = isinstance(memory, np.ndarray) and memory.dtype in (np.uint8, np.int8)
        if not is_of_bytes or memory.shape != (elements[state],) or not memory.flags.carray:
            allowed = f"an array of uint8 or int8 of shape ({elements[state]},), contiguous and writable"
            refuse(f"the memory of {state}", memory, (allowed,), self.name)
        self._core.use_memory(state, memory)

    def write(
        self, address: SupportsIndex, data: Octets, *, port: str | None = None, most_cycles: int = MOST_CYCLES
    ) -> None:
        """Writes to an address.

        Args:
            address: within the bits of the port's addresses.
            data: bytes, bytearray, memoryview or an array of numpy of bytes, lowest first; zeros follow what is shorter
                than the port.
            port: its name; may be left out where the machine has one.
            most_cycles: that it may take. A command that takes more is given up; until it has ended, which `wait` lets
                it do, no other follows it.

        Raises:
            CovenantError: BEH0030 to BEH0037, BEH0055, the machine does not take the command, it takes more cycles, or
                the machine has stopped; BEH0046, an argument of another kind.
            KeyboardInterrupt: by Ctrl-C, also while the machine runs. The command is then still under way; if a single
                cycle takes long, the machine has stopped within it.
        """
        on = self.port_named(port)
        content = octets("data", data, self.name)
        self._command(on, True, address, content + bytes(max(on.data_bytes - len(content), 0)), most_cycles)

    def read(self, address: SupportsIndex, *, port: str | None = None, most_cycles: int = MOST_CYCLES) -> bytes:
        """Reads as many bytes as the port has at an address, lowest first. Raises as `write`."""
        on = self.port_named(port)
        return self._command(on, False, address, bytes(on.data_bytes), most_cycles)

    def encode(self, instruction: str, /, **fields: FieldValue) -> HostCommand:
        """The command of an instruction, without sending it.

        Args:
            instruction: its name, as `covenant show MACHINE --isa` lists it.
            fields: numbers, and elements of arrays, by the names of fields; of a member of a record such as `said.mode`
                the last part is enough. Others are 0, or what the decode says.

        Raises:
            CovenantError: BEH0042, no such instruction, field or number.

        Example:
            >>> command = CommandDevice("flexasr").encode("config_control", is_valid=1, vectors_1=4)
            >>> command.mode, hex(command.address), hex(command.data)
            ('W', '0x33700010', '0x4000000000001')
        """
        port, bits = self._encoded(instruction, fields, is_stream=False)
        mode = "W" if bits >> port.top else "R"
        return HostCommand(mode, bits >> port.data_bits & mask(port.address_bits), bits & mask(port.data_bits))

    def word(self, instruction: str, /, **fields: FieldValue) -> bytes:
        """The word of an instruction of a stream, lowest byte first. Arguments and errors as of `encode`."""
        port, bits = self._encoded(instruction, fields, is_stream=True)
        return (bits & mask(port.data_bits)).to_bytes(port.data_bits // 8, "little")

    def send(self, instruction: str, /, **fields: FieldValue) -> bytes:
        """Sends the command of an instruction: what it reads, or no bytes if it writes. Raises as `encode` and `write`.

        Example:
            >>> device = CommandDevice("flexasr")
            >>> device.send("store_large", at=7, bytes=range(16))
            b''
            >>> device.send("load_large", at=7)[:4].hex()
            '00010203'
        """
        port, bits = self._encoded(instruction, fields, is_stream=False)
        writes, address = bool(bits >> port.top), bits >> port.data_bits & mask(port.address_bits)
        data = (bits & mask(port.data_bits)).to_bytes(port.data_bits // 8, "little")
        reply = self._command(self._ports[port.name], writes, address, data, MOST_CYCLES)
        return b"" if writes else reply

    def _encoded(self, instruction: str, fields: dict[str, FieldValue], *, is_stream: bool) -> tuple[PortLayout, int]:
        if not self._layouts:
            self._layouts = tuple(port_layouts(self.describe()).values())
        ports = [port for port in self._layouts if port.is_stream == is_stream]
        return encoded(ports, self.name, instruction, fields)

    def wait(self, most_cycles: int = MOST_CYCLES) -> None:
        """Runs until the machine asks for its host.

        Raises:
            CovenantError: BEH0036, it waits for ever; BEH0037, it does not ask within the cycles; BEH0030 to BEH0035,
                BEH0055; BEH0046, no number of cycles.
            KeyboardInterrupt: as `write`.
        """
        self._core.wait(whole("the most cycles of a wait", most_cycles, self.name, _MOST_NUMBER))

    def commands(
        self,
        writes: Sequence[bool],
        addresses: Sequence[int],
        data: Octets,
        *,
        port: str | None = None,
        most_cycles: int = MOST_CYCLES,
    ) -> tuple[int, bytes, int]:
        """Sends commands one after another until one is refused, which then says why when it is sent by itself.

        Args:
            writes: whether each of them writes.
            addresses: of each.
            data: as many bytes as the port has for each; zeros for one that reads.
            port: as in `write`.
            most_cycles: of each; as in `write`.

        Returns:
            The number of commands that were not refused, what those of them that read gave, one after another, and the
            cycles before the last of them.

        Raises:
            CovenantError: BEH0031, no such port, or other data than it has for as many commands; BEH0046, an argument
                of another kind, or an address of more than 64 bits.
            KeyboardInterrupt: as `write`; what would have been returned is its `sent`.
        """
        on = self.port_named(port)
        content = octets("data", data, self.name)
        modes, places = self._modes(writes), self._places(addresses)
        if not len(modes) * on.data_bytes == len(places) // 8 * on.data_bytes == len(content):
            raise CovenantError(
                Diagnostic("BEH0031", "not as many modes, addresses and data as commands", subject=self.name,
                           offending=f"{len(modes)} modes, {len(places) // 8} addresses, {len(content)} bytes",
                           allowed=(f"a mode, an address and {on.data_bytes} bytes for each",),
                           fix="give all three for each command")
            )  # fmt: skip
        return self._core.commands(on.name, modes, places, content, self._cycles(most_cycles))

    def _cycles(self, most: int) -> int:
        return whole("the most cycles of a command", most, self.name, _MOST_NUMBER)

    def _modes(self, writes: Sequence[bool]) -> bytes:
        try:
            return bytes(map(bool, writes))
        except (TypeError, ValueError):  # ValueError: an array of numpy as one of them
            refuse("whether commands write", writes, ("a bool for each",), self.name)

    def _places(self, addresses: Sequence[int]) -> bytes:
        """Addresses, 8 bytes each."""
        try:
            return array("Q", addresses).tobytes()
        except (TypeError, ValueError, OverflowError):
            if not isinstance(addresses, Iterable) or isinstance(addresses, str):
                refuse("addresses", addresses, ("a whole number for each command",), self.name)
        return array("Q", [whole("an address", one, self.name, _MOST_NUMBER) for one in addresses]).tobytes()

    def _command(self, port: Port, writes: bool, at: SupportsIndex, data: bytes, most_cycles: int) -> bytes:  # noqa: FBT001
        address = whole("an address", at, self.name)
        if address >> port.address_bits:
            raise CovenantError(
                Diagnostic("BEH0031", "an address of more bits than the port has", subject=self.name,
                           offending=shown_hex(address), allowed=(f"{port.address_bits} bits",),
                           fix="give an address of the machine")
            )  # fmt: skip
        return self._core.command(port.name, writes, address, data, self._cycles(most_cycles))

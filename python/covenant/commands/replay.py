"""Replays a stream of commands on a machine, and compares what its reads give."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from covenant.commands.device import MOST_CYCLES, CommandDevice
from covenant.commands.given import refuse, shown_hex, whole
from covenant.commands.stream import CommandStream, HostCommand, pairs_of
from covenant.errors import CovenantError, Diagnostic
from covenant.progress import Progress

_TOLD_EVERY = 1024
"""Number of commands between two reports of progress."""
Expected = Mapping[int, int] | Sequence[tuple[int, int]]
"""Data of reads: by address, or in the order of the reads with their addresses."""


@dataclass(frozen=True)
class Read:
    """Result of a read, and what it should be."""

    address: int
    data: bytes
    expected: bytes | None
    """None: nothing is said of it."""

    @property
    def differing(self) -> int:
        """Number of bytes that differ."""
        return sum(a != b for a, b in zip(self.data, self.expected or self.data, strict=True))


@dataclass(frozen=True)
class Replay:
    """Results of a stream: what its reads gave, and how long it took."""

    machine: str
    commands: int
    reads: tuple[Read, ...]
    cycles: int
    """Of the whole stream."""
    waited: tuple[int, ...]
    """Cycles of each wait for an interrupt, from the command before it on."""
    seconds: float
    engine: str
    """Engine that ran the machine in the end: "native" or "evaluator"."""

    @property
    def bytes_compared(self) -> int:
        """Number of bytes of which it is said what they should be."""
        return sum(len(read.expected) for read in self.reads if read.expected is not None)

    @property
    def differing(self) -> int:
        """Number of bytes that differ from those."""
        return sum(read.differing for read in self.reads)


class ReplayError(CovenantError):
    """A command of a stream has failed."""

    def __init__(self, diagnostic: Diagnostic, done: Replay) -> None:
        super().__init__(diagnostic)
        self.done = done
        """What the commands before it gave."""


class ReplayInterrupt(KeyboardInterrupt):
    """Ctrl-C while a stream is replayed."""

    def __init__(self, done: Replay) -> None:
        super().__init__()
        self.done = done
        """What the commands before it gave."""


def replay(
    stream: CommandStream,
    device: CommandDevice,
    *,
    expected: Expected | None = None,
    port: str | None = None,
    most_cycles: int = MOST_CYCLES,
    progress: Progress | None = None,
) -> Replay:
    """Sends the commands of a stream to a machine.

    Args:
        stream: the commands; its own `reads` are compared unless `expected` is given.
        device: the machine, which goes on from where it is.
        expected: what reads should give.
        port: name of the port; may be left out where the machine has one.
        most_cycles: of one command, and of one wait for an interrupt.
        progress: told how many commands are done.

    Raises:
        ReplayError: BEH0030 to BEH0037, with the number of the command, and with what those before it gave.
        CovenantError: BEH0031, no such port; BEH0041, `expected` is about other reads; BEH0046, an argument of another
            kind. No command has been sent.
        ReplayInterrupt: by Ctrl-C, with what the commands before gave.
    """
    _check(stream, device, port, progress)
    most_cycles = whole("the most cycles of a command or a wait", most_cycles, device.name, 2**64 - 1)
    begin, started = time.monotonic(), device.cycles
    width = next((one.data_bytes for one in device.ports if port in (None, one.name)), 0)
    comparison = _expected_of(stream, stream.reads if expected is None else _checked(expected), width)
    reads: list[Read] = []
    waited: list[int] = []
    last = device.cycles

    def done(commands: int) -> Replay:
        cycles = device.cycles - started
        seconds = time.monotonic() - begin
        return Replay(device.name, commands, tuple(reads), cycles, tuple(waited), seconds, device.engine)

    def keep(commands: Sequence[HostCommand], data: bytes) -> None:
        given = (data[i : i + width] for i in range(0, len(data), max(width, 1)))
        reads.extend(Read(one.address, next(given), next(comparison)) for one in commands if one.mode == "R")

    number = 0
    together: Sequence[HostCommand] = ()
    try:
        while number < len(stream.commands):
            if progress:
                progress("commands", number, len(stream.commands))
            together = _together(stream.commands, number)
            sent, data, before = _send(together, device, port, width, most_cycles)
            keep(together[:sent], data)
            number += sent
            last = before if sent else last
            if sent == len(together) > 0:
                continue
            command = stream.commands[number]
            before = device.cycles
            try:
                data = _done(command, device, port, width, most_cycles)
            except CovenantError as error:
                told = replace(error.diagnostic, subject=f"command {command.line}, {error.diagnostic.subject}")
                raise ReplayError(told, done(number)) from None
            keep((command,), data)
            if command.mode == "Q":
                waited.append(device.cycles - last)
            last = before
            number += 1
    except KeyboardInterrupt as interrupt:
        sent, data, _ = getattr(interrupt, "sent", (0, b"", 0))
        keep(together[:sent], data)
        raise ReplayInterrupt(done(number + sent)) from None
    return done(len(stream.commands))


def _check(stream: object, device: object, port: object, progress: object) -> None:
    """Refuses what is no stream, no device, no port of it, or cannot be told of progress."""
    if not isinstance(stream, CommandStream):
        refuse("a stream", stream, ("a CommandStream",))
    if not isinstance(device, CommandDevice):
        refuse("a device", device, ("a CommandDevice",))
    if progress is not None and not callable(progress):
        refuse("progress", progress, ("a function", "None"))
    if port is not None:
        device.port_named(port)


def _checked(expected: object) -> Expected:
    """Expected data of reads, as numbers."""
    if isinstance(expected, Mapping):
        return dict(pairs_of("what is expected", tuple(expected.items())))
    return pairs_of("what is expected", expected)


def _together(commands: Sequence[HostCommand], first: int) -> Sequence[HostCommand]:
    """Commands from the first on that may be sent at once: up to a wait, and to a report of progress."""
    for number in range(first, min(first + _TOLD_EVERY, len(commands))):
        if commands[number].mode == "Q":
            return commands[first:number]
    return commands[first : first + _TOLD_EVERY]


def _send(
    commands: Sequence[HostCommand], device: CommandDevice, port: str | None, width: int, most_cycles: int
) -> tuple[int, bytes, int]:
    """Results of `CommandDevice.commands`; nothing where one of them is of another width than the port's."""
    try:
        data = b"".join([(one.data if one.mode == "W" else 0).to_bytes(width, "little") for one in commands])
        return device.commands(
            [one.mode == "W" for one in commands],
            [one.address for one in commands],
            data,
            port=port,
            most_cycles=most_cycles,
        )
    except (OverflowError, CovenantError):
        return 0, b"", 0


def _done(command: HostCommand, device: CommandDevice, port: str | None, width: int, most_cycles: int) -> bytes:
    if command.mode == "Q":
        device.wait(most_cycles)
        return b""
    if command.mode == "R":
        return device.read(command.address, port=port, most_cycles=most_cycles)
    data = _bytes_of(command.data, width, str(command.line))
    device.write(command.address, data, port=port, most_cycles=most_cycles)
    return b""


def _bytes_of(data: int, width: int, place: str) -> bytes:
    if data >> (8 * width):
        raise CovenantError(
            Diagnostic("BEH0031", "data of more bytes than the port has", subject=place, offending=shown_hex(data),
                       allowed=(f"{width} bytes",), fix="send data of the port's width")
        )  # fmt: skip
    return data.to_bytes(width, "little")


def _expected_of(stream: CommandStream, expected: Expected | None, width: int) -> Iterator[bytes | None]:
    """Data that each read of the stream should give. Raises BEH0041 for other reads, before any command is sent."""
    commands = [command for command in stream.commands if command.mode == "R"]
    if expected is None:
        return iter([None] * len(commands))
    if isinstance(expected, Mapping):
        said = [expected.get(command.address) for command in commands]
        return iter([None if data is None else _bytes_of(data, width, "what is expected") for data in said])
    for number, command in enumerate(commands):
        if number >= len(expected) or expected[number][0] != command.address:
            other = hex(expected[number][0]) if number < len(expected) else "no more reads"
            raise _other_reads(f"command {command.line} reads {command.address:#x}", other)
    if len(expected) > len(commands):
        raise _other_reads("the stream has no more reads", f"{len(expected) - len(commands)} more")
    return iter([_bytes_of(data, width, "what is expected") for _, data in expected])


def _other_reads(offending: str, allowed: str) -> CovenantError:
    return CovenantError(
        Diagnostic("BEH0041", "what is expected is about other reads than those of the stream", offending=offending,
                   allowed=(allowed,), fix="give the reads of this stream, in its order")
    )  # fmt: skip

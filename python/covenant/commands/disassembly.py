"""Commands as assembly: a line for each, with the name of its instruction and its fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from covenant.commands.layout import FieldLayout, InstructionLayout, PortLayout, mask
from covenant.commands.stream import CommandStream, HostCommand
from covenant.errors import CovenantError, Diagnostic

WAIT, RAW_COMMAND = ".wait", ".raw"
READ, WRITE = ".read", ".write"
RAW_BITS, ADDRESS, EXPECT = ".raw", ".address", ".expect"
_MOST_DECIMAL_BITS = 16


@dataclass(frozen=True)
class AssemblyLine:
    """A command as a line of assembly."""

    mnemonic: str
    """Name of an instruction, `.raw` for a command that no instruction takes, `.wait`."""
    fields: dict[str, str] = field(default_factory=dict)
    """Fields that differ from what the decode implies, and bits that no field covers."""
    words: tuple[str, ...] = ()
    """Words between the mnemonic and its fields: a direction, or the parts of a raw command."""

    def __str__(self) -> str:
        values = (f"{name}={value}" for name, value in self.fields.items())
        return " ".join((self.mnemonic, *self.words, *values))


def disassembled(stream: CommandStream, port: PortLayout) -> list[AssemblyLine]:
    """Lines of a stream of commands for a port.

    Raises:
        CovenantError: BEH0041, what the stream expects is about other reads than its own.
    """
    expected = _expected(stream)
    return [_line(command, next(expected) if command.mode == "R" else None, port) for command in stream.commands]


def disassembled_words(words: Sequence[int], port: PortLayout) -> list[AssemblyLine]:
    """Lines of words of a stream port."""
    lines = []
    for word in words:
        command = port.command(writes=True, address=0, data=word)
        found = port.found(command)
        if found is None:
            lines.append(AssemblyLine(RAW_COMMAND, words=(hex(word),)))
        else:
            lines.append(AssemblyLine(found.name, dict(_fields(command, found, port))))
    return lines


def _expected(stream: CommandStream) -> Iterator[int | None]:
    reads = [command for command in stream.commands if command.mode == "R"]
    if stream.reads is None:
        return iter([None] * len(reads))
    if [address for address, _ in stream.reads] != [command.address for command in reads]:
        raise CovenantError(
            Diagnostic("BEH0041", "what is expected is about other reads than those of the stream",
                       offending=f"{len(stream.reads)} reads", allowed=(f"{len(reads)} reads, in their order",),
                       fix="give the reads of this stream, in its order")
        )  # fmt: skip
    return iter([data for _, data in stream.reads])


def _line(said: HostCommand, expected: int | None, port: PortLayout) -> AssemblyLine:
    more = {} if expected is None else {EXPECT: hex(expected)}
    if said.mode == "Q" and not said.address and not said.data:
        return AssemblyLine(WAIT)
    fits = said.address <= mask(port.address_bits) and said.data <= mask(port.data_bits)
    command = port.command(writes=said.mode == "W", address=said.address, data=said.data)
    found = port.found(command) if fits and said.mode != "Q" else None
    if found is None:
        data = (hex(said.data),) if said.data or said.mode == "W" else ()
        return AssemblyLine(RAW_COMMAND, more, (said.mode, hex(said.address), *data))
    directions = () if found.fixed >> port.top & 1 else (WRITE if said.mode == "W" else READ,)
    if said.mode == "R" and said.data:
        more = {RAW_BITS: hex(said.data)} | more
    return AssemblyLine(found.name, dict(_fields(command, found, port)) | more, directions)


def _fields(command: int, found: InstructionLayout, port: PortLayout) -> Iterator[tuple[str, str]]:
    beside = command & ~found.covered & mask(port.top)
    has_address = beside >> port.data_bits != 0
    changed = command ^ found.default
    for one in found.fields:
        if changed >> one.at & mask(one.bits) and not (has_address and one.at >= port.data_bits):
            yield one.name, field_text(command >> one.at & mask(one.bits), one)
    if has_address:
        yield ADDRESS, hex(command >> port.data_bits & mask(port.address_bits))
    if raw := beside & mask(port.data_bits):
        yield RAW_BITS, hex(raw)


def field_text(bits: int, of: FieldLayout) -> str:
    """Bits of a field as text: arrays without a sign as one number, with the first element lowest."""
    if not of.is_signed:
        return str(bits) if of.bits <= _MOST_DECIMAL_BITS and not of.is_array else hex(bits)
    half = 1 << (of.element_bits - 1)
    values = [bits >> i * of.element_bits & mask(of.element_bits) for i in range(of.elements)]
    return ",".join(str((value ^ half) - half) for value in values)

"""Assembly of commands: lines with the names of instructions and fields, back to commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import NoReturn

from covenant.commands.disassembly import ADDRESS, EXPECT, RAW_BITS, RAW_COMMAND, READ, WAIT, WRITE
from covenant.commands.encode import Part, fields_named, packed
from covenant.commands.layout import FieldLayout, InstructionLayout, PortLayout, mask
from covenant.commands.stream import MODES, CommandStream, HostCommand
from covenant.errors import CovenantError, Diagnostic

_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]{1,4096}|[0-9]{1,4096})", re.ASCII)
_NUMBERS = ("decimal digits", "0x and hexadecimal digits")


def assembled(text: str, port: PortLayout, name: str = "") -> CommandStream:
    """Commands of an assembly; `name` of the file is for messages.

    Raises:
        CovenantError: BEH0042, a line is wrong: its place, what it says and what it may say.
    """
    commands: list[HostCommand] = []
    reads: list[tuple[int, int]] = []
    has_expected = None
    for line in _lines(text, port, name):
        command, expected = line.command()
        commands.append(command)
        if command.mode != "R":
            continue
        if has_expected is not None and has_expected != (expected is not None):
            line.wrong("some reads say what they should give, and others do not", str(command.address), ())
        has_expected = expected is not None
        if expected is not None:
            reads.append((command.address, expected))
    return CommandStream(tuple(commands), tuple(reads) if has_expected else None)


def assembled_words(text: str, port: PortLayout, name: str = "") -> list[int]:
    """Words of an assembly for a stream port. Raises as `assembled`."""
    return [line.word() for line in _lines(text, port, name)]


def _lines(text: str, port: PortLayout, name: str) -> Iterator[_Line]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            yield _Line(words, port, name, number)


class _Line:
    """A line that says something."""

    def __init__(self, words: list[str], port: PortLayout, name: str, number: int) -> None:
        self._mnemonic, self._words = words[0], words[1:]
        self._port = port
        self._name = name
        self._number = number

    def wrong(self, message: str, offending: str, allowed: tuple[str, ...], fix: str = "") -> NoReturn:
        near = get_close_matches(offending, allowed, 1)
        said = fix or (f"write {near[0]}" if near else "write lines as `covenant disasm` prints them")
        raise CovenantError(
            Diagnostic("BEH0042", message, self._name, line=self._number, column=1, subject=self._mnemonic,
                       offending=offending, allowed=allowed, fix=said)
        )  # fmt: skip

    def word(self) -> int:
        """The word of a stream port."""
        if self._mnemonic == RAW_COMMAND:
            if len(self._words) != 1:
                self.wrong("a raw word is one number", " ".join(self._words), (f"{RAW_COMMAND} NUMBER",))
            return self._number_of(self._words[0], mask(self._port.data_bits))
        return self._bits(self._instruction(), self._values(self._words)) & mask(self._port.data_bits)

    def command(self) -> tuple[HostCommand, int | None]:
        """The command, and what it should read."""
        if self._mnemonic == WAIT:
            if self._words:
                self.wrong("a wait has no fields", " ".join(self._words), ())
            return HostCommand("Q", line=self._number), None
        if self._mnemonic == RAW_COMMAND:
            return self._raw_command()
        found = self._instruction()
        words = list(self._words)
        fixed = found.fixed >> self._port.top & 1
        writes = bool(found.default >> self._port.top & 1)
        if not fixed:
            if not words or words[0] not in (READ, WRITE):
                self.wrong("the command may read or write", " ".join(words[:1]) or "neither", (READ, WRITE))
            writes = words.pop(0) == WRITE
        values = self._values(words)
        expected = self._expected(values, writes=writes)
        ignored = 0 if writes or RAW_BITS not in values else self._raw_data(values.pop(RAW_BITS))
        bits = self._bits(found, values, writes=writes)
        if not writes and bits & mask(self._port.data_bits):
            self.wrong("a read has no data", hex(bits & mask(self._port.data_bits)), ("fields of the address",))
        address = bits >> self._port.data_bits & mask(self._port.address_bits)
        data = bits & mask(self._port.data_bits) if writes else ignored
        return HostCommand("W" if writes else "R", address, data, self._number), expected

    def _raw_command(self) -> tuple[HostCommand, int | None]:
        plain = [word for word in self._words if "=" not in word]
        values = self._values([word for word in self._words if "=" in word])
        if not 2 <= len(plain) <= 3 or plain[0] not in MODES or (plain[0] == "W" and len(plain) < 3):
            forms = tuple(f"{RAW_COMMAND} {form}" for form in ("W ADDRESS DATA", "R ADDRESS", "Q ADDRESS DATA"))
            self.wrong("no raw command", " ".join(self._words), forms)
        mode = next(one for one in MODES if one == plain[0])
        expected = self._expected(values, writes=mode != "R")
        for name in values:
            self.wrong("a raw command has no such field", name, (EXPECT,))
        address, data = (*(self._number_of(word) for word in plain[1:]), 0)[:2]
        return HostCommand(mode, address, data, self._number), expected

    def _instruction(self) -> InstructionLayout:
        for one in self._port.instructions:
            if one.name == self._mnemonic:
                return one
        known = [one.name for one in self._port.instructions]
        special = (RAW_COMMAND,) if self._port.is_stream else (RAW_COMMAND, WAIT)
        return self.wrong(f"{self._port.name} has no such instruction", self._mnemonic, (*known, *special))

    def _values(self, words: list[str]) -> dict[str, str]:
        values: dict[str, str] = {}
        for word in words:
            name, equals, value = word.partition("=")
            if not (equals and name and value):
                self.wrong("neither a field nor its value", word, ("NAME=VALUE",))
            if name in values:
                self.wrong("a field is given twice", name, ("each field once",), "leave out one of them")
            values[name] = value
        return values

    def _expected(self, values: dict[str, str], *, writes: bool) -> int | None:
        if EXPECT not in values:
            return None
        if writes:
            self.wrong("only a read can be expected to give something", f"{EXPECT}={values[EXPECT]}", ())
        return self._number_of(values.pop(EXPECT))

    def _raw_data(self, text: str) -> int:
        return self._number_of(text, mask(self._port.data_bits))

    def _bits(self, found: InstructionLayout, values: dict[str, str], *, writes: bool = True) -> int:
        """The command of an instruction with these values."""
        port = self._port
        special = (RAW_BITS,) if port.is_stream else (RAW_BITS, ADDRESS, EXPECT)
        named = [name for name in values if name not in special[:2]]
        fields = dict(zip(named, fields_named(found, named, self.wrong, special), strict=True))
        parts = []
        for name, text in values.items():
            if name in fields:
                one = fields[name]
                value, where = self._field(text, one) << one.at, mask(one.bits, one.at)
            elif name == ADDRESS:
                value = self._number_of(text, mask(port.address_bits)) << port.data_bits
                where = mask(port.address_bits, port.data_bits)
            else:
                where = mask(port.data_bits) & ~found.covered
                value = self._number_of(text)
                if value & ~where:
                    self.wrong("raw bits where fields or the decode lie", hex(value), (f"bits of {where:#x}",))
            parts.append(Part(f"{name}={text}", value, where))
        return packed(port, found, parts, self.wrong, writes=writes)

    def _field(self, text: str, one: FieldLayout) -> int:
        """Bits of a field: a number, all elements, or one hexadecimal number for all of them."""
        is_whole = one.is_array and "," not in text and (one.elements > 1 or text[:2] in ("0x", "0X"))
        if is_whole:
            return self._number_of(text, mask(one.bits))
        words = text.split(",")
        if len(words) != one.elements:
            self.wrong("another number of elements", f"{one.name}={text}", (f"{one.elements} elements",))
        low, high = one.limits
        bits = 0
        for i, word in enumerate(words):
            bits |= (self._number_of(word, high, low) & mask(one.element_bits)) << i * one.element_bits
        return bits

    def _number_of(self, text: str, high: int | None = None, low: int = 0) -> int:
        if not _NUMBER.fullmatch(text):
            self.wrong("no number", text, _NUMBERS)
        digits = text.lstrip("-")
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 10)
        value = -value if text[0] == "-" else value
        if value < low or (high is not None and value > high):
            self.wrong("a number out of range", text, (f"{low} to {high}" if high is not None else f"{low} or more",))
        return value

"""Encoder of commands: the bits of an instruction whose fields are given by their names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import NoReturn, SupportsIndex, TypeGuard

from covenant.commands.given import shown
from covenant.commands.layout import BitTest, FieldLayout, InstructionLayout, PortLayout, mask
from covenant.errors import CovenantError, Diagnostic

FieldValue = SupportsIndex | Iterable[object]
"""A number, or the elements of an array in their order: bytes, a list, an array of numpy."""

_MOST_COUNTED = 1 << 16
"""Elements past those of a field that are counted: some iterators have no end."""
_MOST_DEPTH = 64
"""Lists in lists: a list may contain itself."""
_MOST_NAMES = 8
"""Number of instructions that are told, the nearest first, of a machine that may have hundreds."""


def encoded(
    ports: Iterable[PortLayout], machine: str, instruction: str, values: Mapping[str, FieldValue]
) -> tuple[PortLayout, int]:
    """The port of an instruction, and its command (`PortLayout.command`).

    Fields that are left out are 0, or what the decode says. A member of a record (`said.mode`) may be named without
    the record if no other field ends in that name. Zeros follow the elements of an array that are given.

    Raises:
        CovenantError: BEH0042, no such instruction or field, a number that its field does not hold, or a command that
            the instruction does not take.
    """
    known = {one.name: (port, one) for port in ports for one in port.instructions}
    if not isinstance(instruction, str):
        _refuse(machine, "the name of an instruction is no text", shown(instruction), ("a text",))
    if instruction not in known:
        nearest = get_close_matches(instruction, known, _MOST_NAMES, cutoff=0)
        _refuse(machine, "the machine has no such instruction", instruction, tuple(nearest))
    port, found = known[instruction]
    return port, _Encoder(port, found).command(values)


def _refuse(subject: str, message: str, offending: str, allowed: tuple[str, ...], fix: str = "") -> NoReturn:
    """Raises BEH0042; a fix that is not given is the allowed name that is nearest."""
    near = get_close_matches(offending, allowed, 1)
    raise CovenantError(
        Diagnostic("BEH0042", message, subject=subject, offending=offending, allowed=allowed,
                   fix=fix or (f"write {near[0]}" if near else "give what is allowed"))
    )  # fmt: skip


@dataclass(frozen=True)
class Part:
    """Bits that are given of a command."""

    text: str
    """As they are given: `mode=3`."""
    value: int
    """In their places in the command."""
    where: int
    """Mask of them."""


def packed(
    port: PortLayout, found: InstructionLayout, parts: Iterable[Part], wrong: Callable[..., NoReturn], *, writes: bool
) -> int:
    """The command of an instruction of which these bits are given; others are 0, or what the decode says.

    Calls `wrong` with a message, what is wrong, what is allowed and a fix for bits that are given twice, and for a
    command that the instruction does not take.
    """
    top = 1 << port.top
    bits, given = found.default & ~top | writes << port.top, found.fixed | top
    for part in parts:
        if (bits ^ part.value) & part.where & given:
            wrong("bits that another field or the decode gives otherwise", part.text, _decode(port, found),
                  "leave it out, or give what is asked")  # fmt: skip
        bits, given = bits & ~part.where | part.value, given | part.where
    for test in found.tests:
        if not test.passes(bits):
            wrong("the instruction does not take this command", f"{_tested(port, found, test)} = {test.value(bits):#x}",
                  _decode(port, found), "give its fields numbers that its decode takes")  # fmt: skip
    return bits


def fields_named(
    found: InstructionLayout, names: Iterable[str], wrong: Callable[..., NoReturn], special: tuple[str, ...] = ()
) -> list[FieldLayout]:
    """Fields of an instruction by names: the last part is enough of a member of a record, if no other ends in it.

    Calls `wrong` for a name that no field has, that several end in, or of a field that is named before. `special`:
    names that are allowed beside those of fields.
    """
    fields: list[FieldLayout] = []
    for name in names:
        ending = [one for one in found.fields if name in (one.name, one.name.rpartition(".")[2])]
        chosen = [one for one in ending if one.name == name] or ending
        if len(chosen) > 1:
            wrong("several fields end in this name", name, tuple(one.name for one in chosen), "name the record, too")
        if not chosen:
            known = (*(one.name.rpartition(".")[2] for one in found.fields), *special)
            wrong(f"{found.name} has no such field", name, tuple(dict.fromkeys(known)))
        if chosen[0] in fields:
            wrong("a field is given twice", name, ("each field once",), "leave out one of them")
        fields.append(chosen[0])
    return fields


def _decode(port: PortLayout, found: InstructionLayout) -> tuple[str, ...]:
    """The decode of an instruction, a text for each test."""
    return tuple(
        f"{_tested(port, found, test)} "
        + (f"== {test.low:#x}" if test.low == test.high else f"in {test.low:#x}..{test.high:#x}")
        for test in found.tests
    )


def _tested(port: PortLayout, found: InstructionLayout, test: BitTest) -> str:
    """Name of the bits of a test."""
    names = {(one.at, one.bits): one.name for one in found.fields}
    names[port.data_bits, port.address_bits] = "address"
    names[port.top, 1] = "write"
    return names.get((test.at, test.bits), f"bits {test.at} to {test.at + test.bits - 1}")


@dataclass(frozen=True)
class _Encoder:
    """Encodes commands of one instruction."""

    port: PortLayout
    found: InstructionLayout

    def wrong(self, message: str, offending: str, allowed: tuple[str, ...], fix: str = "") -> NoReturn:
        _refuse(f"{self.port.machine}, {self.found.name}", message, offending, allowed, fix)

    def command(self, values: Mapping[str, FieldValue]) -> int:
        parts = []
        fields = fields_named(self.found, values, self.wrong)
        for (name, value), field in zip(values.items(), fields, strict=True):
            parts.append(
                Part(f"{name}={shown(value)}", self._bits(field, value) << field.at, mask(field.bits, field.at))
            )
        top = 1 << self.port.top
        writes = bool(self.found.default & top) or not self.found.fixed & top  # one that takes both is written
        command = packed(self.port, self.found, parts, self.wrong, writes=writes)
        if not writes and command & mask(self.port.data_bits):
            self.wrong("a read has no data", f"{command & mask(self.port.data_bits):#x}", ("fields of the address",))
        return command

    def _bits(self, field: FieldLayout, value: FieldValue) -> int:
        """Bits of a field."""
        if _is_list(value) != field.is_array:
            asked = f"{field.elements} elements" if field.is_array else "a number"
            self.wrong("an array and a number are not the same", f"{field.name}={shown(value)}", (asked,))
        try:
            numbers = list(islice(_numbers(value), field.elements + _MOST_COUNTED))
        except RecursionError:
            self.wrong("lists in lists without end", f"{field.name}={shown(value)}", (f"{field.elements} elements",),
                       "give a list of numbers")  # fmt: skip
        if len(numbers) > field.elements:
            self.wrong("more elements than the field has", f"{field.name}: {len(numbers)} elements",
                       (f"{field.elements} elements",), "give fewer")  # fmt: skip
        low, high = field.limits
        bits = 0
        for place, number in enumerate(numbers):
            if not isinstance(number, int) or not low <= number <= high:
                told = f"{field.name}={shown(number)}"
                self.wrong("a number that the field does not hold", told, (f"{low} to {high}",),
                           f"give a whole number from {low} to {high}")  # fmt: skip
            bits |= (number & mask(field.element_bits)) << place * field.element_bits
        return bits


def _is_list(value: object) -> TypeGuard[Iterable[object]]:
    has_order = not isinstance(value, str | Mapping | Set)
    return isinstance(value, Iterable) and has_order and getattr(value, "ndim", 1) > 0


def _numbers(value: object, depth: int = 0) -> Iterator[object]:
    """Numbers of a value, whatever they are nested in; what is no whole number as it is.

    Raises:
        RecursionError: lists are nested too deep, or contain themselves.
    """
    if depth > _MOST_DEPTH:
        raise RecursionError
    if _is_list(value):
        for one in value:
            yield from _numbers(one, depth + 1)
        return
    try:
        yield operator.index(value)  # type: ignore[arg-type]  # whether it can is what is asked
    except TypeError:
        yield value

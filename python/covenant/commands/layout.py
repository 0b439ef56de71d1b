"""Bits of commands: which instruction takes them, where its fields lie, and which bits nothing covers.

A command is one number: its data, the address above them, and one bit on top that says that it writes. A word of a
stream is its data, as one that writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_TYPE = re.compile(r"([ui])(\d+)((?:\[\d+\])*)")


def mask(bits: int, at: int = 0) -> int:
    """Ones in `bits` bits from bit `at` on."""
    return ((1 << bits) - 1) << at


@dataclass(frozen=True)
class FieldLayout:
    """A field of an instruction."""

    name: str
    type: str
    at: int
    """Its lowest bit in the command."""

    @cached_property
    def _parts(self) -> tuple[bool, int, int]:
        found = _TYPE.fullmatch(self.type)
        if not found:
            raise ValueError(self.type)
        elements = 1
        for size in re.findall(r"\[(\d+)\]", found[3]):
            elements *= int(size)
        return found[1] == "i", int(found[2]), elements

    @property
    def is_signed(self) -> bool:
        """Whether its numbers have a sign."""
        return self._parts[0]

    @property
    def element_bits(self) -> int:
        """Number of bits of an element."""
        return self._parts[1]

    @property
    def elements(self) -> int:
        """Number of elements: 1 of a number."""
        return self._parts[2]

    @property
    def is_array(self) -> bool:
        """Whether it is an array, be it of one element."""
        return self.type.endswith("]")

    @property
    def bits(self) -> int:
        """Number of bits of all elements."""
        return self.element_bits * self.elements

    @property
    def limits(self) -> tuple[int, int]:
        """The lowest and the highest number of an element."""
        top = 1 << (self.element_bits - self.is_signed)
        return (-top if self.is_signed else 0), top - 1


@dataclass(frozen=True)
class BitTest:
    """Bits of a command that lie between two numbers."""

    at: int
    bits: int
    low: int
    high: int

    def value(self, command: int) -> int:
        """The number that is tested."""
        return command >> self.at & mask(self.bits)

    def passes(self, command: int) -> bool:
        """Whether a command passes."""
        return self.low <= self.value(command) <= self.high

    @property
    def fixed(self) -> tuple[int, int]:
        """Bits that all numbers between the two share, as a mask and as their value in the command."""
        open_bits = (self.low ^ self.high).bit_length()
        return mask(self.bits - open_bits, self.at + open_bits), (self.low >> open_bits << open_bits) << self.at


@dataclass(frozen=True)
class InstructionLayout:
    """An instruction of a port: the commands that it takes, and its fields."""

    name: str
    tests: tuple[BitTest, ...]
    fields: tuple[FieldLayout, ...]

    @cached_property
    def fixed(self) -> int:
        """Mask of the bits that the decode fixes."""
        return sum_of(test.fixed[0] for test in self.tests)

    @cached_property
    def default(self) -> int:
        """The command whose other bits are 0."""
        return sum_of(test.fixed[1] for test in self.tests)

    @cached_property
    def covered(self) -> int:
        """Mask of the bits of fields and of those that the decode fixes."""
        return self.fixed | sum_of(mask(field.bits, field.at) for field in self.fields)

    def takes(self, command: int) -> bool:
        """Whether a command is this instruction."""
        return all(test.passes(command) for test in self.tests)


@dataclass(frozen=True)
class PortLayout:
    """A port or a stream with its instructions."""

    machine: str
    name: str
    address_bits: int
    data_bits: int
    is_stream: bool
    instructions: tuple[InstructionLayout, ...]

    @property
    def top(self) -> int:
        """The bit that says that a command writes."""
        return self.data_bits + self.address_bits

    def command(self, *, writes: bool, address: int, data: int) -> int:
        """The number of a command; data of a read count as 0, as no machine is given them."""
        return (data if writes else 0) | address << self.data_bits | writes << self.top

    def found(self, command: int) -> InstructionLayout | None:
        """The instruction that takes a command."""
        return next((one for one in self.instructions if one.takes(command)), None)


def sum_of(masks: Iterator[int]) -> int:
    """All bits of some masks."""
    total = 0
    for one in masks:
        total |= one
    return total


def port_layouts(description: dict[str, Any]) -> dict[str, PortLayout]:
    """Ports and streams of a machine by their names, from the description of its device."""
    return {
        port["name"]: PortLayout(
            description["name"], port["name"], port["address_bits"], port["data_bits"], port["is_stream"],
            tuple(
                InstructionLayout(
                    one["name"],
                    tuple(BitTest(*test) for test in one["tests"]),
                    tuple(FieldLayout(field["name"], field["type"], field["at"]) for field in one["fields"]),
                )
                for one in description["instructions"] if one["port"] == port["name"]
            ),
        )
        for port in description["ports"]
    }  # fmt: skip

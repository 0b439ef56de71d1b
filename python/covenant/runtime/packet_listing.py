"""Listings of packets that show what each has cost in a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from covenant import _core
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine
from covenant.runtime.packet_profile import STALLS, PacketProfile, RunProfile

_PACKET = re.compile(r"^([0-9a-f]{8})  (\{ .*)$")
_BLOCK = re.compile(r"^block \d+ (.*) \([^()]*\): words \d+\.\.\d+$")
_RETURN = "return"
_SYMBOL = re.compile(r"^(\S.*):$")


@dataclass(frozen=True)
class ListedPacket:
    """A packet that was executed, and where it stands."""

    layer: str | None
    """Layer of a program; for an executable the symbol before the packet, None if there is none."""
    loop: str | None
    """`2.1`: it is in the first loop within the second one of its layer, or of the whole executable; None: in none."""
    cost: PacketProfile

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in the JSON of the command line."""
        return {"layer": self.layer, "loop": self.loop, **vars(self.cost)}


@dataclass(frozen=True)
class AnnotatedListing:
    """A listing with the cost of every packet."""

    packets: tuple[ListedPacket, ...]
    """Packets of the listing that were executed, in its order."""
    text: str


@dataclass(frozen=True)
class _Line:
    """A line of a listing."""

    text: str
    layer: str | None
    """Layer that the lines from here on belong to."""
    is_section: bool
    """Whether the line begins the section of a layer, or what follows the last one."""
    packet: tuple[int, str] | None
    """Address and text, if it is one."""


def annotated(listing: str, machine: Machine, run: RunProfile) -> AnnotatedListing:
    """The listing of a program or of an executable beside a run of it.

    Raises:
        CovenantError: CLI0021, the run was one of other packets, or on another machine.
    """
    lines = list(_lines(listing))
    costs = _costs(lines, machine, run)
    numbers = _loop_numbers(lines, machine, costs)
    listed = {
        line.packet[0]: ListedPacket(line.layer, numbers.get(line.packet[0]) or None, costs[line.packet[0]])
        for line in lines
        if line.packet and line.packet[0] in costs
    }
    return AnnotatedListing(tuple(listed.values()), _text(lines, listed, run))


def _lines(listing: str) -> Iterator[_Line]:
    layer = None
    for text in listing.splitlines():
        block, symbol, packet = _BLOCK.match(text), _SYMBOL.match(text), _PACKET.match(text)
        if block or symbol:
            layer = (block or symbol).group(1)
        is_return = text == _RETURN
        if is_return:
            layer = None
        yield _Line(text, layer, bool(block) or is_return, (int(packet[1], 16), packet[2]) if packet else None)


def _costs(lines: Sequence[_Line], machine: Machine, run: RunProfile) -> dict[int, PacketProfile]:
    """Costs by address. Packets outside of the listing are left out: an executable has a start of its own."""
    there = dict(line.packet for line in lines if line.packet)
    known = [packet for packet in run.profile if packet.address in there]
    other = next((packet for packet in known if there[packet.address] != packet.text), None)
    if run.machine == machine.name and known and other is None:
        return {packet.address: packet for packet in known}
    odd = f"{other.address:08x}  {other.text}" if other else f"{run.file} on {run.machine}"
    expected = (f"{other.address:08x}  {there[other.address]}",) if other else (f"packets of {machine.name}",)
    raise CovenantError(
        Diagnostic(
            "CLI0021", "the profile is of a run of other packets", run.file, offending=odd, allowed=expected,
            fix="run what is listed, as it is compiled now, with --save-profile",
        )
    )  # fmt: skip


def _loop_numbers(lines: Sequence[_Line], machine: Machine, costs: dict[int, PacketProfile]) -> dict[int, str]:
    """Loops of executed packets, by address: in an executable everything else may be data."""
    sections: list[list[tuple[int, str]]] = [[]]
    for line in lines:
        if line.is_section:
            sections.append([])
        if line.packet and line.packet[0] in costs:
            sections[-1].append(line.packet)
    numbers: dict[int, str] = {}
    for section in sections:
        found = _core.loop_numbers(machine._core, section)
        numbers |= dict(zip((address for address, _ in section), found, strict=True))
    return numbers


def _text(lines: Sequence[_Line], listed: dict[int, ListedPacket], run: RunProfile) -> str:
    causes = [cause for cause in STALLS if any(packet.cost.stalls[cause] for packet in listed.values())]
    columns = ["loop", "executed", "cycles", *causes]
    cells = {address: _cells(packet, causes) for address, packet in listed.items()}
    widths = [max([len(name), *(len(row[i]) for row in cells.values())]) for i, name in enumerate(columns)]

    def packet_line(address: str, row: Sequence[str], text: str) -> str:
        loop, *numbers = (
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return "  ".join([address, loop, *numbers, text])

    made = []
    is_headed = False
    for line in lines:
        if line.is_section:
            is_headed = False
        if line.packet is None:
            made.append(line.text)
            continue
        if not is_headed:
            made.append(packet_line("address ", columns, "packet"))
            is_headed = True
        address, text = line.packet
        made.append(packet_line(f"{address:08x}", cells.get(address, [""] * len(columns)), text))
    head = f"# in a run of {run.file}: {run.packets:,} packets in {run.cycles:,} cycles\n"
    return head + "\n".join(made) + "\n"


def _cells(packet: ListedPacket, causes: Sequence[str]) -> list[str]:
    """Zeros as dots: what waits is to be seen at a glance."""
    numbers = [packet.cost.executed, packet.cost.cycles, *(packet.cost.stalls[cause] for cause in causes)]
    return [packet.loop or "", *(f"{number:,}" if number else "." for number in numbers)]

"""Views of packets: profiles of runs, listings with them, and which packets a trace has."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from typing import Any

from covenant.cli.output import Output
from covenant.cli.source import mistake
from covenant.machine import Machine
from covenant.program import Program
from covenant.runtime.packet_listing import AnnotatedListing, annotated
from covenant.runtime.packet_profile import RunProfile
from covenant.runtime.result import Result

TRACED_PACKETS = 10_000
"""Packets of a trace, unless others are asked for: as many as a viewer opens at once."""


def add_profile(parser: argparse.ArgumentParser) -> None:
    """The options that ask a run for what its packets have cost."""
    parser.add_argument("--profile", action="store_true", help="say what each packet has cost")
    parser.add_argument("--save-profile", metavar="FILE", help="write that, for `disasm` and `compile --emit asm`")
    parser.add_argument(
        "--trace-packets", metavar="FIRST:LAST", type=_range,
        help=f"packets that the trace has, counted from 0 (default: the first {TRACED_PACKETS:,})",
    )  # fmt: skip


@dataclass(frozen=True)
class PacketViews:
    """Request for profiles and listings of a run's packets."""

    profile: bool
    save_profile: str | None
    trace: str | None
    trace_packets: tuple[int, int] | None

    @property
    def is_profiled(self) -> bool:
        """Whether packets are to be counted."""
        return bool(self.profile or self.save_profile)

    @property
    def traced(self) -> tuple[int, int]:
        """First and last packet of the trace."""
        return self.trace_packets or (0, TRACED_PACKETS - 1)


def packets_of(arguments: argparse.Namespace) -> PacketViews:
    """Values of the options of `add_profile`, and of `--trace`."""
    return PacketViews(arguments.profile, arguments.save_profile, arguments.trace, arguments.trace_packets)


def check_traced(views: PacketViews) -> None:
    """Raises CLI0008 for packets of no trace."""
    if views.trace_packets and not views.trace:
        raise mistake("no trace is written", "add --trace FILE, or leave out --trace-packets")


def check_packets(views: PacketViews, machine: Machine) -> None:
    """Raises CLI0008 for options about packets where there are none."""
    check_traced(views)
    if machine.issues_packets:
        return
    for option in ("--profile", "--save-profile", "--trace-packets"):
        if getattr(views, option[2:].replace("-", "_")):
            raise mistake(
                f"{machine.name} issues no packets", f"leave out {option}; --report and --trace say where cycles go"
            )


def packets_report(views: PacketViews, model: str, program: Program, result: Result, output: Output) -> dict[str, Any]:
    """Report for `covenant run --json` on packets; writes the profile, and warns if the trace lacks some."""
    if views.save_profile:
        _profile_of(model, program, result).save(views.save_profile)
    traced = traced_report(views, result.packets, output)
    profile = {"profile": [asdict(packet) for packet in result.profile]} if views.profile else {}
    return {"traced_packets": traced} | profile


def show_packets(views: PacketViews, model: str, program: Program, result: Result, output: Output) -> None:
    """The same for people."""
    if views.profile:
        listing = annotated(program.disassemble(), program.machine, _profile_of(model, program, result))
        output.text(listing.text)


def traced_report(views: PacketViews, packets: int | None, output: Output) -> dict[str, Any] | None:
    """Packets of a run that the trace has, with a note where it lacks some; None without a trace, or packets."""
    if not views.trace or packets is None:
        return None
    first, last = views.traced
    last = min(last, packets - 1)
    if first == 0 and last == packets - 1:
        return {"first": first, "last": last, "all": True}
    is_there = first <= last
    what = f"packets {first:,} to {last:,}" if is_there else "no packet"
    output.note(f"trace: {what} of 0 to {packets - 1:,} only; --trace-packets FIRST:LAST chooses others")
    return {"first": first if is_there else None, "last": last if is_there else None, "all": False}


def _profile_of(model: str, program: Program, result: Result) -> RunProfile:
    """Profile of a run that was asked to make one."""
    return RunProfile(model, program.machine.name, result.packets or 0, result.cycles, result.profile)


def beside_run(listing: str, machine: Machine, path: str) -> AnnotatedListing:
    """The listing beside the run that is kept in the file."""
    return annotated(listing, machine, RunProfile.load(path))


def packets_object(listing: AnnotatedListing) -> list[dict[str, Any]]:
    """Packets as JSON objects."""
    return [packet.to_dict() for packet in listing.packets]


def _range(text: str) -> tuple[int, int]:
    first, _, last = text.partition(":")
    range_ = int(first), int(last)
    if not 0 <= range_[0] <= range_[1]:
        raise argparse.ArgumentTypeError("the first packet comes before the last")
    return range_

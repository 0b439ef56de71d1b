"""Views of packets: profiles of runs, listings with them, and which packets a trace lacks."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from covenant.cli.arguments import mistake
from covenant.cli.output import Output
from covenant.cli.packet_views import PacketViews, check_traced
from covenant.machine import Machine
from covenant.program import Program
from covenant.runtime.packet_listing import AnnotatedListing, annotated
from covenant.runtime.packet_profile import RunProfile
from covenant.runtime.result import Result


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

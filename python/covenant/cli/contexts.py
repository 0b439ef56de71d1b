"""`covenant run` on several hardware contexts at once: work and stalls of each hardware thread of a core."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from covenant.cli.arguments import mistake
from covenant.cli.output import Output
from covenant.cli.run_request import RunRequest
from covenant.machine import Machine
from covenant.machine.families import family_of
from covenant.program import Program
from covenant.program.inputs import Feed
from covenant.runtime.result import Result, TogetherResult
from covenant.runtime.session import Session

COLUMNS = ("context", "packets", "cycles", "cycles per packet", "turn", "vector units")


def check_contexts(request: RunRequest) -> None:
    """Raises CLI0008 for arguments of models and programs that do not go together; before any work."""
    if request.beside:
        raise mistake("only executables run beside each other", "leave out all but one; --contexts runs images at once")
    if request.contexts and not request.is_systemc:
        raise mistake(
            "hardware contexts are those of the SystemC model",
            "leave out --backend, --rtl and --rtl-window, or --contexts",
        )


def check_machine(request: RunRequest, machine: Machine) -> None:
    """Raises CLI0008 for a machine that can do one thing at a time only, or that does not stop between layers."""
    if request.layers and not family_of(machine).stops_between_layers:
        raise mistake(f"{machine.name} does not stop between layers", "leave out --layers; outputs are compared")
    if request.contexts and not machine.issues_packets:
        raise mistake(f"{machine.name} has no hardware contexts", "leave out --contexts, or choose another machine")


def run_together(request: RunRequest, program: Program, feeds: list[Feed], output: Output) -> list[TogetherResult]:
    """All images, `--contexts` at once; the first ones with what is asked for of the first image. None without it."""
    if not request.contexts:
        return []
    session = Session(program)
    groups = [feeds[at : at + request.contexts] for at in range(0, len(feeds), request.contexts)]
    return [
        session.run_together(
            group,
            trace=bool(request.packets.trace) and index == 0,
            profile=request.packets.is_profiled and index == 0,
            packets=request.packets.traced,
            memory=request.memory,
        )
        for index, group in output.progress(list(enumerate(groups)), f"{session.backend}: {program.model}")
    ]


def results_of(groups: Iterable[TogetherResult]) -> list[Result]:
    """Result of each image."""
    return [result for group in groups for result in group.results]


def contexts_report(machine: Machine, groups: list[TogetherResult]) -> dict[str, Any] | None:
    """Report for `covenant run --json` on the images that ran at once first; None if none did."""
    if not groups:
        return None
    first = groups[0]
    return {
        "together": len(first.results),
        "cycles": first.cycles,
        "packets": first.packets,
        "packets_per_second": packets_per_second(machine, first.packets, first.cycles),
        "events": first.events,
        "each": [
            {"image": image, "packets": result.packets, "cycles": result.cycles, "events": events}
            for image, (result, events) in enumerate(zip(first.results, first.context_events, strict=True))
        ],
    }


def show_contexts(report: dict[str, Any] | None, output: Output) -> None:
    """The same for people."""
    if report is None:
        return
    rows = [context_row(one["image"], one["packets"], one["cycles"], one["events"]) for one in report["each"]]
    output.table(f"the first {report['together']} images, at once", COLUMNS, rows)
    show_whole(report, output)


def show_whole(report: dict[str, Any], output: Output) -> None:
    """Prints the totals of the core."""
    output.line(f"at once: {report['packets']:,} packets in {report['cycles']:,} cycles, {rate_text(report)}")
    output.table("events", ("event", "count"), report["events"].items())


def context_row(context: int, packets: int, cycles: int, events: dict[str, int]) -> tuple[Any, ...]:
    """Cells of one row, one for each of COLUMNS; waiting on account of the other contexts comes last."""
    return context, packets, cycles, cycles / packets, events["ISSUE_TURN_STALL"], events["HVX_WAIT"]


def packets_per_second(machine: Machine, packets: int, cycles: int) -> float | None:
    """At the machine's clock; None of a run without cycles."""
    return packets / cycles * machine.clock_hertz if cycles else None


def rate_text(report: dict[str, Any]) -> str:
    """Rounded."""
    return f"{report['packets_per_second'] / 1e6:,.1f} million packets per second"

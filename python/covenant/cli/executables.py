"""`covenant run` of several executable files at once."""

from __future__ import annotations

from typing import Any

from covenant.cli.arguments import mistake
from covenant.cli.contexts import COLUMNS, context_row, packets_per_second, show_whole
from covenant.cli.output import Output
from covenant.cli.packets import traced_report
from covenant.cli.run_request import RunRequest
from covenant.files import read_whole, write_whole
from covenant.machine import Machine
from covenant.runtime.executable import MOST_PACKETS, ExecutablesRun, run_executables


def paths_of(request: RunRequest) -> list[str]:
    """Paths of the executables, each for a context of its own.

    Raises:
        CovenantError: CLI0008, the arguments contradict each other.
    """
    if not request.beside:
        return [request.source.model] * (request.contexts or 1)
    if request.contexts:
        raise mistake("as many executables run at once as are named", "leave out --contexts")
    return [request.source.model, *request.beside]


def check_together(request: RunRequest) -> None:
    """Raises CLI0008 for options that apply to one run alone."""
    if request.packets.save_profile:
        raise mistake("a profile is kept of one run", "leave out --save-profile; --profile shows that of each")


def run_together(request: RunRequest, machine: Machine, paths: list[str]) -> ExecutablesRun:
    """Runs them as the arguments say; each reads the same input."""
    content = read_whole(request.stdin) if request.stdin else b""
    return run_executables(
        paths, machine, profile=request.packets.is_profiled, standard_input=content, trace=bool(request.packets.trace),
        packets=request.packets.traced, max_packets=request.max_packets or MOST_PACKETS,
    )  # fmt: skip


def together_report(
    request: RunRequest, machine: Machine, reports: list[dict[str, Any]], run: ExecutablesRun, output: Output
) -> dict[str, Any]:
    """Report for `covenant run --json`, from the reports of each; writes the trace."""
    if request.packets.trace:
        write_whole(request.packets.trace, run.trace_json)
        output.note(f"trace: {request.packets.trace} (open it at https://ui.perfetto.dev)")
    return {
        "machine": machine.name,
        "packets": run.packets,
        "cycles": run.cycles,
        "packets_per_second": packets_per_second(machine, run.packets, run.cycles),
        "events": run.events,
        "contexts": reports,
        "traced_packets": traced_report(request.packets, max(context.packets for context in run.contexts), output),
    }


def show_together(report: dict[str, Any], output: Output) -> None:
    """The same for people."""
    rows = [
        (*context_row(number, one["packets"], one["cycles"], one["events"]), one["exit_code"], one["file"])
        for number, one in enumerate(report["contexts"])
    ]
    output.table(f"at once on {report['machine']}", (*COLUMNS, "exit code", "file"), rows)
    show_whole(report, output)

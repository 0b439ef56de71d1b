"""`covenant run` of several executable files at once."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.contexts import COLUMNS, context_row, packets_per_second, show_whole
from covenant.cli.output import Output
from covenant.cli.packets import is_profiled, traced_range, traced_report
from covenant.cli.source import mistake
from covenant.files import read_whole, write_whole
from covenant.machine import Machine
from covenant.runtime.executable import ExecutablesRun, run_executables


def paths_of(arguments: argparse.Namespace) -> list[str]:
    """Paths of the executables, each for a context of its own.

    Raises:
        CovenantError: CLI0008, the arguments contradict each other.
    """
    if not arguments.beside:
        return [arguments.model] * (arguments.contexts or 1)
    if arguments.contexts:
        raise mistake("as many executables run at once as are named", "leave out --contexts")
    return [arguments.model, *arguments.beside]


def check_together(arguments: argparse.Namespace) -> None:
    """Raises CLI0008 for what is of one run alone."""
    if arguments.save_profile:
        raise mistake("a profile is kept of one run", "leave out --save-profile; --profile shows that of each")


def run_together(arguments: argparse.Namespace, machine: Machine, paths: list[str]) -> ExecutablesRun:
    """Runs them as the arguments say; each reads the same input."""
    content = read_whole(arguments.stdin) if arguments.stdin else b""
    return run_executables(
        paths, machine, profile=is_profiled(arguments), standard_input=content, trace=bool(arguments.trace),
        packets=traced_range(arguments),
    )  # fmt: skip


def together_report(
    arguments: argparse.Namespace, machine: Machine, reports: list[dict[str, Any]], run: ExecutablesRun, output: Output
) -> dict[str, Any]:
    """Report for `covenant run --json`, from the reports of each; writes the trace."""
    if arguments.trace:
        write_whole(arguments.trace, run.trace_json)
        output.note(f"trace: {arguments.trace} (open it at https://ui.perfetto.dev)")
    return {
        "machine": machine.name,
        "packets": run.packets,
        "cycles": run.cycles,
        "packets_per_second": packets_per_second(machine, run.packets, run.cycles),
        "events": run.events,
        "contexts": reports,
        "traced_packets": traced_report(arguments, max(context.packets for context in run.contexts), output),
    }


def show_together(report: dict[str, Any], output: Output) -> None:
    """The same for people."""
    rows = [
        (*context_row(number, one["packets"], one["cycles"], one["events"]), one["exit_code"], one["file"])
        for number, one in enumerate(report["contexts"])
    ]
    output.table(f"at once on {report['machine']}", (*COLUMNS, "exit code", "file"), rows)
    show_whole(report, output)

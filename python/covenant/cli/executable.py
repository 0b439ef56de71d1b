"""`covenant run` of an executable file."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from typing import Any, BinaryIO

from covenant.cli.arguments import MachineRequest, machine_of, mistake
from covenant.cli.executables import check_together, paths_of, run_together, show_together, together_report
from covenant.cli.output import Output
from covenant.cli.packet_views import check_traced
from covenant.cli.packets import traced_report
from covenant.cli.run_request import RunRequest
from covenant.files import check_writable, read_whole, write_whole
from covenant.machine import Machine
from covenant.runtime.executable import MOST_PACKETS, ExecutableRun, run_executable
from covenant.runtime.packet_listing import annotated


def execute_executable(request: RunRequest, output: Output) -> int:
    """Runs it once, or several at once; 1 if one ends with another code than 0."""
    check_traced(request.packets)
    machine = machine_of_executable(request.source.machine)
    paths = paths_of(request)
    if len(paths) > 1:
        return _execute_together(request, machine, paths, output)
    start = time.perf_counter()
    content = read_whole(request.stdin) if request.stdin else b""
    for path in filter(None, (request.packets.trace, request.packets.save_profile)):
        check_writable(path)
    run = run_executable(
        request.source.model, machine, profile=request.packets.is_profiled, standard_input=content,
        trace=bool(request.packets.trace), packets=request.packets.traced,
        max_packets=request.max_packets or MOST_PACKETS,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    known = {"traced_packets": _keep(request, machine, run, output), "seconds": seconds}
    if output.json:
        output.object(_report(request, request.source.model, machine, run) | known)
    else:
        _show(request, machine, run, output)
        output.line(f"systemc: {seconds:.2f} s")
    return 0 if run.exit_code == 0 else 1


def _execute_together(request: RunRequest, machine: Machine, paths: list[str], output: Output) -> int:
    check_together(request)
    start = time.perf_counter()
    if request.packets.trace:
        check_writable(request.packets.trace)
    run = run_together(request, machine, paths)
    seconds = time.perf_counter() - start
    reports = [_report(request, path, machine, one) for path, one in zip(paths, run.contexts, strict=True)]
    report = together_report(request, machine, reports, run, output) | {"seconds": seconds}
    if output.json:
        output.object(report)
    else:
        for one in run.contexts:
            _write_outputs(one)
        show_together(report, output)
        for path, one in zip(paths, run.contexts, strict=True):
            _show_profile(request, path, machine, one, output)
        output.line(f"systemc: {seconds:.2f} s")
    return 0 if all(one.exit_code == 0 for one in run.contexts) else 1


def _keep(request: RunRequest, machine: Machine, run: ExecutableRun, output: Output) -> dict[str, Any] | None:
    """Writes the files that were asked for; what the trace has."""
    if request.packets.save_profile:
        run.profile_of(request.source.model, machine).save(request.packets.save_profile)
    if request.packets.trace:
        write_whole(request.packets.trace, run.trace_json)
        output.note(f"trace: {request.packets.trace} (open it at https://ui.perfetto.dev)")
    return traced_report(request.packets, run.packets, output)


def machine_of_executable(request: MachineRequest) -> Machine:
    """The machine that was asked for; an executable does not say one."""
    if not request.spec:
        raise mistake("an executable needs a machine to run on", "add -m MACHINE; `covenant machines` lists them")
    return machine_of(request)


def _report(request: RunRequest, path: str, machine: Machine, run: ExecutableRun) -> dict[str, Any]:
    """Report for `covenant run --json`."""
    report = {
        "file": path,
        "machine": machine.name,
        "exit_code": run.exit_code,
        "output": run.output.decode(errors="replace"),
        "errors": run.errors.decode(errors="replace"),
        "packets": run.packets,
        "cycles": run.cycles,
        "events": run.events,
    }
    return report | ({"profile": [asdict(packet) for packet in run.profile]} if request.packets.profile else {})


def _show(request: RunRequest, machine: Machine, run: ExecutableRun, output: Output) -> None:
    """The same for people, below what the program has written."""
    _write_outputs(run)
    output.table(
        f"{request.source.model} on {machine.name}",
        ("packets", "cycles", "cycles per packet", "exit code"),
        [(run.packets, run.cycles, run.cycles / run.packets, run.exit_code)],
    )
    output.table("events", ("event", "count"), run.events.items())
    _show_profile(request, request.source.model, machine, run, output)


def _show_profile(request: RunRequest, path: str, machine: Machine, run: ExecutableRun, output: Output) -> None:
    if request.packets.profile:
        listing = "\n".join(f"{packet.address:08x}  {packet.text}" for packet in run.profile)
        output.text(annotated(listing, machine, run.profile_of(path, machine)).text)


def _write_outputs(run: ExecutableRun) -> None:
    _write(sys.stdout.buffer, run.output)
    _write(sys.stderr.buffer, run.errors)


def _write(to: BinaryIO, content: bytes) -> None:
    """Writes the bytes as they are; what comes after them begins a new line."""
    sys.stdout.flush()
    to.write(content if content.endswith(b"\n") or not content else content + b"\n")
    to.flush()

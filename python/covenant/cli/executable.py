"""`covenant run` and `covenant disasm` of an executable file."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict
from typing import Any, BinaryIO

from covenant.cli.arguments import LEFT_OUT, machine_of
from covenant.cli.executables import check_together, paths_of, run_together, show_together, together_report
from covenant.cli.output import Output
from covenant.cli.packets import beside_run, check_traced, packets_object, traced_report
from covenant.cli.run_request import RunRequest
from covenant.cli.source import SourceRequest, mistake
from covenant.files import check_writable, read_whole, write_whole
from covenant.machine import Machine
from covenant.machine.memory_models import FIXED_MEMORY
from covenant.runtime.executable import ExecutableRun, disassemble_executable, run_executable
from covenant.runtime.packet_listing import annotated

# Options of `run` that an executable has no use for, and what there is in their place.
NOT_OF_EXECUTABLES = {
    ("--compare",): "compare what the program writes",
    ("--layers", "--report"): "--profile and --trace say where cycles go",
    ("--energy", "--energy-table"): "packets are not counted by what they move",
    ("--backend",): "an executable runs on the SystemC model",
    ("--wave", "--rtl", "--rtl-window", "--rtl-cache", "--rtl-quick", "--rtl-checked"): "there is no RTL of packets",
    ("--input", "--images", "--seed"): "--stdin gives it bytes",
    ("--memory",): "caches of the machine ask for lines after the latency that it states",
    ("--output",): "what the program writes comes on the standard output",
    ("--schedule", "--no-fusion", *(f"--no-{name}" for name in LEFT_OUT)): "the program is compiled already",
}


def execute_executable(request: RunRequest, output: Output) -> int:
    """Runs it once, or several at once; 1 if one ends with another code than 0."""
    check_traced(request.packets)
    machine = _machine(request.source)
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


def print_executable(arguments: argparse.Namespace, output: Output) -> int:
    """Prints its packets."""
    machine = _machine(arguments)
    text = disassemble_executable(arguments.program, machine)
    known = {}
    if arguments.profile:
        listing = beside_run(text, machine, arguments.profile)
        text, known = listing.text, {"packets": packets_object(listing)}
    if output.json:
        output.object({"file": arguments.program, "machine": machine.name, "listing": text.splitlines()} | known)
    else:
        output.text(text)
    return 0


def check_executable(arguments: argparse.Namespace) -> None:
    """Raises CLI0008 for options that an executable has no use for; before any work."""
    for options, instead in NOT_OF_EXECUTABLES.items():
        for option in options:
            if _is_given(arguments, option):
                raise mistake(f"an executable has no use for {option}", f"leave it out: {instead}")


def _is_given(arguments: argparse.Namespace, option: str) -> bool:
    if option.startswith("--no-"):
        return not getattr(arguments, option.removeprefix("--no-"))
    # Defaults of the options; 0 is that of the seed.
    return getattr(arguments, option[2:].replace("-", "_")) not in (None, False, 0, FIXED_MEMORY)


def _machine(asked: SourceRequest | argparse.Namespace) -> Machine:
    if not asked.machine:
        raise mistake("an executable needs a machine to run on", "add -m MACHINE; `covenant machines` lists them")
    return machine_of(asked.machine, asked)


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

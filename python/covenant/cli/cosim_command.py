"""`covenant cosim`: the SystemC model and the RTL in lock step."""

from __future__ import annotations

import argparse
import shlex
import time
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_memory
from covenant.cli.broken_cosim import add_broken, execute_broken
from covenant.cli.output import Output
from covenant.cli.random_cosim import add_random, execute_random
from covenant.cli.run_report import show_memory
from covenant.cli.source import add_build, add_source, build_of, feeds_of, mistake, not_negative, program_of, source_of
from covenant.files import check_writable
from covenant.machine.memory_models import FIXED_MEMORY, memory_model
from covenant.program import Program, is_program_file
from covenant.report.facts import memory_facts
from covenant.runtime.difference import Difference
from covenant.runtime.verilated import VerilatedModel
from covenant.verify.lockstep import LAST_CYCLE, CosimResult, cosim

EXAMPLES = """  covenant cosim model.onnx -m genesys --preset 16x16
  covenant cosim model.onnx -m genesys:8x8 --input test.npz --images 10 --json
  covenant cosim model.onnx -m genesys:8x8 --memory ddr4_2400
  covenant cosim --layer BERT-LG/GEMM1 -m genesys:16x16            # `covenant compile --layer list` names them
  covenant cosim model.cprog --wave run.fst --from 1000 --to 2000  # open it with gtkwave
  covenant cosim --random-machines 60 --random-layers 20 --seed 7 --rtl-quick --json
  covenant cosim --random-machines 20 --memory all                 # each layer with each off-chip memory
  covenant cosim --broken-machines 2000 --seed 1"""

AROUND_CYCLES = 200
"""Cycles before and after a difference that are worth a look."""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "cosim", EXAMPLES)
    add_source(parser, optional=True)
    parser.add_argument("--layer", metavar="NAME", help="a layer of the benchmark table instead of a model")
    add_memory(parser)
    parser.add_argument("--image", type=not_negative, metavar="K", help="run only image K, counted from 0")
    parser.add_argument("--wave", metavar="FILE", help="write waveforms of the RTL (FST); of the first image that runs")
    parser.add_argument("--from", type=not_negative, default=0, metavar="CYCLE", dest="first_cycle", help="of --wave")
    parser.add_argument("--to", type=not_negative, metavar="CYCLE", dest="last_cycle", help="of --wave")
    add_random(parser)
    add_broken(parser)
    add_build(parser)
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Runs every image on both; 1 at the first difference."""
    if arguments.random_machines or arguments.broken_machines:
        return _execute_drawn(arguments, output)
    if not (arguments.model or arguments.layer):
        raise mistake("there is nothing to run", "name a model, a program or a --layer")
    if arguments.wave:
        check_writable(arguments.wave)
    memory_model(arguments.memory)  # says what is wrong before the work
    start = time.perf_counter()
    source = source_of(arguments)
    program = program_of(source)
    feeds = list(enumerate(feeds_of(source, program, output)))
    if arguments.image is not None:
        if arguments.image >= len(feeds):
            raise mistake(f"there is no image {arguments.image}", f"take one of 0..{len(feeds) - 1}, or more --images")
        feeds = [feeds[arguments.image]]
    results: list[tuple[int, CosimResult]] = []
    last_cycle = LAST_CYCLE if arguments.last_cycle is None else arguments.last_cycle
    with output.activity(f"{program.model} on {program.machine.name}") as tell:
        model = VerilatedModel(program.machine, build_of(arguments), waves=bool(arguments.wave), progress=tell)
        for image, feed in feeds:
            wave = arguments.wave if not results else None
            result = cosim(
                program, feed, wave=wave, wave_cycles=(arguments.first_cycle, last_cycle), memory=arguments.memory,
                build=model, progress=tell,
            )  # fmt: skip
            results.append((image, result))
            if not result.identical:
                break
    report = _report(program, arguments, results) | {"seconds": time.perf_counter() - start}
    if output.json:
        output.object(report)
    else:
        _show(report, results[-1][1].first, output)
    return 0 if report["identical"] else 1


def _execute_drawn(arguments: argparse.Namespace, output: Output) -> int:
    if not arguments.broken_machines:
        return execute_random(arguments, output)
    if arguments.random_machines:
        raise mistake("machines are random or broken", "give one of --random-machines and --broken-machines")
    return execute_broken(arguments, output)


def _report(program: Program, arguments: argparse.Namespace, results: list[tuple[int, CosimResult]]) -> dict[str, Any]:
    runs = [result for _, result in results]
    image, last = results[-1]
    cycles = sum(run.cycles for run in runs)
    systemc = sum(run.systemc_seconds for run in runs)
    rtl = sum(run.rtl_seconds for run in runs)
    return {
        "model": program.model,
        "machine": program.machine.name,
        "parameters": program.machine.parameters,
        "images": len(runs),
        "seed": None if arguments.input else arguments.seed,
        "identical": last.identical,
        "instructions": sum(run.instructions for run in runs),
        "cycles": cycles,
        "differences": last.differences,
        "first": last.first.to_dict() | {"image": image} if last.first else None,
        "reproduce": _reproduce(arguments, image, last.first) if last.first else None,
        "memory": memory_facts(runs[0].stats),
        "layers": [
            {"name": layer.name, "operation": layer.operation, "cycles": layer.cycles} for layer in runs[0].layers
        ],
        "build_seconds": max(run.build_seconds for run in runs),
        "systemc_seconds": systemc,
        "rtl_seconds": rtl,
        "systemc_cycles_per_second": cycles / systemc if systemc else None,
        "rtl_cycles_per_second": cycles / rtl if rtl and last.identical else None,
    }


def _reproduce(arguments: argparse.Namespace, image: int, difference: Difference) -> str:
    """The command that runs only the image that differs, with waves of the cycles around the difference."""
    words = ["covenant", "cosim", *([arguments.model] if arguments.model else ["--layer", arguments.layer])]
    if arguments.machine and not (arguments.model and is_program_file(arguments.model)):
        words += ["-m", arguments.machine]
    words += ["--preset", arguments.preset] if arguments.preset else []
    for setting in arguments.settings:
        words += ["--set", setting]
    words += ["--schedule", arguments.schedule] if arguments.schedule else []
    words += [] if arguments.fusion else ["--no-fusion"]
    words += ["--input", arguments.input] if arguments.input else ["--seed", str(arguments.seed)]
    words += ["--images", str(image + 1), "--image", str(image)]
    words += [] if arguments.memory == FIXED_MEMORY else ["--memory", arguments.memory]
    words += ["--rtl-cache", arguments.rtl_cache] if arguments.rtl_cache else []
    words += ["--rtl-quick"] if arguments.rtl_quick else []
    words += ["--rtl-checked"] if arguments.rtl_checked else []
    words += ["--wave", "difference.fst", "--from", str(max(0, difference.cycle - AROUND_CYCLES))]
    return shlex.join([*words, "--to", str(difference.cycle + AROUND_CYCLES)])


def _show(report: dict[str, Any], first: Difference | None, output: Output) -> None:
    if report["build_seconds"]:
        output.line(f"Verilated model built in {report['build_seconds']:.1f} s")
    output.line(
        f"{report['instructions']:,} instructions, {report['cycles']:,} cycles, {report['differences']:,} differences"
    )
    show_memory(report["memory"], output)
    if first:
        output.line(f"image {report['first']['image']}: {first.text}")
        output.line(f"waves of it: {report['reproduce']}")
    else:
        rates = (report["systemc_cycles_per_second"] or 0, report["rtl_cycles_per_second"] or 0)
        output.line(f"systemc: {rates[0]:,.0f} cycles/s, rtl: {rates[1]:,.0f} cycles/s (records and digests on)")

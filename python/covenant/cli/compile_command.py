"""`covenant compile`: compiles a model into a program file, or shows its form after a pass."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from covenant.bench.cost import measured
from covenant.bench.layers import BenchmarkLayer, benchmark_layers, compile_layer, emit_layer
from covenant.cli.arguments import (
    add_command,
    add_fusion,
    add_json,
    add_machine_settings,
    add_optimisations,
    add_schedule,
    machine_of,
    optimisations_of,
)
from covenant.cli.explain import explain
from covenant.cli.output import Output
from covenant.cli.packets import beside_run, packets_object
from covenant.cli.source import mistake, positive
from covenant.compiler import compile as compile_model
from covenant.compiler import emit
from covenant.errors import CovenantError, Diagnostic
from covenant.files import write_whole
from covenant.machine import Machine
from covenant.program import Program

ASSEMBLY = ("asm", "assembly")

EXAMPLES = """  covenant compile model.onnx -m genesys -o model.cprog
  covenant compile model.onnx -m genesys:8x8 --set axi=256 -o model.cprog --json
  covenant compile model.onnx -m genesys --emit tile            # the text after one pass, on standard output
  covenant compile model.onnx -m genesys --emit tile --layer conv3   # of one layer
  covenant compile model.onnx -m genesys --stop-after place -o placed.txt
  covenant compile model.onnx -m genesys --library my_codelets -o model.cprog   # with operators of your own
  covenant compile cell.onnx -m genesys --state h_next:h -o cell.cprog   # what a run hands to the next one
  covenant compile model.onnx -m hvx -o model.elf               # an executable, for machines that issue packets
  covenant compile model.onnx -m hvx --emit asm --profile run.profile   # what packets have cost (run --save-profile)
  covenant compile --layer DLRM/FC2 -m hvx --no-pack --emit asm # one instruction a packet
  covenant compile --layer ResNet50/CONV1 -m dnnweaver --emit tile   # a layer of the benchmark table; --layer list
  covenant compile --layer ResNet50/CONV1 -m dnnweaver --explain-schedule
  covenant compile model.onnx -m genesys --save-schedule model.schedule           # how every layer is tiled
  covenant compile model.onnx -m genesys --schedule model.schedule -o model.cprog   # the same again, or as edited"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "compile", EXAMPLES)
    parser.add_argument(
        "model", metavar="MODEL", nargs="?",
        help="an int8 ONNX model, in QOperator or QDQ style, or the text of --emit network",
    )  # fmt: skip
    parser.add_argument(
        "--layer", metavar="NAME",
        help="a layer of the benchmark table instead (`list` names them); with MODEL: the layer that is shown",
    )  # fmt: skip
    parser.add_argument("-m", "--machine", help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument("--library", metavar="DIR", help="a folder of codelets for operators beside the compiler's own")
    add_schedule(parser)
    parser.add_argument(
        "--save-schedule", metavar="FILE", help="write how every layer is tiled, as --schedule reads it"
    )
    add_fusion(parser)
    add_optimisations(parser)
    parser.add_argument(
        "--threads", metavar="N", type=positive,
        help="search for schedules on so many threads; one for each core unless said, the program is the same",
    )  # fmt: skip
    parser.add_argument(
        "--state", metavar="OUT:IN", action="append", default=[],
        help="this output of a run is this input of the next one, of the model's names; may be said several times",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", help="the file to write: a program, or an executable (.elf)")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--emit", metavar="PASS", help="give the intermediate form after this pass, and the program if -o")
    one.add_argument("--stop-after", metavar="PASS", help="give the intermediate form after this pass and stop there")
    parser.add_argument(
        "--profile", metavar="RUN",
        help="with --emit asm: beside each packet what it has cost in a run (run --save-profile)",
    )  # fmt: skip
    one.add_argument(
        "--explain-schedule", metavar="LAYER", nargs="?", const="",
        help="show what was considered for this layer (with --layer: for that), and what bounds it",
    )  # fmt: skip
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Writes the program or the text; nothing is written before all of it is there."""
    if arguments.layer == "list":
        return _list_layers(output)
    _check_source(arguments)
    state = _state(arguments)
    machine = machine_of(arguments.machine, arguments)
    if arguments.explain_schedule is not None:
        if arguments.output or arguments.save_schedule:
            raise mistake("nothing is written where a layer is explained", "leave out one of the two")
        return explain(output, machine, arguments)
    if arguments.stop_after and arguments.save_schedule:
        raise mistake("compiling stops before the schedule is written", "use --emit instead of --stop-after")
    shown = arguments.emit or arguments.stop_after
    if arguments.profile and shown not in ASSEMBLY:
        raise mistake("a profile is about packets at their addresses", "add --emit asm, or leave out --profile")
    if shown:
        return _show(arguments, output, machine, shown, state)
    if not (arguments.output or arguments.save_schedule):
        raise mistake("nowhere to write the program", "add -o FILE.cprog, or --emit PASS")
    _write_program(arguments, output, machine, state)
    return 0


def _state(arguments: argparse.Namespace) -> dict[str, str]:
    """Inputs of the next run by the outputs that they are."""
    if arguments.state and (not arguments.model or arguments.stop_after):
        raise mistake("state is a part of the program of a model", "leave out --state, or --layer and --stop-after")
    pairs = [pair.split(":") for pair in arguments.state]
    for pair, text in zip(pairs, arguments.state, strict=True):
        if len(pair) != 2 or not all(pair):
            raise mistake(
                f"--state {text} is no pair of an output and an input",
                "say OUT:IN; names with colons only covenant.compile takes",
            )
    state = dict(pairs)
    if len(state) < len(pairs):
        raise mistake("--state names an output twice", "name each output once")
    return state


def _list_layers(output: Output) -> int:
    layers = benchmark_layers()
    if output.json:
        output.object({"layers": [_layer_object(layer) for layer in layers]})
    else:
        for layer in layers:
            output.line(layer.name)
    return 0


def _layer_object(layer: BenchmarkLayer) -> dict[str, Any]:
    return {"name": layer.name, "kind": layer.kind, "macs": layer.macs, "note": layer.note, **layer.sizes}


def _check_source(arguments: argparse.Namespace) -> None:
    """Raises CLI0001 unless there is one thing to compile, and a machine."""
    if not (arguments.model or arguments.layer):
        wrong = "one of MODEL and --layer is needed"
    elif arguments.model and arguments.layer and not (arguments.emit or arguments.stop_after):
        wrong = "both MODEL and --layer are given, and no pass is shown with --emit or --stop-after"
    elif not arguments.machine:
        wrong = "the following arguments are required: -m/--machine"
    else:
        return
    fix = "look at: covenant compile --help"
    raise CovenantError(Diagnostic("CLI0001", f"wrong arguments: {wrong}", "command line", fix=fix))


def _show(arguments: argparse.Namespace, output: Output, machine: Machine, after: str, state: dict[str, str]) -> int:
    if arguments.model:
        text = emit(
            arguments.model, machine, after, arguments.library, arguments.schedule, fusion=arguments.fusion,
            optimisations=optimisations_of(arguments), layer=arguments.layer,
        )  # fmt: skip
    else:
        text = emit_layer(
            arguments.layer, machine, after, arguments.schedule, optimisations=optimisations_of(arguments)
        )
    known = {}
    if arguments.profile:
        listing = beside_run(text, machine, arguments.profile)
        text, known = listing.text, {"packets": packets_object(listing)}
    to_file = arguments.output and arguments.stop_after
    if to_file:
        write_whole(arguments.output, text)
    if output.json:
        output.object({"pass": after, "text": text, "output": arguments.output if to_file else None} | known)
    elif not to_file:
        output.text(text)
    if arguments.emit and (arguments.output or arguments.save_schedule):
        _write_program(arguments, Output(json=False), machine, state)
    return 0


def _write_program(arguments: argparse.Namespace, output: Output, machine: Machine, state: dict[str, str]) -> None:
    program, cost = measured(lambda: _program(arguments, machine, state))
    if arguments.save_schedule:
        write_whole(arguments.save_schedule, program.schedule)
    if arguments.output:
        program.save(arguments.output)
    if output.json:
        output.object(
            {
                "model": program.model,
                "machine": machine.name,
                "parameters": machine.parameters,
                "output": arguments.output,
                "schedule": arguments.save_schedule,
                "words": len(program.words),
                "memory_bytes": program.memory_bytes,
                "layers": [
                    {"name": block.layer, "operation": block.operation, "words": block.words, "macs": block.macs}
                    for block in program.blocks
                ],
                "state": program.state,
                **asdict(cost),
            }
        )
        return
    written = ", ".join(filter(None, (arguments.output, arguments.save_schedule)))
    output.note(
        f"{written}: {len(program.blocks)} layers, {len(program.words):,} instruction words, "
        f"{program.memory_bytes:,} bytes of memory, compiled in {cost.seconds:.2f} s "
        f"({cost.processor_seconds:.2f} s of the processor, {cost.peak_memory_bytes / 2**20:,.0f} MiB at most)"
    )


def _program(arguments: argparse.Namespace, machine: Machine, state: dict[str, str]) -> Program:
    if arguments.model:
        return compile_model(
            arguments.model, machine, arguments.library, arguments.schedule, fusion=arguments.fusion,
            optimisations=optimisations_of(arguments), threads=arguments.threads, state=state,
        )  # fmt: skip
    return compile_layer(arguments.layer, machine, arguments.schedule, optimisations=optimisations_of(arguments))

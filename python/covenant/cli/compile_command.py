"""`covenant compile`: compiles a model into a program file, or shows its form after a pass."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import (
    add_command,
    add_fusion,
    add_json,
    add_library,
    add_machine_settings,
    add_optimisations,
    add_schedule,
    machine_request,
    optimisations_of,
    positive,
)
from covenant.cli.compile_request import CompileRequest
from covenant.cli.embedding_options import add_embeddings, embeddings_request
from covenant.cli.output import Output
from covenant.cli.part_option import add_part
from covenant.cli.written import WrittenPath

EXAMPLES = """  covenant compile model.onnx -m genesys -o model.cprog
  covenant compile model.onnx -m genesys:8x8 --set axi=256 -o model.cprog --json
  covenant compile model.onnx -m genesys --emit tile            # the text after one pass, on standard output
  covenant compile model.onnx -m genesys --emit tile --layer conv3   # of one layer
  covenant compile model.onnx -m genesys --stop-after place -o placed.txt
  covenant compile model.onnx -m genesys --library my_codelets -o model.cprog   # with operators of your own
  covenant compile cell.onnx -m genesys --state h_next:h -o cell.cprog   # what a run hands to the next one
  covenant compile model.onnx -m genesys --part pool=hvx -o model.cprog   # up to `pool` on genesys, then on hvx
  covenant compile model.onnx -m hvx -o model.elf               # an executable, for machines that issue packets
  covenant compile model.onnx -m hvx --emit asm --profile run.profile   # what packets have cost (run --save-profile)
  covenant compile --layer DLRM/FC2 -m hvx --no-pack --emit asm # one instruction a packet
  covenant compile --layer ResNet50/CONV1 -m dnnweaver --emit tile   # a layer of the benchmark table; --layer list
  covenant compile --layer ResNet50/CONV1 -m dnnweaver --explain-schedule
  covenant compile model.onnx -m genesys --emit embeddings --layer conv3   # ways into the machine's instructions
  covenant compile --layer ResNet50/CONV1 -m genesys:03 --emit embeddings --relaxations pad,fuse
  covenant compile --layer ResNet50/CONV2 -m genesys:03 --emit embeddings --embedding "columns: oc*16 | inner: ic*16"
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
    add_library(parser)
    add_schedule(parser)
    parser.add_argument(
        "--save-schedule",
        type=WrittenPath,
        metavar="FILE",
        help="write how every layer is tiled, as --schedule reads it",
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
    add_part(parser)
    parser.add_argument(
        "-o", "--output", type=WrittenPath, metavar="FILE", help="the file to write: a program, or an executable (.elf)"
    )
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
    add_embeddings(parser)
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Compiles a model or a layer, or lists the layers that there are."""
    from covenant.cli.compile_model import execute_compile, list_layers

    return list_layers(output) if arguments.layer == "list" else execute_compile(_request(arguments), output)


def _request(arguments: argparse.Namespace) -> CompileRequest:
    """Request made from the parsed options."""
    return CompileRequest(
        model=arguments.model,
        layer=arguments.layer,
        machine=machine_request(arguments),
        library=arguments.library,
        schedule=arguments.schedule,
        save_schedule=arguments.save_schedule,
        fusion=arguments.fusion,
        optimisations=optimisations_of(arguments),
        threads=arguments.threads,
        state=tuple(arguments.state),
        parts=tuple(arguments.part),
        output=arguments.output,
        emit=arguments.emit,
        stop_after=arguments.stop_after,
        profile=arguments.profile,
        explain_schedule=arguments.explain_schedule,
        embeddings=embeddings_request(arguments),
    )

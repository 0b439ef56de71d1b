"""`covenant rtl`: writes the RTL of a machine as a self-contained folder."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from covenant.choices import AxiMasters
from covenant.cli.arguments import (
    add_command,
    add_json,
    add_machine_settings,
    machine_of,
    machine_request,
    mistake,
    not_negative,
)
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath

EXAMPLES = """  covenant rtl -m genesys:07 -o out      # then: make -C out lint test
  covenant rtl -m my_machine.acg --set M=8 -o out
  covenant rtl -m genesys:8x8 -o out --model model.onnx --seed 3   # `make test` runs this model"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "rtl", EXAMPLES)
    parser.add_argument("-m", "--machine", required=True, help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument(
        "-o", "--output", type=WrittenPath, metavar="DIR", required=True, help="the folder; one of RTL is replaced"
    )
    parser.add_argument("--model", metavar="MODEL", help="what `make test` runs (default: a small convolution)")
    parser.add_argument("--seed", type=not_negative, default=0, metavar="N", help="of the model's input (default: 0)")
    parser.add_argument(
        "--axi",
        choices=get_args(AxiMasters),
        help="AXI4 masters of the device: one of each off-chip port (default), of each bus that edges share, or one",
    )
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Writes the folder."""
    from covenant.compiler import compile as compile_model
    from covenant.program import is_program_file
    from covenant.program.inputs import random_feeds
    from covenant.program.rtl_folder import check_folder, rtl_files, write_files

    if arguments.model and is_program_file(arguments.model):
        raise mistake("a program has its machine inside", "name the .onnx model that it was compiled from")
    check_folder(arguments.output)
    machine = machine_of(machine_request(arguments))
    program = compile_model(arguments.model, machine) if arguments.model else None
    inputs = random_feeds(program, 1, arguments.seed)[0] if program else None
    files = rtl_files(machine, program, inputs, arguments.axi)
    write_files(files, arguments.output)
    if output.json:
        output.object(
            {
                "machine": machine.name,
                "parameters": machine.parameters,
                "output": arguments.output,
                "files": sorted(files),
                "model": program.model if program else None,
                "seed": arguments.seed if program else None,
            }
        )
    else:
        output.note(f"{arguments.output}: {len(files)} files; try: make -C {arguments.output} lint test")
    return 0

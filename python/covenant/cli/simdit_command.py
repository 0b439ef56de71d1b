"""`covenant import-simdit`: a hardware file of the simulator SimDIT as a machine."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from covenant.cli.arguments import add_command, add_json
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath
from covenant.files import check_writable, write_whole
from covenant.machine.simdit import SimditHardware, read_simdit

EXAMPLES = """  covenant import-simdit genesys_params_design09.json
  covenant import-simdit genesys_params_design09.json -o design09.acg   # then: covenant show design09.acg"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "import-simdit", EXAMPLES)
    parser.add_argument("file", metavar="FILE.json", help="a file like those of its folders Hardware_Json_*")
    parser.add_argument(
        "-o", "--output", type=WrittenPath, metavar="FILE.acg", help="write the machine; each value with its key"
    )
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Says which parameters the file stands for, and writes the machine."""
    if arguments.output:
        check_writable(arguments.output)
    hardware = read_simdit(arguments.file)
    text = hardware.acg()  # the machine holds together
    if arguments.output:
        write_whole(arguments.output, text)
    if output.json:
        output.object(_report(hardware, arguments.output))
        return 0
    output.table(
        f"{arguments.file} as genesys",
        ("parameter", "value", "from"),
        [(entry.parameter, entry.value, ", ".join(entry.keys)) for entry in hardware.parameters],
    )
    for key, value in hardware.left_out.items():
        output.line(f"left out: {key} = {value}, room for other instruction words")
    output.line(f"-m {shlex.join(_arguments(hardware))}")
    return 0


def _arguments(hardware: SimditHardware) -> list[str]:
    """Arguments to put after -m."""
    settings = [f"{name}={value}" for name, value in hardware.settings.items()]
    return ["genesys", *(word for setting in settings for word in ("--set", setting))]


def _report(hardware: SimditHardware, written: str | None) -> dict[str, Any]:
    return {
        "machine": "genesys",
        "settings": hardware.settings,
        "keys": {entry.parameter: list(entry.keys) for entry in hardware.parameters},
        "left_out": hardware.left_out,
        "output": written,
    }

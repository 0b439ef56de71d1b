"""The grammar of the command line."""

from __future__ import annotations

import argparse
from typing import NoReturn

from covenant._core import version
from covenant.cli import (
    accuracy_command,
    area_command,
    bench_command,
    compile_command,
    cosim_command,
    disasm,
    doctor,
    explore_command,
    machines,
    memories,
    operators_command,
    quantize_command,
    rtl_command,
    run_command,
    sensitivity_command,
    show,
    simdit_command,
    study_command,
    zoo_command,
)
from covenant.errors import CovenantError, Diagnostic

EXAMPLES = """examples:
  covenant machines
  covenant show genesys --set M=32
  covenant quantize float.onnx -o model.onnx --calibrate samples.npz
  covenant compile model.onnx -m genesys:8x8 -o model.cprog
  covenant run model.onnx -m genesys --compare onnxruntime
  covenant run zoo:squeezenet -m genesys:09 --compare onnxruntime
  covenant cosim model.onnx -m genesys:8x8
  covenant accuracy model.onnx --data test.npz -m genesys
  covenant study digits.toml --front
  covenant explore model.onnx --family genesys --constraint 'pe_count<=256'

`covenant COMMAND --help` has more. Exit codes: 0 all is well, 1 a comparison differs, 2 a mistake of the user, 3 a bug.
"""


class Parser(argparse.ArgumentParser):
    """Reports mistakes on the command line like every other mistake of the user: with a code and a fix."""

    def error(self, message: str) -> NoReturn:
        """Raises CLI0001."""
        raise CovenantError(
            Diagnostic("CLI0001", f"wrong arguments: {message}", "command line", fix=f"look at: {self.prog} --help")
        )


def build_parser() -> Parser:
    """The parser of all commands; the parsed arguments carry `execute(arguments, output) -> exit code`."""
    parser = Parser(
        prog="covenant",
        description="Compilers and cycle-accurate models of deep-learning accelerators.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in (
        machines,
        memories,
        show,
        operators_command,
        quantize_command,
        compile_command,
        run_command,
        cosim_command,
        rtl_command,
        area_command,
        bench_command,
        accuracy_command,
        sensitivity_command,
        study_command,
        explore_command,
        zoo_command,
        simdit_command,
        disasm,
        doctor,
    ):
        command.add(commands)
    return parser


class _Version(argparse.Action):
    """Prints the version and stops."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        parser.exit(message=f"covenant {version}\n")

"""The grammar of the command line."""

from __future__ import annotations

import argparse
import textwrap
from importlib import import_module
from typing import NoReturn

from covenant._core import version
from covenant.errors import CovenantError, Diagnostic

COMMANDS = {
    "models on machines": {
        "quantize": "quantize_command", "compile": "compile_command", "run": "run_command",
        "accuracy": "accuracy_command", "zoo": "zoo_command",
    },
    "RTL": {"cosim": "cosim_command", "rtl": "rtl_command", "area": "area_command"},
    "studies": {
        "study": "study_command", "explore": "explore_command", "sensitivity": "sensitivity_command",
        "bench": "bench_command",
    },
    "machines and programs": {
        "machines": "machines", "memories": "memories", "show": "show", "operators": "operators_command",
        "disasm": "disasm", "import-simdit": "simdit_command",
    },
    "tools": {"doctor": "doctor"},
}  # fmt: skip
"""Modules of commands by their names, in the groups of `covenant --help`."""

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


def build_parser(command: str | None = None) -> Parser:
    """The parser; the parsed arguments carry `execute(arguments, output) -> exit code`.

    Args:
        command: the only one that is parsed, for its module alone is imported; None or another word: all.
    """
    parser = Parser(
        prog="covenant",
        usage="covenant [-h] [--version] COMMAND ...",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, help=argparse.SUPPRESS)
    modules = {name: module for group in COMMANDS.values() for name, module in group.items()}
    for name in [command] if command in modules else modules:
        import_module(f"covenant.cli.{modules[name]}").add(commands)
    parser.description = _description(commands.choices)
    return parser


def _description(commands: dict[str, argparse.ArgumentParser]) -> str:
    """Text above the options of `covenant --help`: all commands, by group."""
    lines = ["Compilers and cycle-accurate models of deep-learning accelerators."]
    for group, names in COMMANDS.items():
        lines += ["", f"{group}:"]
        for name in filter(commands.__contains__, names):
            text = commands[name].description or ""
            lines.append(textwrap.fill(f"  {name:13} {text}", 79, subsequent_indent=" " * 16))
    return "\n".join(lines)


class _Version(argparse.Action):
    """Prints the version and stops."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        parser.exit(message=f"covenant {version}\n")

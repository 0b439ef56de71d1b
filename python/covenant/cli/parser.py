"""The grammar of the command line."""

from __future__ import annotations

import argparse
import sys
import textwrap
from importlib import import_module
from typing import NoReturn

from covenant._core import version
from covenant.cli.commands import BY_NAME, COMMANDS, sentence
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


def build_parser(command: str | None = None) -> Parser:
    """The parser; the parsed arguments carry `execute(arguments, output) -> exit code`.

    Args:
        command: the only one that is parsed, for its module alone is imported; another word: none, there is only the
            help that lists them; None: all.
    """
    parser = Parser(
        prog="covenant",
        usage="covenant [-h] [--version] COMMAND ...",
        description=_description(),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, help=argparse.SUPPRESS)
    for name in [command] if command in BY_NAME else BY_NAME:
        if command in (name, None):
            import_module(f"covenant.cli.{BY_NAME[name].module}").add(commands)
        else:
            commands.add_parser(name)
    return parser


def _description() -> str:
    """Text above the options of `covenant --help`: all commands, by group."""
    lines = ["Compilers and cycle-accurate models of deep-learning accelerators."]
    for group, commands in COMMANDS.items():
        lines += ["", f"{group}:"]
        for name, command in commands.items():
            text = f"  {name:13} {sentence(command.summary)}"
            lines.append(textwrap.fill(text, 79, subsequent_indent=" " * 16))
    return "\n".join(lines)


class _Version(argparse.Action):
    """Prints the version and stops."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        sys.stdout.write(f"covenant {version}\n")
        parser.exit()

"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine


def add_command(commands: Any, name: str, summary: str, examples: str) -> argparse.ArgumentParser:
    """A sub-command with examples in its help."""
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_json(parser: Any) -> None:
    """`--json`; what the object holds: docs/reference/cli.md."""
    parser.add_argument("--json", action="store_true", help="print exactly one JSON object on standard output")


def add_machine_settings(parser: argparse.ArgumentParser) -> None:
    """`--preset` and `--set`."""
    parser.add_argument("--preset", help="preset of the machine; the same as MACHINE:PRESET")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
        help="override a parameter of the machine; repeatable",
    )  # fmt: skip


def add_schedule(parser: argparse.ArgumentParser) -> None:
    """`--schedule`."""
    parser.add_argument(
        "--schedule", metavar="FILE", help="tile layers as this file says; what it leaves open is searched"
    )


def add_fusion(parser: argparse.ArgumentParser) -> None:
    """`--no-fusion`."""
    parser.add_argument(
        "--no-fusion", action="store_false", dest="fusion", help="leave every layer on its own, whatever it costs"
    )


def machine_of(spec: str, arguments: argparse.Namespace) -> Machine:
    """The machine that the arguments describe."""
    settings = dict(_setting(text) for text in arguments.settings)
    return Machine(spec, preset=arguments.preset, **settings)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise CovenantError(
            Diagnostic(
                "CLI0007", "a setting is a name, an equals sign and a value", "<set>", offending=text,
                allowed=("NAME=VALUE",), fix="write for example --set M=32",
            )
        )  # fmt: skip
    return name.strip(), value.strip()

"""`covenant machines`: the machines that come with the SDK."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json
from covenant.cli.output import Output
from covenant.machine import machines, settings_of

EXAMPLES = """  covenant machines
  covenant machines --json"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "machines", EXAMPLES)
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(_arguments: argparse.Namespace, output: Output) -> int:
    """Prints names, presets and default parameters."""
    known = {name: (presets, settings_of(name)) for name, presets in machines().items()}
    if output.json:
        rows = [
            {"name": name, "presets": list(presets), "parameters": parameters}
            for name, (presets, parameters) in known.items()
        ]
        output.object({"machines": rows})
        return 0
    output.table(
        "Machines",
        ["name", "presets", "parameters"],
        [
            [name, ", ".join(presets), ", ".join(f"{key}={value}" for key, value in parameters.items())]
            for name, (presets, parameters) in known.items()
        ],
    )
    return 0

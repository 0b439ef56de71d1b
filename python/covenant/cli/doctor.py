"""`covenant doctor`: lists the tools and packages that the SDK needs, and how to get those that are missing."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json
from covenant.cli.health import examine
from covenant.cli.output import Output

EXAMPLES = """  covenant doctor
  covenant doctor --json"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "doctor", EXAMPLES)
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(_arguments: argparse.Namespace, output: Output) -> int:
    """Prints one line per thing examined; 1 if something needed is missing."""
    findings = examine()
    healthy = all(finding.ok or not finding.required for finding in findings)
    if output.json:
        output.object({"healthy": healthy, "findings": [finding.to_dict() for finding in findings]})
    else:
        output.table(
            "Doctor",
            ["what", "for", "state", "found", "to fix it"],
            [[f.name, f.purpose, f.state, f.found, "" if f.ok else f.fix] for f in findings],
        )
        output.line("all that is needed is here" if healthy else "something that is needed is missing")
    return 0 if healthy else 1

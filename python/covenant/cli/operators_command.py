"""`covenant operators`: which operators of quantised models a machine takes, and what it lacks for the others."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of, machine_request
from covenant.cli.output import Output

EXAMPLES = """  covenant operators -m genesys:07
  covenant operators --markdown                                   # the tables of docs/reference/operators.md
  covenant operators -m genesys:07 -m hvx --operator 'Reduce*' --operator Softmax
  covenant operators -m genesys --set bits=16 --markdown"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "operators",
        EXAMPLES,
    )
    parser.add_argument(
        "-m", "--machine", action="append",
        help="machine, MACHINE:PRESET, or path of an .acg file; repeatable (default: those of the reference)",
    )  # fmt: skip
    add_machine_settings(parser)
    parser.add_argument(
        "--operator", action="append", metavar="NAME", dest="operators",
        help="only these; * stands for any characters; repeatable",
    )  # fmt: skip
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """A row for each operator in each of its spellings."""
    from covenant.cli.operators_table import chosen_forms, show
    from covenant.operators import elements_of, machines_of_the_page, rows, table

    named = {name: machine_of(machine_request(arguments, name)) for name in arguments.machine or ()}
    machines = named or machines_of_the_page()
    found = list(output.progress(rows(chosen_forms(arguments.operators), machines), "operators"))
    if output.json:
        elements = {name: list(elements_of(machine)) for name, machine in machines.items()}
        output.object({"elements": elements, "operators": [row.to_dict() for row in found]})
    elif arguments.markdown:
        output.text(table(found, list(machines)))
    else:
        show(found, machines, output)
    return 0

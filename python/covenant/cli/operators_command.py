"""`covenant operators`: which operators of quantised models a machine takes, and what it lacks for the others."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of
from covenant.cli.output import Output
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine
from covenant.operators import FORMS, HOST, MACHINE, Form, Row, elements_of, machines_of_the_page, rows, table

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
    named = {name: machine_of(name, arguments) for name in arguments.machine or ()}
    machines = named or machines_of_the_page()
    found = list(output.progress(rows(_chosen(arguments.operators), machines), "operators"))
    if output.json:
        elements = {name: list(elements_of(machine)) for name, machine in machines.items()}
        output.object({"elements": elements, "operators": [row.to_dict() for row in found]})
    elif arguments.markdown:
        output.text(table(found, list(machines)))
    else:
        _show(found, machines, output)
    return 0


def _chosen(patterns: list[str] | None) -> list[Form]:
    chosen = [form for form in FORMS if not patterns or any(fnmatchcase(form.operator, one) for one in patterns)]
    if chosen:
        return chosen
    known = tuple(dict.fromkeys(form.operator for form in FORMS))
    raise CovenantError(
        Diagnostic("CLI0008", "no operator has such a name", "--operator", offending=", ".join(patterns or ()),
                   allowed=known, fix="name one of these")
    )  # fmt: skip


def _show(found: list[Row], machines: dict[str, Machine], output: Output) -> None:
    columns = ["operator", "style", "elements", *machines]
    lines = []
    for row in found:
        every = dict.fromkeys(elements for answers in row.answers.values() for elements in answers)
        by_cells: dict[tuple[str, ...], list[str]] = {}
        for elements in every:
            cells = tuple(_cell(row, name, elements) for name in machines)
            by_cells.setdefault(cells, []).append(elements)
        lines += [[row.form.name, row.form.style, " ".join(names), *cells] for cells, names in by_cells.items()]
    output.table("operators", columns, lines)


def _cell(row: Row, machine: str, elements: str) -> str:
    answer = row.answers[machine].get(elements)
    if answer is None:
        return "wider than it stores"
    if answer.where == MACHINE or answer.refusal is None:
        return "yes"
    said = "host; between layers " if answer.where == HOST else ""
    return f"{said}{answer.refusal.code}: {answer.missing}"

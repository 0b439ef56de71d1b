"""Forms of operators that `covenant operators` asks machines about, and a table of the answers."""

from __future__ import annotations

from fnmatch import fnmatchcase

from covenant.cli.output import Output
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine
from covenant.operators import FORMS, HOST, MACHINE, Form, Row


def chosen_forms(patterns: list[str] | None) -> list[Form]:
    """Forms of operators with these names; all if none is named."""
    chosen = [form for form in FORMS if not patterns or any(fnmatchcase(form.operator, one) for one in patterns)]
    if chosen:
        return chosen
    known = tuple(dict.fromkeys(form.operator for form in FORMS))
    raise CovenantError(
        Diagnostic("CLI0008", "no operator has such a name", "--operator", offending=", ".join(patterns or ()),
                   allowed=known, fix="name one of these")
    )  # fmt: skip


def show(found: list[Row], machines: dict[str, Machine], output: Output) -> None:
    """A line for each form, with what each machine says."""
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

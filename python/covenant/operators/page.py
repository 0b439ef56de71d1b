"""The table of operators and machines, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from covenant.machine import Machine
from covenant.operators.answers import HOST, MACHINE, Answer, Row
from covenant.operators.catalogue import GROUPS

__all__ = ["machines_of_the_page", "table"]

_NAMED = ("genesys:03", "genesys:07", "genesys:09", "dnnweaver", "hvx")


def machines_of_the_page() -> dict[str, Machine]:
    """Machines of docs/reference/operators.md, by their column heads."""
    return {name: Machine(name) for name in _NAMED} | {"genesys, bits=16": Machine("genesys", bits=16)}


def table(found: Sequence[Row], machines: Sequence[str]) -> str:
    """A table for each group of operators, and one of the reasons that they refer to.

    Args:
        found: in the order of the catalogue.
        machines: heads of columns, by which the rows know their answers.
    """
    reasons: dict[tuple[str, str], int] = {}
    parts = []
    for group, forms in GROUPS.items():
        own = [row for row in found if row.form in forms]
        if own:
            parts.append(f"### {group}\n\n" + "\n".join(_lines(own, machines, reasons)))
    listed = [f"| {number} | {code} | {missing} |" for (code, missing), number in reasons.items()]
    if listed:
        parts.append("### Reasons\n\n" + "\n".join(["| | code | what is missing |", "|---|---|---|", *listed]))
    return "\n\n".join(parts)


def _lines(own: Iterable[Row], machines: Sequence[str], reasons: dict[tuple[str, str], int]) -> list[str]:
    lines = [f"| operator | {' | '.join(machines)} |", f"|---|{'---|' * len(machines)}"]
    for row in own:
        cells = [_cell(row.answers[machine], reasons) for machine in machines]
        lines.append(f"| {row.form.name} | {' | '.join(cells)} |")
    return lines


def _cell(answers: dict[str, Answer], reasons: dict[tuple[str, str], int]) -> str:
    """`all`; `i8 u8, not i16 u16 (3)`; `host (1)`; `no (2)`."""
    taken = [name for name, answer in answers.items() if answer.where == MACHINE]
    if len(taken) == len(answers):
        return "all"
    by_reason: dict[tuple[str, int], list[str]] = {}
    for name, answer in answers.items():
        if answer.refusal is not None:
            key = (answer.refusal.code, _spelt(answer.missing))
            number = reasons.setdefault(key, len(reasons) + 1)
            by_reason.setdefault((answer.where, number), []).append(name)
    words = [" ".join(taken)] if taken else []
    is_alone = not taken and len(by_reason) == 1
    for (where, number), names in by_reason.items():
        said = "host" if where == HOST else "no"
        words.append(f"{said} ({number})" if is_alone else f"{said} {' '.join(names)} ({number})")
    return "; ".join(words)


def _spelt(text: str) -> str:
    """A message within a cell."""
    return text.replace("|", "\\|").replace("\n", " ")

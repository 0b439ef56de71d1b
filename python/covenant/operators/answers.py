"""Finds which operators of quantised models a machine takes, by compiling a small model of each."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covenant.compiler import compile as compiled
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine
from covenant.operators.forms import Form, qdq
from covenant.operators.little_model import ELEMENTS, Input

__all__ = ["HOST", "MACHINE", "REFUSED", "Answer", "Row", "answer_of", "elements_of", "rows"]

MACHINE, HOST, REFUSED = "machine", "host", "refused"
_NOTHING_TO_DO = "GEN0014"
_TOO_WIDE = "NET0030"
_ANY = qdq("MaxPool", Input((1, 16, 4, 4)), kernel_shape=[2, 2])


@dataclass(frozen=True)
class Answer:
    """Answer for one operator, on elements of one type, on one machine."""

    where: str
    """`MACHINE`; `HOST`: at the ends of a model, where ONNX Runtime computes it, and refused in the middle; or
    `REFUSED`."""
    refusal: Diagnostic | None = None
    """Diagnostic for the operator between quantised layers."""

    @property
    def missing(self) -> str:
        """Capability that the machine or the compiler lacks; empty if it takes the operator."""
        if self.refusal is None:
            return ""
        if self.refusal.code == "CDL0040":
            return f"capability {self.refusal.offending.partition(' ')[0]}"
        return self.refusal.message

    def to_dict(self) -> dict[str, Any]:
        """The answer, as `covenant operators --json` prints it."""
        refusal = self.refusal
        return {
            "where": self.where,
            "code": refusal.code if refusal else None,
            "missing": self.missing or None,
            "got": refusal.offending if refusal else None,
            "fix": refusal.fix if refusal else None,
        }


@dataclass(frozen=True)
class Row:
    """One operator in one spelling, on every machine that was asked."""

    form: Form
    answers: dict[str, dict[str, Answer]]
    """Answers by machine, then by type of the elements that it stores."""

    def to_dict(self) -> dict[str, Any]:
        """The answer, as `covenant operators --json` prints it."""
        return {
            "operator": self.form.operator,
            "about": self.form.about,
            "style": self.form.style,
            "machines": {
                machine: {elements: answer.to_dict() for elements, answer in by_elements.items()}
                for machine, by_elements in self.answers.items()
            },
        }


def rows(forms: Iterable[Form], machines: dict[str, Machine]) -> Iterator[Row]:
    """Answers of each machine for each form, in order.

    Args:
        forms: see `covenant.operators.catalogue`.
        machines: by what they are called.
    """
    types = {name: elements_of(machine) for name, machine in machines.items()}
    for form in forms:
        yield Row(form, {name: {elements: answer_of(form, elements, machines[name]) for elements in stored
                                if elements in form.elements} for name, stored in types.items()})  # fmt: skip


def elements_of(machine: Machine) -> tuple[str, ...]:
    """Types of elements that a machine stores: as wide as its own, or narrower."""
    refusals = {elements: _refusal(_ANY.middle(elements), machine) for elements in ELEMENTS}
    return tuple(name for name, refusal in refusals.items() if refusal is None or refusal.code != _TOO_WIDE)


def answer_of(form: Form, elements: str, machine: Machine) -> Answer:
    """Answer for an operator between quantised layers, and, if it is refused there, after the last of them."""
    refusal = _refusal(form.middle(elements), machine)
    if refusal is not None and refusal.code == _NOTHING_TO_DO:  # it costs nothing: is it so behind a layer, too?
        refusal = _refusal(form.middle(elements, behind_a_layer=True), machine)
    if refusal is None:
        return Answer(MACHINE)
    end = form.end(elements) if refusal.code.startswith("ONX") else None
    is_hosts = end is not None and _refusal(end, machine) is None
    return Answer(HOST if is_hosts else REFUSED, refusal)


def _refusal(model: Any, machine: Machine) -> Diagnostic | None:
    """Diagnostic of the compiler for a model; None if it takes the model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "little.onnx"
        path.write_bytes(model.SerializeToString())
        try:
            compiled(path, machine)
        except CovenantError as error:
            return error.diagnostic
    return None

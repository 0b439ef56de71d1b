"""Limits on a machine: the most it may take, or the least it must have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covenant.study.description import OBJECTIVES, Objective
from covenant.study.errors import unknown, user_error
from covenant.study.hardware import HARDWARE
from covenant.study.row import StudyRow, cost_of

__all__ = ["Constraint", "cost_within", "parse_constraint"]

_FORM = re.compile(r"^\s*(?P<column>\w+)\s*(?P<sense><=|>=)\s*(?P<value>[\d.eE+_-]+)\s*$")


@dataclass(frozen=True)
class Constraint:
    """A limit of a column.

    Raises:
        CovenantError: EXP0001, there is no such column.
    """

    column: str
    """One of `covenant.study.description.OBJECTIVES`."""
    at_most: bool
    """Whether `value` is the most, or the least."""
    value: float

    def __post_init__(self) -> None:
        if self.column not in OBJECTIVES:
            raise unknown("EXP0001", "no constraint has this name", "constraint", self.column, OBJECTIVES)

    @property
    def is_of_hardware(self) -> bool:
        """Whether the machine alone tells, before anything is compiled."""
        return self.column in HARDWARE

    def excess(self, values: Mapping[str, Any]) -> float:
        """How far it is missed, as a share of the limit; 0: it holds. What is not known misses it by far."""
        value = values.get(self.column)
        if value is None:
            return float("inf")
        beyond = value - self.value if self.at_most else self.value - value
        return max(0.0, beyond / max(abs(self.value), 1.0))

    def __str__(self) -> str:
        return f"{self.column}{'<=' if self.at_most else '>='}{self.value:g}"


def parse_constraint(text: str) -> Constraint:
    """A constraint as it is written on a command line.

    Raises:
        CovenantError: EXP0001, no such column; EXP0002, it is no constraint.
    """
    form = _FORM.match(text)
    try:
        value = float(form["value"]) if form else None
    except ValueError:
        value = None
    if form is None or value is None:
        raise user_error("EXP0002", "a constraint is a column, <= or >=, and a number", "constraint", offending=text,
                         allowed=("COLUMN<=NUMBER", "COLUMN>=NUMBER"),
                         fix="write for example pe_count<=256")  # fmt: skip
    return Constraint(form["column"], form["sense"] == "<=", value)


def cost_within(
    row: StudyRow, objectives: Sequence[Objective], constraints: Sequence[Constraint]
) -> tuple[float, ...] | None:
    """Costs of a row by the objectives, all to be low; None: it lacks one, or misses a constraint."""
    cost = cost_of(row, objectives)
    return None if cost is None or any(one.excess(vars(row)) for one in constraints) else cost

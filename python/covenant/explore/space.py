"""The machines that may be proposed: a machine, and values for parameters of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from covenant.errors import CovenantError
from covenant.machine import Machine, settings_of
from covenant.study.errors import user_error
from covenant.study.hardware import COUNTED, hardware_of
from covenant.study.points import Resolved

__all__ = ["Space", "default_ranges", "parse_range"]

_LADDER = tuple(Fraction(n, d) for n, d in ((1, 4), (3, 8), (1, 2), (3, 4), (1, 1), (3, 2), (2, 1), (3, 1), (4, 1)))
"""Factors between the values of a parameter and that of the machine."""
_LIST = re.compile(r"^\d+(,\d+)*$")
_SPAN = re.compile(r"^(?P<first>\d+)\.\.(?P<last>\d+)(:(?P<step>\d+))?$")

Choice = tuple[int, ...]
"""Places of values, one for each axis."""


@dataclass(frozen=True)
class Space:
    """Machines that differ in parameters.

    Raises:
        CovenantError: EXP0003, a range names no parameter of the machine, or nothing varies.
    """

    machine: str
    """Spec of the machine, from whose parameters a search starts."""
    ranges: Mapping[str, tuple[int, ...]]
    """Values that each parameter may take, in rising order."""

    def __post_init__(self) -> None:
        known = settings_of(self.machine)
        for name, values in self.ranges.items():
            if name not in known or not values:
                raise user_error("EXP0003", "a range names no parameter of the machine, or has no value",
                                 f"range {name}", offending=name, allowed=tuple(known),
                                 fix="covenant show lists them")  # fmt: skip
        if not self.ranges:
            raise user_error("EXP0003", "no parameter of the machine varies", self.machine, offending="no range",
                             allowed=tuple(known), fix="give one, as in --range M=8,16,32")  # fmt: skip

    @property
    def axes(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Parameters with their values."""
        return tuple(self.ranges.items())

    @property
    def start(self) -> Choice:
        """The machine itself, or the nearest to it."""
        own = settings_of(self.machine)
        return tuple(
            min(range(len(values)), key=lambda place: (abs(values[place] - own[name]), place))
            for name, values in self.axes
        )

    def settings(self, choice: Choice) -> dict[str, int]:
        """Values by parameter."""
        return {name: values[place] for (name, values), place in zip(self.axes, choice, strict=True)}

    def resolved(self, choice: Choice) -> Resolved:
        """The machine of a choice, or why it does not hold together."""
        settings = self.settings(choice)
        try:
            machine = Machine(self.machine, **settings)
        except CovenantError as error:
            return Resolved(self.machine, dict(settings), "", error.diagnostic)
        return Resolved(self.machine, dict(settings), machine.to_json(), None)


def default_ranges(machine: str) -> dict[str, tuple[int, ...]]:
    """Parameters that set how many elements, buffer bits or bus bits a machine has, each on a ladder around its value.

    A parameter that acts through others alone (a width that several buses take unless they say their own) is none, nor
    is one that changes element types: precision is not traded.
    """
    own = Machine(machine)
    before = hardware_of(own.to_json(), COUNTED)
    types = _element_types(own)
    ranges = {}
    for name, value in own.parameters.items():
        try:
            doubled = Machine(machine, **(own.parameters | {name: 2 * value}))
        except CovenantError:
            continue
        if hardware_of(doubled.to_json(), COUNTED) != before and _element_types(doubled) == types:
            steps = {value * step.numerator // step.denominator for step in _LADDER}
            ranges[name] = tuple(sorted(step for step in steps if step > 0))
    return ranges


def _element_types(machine: Machine) -> set[str]:
    """Types of all elements that the machine's nodes compute."""
    capabilities = [one for node in machine.to_dict()["computes"] for one in node["capabilities"]]
    return {end["dtype"] for one in capabilities for end in (one["output"], *one["inputs"])}


def parse_range(text: str) -> tuple[str, tuple[int, ...]]:
    """A range as it is written on a command line: `M=8,16,32`, `M=4..64` or `M=4..64:4`.

    Raises:
        CovenantError: EXP0004, it is none.
    """
    name, _, listed = text.partition("=")
    values: Sequence[int] = ()
    if _LIST.match(listed):
        values = [int(value) for value in listed.split(",")]
    elif span := _SPAN.match(listed):
        values = range(int(span["first"]), int(span["last"]) + 1, int(span["step"] or 1) or 1)
    if not (name.strip() and values):
        raise user_error(
            "EXP0004", "a range is a parameter, an equals sign, and numbers", "range", offending=text,
            allowed=("NAME=8,16,32", "NAME=4..64", "NAME=4..64:4"), fix="write for example M=8,16,32",
        )  # fmt: skip
    return name.strip(), tuple(sorted(set(values)))

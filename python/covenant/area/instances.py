"""Instances of modules in the top of a machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Instance", "instances_of"]

_INSTANCE = re.compile(r"\n  (?P<module>covenant_\w+)(?: #\((?P<parameters>.*?)\n  \))? (?P<name>u_\w+) \(", re.S)
_PARAMETER = re.compile(r"\.(?P<name>\w+)\s*\((?P<value>.*)\),?\s*$", re.M)


@dataclass(frozen=True)
class Instance:
    """A module in the top of a machine."""

    module: str
    name: str
    parameters: Mapping[str, str]
    """SystemVerilog constants."""

    def number(self, parameter: str) -> int:
        """A parameter that is a number."""
        return int(self.parameters[parameter])

    def numbers(self, parameter: str) -> list[int]:
        """A parameter that is a vector of numbers of 16 bits, the last one first."""
        return [int(value) for value in re.findall(r"16'd(\d+)", self.parameters[parameter])]


def instances_of(top: str) -> list[Instance]:
    """Instances in the top of a machine, as `rtl/gen` writes it."""
    return [
        Instance(one["module"], one["name"],
                 {each["name"]: each["value"].strip() for each in _PARAMETER.finditer(one["parameters"] or "")})
        for one in _INSTANCE.finditer(top)
    ]  # fmt: skip

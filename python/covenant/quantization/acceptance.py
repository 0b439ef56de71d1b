"""Checks whether the compiler takes a quantised model, by the same front end as `covenant run`."""

from __future__ import annotations

import os

from covenant.compiler import compile as compiled
from covenant.errors import CovenantError
from covenant.machine import Machine
from covenant.quantization.report import Refusal
from covenant.runtime.values import Values

__all__ = ["refusal_of"]

_BY_TABLES = ("lookup", "softmax", "layer_norm")
"""Operations that go by tables of all values of an element."""


def refusal_of(model: str | os.PathLike[str], machine: Machine | str | None) -> Refusal | None:
    """Refusal of a quantised model by the compiler; None: it runs.

    Args:
        model: path of the quantised model.
        machine: one that it is compiled for; None: what every machine asks for, the normalised graph.
    """
    try:
        if machine is None:
            return _too_wide(Values(model))
        compiled(model, machine)
    except CovenantError as error:
        one = error.diagnostic
        return Refusal(one.code, one.subject, one.message, one.offending, one.fix)
    return None


def _too_wide(values: Values) -> Refusal | None:
    """Refusal of operators that no machine computes on elements of 16 bits (NET0031)."""
    for one in values.made:
        if one.operation in _BY_TABLES and one.dtype.itemsize > 1 and one.scale is not None:
            return Refusal(
                "NET0031", one.node, f"{one.operation} goes by a table of all values of an element",
                f"elements of {8 * one.dtype.itemsize} bits", "quantise to 8 bits, or leave the layer to the host",
            )  # fmt: skip
    return None

"""Ways in which a study quantises its float models: values to try, each combination of them a model of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from covenant.quantization import Numerics
from covenant.quantization.bits import BitRules
from covenant.study.errors import unknown, user_error

__all__ = ["GRANULARITIES", "StudyNumerics", "label_of", "table_of"]

GRANULARITIES = ("tensor", "channel")
"""Part of a layer's weights that shares one scale."""
BitChoice = int | str


@dataclass(frozen=True)
class StudyNumerics:
    """Values to try of each choice (`covenant.quantization.Numerics`); every combination of them is tried.

    Raises:
        CovenantError: STU0005, a range is empty; STU0021, `bits` beside `weight_bits` or `activation_bits`, or there is
            no such granularity; QNT0005, QNT0008, QNT0010: there is no such method or width, these are no bits, or more
            than elements have.
    """

    weight_bits: tuple[BitChoice, ...] = ()
    """Widths of weights, each one number or patterns of names as in `"conv1=8,*=4"`; without any: those of an
    element."""
    activation_bits: tuple[BitChoice, ...] = ()
    """Widths of the activations that layers read."""
    bits: tuple[BitChoice, ...] = ()
    """Widths of weights and activations at once, instead of the two."""
    granularity: tuple[str, ...] = ("channel",)
    """Values of GRANULARITIES."""
    method: tuple[str, ...] = ("minmax",)
    bias_correction: tuple[bool, ...] = (False,)
    equalize: tuple[bool, ...] = (False,)
    activations: tuple[str, ...] = ("i8",)
    elements: tuple[int, ...] = ()
    """Bits of a stored element; without any: 8 where no bits are more, else 16."""

    def __post_init__(self) -> None:
        for name in ("granularity", "method", "bias_correction", "equalize", "activations"):
            if not getattr(self, name):
                raise user_error("STU0005", "a range has no value", name, offending="[]", fix="give one value or more")
        if self.bits and (self.weight_bits or self.activation_bits):
            raise user_error("STU0021", "bits are those of weights and of activations", "bits",
                             offending="both are given", fix="leave out bits, or the other two")  # fmt: skip
        for one in self.granularity:
            if one not in GRANULARITIES:
                raise unknown("STU0021", "there is no such granularity", "granularity", one, GRANULARITIES)
        self.choices()

    @property
    def ranges(self) -> dict[str, tuple[Any, ...]]:
        """The values of each choice, by the names that a study has for them."""
        names = ("granularity", "method", "bias_correction", "equalize", "activations")
        found = {name: getattr(self, name) for name in (*names, *(("elements",) if self.elements else ()))}
        if self.bits:
            return {"bits": self.bits} | found
        both = {"weight_bits": self.weight_bits, "activation_bits": self.activation_bits}
        return {name: bits or (None,) for name, bits in both.items()} | found

    def choice(self, values: Mapping[str, Any]) -> Numerics:
        """Numerics for one value of each of the ranges."""
        return Numerics(
            weight_bits=values.get("bits", values.get("weight_bits")),
            activation_bits=values.get("bits", values.get("activation_bits")),
            elements=values.get("elements"),
            per_channel=values["granularity"] == "channel",
            **{name: values[name] for name in ("method", "bias_correction", "equalize", "activations")},
        )

    def choices(self) -> tuple[Numerics, ...]:
        """Every combination, the last choice fastest."""
        ranges = self.ranges
        return tuple(self.choice(dict(zip(ranges, values, strict=True))) for values in product(*ranges.values()))


def table_of(numerics: Numerics | None) -> dict[str, Any]:
    """Choices by the names that a study has for them; empty for a model that is quantised already."""
    if numerics is None:
        return {}
    return {
        "weight_bits": _text(numerics.weight_bits),
        "activation_bits": _text(numerics.activation_bits),
        "granularity": GRANULARITIES[numerics.per_channel],
        "method": numerics.method,
        "bias_correction": numerics.bias_correction,
        "equalize": numerics.equalize,
        "activations": numerics.activations,
        "elements": numerics.width,
    }


def label_of(table: dict[str, Any]) -> str:
    """Choices other than 8 bits, a scale a channel and ranges from minimum to maximum, for people; bits always."""
    if not table:
        return ""
    words = [f"weights {table['weight_bits']}", f"activations {table['activation_bits']}"]
    words += [f"per {table['granularity']}"] if table["granularity"] != "channel" else []
    words += [table["method"]] if table["method"] != "minmax" else []
    words += [name.replace("_", " ") for name in ("equalize", "bias_correction") if table[name]]
    words += [table["activations"]] if table["activations"] != "i8" else []
    words += [f"elements of {table['elements']} bits"] if table["elements"] != 8 else []
    return ", ".join(words)


def _text(bits: Any) -> int | str:
    text = str(BitRules.of(bits))
    return int(text) if text.isdecimal() else text

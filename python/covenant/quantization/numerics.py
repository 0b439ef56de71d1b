"""Choices of how to quantise a float model: bits, elements, scales, ranges."""

from __future__ import annotations

from dataclasses import dataclass

from covenant.choices import METHODS, SIGNS, WIDTHS
from covenant.errors import CovenantError, Diagnostic
from covenant.quantization.bits import BYTE, BitRules, Bits

__all__ = ["Numerics"]


@dataclass(frozen=True)
class Numerics:
    """How a float model is quantised. What is not said is decided here: equal numerics are equal.

    Raises:
        CovenantError: QNT0005, there is no such type, method or width; QNT0008, these are no bits; QNT0010, elements
            do not hold so many.
    """

    weight_bits: Bits | None = None
    """Bits of the weights of layers: 2 to 16, one number or by patterns of names of nodes; the first match counts.
    None: as many as an element has."""
    activation_bits: Bits | None = None
    """The same for the tensors that layers read."""
    per_channel: bool = True
    """One scale for each output channel of weights, else one a tensor."""
    method: str = "minmax"
    """Way to take ranges, one of METHODS; mse takes those of weights, too."""
    bias_correction: bool = False
    """Whether biases are corrected by the amount that quantising moves the means of channels."""
    equalize: bool = False
    """Channels between layers are scaled so that weights use their range."""
    activations: str = "i8"
    """Whether stored activations are signed, one of SIGNS."""
    elements: int | None = None
    """Bits of a stored element, one of WIDTHS. None: 8 if nothing has more, else 16."""

    def __post_init__(self) -> None:
        _check("activations", self.activations, tuple(SIGNS))
        _check("method", self.method, METHODS)
        if self.elements is not None:
            _check("elements", self.elements, WIDTHS)
        rules = {
            subject: BitRules.of(given, subject)
            for subject in ("weight_bits", "activation_bits")
            if (given := getattr(self, subject)) is not None
        }
        most = max((one.most for one in rules.values()), default=BYTE)
        width = self.elements or next(width for width in (BYTE, WIDTHS[-1]) if most <= width)
        for subject, one in rules.items():
            if one.most > width:
                raise CovenantError(
                    Diagnostic(
                        "QNT0010", f"elements of {width} bits do not hold so many", subject=subject,
                        offending=str(one.most), allowed=(f"at most {width}",),
                        fix="ask for fewer bits, or for wider elements, or leave their width to the bits",
                    )
                )  # fmt: skip
        object.__setattr__(self, "elements", width)
        for subject in ("weight_bits", "activation_bits"):
            if subject not in rules:
                object.__setattr__(self, subject, width)

    @property
    def width(self) -> int:
        """Width of a stored element, in bits."""
        return self.elements or BYTE

    def rules(self, subject: str) -> BitRules:
        """Rules of `weight_bits` or `activation_bits`."""
        return BitRules.of(getattr(self, subject), subject, self.width)


def _check(name: str, given: object, allowed: tuple[object, ...]) -> None:
    if given not in allowed or isinstance(given, bool):
        raise CovenantError(
            Diagnostic("QNT0005", f"no such value of {name}", offending=str(given),
                       allowed=tuple(map(str, allowed)), fix="name one")
        )  # fmt: skip

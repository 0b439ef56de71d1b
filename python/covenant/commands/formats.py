"""Number formats of machines that a host drives: codes to numbers and back, by the machine's own functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covenant.errors import CovenantError, Diagnostic

if TYPE_CHECKING:
    from covenant import _core


_FAR = 1 << 14
"""Powers of two that are past all doubles."""


class NumberFormat:
    """Codes of a machine's numbers, each an integer times a power of two.

    Examples:
        >>> from covenant import CommandDevice
        >>> adaptivfloat = CommandDevice("flexasr").formats["adaptivfloat"]
        >>> adaptivfloat.decode([0x00, 0x11, 0xB4], bias=3).tolist()
        [0.0, 0.0166015625, -0.078125]
        >>> adaptivfloat.encode([0.3, -100.0], bias=3).tolist()
        [83, 255]
    """

    __slots__ = ("_core", "_number", "_unit", "name", "parameters")

    def __init__(self, core: _core.CommandMachine, described: Mapping[str, Any]) -> None:
        self._core = core
        self._unit = described["unit"]
        self._number = _range(described["number"])
        self.name: str = described["name"]
        self.parameters: tuple[str, ...] = tuple(name for name, _ in described["arguments"][1:])
        """Names of what `decode` and `encode` take beside codes and numbers."""

    def decode(self, codes: ArrayLike, **parameters: int) -> NDArray[np.float64]:
        """Numbers that codes stand for: exactly, if 53 bits hold the integer.

        Args:
            codes: integers, of any shape.
            **parameters: those of the format, such as `bias`.

        Raises:
            CovenantError: BEH0002, a code or a parameter is out of range; BEH0031, a parameter is missing or unknown.
        """
        whole = self._integers(codes, "codes")
        image = self._called("image", whole, parameters)
        exponent = np.clip(self._called("exponent", whole, parameters), -_FAR, _FAR)
        with np.errstate(over="ignore"):
            return np.ldexp(image.astype(np.float64), exponent.astype(np.int32))

    def encode(self, values: ArrayLike, **parameters: int) -> NDArray[np.int64]:
        """Codes of numbers. A number is first rounded to what the machine's encoder counts in, halves to even.

        Args:
            values: numbers, of any shape; those past the encoder's range become its ends, NaN becomes 0.
            **parameters: those of the format.

        Raises:
            CovenantError: as `decode`.
        """
        low, high = self._number
        with np.errstate(over="ignore"):
            counted = np.rint(np.ldexp(np.asarray(values, dtype=np.float64), -self._unit))
        # The ends of 64 bits are no doubles: what is past them is never converted.
        inside = (counted > low) & (counted < high)
        whole = np.where(inside, counted, 0).astype(np.int64)
        whole[counted >= high], whole[counted <= low] = high, low
        return self._called("encode", whole, parameters)

    def _integers(self, given: ArrayLike, what: str) -> NDArray[np.int64]:
        array = np.asarray(given)
        try:
            whole = array.astype(np.int64)
            is_whole = bool((whole == array).all())
        except (TypeError, ValueError, OverflowError):
            is_whole = False
        if not is_whole:
            raise CovenantError(
                Diagnostic("BEH0002", f"{what} that are no whole numbers of 64 bits", subject=self.name,
                           offending=repr(given)[:80], allowed=("whole numbers",), fix="round them first")
            )  # fmt: skip
        return whole

    def _called(self, part: str, first: NDArray[np.int64], parameters: Mapping[str, int]) -> NDArray[np.int64]:
        unknown = sorted(set(parameters).symmetric_difference(self.parameters))
        if unknown:
            raise CovenantError(
                Diagnostic("BEH0031", "a parameter that is missing or that the format does not have", subject=self.name,
                           offending=unknown[0], allowed=self.parameters, fix="give each of them, and no other")
            )  # fmt: skip
        if first.size == 0:
            return first
        for name, value in parameters.items():
            self._integers(value, name)
        distinct, places = np.unique(first, return_inverse=True)
        rows = np.empty((distinct.size, 1 + len(self.parameters)), dtype=np.int64)
        rows[:, 0] = distinct
        for column, name in enumerate(self.parameters, 1):
            rows[:, column] = parameters[name]
        return self._core.call(f"{self.name}.{part}", rows)[:, 0][places].reshape(first.shape)


def _range(kind: str) -> tuple[int, int]:
    bits = int(kind[1:])
    return (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)

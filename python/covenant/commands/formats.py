"""Number formats of machines that a host drives: codes to numbers and back, by the machine's own functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covenant.commands.given import shown
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
            CovenantError: BEH0002, a code or a parameter is no whole number or out of range; BEH0031, a parameter is
                missing or unknown.
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
            CovenantError: as `decode`, and BEH0002 for what are no real numbers.
        """
        low, high = self._number
        with np.errstate(over="ignore"):
            counted = np.rint(np.ldexp(self._reals(values), -self._unit))
        # The ends of 64 bits are no doubles: what is past them is never converted.
        inside = (counted > low) & (counted < high)
        whole = np.where(inside, counted, 0).astype(np.int64)
        whole[counted >= high], whole[counted <= low] = high, low
        return self._called("encode", whole, parameters)

    def _reals(self, given: ArrayLike) -> NDArray[np.float64]:
        try:
            array = np.asarray(given)
            if array.dtype.kind == "O":  # numbers of many digits, or None, which numpy takes as NaN
                array = np.frompyfunc(float, 1, 1)(array)
            if array.dtype.kind in "biufO":
                return array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            pass
        return self._refuse("values that are no real numbers", given, "real numbers")

    def _integers(self, given: ArrayLike, what: str) -> NDArray[np.int64]:
        try:
            array = np.asarray(given)
            with np.errstate(invalid="ignore"):
                whole = array.astype(np.int64) if array.dtype.kind in "biufO" else None
            if whole is not None and bool((whole == array).all()):
                return whole
        except (TypeError, ValueError, OverflowError):
            pass
        return self._refuse(f"{what} that are no whole numbers of 64 bits", given, "whole numbers")

    def _refuse(self, message: str, given: object, allowed: str) -> NoReturn:
        raise CovenantError(
            Diagnostic("BEH0002", message, subject=self.name, offending=shown(given), allowed=(allowed,),
                       fix=f"give {allowed} in an array of any shape")
        )  # fmt: skip

    def _called(self, part: str, first: NDArray[np.int64], parameters: Mapping[str, int]) -> NDArray[np.int64]:
        unknown = sorted(set(parameters).symmetric_difference(self.parameters))
        if unknown:
            raise CovenantError(
                Diagnostic("BEH0031", "a parameter that is missing or that the format does not have", subject=self.name,
                           offending=unknown[0], allowed=self.parameters, fix="give each of them, and no other")
            )  # fmt: skip
        for name, value in parameters.items():
            if self._integers(value, name).ndim:
                self._refuse(f"{name} that is no single number", value, "one whole number")
        if first.size == 0:
            return first
        distinct, places = np.unique(first, return_inverse=True)
        rows = np.empty((distinct.size, 1 + len(self.parameters)), dtype=np.int64)
        rows[:, 0] = distinct
        for column, name in enumerate(self.parameters, 1):
            rows[:, column] = parameters[name]
        return self._core.call(f"{self.name}.{part}", rows)[:, 0][places].reshape(first.shape)


def _range(kind: str) -> tuple[int, int]:
    bits = int(kind[1:])
    return (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)

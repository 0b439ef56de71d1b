"""Values that a float subgraph computes of each row of a stored tensor: sums of functions, roots and quotients.

A form is what a value is, in real numbers; each operator of ONNX makes one of another, or of none that is known here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

__all__ = ["Elements", "Form", "Normal", "RowNumber", "Squares", "Stored", "combined", "reduced", "unary"]

_NEGLIGIBLE = 2.0**-12
"""Share of the least divisor that may be left out: a sixteenth of a step of 255."""
_CLOSE = 1e-6


@dataclass(frozen=True)
class Stored:
    """A stored tensor: what DequantizeLinear makes of it, how many dimensions its readers see."""

    value: str
    """The real value."""
    shape: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Elements:
    """A function of each element."""

    of: Stored
    table: np.ndarray
    """f64, for every element."""


@dataclass(frozen=True, eq=False)
class RowNumber:
    """`factor * (a * S + b) ** power` of each row, S the sum of a function of its elements.

    Of `centred` ones S is the sum of squares of what is left of the function without its mean.
    """

    of: Stored
    axes: tuple[int, ...]
    table: np.ndarray
    a: float
    b: float = 0.0
    power: float = 1.0
    factor: float = 1.0
    centred: bool = False

    @property
    def count(self) -> int:
        """Elements of a row."""
        return int(np.prod([self.of.shape[axis] for axis in self.axes]))

    @property
    def shape(self) -> tuple[int, ...]:
        """With one index along each axis that goes."""
        return tuple(1 if axis in self.axes else size for axis, size in enumerate(self.of.shape))

    @property
    def least(self) -> float:
        """The least value greater than none that the sum has, as `a` times S; 0: not known."""
        if self.centred:
            steps = np.diff(np.unique(self.table))
            least = float(steps.min(initial=np.inf)) ** 2 * (self.count - 1) / max(self.count, 1)
        else:
            least = float(self.table[self.table > 0].min(initial=np.inf)) if (self.table >= 0).all() else 0.0
        return self.a * least if np.isfinite(least) else 0.0

    def scaled(self, by: float) -> RowNumber:
        """Times a number."""
        if self.power == 1:
            return replace(self, a=self.a * by, b=self.b * by)
        return replace(self, factor=self.factor * by)

    def raised(self, power: float) -> RowNumber | None:
        """To a power; None if that is none of those known here."""
        if self.power * power not in (1.0, 0.5, -0.5, -1.0) or (self.factor < 0 and power != -1):
            return None
        factor = self.factor**power
        if self.power * power == 1:
            return replace(self, a=self.a * factor, b=self.b * factor, power=1.0, factor=1.0)
        return replace(self, power=self.power * power, factor=factor)

    def shifted(self, by: float) -> RowNumber | None:
        """And a number; None if it makes a difference that cannot be said."""
        if self.power == 1:
            return replace(self, b=self.b + by)
        return self._with_least(by, 1 / _NEGLIGIBLE) if self.power == 0.5 and self.b == 0 else None

    def limited(self, least: float) -> RowNumber | None:
        """At least a number, which is less than all that the row makes but for nothing."""
        if self.power not in (0.5, 1.0) or self.b != 0:
            return None
        return self._with_least(least, 1 / _NEGLIGIBLE if self.power == 1 else 64)

    def _with_least(self, value: float, apart: float) -> RowNumber | None:
        if value < 0 or self.a <= 0 or self.factor <= 0:
            return None
        inside = (value / self.factor) ** (1 / self.power)
        is_small = value * apart <= self.factor * self.least**self.power
        return replace(self, b=inside) if is_small else None


@dataclass(frozen=True, eq=False)
class Normal:
    """`(x - m) / row * gain + offset` of each element x of a function, m the mean of its row if `centred`, else 0."""

    x: Elements
    axes: tuple[int, ...] | None
    centred: bool = False
    row: RowNumber | None = None
    gain: np.ndarray | float = 1.0
    offset: np.ndarray | float = 0.0


@dataclass(frozen=True, eq=False)
class Squares:
    """Squares that make a variance: those of `Normal` elements, which are summed, or that of the mean of a row."""

    of: Normal | RowNumber


Form = Elements | RowNumber | Normal | Squares | np.ndarray


def unary(operator: str, form: Form) -> Form | None:
    """The form that an operator on one value makes; None: nothing that is known here."""
    if isinstance(form, Elements) and operator in _OF_ELEMENTS:
        with np.errstate(all="ignore"):
            return replace(form, table=_OF_ELEMENTS[operator](form.table))
    if isinstance(form, RowNumber) and operator in ("Sqrt", "Reciprocal"):
        return form.raised(0.5 if operator == "Sqrt" else -1)
    return combined("Mul", form, np.array(-1.0)) if operator == "Neg" else None


_OF_ELEMENTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Abs": np.abs, "Exp": np.exp, "Log": np.log, "Neg": np.negative, "Reciprocal": np.reciprocal,
    "Relu": lambda x: np.maximum(x, 0), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Sqrt": np.sqrt, "Tanh": np.tanh,
    "Softplus": lambda x: np.logaddexp(x, 0),
}  # fmt: skip
_PAIRS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "Add": np.add, "Div": np.divide, "Max": np.maximum, "Min": np.minimum, "Mul": np.multiply, "Pow": np.power,
    "Sub": np.subtract,
}  # fmt: skip


def combined(operator: str, left: Form, right: Form) -> Form | None:
    """The form that an operator on two values makes; None: nothing that is known here."""
    if operator not in _PAIRS:
        return None
    with np.errstate(all="ignore"):
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            return np.asarray(_PAIRS[operator](left, right))
        if isinstance(left, Elements) and isinstance(right, Elements) and left.of == right.of:
            return replace(left, table=_PAIRS[operator](left.table, right.table))
        left, right = _by_rows(left, right), _by_rows(right, left)
        if isinstance(right, np.ndarray):
            return _by_constant(operator, left, right)
        if isinstance(left, np.ndarray):
            return _of_constant(operator, left, right)
        return _difference(left, right) if operator == "Sub" else _product(operator, left, right)


def _difference(left: Form, right: Form) -> Form | None:
    if isinstance(right, RowNumber) and isinstance(left, Elements):
        return _centred(left, right)
    if isinstance(right, Elements) and isinstance(left, RowNumber):
        centred = _centred(right, left)
        return None if centred is None else combined("Mul", centred, np.array(-1.0))
    return _variance(left, right) if isinstance(left, RowNumber) and isinstance(right, Squares) else None


def _product(operator: str, left: Form, right: Form) -> Form | None:
    """The form that a Mul or a Div makes."""
    if operator == "Mul" and left is right and isinstance(left, Normal):
        return Squares(left) if left.row is None else None
    if operator == "Mul" and isinstance(left, RowNumber):
        left, right = right, left
    if operator not in ("Mul", "Div") or not isinstance(right, RowNumber) or not isinstance(left, Elements | Normal):
        return None
    return _quotient(left, right if operator == "Div" else right.raised(-1))


def _by_rows(form: Form, other: Form) -> Form:
    """Elements that are one for each row of the other's."""
    partner = other.x.of if isinstance(other, Normal) else other.of if isinstance(other, Elements) else None
    if not isinstance(form, Elements) or partner is None or form.of == partner:
        return form
    shape, whole = form.of.shape, partner.shape
    axes = tuple(axis for axis, size in enumerate(whole) if len(shape) == len(whole) and shape[axis] != size)
    if not axes or any(shape[axis] != 1 for axis in axes):
        return form
    return RowNumber(form.of, axes, form.table, 1.0)


def _normal(form: Form) -> Normal | None:
    if isinstance(form, Elements):
        return Normal(form, None)
    return form if isinstance(form, Normal) else None


def _by_constant(operator: str, left: Form, right: np.ndarray) -> Form | None:
    number = float(right.reshape(-1)[0]) if right.size == 1 else None
    if isinstance(left, Elements) and number is not None:
        return replace(left, table=_PAIRS[operator](left.table, np.float64(number)))
    if isinstance(left, RowNumber):
        return None if number is None else _number_by_constant(operator, left, number)
    normal = _normal(left)
    if normal is None:
        return None
    if operator in ("Mul", "Div"):
        by = right if operator == "Mul" else 1 / right
        return replace(normal, gain=normal.gain * by, offset=normal.offset * by)
    if operator in ("Add", "Sub"):
        return replace(normal, offset=normal.offset + (right if operator == "Add" else -right))
    return Squares(normal) if operator == "Pow" and number == 2 and normal.row is None else None


def _number_by_constant(operator: str, left: RowNumber, number: float) -> Form | None:
    if operator in ("Mul", "Div"):
        return left.scaled(number if operator == "Mul" else 1 / number)
    if operator in ("Add", "Sub"):
        return left.shifted(number if operator == "Add" else -number)
    if operator == "Max":
        return left.limited(number)
    if operator == "Pow" and number == 2 and left.power == 1:
        return Squares(left)
    return left.raised(number) if operator == "Pow" else None


def _of_constant(operator: str, left: np.ndarray, right: Form) -> Form | None:
    if operator in ("Add", "Max", "Mul"):
        return _by_constant(operator, right, left)
    if operator == "Sub":
        turned = _by_constant("Mul", right, np.array(-1.0))
        return None if turned is None else _by_constant("Add", turned, left)
    if isinstance(right, Elements) and left.size == 1:
        return replace(right, table=_PAIRS[operator](np.float64(left.reshape(-1)[0]), right.table))
    if operator == "Div" and isinstance(right, RowNumber) and left.size == 1:
        inverse = right.raised(-1)
        return None if inverse is None else inverse.scaled(float(left.reshape(-1)[0]))
    return None


def _is_mean(row: RowNumber, table: np.ndarray) -> bool:
    is_alike = np.allclose(row.table, table, rtol=_CLOSE, atol=0)
    return is_alike and not row.centred and (row.power, row.b) == (1, 0) and abs(row.a * row.count - 1) < _CLOSE


def _centred(left: Elements, right: RowNumber) -> Form | None:
    if left.of != right.of or not _is_mean(right, left.table):
        return None
    return Normal(left, right.axes, centred=True)


def _variance(left: RowNumber, right: Squares) -> Form | None:
    """The mean of squares less the square of the mean."""
    mean = right.of
    if not isinstance(mean, RowNumber) or left.of != mean.of or left.axes != mean.axes:
        return None
    if not _is_mean(mean, mean.table) or not _is_mean(left, mean.table**2):
        return None
    return replace(mean, centred=True)


def _quotient(left: Elements | Normal, right: RowNumber | None) -> Form | None:
    normal = _normal(left)
    if right is None or normal is None or normal.row is not None or np.any(normal.offset):
        return None
    if normal.axes not in (None, right.axes):
        return None
    if normal.x.of != right.of and right.shape != tuple(
        1 if axis in right.axes else size for axis, size in enumerate(normal.x.of.shape)
    ):
        return None
    gain = normal.gain / right.factor
    return replace(normal, axes=right.axes, row=replace(right, factor=1.0), gain=gain)


def reduced(operator: str, form: Form, axes: tuple[int, ...]) -> Form | None:
    """The form that a reduction makes."""
    mean = operator == "ReduceMean"
    if isinstance(form, Squares) and isinstance(form.of, Normal) and operator in ("ReduceMean", "ReduceSum"):
        normal = form.of
        if not normal.centred or normal.axes != axes or np.size(normal.gain) != 1 or np.any(normal.offset):
            return None
        row = RowNumber(normal.x.of, axes, normal.x.table, float(np.square(normal.gain)), centred=True)
        return row.scaled(1 / row.count) if mean else row
    if not isinstance(form, Elements) or operator not in _INSIDE:
        return None
    row = RowNumber(form.of, axes, _INSIDE[operator](form.table), 1.0)
    if operator == "ReduceL2":
        return row.raised(0.5)
    return row.scaled(1 / row.count) if mean else row


_INSIDE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "ReduceL1": np.abs, "ReduceL2": np.square, "ReduceMean": np.array, "ReduceSum": np.array,
    "ReduceSumSquare": np.square,
}  # fmt: skip

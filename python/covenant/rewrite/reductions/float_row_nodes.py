"""Builds nodes on rows of stored tensors, which machines have, for values that a float subgraph computes of the rows.

Sums are exact: a function of an element is one byte or two, looked up and added up. Functions of the sums are in f32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, made_node
from covenant.model.element_types import every_element, limits
from covenant.model.stored_values import Meaning, Steps
from covenant.rewrite.elementwise.tables import DOMAIN, OPERATOR
from covenant.rewrite.reductions.row_numbers import Elements, Normal, RowNumber, Stored
from covenant.rewrite.reductions.whole_multiples import are_multiples, relative_error, unit_of

__all__ = ["rows_of"]

_MOST_COUNT = 65536
"""Elements of a row that sums in f32 are exact for."""
_ROUNDED = 3e-7
"""Relative rounding error of a few steps in f32."""
_WITHIN = 0.25
"""Largest error of a value from a table, in steps of the result."""
_MOST_OFF = 2.0**-10
"""Largest relative error of a divisor: a quarter of a step of 255."""
_NOTHING = 1e-30
"""Added under a root to a sum that may be 0, because 0 / 0 would be no number."""


class _UnknownError(Exception):
    """A form that these nodes do not compute within a step."""


@dataclass(frozen=True)
class _Bytes:
    """Rows [1,M,K] of stored elements, with the names of their constants and their scale."""

    value: str
    scale: str
    zero_point: str
    step: float

    @property
    def read(self) -> list[str]:
        """As inputs of a node."""
        return [self.value, self.scale, self.zero_point]


def rows_of(
    model: EditableModel, quantize: Any, form: Normal | RowNumber, goal: Meaning,
    meanings: Mapping[str, tuple[Any, Meaning]],
) -> dict[str, Sequence[Any]]:  # fmt: skip
    """Nodes that make the output of a QuantizeLinear; empty: none compute it within a step.

    Args:
        model: the model.
        quantize: the QuantizeLinear.
        form: form of its input.
        goal: scale and zero point of its output.
        meanings: by stored tensor, its DequantizeLinear with scale and zero point.
    """
    try:
        maker = _Maker(model, quantize, form, goal, meanings)
        return {quantize.output[0]: maker.normal() if isinstance(form, Normal) else maker.number()}
    except _UnknownError:
        return {}


class _Maker:
    def __init__(
        self, model: EditableModel, quantize: Any, form: Normal | RowNumber, goal: Meaning,
        meanings: Mapping[str, tuple[Any, Meaning]],
    ) -> None:  # fmt: skip
        self._model, self._quantize, self._form, self._goal, self._meanings = model, quantize, form, goal, meanings
        layer = model.maker(quantize.input[0])
        self._steps = Steps(model, made_node("Identity", [""], quantize.output[0], layer.name or layer.output[0]))
        self._rows: dict[str, _Bytes] = {}
        axes = form.axes
        if axes is None:
            raise _UnknownError
        self._axes = axes
        count = int(np.prod([_shape_of(form)[axis] for axis in axes]))
        if count > _MOST_COUNT:
            raise _UnknownError
        self._count = count

    def normal(self) -> list[Any]:
        """Nodes that make quotients, or elements less their mean."""
        form = self._form
        assert isinstance(form, Normal)  # noqa: S101  (the caller has looked)
        stored, slope = self._affine(form.x)
        mean = self._mean(stored, self._count, 1.0) if form.centred else self._no_mean(stored)
        if form.row is None and np.abs(form.x.table).max() * _ROUNDED > _WITHIN * float(self._goal.step):
            raise _UnknownError
        divisor, by = self._one(stored) if form.row is None else self._divisor(form.row)
        if form.centred and form.row is not None and form.row.centred:
            self._check_noise(form, form.row)
        even = self._add("NormalizeRows", [*stored.read, mean, divisor], "even")
        shape = form.x.of.shape
        gains = self._columns(form.gain, shape) * slope / by
        return self._stored(even, gains, self._columns(form.offset, shape), shape)

    def _check_noise(self, form: Normal, row: RowNumber) -> None:
        """Rows of equal elements: what ONNX Runtime rounds in their mean, it divides by next to nothing."""
        noise = float(np.abs(form.x.table).max()) * _ROUNDED * float(np.abs(form.gain).max())
        if noise > 0.5 * float(self._goal.step) * float(np.sqrt(row.b)):
            raise _UnknownError

    def number(self) -> list[Any]:
        """Nodes that make the numbers of rows themselves."""
        row = self._form
        assert isinstance(row, RowNumber)  # noqa: S101
        if row.power < 0:
            even, by = self._inverse(replace(row, power=-row.power))
            gain, offset = row.factor / by, 0.0
        elif row.power == 1:
            even, gain, offset = self._sum(row)
        else:
            even, gain = self._root(row)
            gain, offset = gain * row.factor, 0.0
        return self._stored(even, np.array([gain]), np.array([offset]), row.shape)

    def _sum(self, row: RowNumber) -> tuple[str, float, float]:
        """A value, by what and with what added it is the number."""
        if row.centred:
            variance, by = self._variance(row)
            if abs(row.a) * row.count * float(np.square(row.table).max()) * _ROUNDED > _WITHIN * float(self._goal.step):
                raise _UnknownError
            return variance, by, row.b
        least = float(row.table.min())
        squares, unit, apart = self._squares_of(row, row.table - least)
        if abs(row.a) * apart * row.count > _WITHIN * float(self._goal.step):
            raise _UnknownError
        return squares, row.a * unit, row.b + row.a * least * row.count

    def _root(self, row: RowNumber) -> tuple[str, float]:
        """A value in proportion to the root of a sum of numbers not below 0, and the factor that makes it the root."""
        if row.b < 0 or row.a <= 0:
            raise _UnknownError
        if row.centred:
            variance, by = self._variance(row)
            return self._deviation(variance, row.b / by), float(np.sqrt(by))
        if not (row.table >= 0).all():
            raise _UnknownError
        squares, unit, apart = self._squares_of(row, row.table)
        if np.sqrt(row.a * apart * row.count) * row.factor > _WITHIN * float(self._goal.step):
            raise _UnknownError
        return self._deviation(self._scaled(squares, row.a * unit), row.b), 1.0

    def _inverse(self, row: RowNumber) -> tuple[str, float]:
        """The inverse of a divisor: a row of one element 1, divided by it."""
        divisor, by = self._divisor(row)
        one = self._looked_up(self._first(row.of), np.ones(256, np.int64), "one")
        return self._add("NormalizeRows", [*one.read, self._no_mean(one), divisor], "inverse"), by

    def _divisor(self, row: RowNumber) -> tuple[str, float]:
        """`(a * S + b) ** power`, and by what that is too small; more than nothing where S is none."""
        if row.centred:
            if row.power != 0.5:
                raise _UnknownError
            variance, by = self._variance(row)
            return self._deviation(variance, row.b / by or _NOTHING), float(np.sqrt(by))
        try:
            if row.power < 0:
                raise _UnknownError
            return self._rooted(row) if row.power == 0.5 else self._linear(row)
        except _UnknownError:
            if row.count > 1:
                raise
            return self._single(row)

    def _rooted(self, row: RowNumber) -> tuple[str, float]:
        """The root of a sum of numbers with exact digits."""
        if row.a <= 0 or row.b < 0 or not (row.table >= 0).all():
            raise _UnknownError
        squares, unit, apart = self._squares_of(row, row.table)
        if apart:
            raise _UnknownError
        return self._deviation(self._scaled(squares, row.a * unit), row.b or _NOTHING), 1.0

    def _linear(self, row: RowNumber) -> tuple[str, float]:
        """A sum itself; a sum of numbers not below 0 is made a little larger than 0, if it may be 0."""
        if not (row.table >= 0).all():
            if row.b:
                raise _UnknownError
            stored, slope = self._affine(Elements(row.of, row.table))
            return self._mean(stored, 1, 1.0), row.a * slope
        unit = unit_of(row.table)
        digits = np.rint(row.table / unit)
        if row.a <= 0 or not are_multiples(row.table, unit) or digits.max() > 255:
            return self._positive(row)
        guard = row.b / (row.a * unit) * 256
        if not 0 <= guard <= 255:
            return self._positive(row)
        high = self._sums(self._looked_up(self._rows_of(row.of), digits.astype(np.int64), "digit"), "digit")
        guards = np.full(256, max(1, round(guard)), np.int64)
        low = self._sums(self._looked_up(self._first(row.of), guards, "guard"), "guard")
        return self._scaled(self._add("RowSquares", [high, low], "digits"), row.a * unit / 256), 1.0

    def _positive(self, row: RowNumber) -> tuple[str, float]:
        """The sum of numbers well above 0."""
        table = row.table + row.b / (row.a * row.count)
        squares, unit, apart = self._squares_of(row, table) if row.a > 0 and table.min() > 0 else ("", 0.0, 1.0)
        if not squares or apart > 2.0**-11 * table.min():
            raise _UnknownError
        return self._scaled(squares, row.a * unit), 1.0

    def _single(self, row: RowNumber) -> tuple[str, float]:
        """A function of one stored element: of its digits, or of those of its square, whichever are nearer."""
        with np.errstate(all="ignore"):
            values = (row.a * row.table + row.b) ** row.power
        known = ~np.isnan(values)  # ONNX Runtime has no number for others
        if not known.any() or values[known].min() < 0 or values[known].max() in (0, np.inf):
            raise _UnknownError
        values = np.where(known, values, values[known].max())
        ways = [(np.square(values), float(np.square(values).min())), (values, 0.0)]
        off = [relative_error(table, least) / (2 - place) for place, (table, least) in enumerate(ways)]
        place = int(np.argmin(off))
        if off[place] > _MOST_OFF or (place == 1 and values.min() == 0):
            raise _UnknownError
        table, least = ways[place]
        squares, unit, _ = self._squares_of(row, table - least)
        scaled = self._scaled(squares, unit)
        return (scaled if place else self._deviation(scaled, least or _NOTHING)), 1.0

    def _variance(self, row: RowNumber) -> tuple[str, float]:
        """Variance of a linear function of stored elements, and the factor that makes `a * S` of it."""
        stored, slope = self._affine(Elements(row.of, row.table))
        if row.a <= 0:
            raise _UnknownError
        squares, unit = self._squares(stored)
        mean = self._mean(stored, row.count, 1.0)
        said = {"count": row.count, "scale": float(np.float32(np.sqrt(unit)))}
        return self._add("RowVariance", [mean, squares], "variance", **said), row.a * row.count * slope**2

    def _squares(self, stored: _Bytes) -> tuple[str, float]:
        """The sum of the squares of stored elements less their zero point, in steps, and the square of a step."""
        zero = self._model.constant(stored.zero_point)
        less = every_element(zero.dtype).astype(np.int64) - int(zero)
        return self._digits(stored, np.square(less), "square"), stored.step**2

    def _squares_of(self, row: RowNumber, table: np.ndarray) -> tuple[str, float, float]:
        """The sum of a function that is not below 0, in units; the unit, and how far an element is off at most."""
        if not np.isfinite(table).all():
            raise _UnknownError
        unit = unit_of(table)
        digits = np.rint(table / unit)
        apart = 0.0 if are_multiples(table, unit) else float(np.abs(table - digits * unit).max())
        return self._digits(self._rows_of(row.of), digits.astype(np.int64), "function"), unit, apart

    def _digits(self, stored: _Bytes, digits: np.ndarray, what: str) -> str:
        sums = [
            self._sums(self._looked_up(stored, part, f"{what}/{end}"), f"{what}/{end}")
            if part.any()
            else self._sums(stored, f"{what}/{end}", 0)
            for end, part in (("high", digits >> 8), ("low", digits & 255))
        ]
        return self._add("RowSquares", sums, f"{what}/digits")

    def _affine(self, x: Elements) -> tuple[_Bytes, float]:
        """Rows of which a function is a multiple: those that are stored, or those of a table."""
        stored = self._rows_of(x.of)
        zero = self._model.constant(stored.zero_point)
        steps = every_element(zero.dtype).astype(np.int64) - int(zero)
        own = steps * stored.step
        at = int(np.argmax(np.abs(own)))
        slope = x.table[at] / own[at]
        if np.isfinite(slope) and np.allclose(x.table, slope * own, rtol=1e-5, atol=abs(slope) * stored.step * 1e-5):
            if slope == 0:
                raise _UnknownError
            return stored, float(slope)
        positive = np.abs(x.table[x.table != 0])
        unit = float(positive.min(initial=np.inf))
        if not np.isfinite(unit) or not are_multiples(x.table, unit):
            raise _UnknownError
        digits = np.rint(x.table / unit)
        if max(digits.max(), 0) - min(digits.min(), 0) > 255:
            raise _UnknownError
        return self._looked_up(stored, digits.astype(np.int64), "function", unit), 1.0

    def _looked_up(self, stored: _Bytes, digits: np.ndarray, what: str, step: float = 1.0) -> _Bytes:
        """Whole numbers for each element, none of which are more than 255 apart from each other or 0."""
        dtype = self._model.constant(stored.zero_point).dtype
        zero = limits(dtype)[0] - int(min(digits.min(), 0))
        table = self._steps.constant((digits + zero).astype(dtype))
        scale, point = self._steps.constant(np.array(step, np.float32)), self._steps.constant(np.array(zero, dtype))
        made = self._add(OPERATOR, [*stored.read, table, scale, point], f"{what}/stored")
        return _Bytes(made, scale, point, float(np.float32(step)))

    def _rows_of(self, of: Stored) -> _Bytes:
        """A stored tensor as rows."""
        if of.value in self._rows:
            return self._rows[of.value]
        dequantize, meaning = self._meanings[of.value]
        order, rows = self._order(of.shape)
        value = dequantize.input[0]
        what = f"rows{len(self._rows)}"
        if order != list(range(len(of.shape))):
            value = self._steps.add("Transpose", [value], f"{what}/turned", perm=order)
        value = self._steps.reshape(value, rows, what)
        zero_point = meaning.zero_point or self._steps.constant(meaning.zero)
        if self._model.constant(zero_point).shape != ():
            zero_point = self._steps.constant(meaning.zero)
        scale = self._steps.constant(np.array(meaning.step, np.float32))
        self._rows[of.value] = _Bytes(value, scale, zero_point, float(meaning.step))
        return self._rows[of.value]

    def _first(self, of: Stored) -> _Bytes:
        """The first element of each row."""
        rows = self._rows_of(of)
        ends = [self._steps.constant(np.array([end], np.int64)) for end in (0, 1, 2)]
        return replace(rows, value=self._steps.add("Slice", [rows.value, *ends], "first"))

    def _order(self, shape: Sequence[int]) -> tuple[list[int], list[int]]:
        kept = [axis for axis in range(len(shape)) if axis not in self._axes]
        rows = [1, int(np.prod([shape[axis] for axis in kept])), int(np.prod([shape[axis] for axis in self._axes]))]
        return [*kept, *self._axes], rows

    def _columns(self, real: np.ndarray | float, shape: Sequence[int]) -> np.ndarray:
        """Gains or offsets, one for each column."""
        order, rows = self._order(shape)
        whole = np.broadcast_to(np.asarray(real, np.float64), shape).transpose(order).reshape(rows)
        if not (whole == whole[:, :1]).all():
            raise _UnknownError
        return whole[0, 0]

    def _stored(self, even: str, gains: np.ndarray, offsets: np.ndarray, shape: Sequence[int]) -> list[Any]:
        """The last nodes: quantised, and moved to where the model has it."""
        columns = [self._steps.constant(one.astype(np.float32)) for one in (gains, offsets)]
        zero_point = self._steps.constant(self._goal.zero)
        value = self._add("ScaleColumns", [even, *columns, self._goal.scale, zero_point], "scaled")
        order, _ = self._order(shape)
        wanted = self._model.shape(self._quantize.output[0])
        if wanted is None or int(np.prod(wanted)) != int(np.prod(shape)):
            raise _UnknownError
        if order != list(range(len(order))):
            value = self._steps.reshape(value, [shape[axis] for axis in order], "places")
            value = self._steps.add("Transpose", [value], "back", perm=np.argsort(order).tolist())
        self._steps.reshape(value, wanted)
        return self._steps.made

    def _mean(self, stored: _Bytes, count: int, by: float) -> str:
        said = {"count": count, "scale": float(np.float32(stored.step * by))}
        return self._add("RowMean", [self._sums(stored, "sum")], "mean", **said)

    def _no_mean(self, stored: _Bytes) -> str:
        return self._add("RowMean", [self._sums(stored, "nothing", 0)], "no_mean", count=1, scale=1.0)

    def _one(self, stored: _Bytes) -> tuple[str, float]:
        """A divisor that divides nothing."""
        nothing = self._sums(stored, "one", 0)
        squares = self._add("RowSquares", [nothing, nothing], "one/squares")
        return self._deviation(self._scaled(squares, 1.0), 1.0), 1.0

    def _sums(self, stored: _Bytes, what: str, factor: int = 1) -> str:
        return self._add("RowSums", stored.read, f"{what}/sums", factor=factor)

    def _scaled(self, squares: str, by: float) -> str:
        """A number of each row times another."""
        rows = next(iter(self._rows.values()))
        said = {"count": 1, "scale": float(np.float32(np.sqrt(by)))}
        return self._add("RowVariance", [self._no_mean(rows), squares], "scaled_sum", **said)

    def _deviation(self, variance: str, epsilon: float) -> str:
        return self._add("RowDeviation", [variance], "deviation", epsilon=float(epsilon))

    def _add(self, operator: str, inputs: Sequence[str], what: str, **attributes: Any) -> str:
        """A node of our own; the same one for the same inputs."""
        for node in self._steps.made:
            if node.op_type == operator and list(node.input) == list(inputs) and operator.startswith("Row"):
                said = {entry.name: entry.i or entry.f for entry in node.attribute}
                if said == {name: type(said[name])(np.float32(one)) for name, one in attributes.items()}:
                    return str(node.output[0])
        taken = {node.output[0] for node in self._steps.made}
        base, place = what, 1
        while f"{self._quantize.output[0]}/{what}" in taken:
            place += 1
            what = f"{base}{place}"
        return self._steps.add(operator, inputs, what, DOMAIN, **attributes)


def _shape_of(form: Normal | RowNumber) -> tuple[int, ...]:
    """Shape of the tensor that a form is about."""
    return form.x.of.shape if isinstance(form, Normal) else form.of.shape

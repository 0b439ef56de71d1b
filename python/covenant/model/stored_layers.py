"""Layers on a stored tensor by a stored constant, and how their biases are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.carriers import is_carrier
from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.stored_values import Meaning, meaning_of

__all__ = ["StoredBias", "StoredLayer", "rows_of", "step_after", "stored_layer", "with_bias"]

_LIMITS = frozenset({"Clip", "Relu"})
_MOST_STEPS = 0.5
"""Largest distance of a rounded bias from the real one, in steps of the layer's result."""


@dataclass(frozen=True)
class StoredBias:
    """A bias as a layer takes it."""

    elements: np.ndarray
    """[outputs], i32"""
    units: np.ndarray
    """[outputs], f32: what one unit of each means."""


@dataclass(frozen=True)
class StoredLayer:
    """A Conv, Gemm or MatMul by a stored constant with scales along its outputs."""

    node: Any
    source: Meaning
    """Stored tensor that the layer reads."""
    weight: Any
    """The DequantizeLinear of the constant."""
    axis: int
    """Axis of the constant along outputs."""
    elements: np.ndarray
    """Elements of the constant less their zero points, [outputs, elements of each]."""
    scales: np.ndarray
    """[outputs]"""
    zero_points: np.ndarray
    """[outputs]"""

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return len(self.scales)

    def bias(self, real: np.ndarray, scales: np.ndarray, step: float) -> StoredBias | None:
        """Bias stored as ONNX Runtime does: rint(real / (input scale * weight scale)), each step rounded to f32.

        Args:
            real: [outputs]
            scales: of the weights, [outputs]
            step: the scale of the layer's result.

        Returns:
            None where it does not fit 32 bits beside the sums, or is off by too much.
        """
        units = self.source.step * scales
        with np.errstate(all="ignore"):
            elements = np.rint(real.astype(np.float32) / units).astype(np.float64)
        reach = max(abs(end - int(self.source.zero)) for end in (self.source.lowest, self.source.highest))
        room = 2.0**31 - 1 - reach * np.abs(self.elements).sum(axis=1)
        if not np.isfinite(elements).all() or (np.abs(elements) > room).any():
            return None
        off = np.abs(elements * units - real) / step
        return StoredBias(elements.astype(np.int32), units) if (off <= _MOST_STEPS).all() else None


def stored_layer(model: EditableModel, node: Any) -> StoredLayer | None:
    """Stored layer of a node; None if it is no such layer."""
    made = [_before_movements(model, node.input[0]), *(model.maker(value) for value in node.input[1:2])]
    attributes = attributes_of(node)
    if node.op_type not in ("Conv", "Gemm", "MatMul") or node.domain or len(made) < 2:
        return None
    if any(one is None or one.op_type != "DequantizeLinear" for one in made):
        return None
    if attributes.get("alpha", 1.0) != 1.0 or attributes.get("transA", 0):
        return None
    source = None if model.constant(made[0].input[0]) is not None else meaning_of(model, made[0])
    axis = 0 if node.op_type == "Conv" or attributes.get("transB", 0) else 1
    known = _weights(model, made[1], axis)
    if source is None or known is None or not 0 < source.step < np.inf:
        return None
    is_matrix = len(model.shape(made[1].input[0]) or ()) == 2
    return StoredLayer(node, source, made[1], axis, *known) if is_matrix or node.op_type == "Conv" else None


def _before_movements(model: EditableModel, value: str) -> Any | None:
    """The node whose elements movements of one tensor have brought here: they mean what they did."""
    maker = model.maker(value)
    while maker is not None and maker.op_type != "Concat" and is_carrier(model, maker):
        maker = model.maker(maker.input[0])
    return maker


def _weights(model: EditableModel, dequantize: Any, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Elements, scales and zero points, as in `StoredLayer`."""
    stored, scales = model.constant(dequantize.input[0]), model.constant(dequantize.input[1])
    has_zero = len(dequantize.input) > 2 and dequantize.input[2]
    zeros = model.constant(dequantize.input[2]) if has_zero else np.zeros((), np.int32)
    attributes = attributes_of(dequantize)
    if stored is None or scales is None or zeros is None or attributes.get("block_size", 0):
        return None
    if stored.dtype.kind == "f" or stored.ndim < 2 or scales.dtype != np.float32:
        return None
    outputs = stored.shape[axis]
    along = attributes.get("axis", 1) % stored.ndim
    is_along = all(one.size == 1 or (one.size == outputs and along == axis) for one in (scales, zeros))
    if not is_along or not (np.isfinite(scales) & (scales > 0)).all():
        return None
    zero = np.broadcast_to(zeros.astype(np.int64).reshape(-1), (outputs,))
    elements = np.moveaxis(stored.astype(np.int64), axis, 0).reshape(outputs, -1) - zero[:, None]
    return elements, np.broadcast_to(scales.reshape(-1), (outputs,)), zero


def rows_of(real: np.ndarray, outputs: int) -> np.ndarray | None:
    """[outputs]: what is added to every row of a product; None if rows differ."""
    if real.ndim > 2 or (real.ndim and real.shape[-1] not in (1, outputs)):
        return None
    rows = np.broadcast_to(real, (*real.shape[:-1], outputs)).reshape(-1, outputs)
    return rows[0] if len(rows) and (rows == rows[0]).all() else None


def step_after(model: EditableModel, value: str) -> float | None:
    """The scale of the QuantizeLinear that alone reads a value, after limits at most."""
    reader = model.reader(value)
    while reader is not None and reader.op_type in _LIMITS:
        reader = model.reader(reader.output[0])
    if reader is None or reader.op_type != "QuantizeLinear":
        return None
    goal = meaning_of(model, reader)
    return float(goal.step) if goal is not None and goal.step > 0 else None


def with_bias(model: EditableModel, node: Any, bias: StoredBias) -> list[Any]:
    """A Conv or Gemm with a stored bias, and the DequantizeLinear of that."""
    is_along = bias.units.size > 1
    scales = bias.units.astype(np.float32)
    zeros = np.zeros(scales.shape if is_along else (), np.int32)
    arrays = (bias.elements, scales if is_along else scales.reshape(()), zeros)
    constants = [model.add_constant(np.asarray(array), f"{node.output[0]}/bias") for array in arrays]
    real, name = f"{constants[0]}/real", node.name or node.output[0]
    whole = type(node)()
    whole.CopyFrom(node)
    kept = [entry for entry in node.attribute if entry.name != "beta"]
    del whole.attribute[:]
    whole.attribute.extend(kept)
    del whole.input[2:]
    whole.input.append(real)
    axis = {"axis": 0} if is_along else {}
    return [made_node("DequantizeLinear", constants, real, f"{name}/bias", **axis), whole]

"""Folds factors and offsets of channels after a layer into its weight scales and its bias.

A BatchNormalization between a layer and its QuantizeLinear, or Mul, Add, Sub and Div by constants, is one factor and
one offset for each output. ONNX Runtime computes that in float; the layer's sums give the same within one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.element_types import limits
from covenant.model.stored_layers import StoredBias, StoredLayer, rows_of, step_after, stored_layer, with_bias

__all__ = ["scaled_layers"]

_FACTORS = frozenset({"Add", "BatchNormalization", "Div", "Mul", "Sub"})


@dataclass(frozen=True)
class _Affine:
    """Factor and offset that nodes apply to each output; [outputs] each."""

    factor: np.ndarray
    offset: np.ndarray

    def then(self, other: _Affine) -> _Affine:
        """Both, one after the other."""
        return _Affine(self.factor * other.factor, self.offset * other.factor + other.offset)

    @property
    def is_finite(self) -> bool:
        """Whether all of it is."""
        return bool(np.isfinite(self.factor).all() and np.isfinite(self.offset).all())


def scaled_layers(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Conv, Gemm and MatMul with what follows them; where weights or bias do not fit, both stay."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        after = model.reader(node.output[0])
        layer = stored_layer(model, node) if after is not None and after.op_type in _FACTORS else None
        before = None if layer is None else _bias_of(model, layer)
        if layer is None or before is None:
            continue
        whole, gone, value = _Affine(np.ones(layer.outputs), before), [node], node.output[0]
        while (reader := model.reader(value)) is not None and (one := _affine(model, layer, reader, value)):
            whole, value = whole.then(one), reader.output[0]
            gone.append(reader)
        step = step_after(model, value) if len(gone) > 1 else None
        made = _scaled(model, layer, whole, (value, step)) if step is not None else None
        if made is not None:
            replacements |= {one.output[0]: [] for one in gone}
            replacements[value] = made
    return replacements


def _bias_of(model: EditableModel, layer: StoredLayer) -> np.ndarray | None:
    """[outputs], real; None if it is not known."""
    node = layer.node
    if node.op_type == "MatMul" or len(node.input) < 3 or not node.input[2]:
        return np.zeros(layer.outputs)
    maker, beta = model.maker(node.input[2]), attributes_of(node).get("beta", 1.0)
    if maker is None:
        bias = model.constant(node.input[2])
        is_real = bias is not None and bias.dtype == np.float32
        return rows_of(bias.astype(np.float64) * beta, layer.outputs) if is_real else None  # type: ignore[union-attr]
    if maker.op_type != "DequantizeLinear" or beta != 1.0:
        return None
    stored, scales, *zeros = (model.constant(value) for value in maker.input if value)
    if stored is None or scales is None or any(zero is None or zero.any() for zero in zeros):
        return None
    rows, units = rows_of(stored.astype(np.float64), layer.outputs), layer.source.step * layer.scales
    is_right = scales.size in (1, layer.outputs) and np.allclose(scales.reshape(-1), units, rtol=1e-3, atol=0)
    return rows * units if rows is not None and is_right else None


def _affine(model: EditableModel, layer: StoredLayer, node: Any, value: str) -> _Affine | None:
    """Factor and offset that a node applies to each output of a layer; None for a node that does something else."""
    rank = len(model.shape(layer.node.output[0]) or ())
    axis = 1 if layer.node.op_type == "Conv" else rank - 1
    if rank < 2 or node.domain:
        return None
    if node.op_type == "BatchNormalization":
        return _normalisation(model, node, layer.outputs) if axis == 1 and node.input[0] == value else None
    if node.op_type not in _FACTORS or len(node.input) != 2:
        return None
    place = list(node.input).index(value)
    each = _by_channel(model.constant(node.input[1 - place]), (rank, axis, layer.outputs))
    if each is None or (node.op_type == "Div" and (place == 1 or not each.all())):
        return None
    ones, zeros = np.ones(layer.outputs), np.zeros(layer.outputs)
    known = {
        "Mul": _Affine(each, zeros), "Add": _Affine(ones, each),
        "Sub": _Affine(ones, -each) if place == 0 else _Affine(-ones, each),
    }  # fmt: skip
    return known[node.op_type] if node.op_type != "Div" else _Affine(1 / each, zeros)


def _normalisation(model: EditableModel, node: Any, outputs: int) -> _Affine | None:
    known = [model.constant(value) for value in node.input[1:5]]
    attributes = attributes_of(node)
    if attributes.get("training_mode", 0) or any(node.output[1:]):
        return None
    if any(one is None or one.shape != (outputs,) for one in known):
        return None
    gain, offset, mean, variance = (one.astype(np.float64) for one in known if one is not None)
    with np.errstate(all="ignore"):
        factor = gain / np.sqrt(variance + attributes.get("epsilon", 1e-5))
    return _Affine(factor, offset - mean * factor)


def _by_channel(constant: np.ndarray | None, place: tuple[int, int, int]) -> np.ndarray | None:
    """[outputs], of a constant beside a tensor of a rank with its outputs along an axis."""
    rank, axis, outputs = place
    if constant is None or constant.dtype != np.float32 or constant.ndim > rank:
        return None
    shape = (1,) * (rank - constant.ndim) + constant.shape
    if any(size != 1 and (d != axis or size != outputs) for d, size in enumerate(shape)):
        return None
    return np.broadcast_to(constant.astype(np.float64).reshape(-1), (outputs,))


def _scaled(model: EditableModel, layer: StoredLayer, whole: _Affine, end: tuple[str, float]) -> list[Any] | None:
    """The layer that does all of it: it makes `end`, a value and the scale under which that is quantised."""
    if not whole.is_finite:
        return None
    value, step = end
    stored = model.constant(layer.weight.input[0])
    with np.errstate(all="ignore"):
        factor = np.where(whole.factor == 0, 1, np.abs(whole.factor))
        scales = (layer.scales * factor).astype(np.float32)
    elements = layer.elements * np.sign(whole.factor).astype(np.int64)[:, None] + layer.zero_points[:, None]
    least, most = limits(stored.dtype)  # type: ignore[union-attr]
    if elements.min() < least or elements.max() > most or not (np.isfinite(scales) & (scales > 0)).all():
        return None
    bias = layer.bias(whole.offset, scales, step)
    if bias is None:
        return None
    shape = stored.shape  # type: ignore[union-attr]
    moved = elements.reshape([shape[layer.axis], *(size for d, size in enumerate(shape) if d != layer.axis)])
    arrays = (np.moveaxis(moved, 0, layer.axis), layer.zero_points)
    weights, zeros = (model.add_constant(array.astype(stored.dtype), f"{value}/weights") for array in arrays)  # type: ignore[union-attr]
    real, name = f"{weights}/real", layer.node.name or value
    inputs = [weights, model.add_constant(scales, f"{value}/weights"), zeros]
    dequantized = made_node("DequantizeLinear", inputs, real, f"{name}/weights", layer.weight.domain, axis=layer.axis)
    return [dequantized, *_layer(model, layer, (real, value), bias)]


def _layer(model: EditableModel, layer: StoredLayer, ends: tuple[str, str], bias: StoredBias) -> list[Any]:
    """The layer by other weights and with a bias; a MatMul becomes a Gemm on the rows of all but the last dimension."""
    node, (weights, output) = layer.node, ends
    made = type(node)()
    made.CopyFrom(node)
    made.input[1], made.output[0] = weights, output
    if node.op_type != "MatMul":
        return with_bias(model, made, bias)
    made.op_type = "Gemm"
    shape = model.shape(node.input[0]) or ()
    if len(shape) == 2:
        return with_bias(model, made, bias)
    made.input[0], made.output[0] = f"{output}/rows", f"{output}/product"
    flat, whole = (
        model.add_constant(np.array(sizes, np.int64), output)
        for sizes in ([-1, shape[-1]], [*shape[:-1], layer.outputs])
    )
    return [
        made_node("Reshape", [node.input[0], flat], made.input[0], f"{node.name}/rows"),
        *with_bias(model, made, bias),
        made_node("Reshape", [made.output[0], whole], output, f"{node.name}/shape"),
    ]

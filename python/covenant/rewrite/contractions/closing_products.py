"""Products after the last QuantizeLinear: the machine computes their sums, and the host scales them.

`DequantizeLinear -> MatMul, Gemm or Conv` whose result stays in float is a product of stored integers, and one factor
for each channel. The machine keeps the sums (ConvInteger, MatMulInteger), so their cycles count; the host scales them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.element_types import is_byte, limits
from covenant.model.ends import host_nodes
from covenant.model.stored_values import Meaning, Steps, meaning_of

__all__ = ["closing_products", "exact_products"]

_PRODUCTS = frozenset({"Conv", "Gemm", "MatMul"})
_BITS_OF_SUMS = 31
"""Magnitudes that an i32 sum holds."""
_MOST = 255
"""The largest magnitude of a byte less a zero point."""
_WINDOW = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")


@dataclass(frozen=True)
class _Product:
    """Operands of a closing product."""

    shape: tuple[int, ...]
    """Shape of the activation."""
    meaning: Meaning
    weights: tuple[np.ndarray, ...]
    """Stored parts, whose sum they are; output channels last of a matrix, first of a kernel."""
    zeros: np.ndarray
    """Zero points of the weights, of one element or one for each output channel."""
    scales: np.ndarray
    """f32, likewise."""


def closing_products(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Conv, Gemm and MatMul by constants that the host would compute, with their sums as integers."""
    replacements = {}
    for node in host_nodes(model.model):
        left = model.maker(node.input[0]) if node.op_type in _PRODUCTS and not node.domain else None
        if left is None or left.op_type != "DequantizeLinear" or model.constant(left.input[0]) is not None:
            continue
        meaning, shape = meaning_of(model, left), model.shape(left.input[0])
        product = None if meaning is None or shape is None else _product_of(model, node, meaning, shape)
        if product is not None:
            steps = Steps(model, node)
            _add_steps(model, node, _signed(product), steps, left.input[0])
            replacements[node.output[0]] = steps.made
    return replacements


def exact_products(model: EditableModel, meanings: Mapping[str, Meaning]) -> dict[str, Sequence[Any]]:
    """The same of a host's end, for an oracle: of the real tensors that it is given, each quantised once more.

    ONNX Runtime has kernels of both products, exact on every processor, of operands without a sign alone.

    Args:
        model: the end.
        meanings: of its inputs that are dequantised; quantising one gives what was stored.
    """
    replacements = {}
    for node in model.nodes:
        meaning = meanings.get(node.input[0]) if node.op_type in _PRODUCTS and not node.domain else None
        shape = model.shape(node.input[0]) if meaning is not None else None
        product = None if meaning is None or shape is None else _product_of(model, node, meaning, shape)
        if product is None:
            continue
        steps = Steps(model, node)
        step, zero = steps.constant(product.meaning.step), _lifted(product.meaning.zero)
        source = steps.add("QuantizeLinear", [node.input[0], step, steps.constant(zero)], "stored")
        lifted = replace(
            product, weights=tuple(map(_lifted, product.weights)), zeros=_lifted(product.zeros),
            meaning=replace(product.meaning, zero=zero),
        )  # fmt: skip
        _add_steps(model, node, lifted, steps, source)
        replacements[node.output[0]] = steps.made
    return replacements


def _product_of(model: EditableModel, node: Any, meaning: Meaning, shape: tuple[int, ...]) -> _Product | None:
    """None where a factor is not stored, scales are not those of output channels, or sums may leave 32 bits."""
    factor = _factor_of(model, model.maker(node.input[1]))
    attributes = attributes_of(node)
    if factor is None or not is_byte(meaning.zero.dtype) or attributes.get("transA", 0):
        return None
    is_conv, is_turned = node.op_type == "Conv", bool(attributes.get("transB", 0))
    rank = factor.stored.ndim
    if (len(shape) not in (3, 4) or rank != len(shape)) if is_conv else (rank != 2 or not shape):
        return None
    along = 0 if is_conv or is_turned else 1
    is_split = max(factor.scales.size, factor.zeros.size) > 1
    if is_split and (factor.axis % rank != along or not factor.has_one_each(along)):
        return None
    if not factor.fits(along):
        return None
    stored = factor.stored.T if is_turned else factor.stored
    return _Product(shape, meaning, (stored,), factor.zeros, factor.scales)


def _signed(product: _Product) -> _Product:
    """The same by weights with a sign and no zero point: parts, where what they mean leaves a byte."""
    (stored,), zeros = product.weights, product.zeros.astype(np.int64)
    rest = stored.astype(np.int64) - (zeros if stored.ndim == 2 else zeros.reshape(-1, *[1] * (stored.ndim - 1)))
    parts = []
    while not parts or rest.any():
        parts.append(np.clip(rest, *limits(np.int8)))
        rest = rest - parts[-1]
    weights = tuple(part.astype(np.int8) for part in parts)
    return replace(product, weights=weights, zeros=np.zeros(1, np.int8))


@dataclass(frozen=True)
class _Factor:
    """A constant as a DequantizeLinear reads it."""

    stored: np.ndarray
    scales: np.ndarray
    zeros: np.ndarray
    axis: int

    def has_one_each(self, along: int) -> bool:
        """Whether there are a scale and a zero point for each index of a dimension, or one of them for all."""
        return {self.scales.size, self.zeros.size} <= {1, self.stored.shape[along]}

    def fits(self, along: int) -> bool:
        """Whether sums of products with any bytes stay in 32 bits."""
        lie = [1] * self.stored.ndim
        lie[along] = self.zeros.size
        real = self.stored.astype(np.int64) - self.zeros.astype(np.int64).reshape(lie)
        summed = tuple(d for d in range(real.ndim) if d != along)
        return bool(np.abs(real).sum(axis=summed).max(initial=0) * _MOST < 1 << _BITS_OF_SUMS)


def _factor_of(model: EditableModel, dequantize: Any | None) -> _Factor | None:
    if dequantize is None or dequantize.op_type != "DequantizeLinear" or "block_size" in attributes_of(dequantize):
        return None
    stored, scales = model.constant(dequantize.input[0]), model.constant(dequantize.input[1])
    if stored is None or scales is None or scales.ndim > 1 or not is_byte(stored.dtype):
        return None
    named = len(dequantize.input) > 2 and dequantize.input[2]
    zeros = model.constant(dequantize.input[2]) if named else np.zeros(1, stored.dtype)
    if zeros is None or zeros.dtype != stored.dtype:
        return None
    axis = int(attributes_of(dequantize).get("axis", 1))
    return _Factor(stored, scales.reshape(-1).astype(np.float32), zeros.reshape(-1), axis)


def _add_steps(model: EditableModel, node: Any, product: _Product, steps: Steps, source: str) -> None:
    """Nodes from the stored activation `source` to the product in f32."""
    from onnx import TensorProto  # noqa: PLC0415  (import costs; a model that is left as it is does not pay)

    attributes, is_conv = attributes_of(node), node.op_type == "Conv"
    made_shape = model.shape(node.output[0])
    weights = product.weights
    flat = _flat(product.shape, is_conv=is_conv)
    if flat != product.shape:
        source = steps.reshape(source, flat, "rows")
    window = {name: attributes[name] for name in _WINDOW if name in attributes} if is_conv else {}
    if is_conv and len(product.shape) == 3:
        weights = tuple(part[:, :, None] for part in weights)
        window = {name: _with_rows(name, value) for name, value in window.items()}
    zeros = product.zeros if np.unique(product.zeros).size > 1 else product.zeros[:1].reshape(())
    operator, sums = "ConvInteger" if is_conv else "MatMulInteger", ""
    for i, part in enumerate(weights):
        inputs = [source, *map(steps.constant, (part, product.meaning.zero, zeros))]
        of_part = steps.add(operator, inputs, f"sums{i}" if len(weights) > 1 else "sums", **window)
        sums = steps.add("Add", [sums, of_part], f"together{i}") if sums else of_part
    value = steps.add("Cast", [sums], "real", to=TensorProto.FLOAT)
    factors = product.meaning.step * product.scales * np.float32(attributes.get("alpha", 1))
    has_bias = len(node.input) > 2 and node.input[2]
    is_flat = made_shape is not None and flat == product.shape
    factors = factors.reshape(-1, 1, 1) if is_conv and factors.size > 1 else factors
    value = steps.add("Mul", [value, steps.constant(factors)], "scaled" if has_bias or not is_flat else "")
    if not is_flat:
        shape = made_shape or (*product.shape[:-1], weights[0].shape[1])
        value = steps.reshape(value, shape, "shape" if has_bias else "")
    if has_bias:
        bias = node.input[2]
        if attributes.get("beta", 1) != 1:
            bias = steps.add("Mul", [bias, steps.constant(np.float32(attributes["beta"]))], "beta")
        if is_conv:
            bias = steps.reshape(bias, (-1, *[1] * (len(product.shape) - 2)), "bias")
        steps.add("Add", [value, bias])


def _flat(shape: tuple[int, ...], *, is_conv: bool) -> tuple[int, ...]:
    """The shape of an image, or of a matrix, for the node that keeps sums."""
    if is_conv:
        return shape if len(shape) == 4 else (*shape[:2], 1, shape[2])
    return shape if len(shape) == 2 else (int(np.prod(shape[:-1], dtype=np.int64)), shape[-1])


def _with_rows(name: str, value: Any) -> Any:
    """An attribute of a window over one dimension, for images of one row."""
    if name == "pads":
        return [0, value[0], 0, value[1]]
    return value if name in ("auto_pad", "group") else [1, *value]


def _lifted(array: np.ndarray) -> np.ndarray:
    """Bytes without a sign, 128 more than those with one."""
    return array if array.dtype == np.uint8 else (array.astype(np.int16) + 128).astype(np.uint8)

"""A quantised model of bytes, given elements of 4 or 16 bits.

ONNX Runtime's quantiser has decided what is quantised. Here every QuantizeLinear and DequantizeLinear is given the type
of the elements. Of 8 bits and fewer a tensor keeps the scale and the levels that it has in bytes; of more, its scale
follows from its range, and weights and biases are stored anew from the float model's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.model.editable_model import EditableModel
from covenant.model.element_types import element_type, limits
from covenant.quantization.bits import BYTE
from covenant.quantization.calibration import Range, steps_of
from covenant.quantization.clamps import Activation
from covenant.quantization.reading import refused
from covenant.quantization.sums import least_scales
from covenant.quantization.weight_scales import output_axis, stored_weights, weight_scales

__all__ = ["Choices", "with_elements"]

_OPSET, _IR_VERSION = 21, 10
"""The first ones with types of 4 and 16 bits for QuantizeLinear and DequantizeLinear."""
_MOVES = ("QuantizeLinear", "DequantizeLinear")
_SAME = 1e-4
"""Relative difference of two scales up to which they come from the same range."""


@dataclass(frozen=True)
class Choices:
    """Choices for the tensors of a model, by their names in float."""

    width: int
    """Width of the elements, in bits."""
    is_signed: bool
    """Whether activations are signed."""
    per_channel: bool
    least_error: bool
    """Whether scales of weights have the least squared error."""
    ranges: Mapping[str, Range]
    """Ranges of activations."""
    bits: Mapping[str, int]
    """Bits of activations."""
    weight_bits: Mapping[str, int]
    """Bits of weights, by the name of the layer's node."""


def with_elements(path: str | os.PathLike[str], made: Any, in_float: EditableModel, choices: Choices) -> EditableModel:
    """The model with elements of `choices.width` bits.

    Args:
        path: of the float model, for diagnostics.
        made: the `onnx.ModelProto` of bytes, as ONNX Runtime's quantiser has made it.
        in_float: what it was made from.
        choices: see there.

    Raises:
        CovenantError: QNT0004, the model cannot be brought to a version of ONNX that has such types; QNT0011, a bias
            does not fit into 32 bits.
    """
    from onnx import version_converter  # noqa: PLC0415

    try:
        model = version_converter.convert_version(made, _OPSET)
    except Exception as error:  # theirs have no base of their own
        raise refused(path, error) from error
    model.ir_version = max(model.ir_version, _IR_VERSION)
    del model.graph.value_info[:]  # types of bytes
    return _Retyping(path, EditableModel(model), in_float, choices).run()


class _Retyping:
    def __init__(
        self, path: str | os.PathLike[str], model: EditableModel, in_float: EditableModel, choices: Choices
    ) -> None:
        self._path, self._model, self._float, self._choices = path, model, in_float, choices
        self._levels: dict[str, int] = {}
        """The most that a stored element is from its zero point, by the name of the scale."""
        self._done: set[str] = set()
        """Constants that are stored anew, by the name of what is stored."""

    def run(self) -> EditableModel:
        """Activations first: weights and biases depend on their scales."""
        stored = [node for node in self._model.nodes if node.op_type in _MOVES]
        constants = [node for node in stored if self._model.constant(node.input[0]) is not None]
        for node in stored:
            if node.op_type == "QuantizeLinear" and node.input[1] not in self._levels:
                self._retype(Activation(self._model, node))
        nodes = {node.name: node for node in self._model.nodes}
        for layer in self._float.nodes:
            if layer.name in self._choices.weight_bits and layer.name in nodes:
                self._store_weights(layer, nodes[layer.name])
        biases = [node for node in constants if self._model.constant(node.input[0]).dtype == np.int32]  # type: ignore[union-attr]
        for node in constants:
            if node.input[0] not in self._done and node not in biases:
                self._store_operand(node)
        if self._choices.width > BYTE:
            for node in biases:
                self._store_bias(node)
        self._model.refresh()
        return self._model

    # ---- Activations

    def _retype(self, activation: Activation) -> None:
        """All that are handed on under the same scale get the same step: they share its constants."""
        own = self._choices.bits.get(activation.name, self._choices.width)
        dtype = element_type(self._choices.width, signed=self._choices.is_signed)
        least = limits(dtype)[0]
        scale, zero = self._step(activation, own)
        self._levels[activation.node.input[1]] = max(zero, 2**own - 1 - zero)
        self._model.set_constant(activation.node.input[1], np.array(scale, np.float32))
        self._model.set_constant(activation.node.input[2], np.array(zero + least).astype(dtype))

    def _step(self, activation: Activation, own: int) -> tuple[np.float32, int]:
        """Scale, and zero point above the least level."""
        lowest, highest = limits(activation.zero.dtype)
        zero = int(activation.zero) - lowest
        known = self._choices.ranges.get(activation.name)
        in_bytes = None if known is None else steps_of(*known, min(own, BYTE))[0]
        follows = in_bytes is not None and abs(in_bytes - activation.scale) <= _SAME * in_bytes
        if follows and own <= BYTE:
            return activation.scale, zero
        if not follows:  # a scale that the quantiser gives of itself, as that of a Softmax: its own range
            known = np.float32(-zero) * activation.scale, np.float32(highest - lowest - zero) * activation.scale
        return steps_of(*known, own)  # type: ignore[misc]

    # ---- Constants

    def _store_weights(self, layer: Any, node: Any) -> None:
        """Stores the weights of a layer; those of 8 bits and fewer stay as they are, unless sums need larger steps."""
        maker = self._stored(node.input[1])
        taken = self._stored(node.input[0])
        weights = self._float.constant(layer.input[1])
        if maker is None or weights is None:
            return
        choices, own = self._choices, self._choices.weight_bits[layer.name]
        axis = output_axis(layer) % weights.ndim if choices.per_channel and weights.ndim > 1 else None
        scales = np.atleast_1d(self._model.constant(maker.input[1]))  # type: ignore[type-var]
        is_new = own > BYTE
        if is_new:
            scales = np.atleast_1d(weight_scales(weights, own, axis, least_error=choices.least_error))
        if choices.width > BYTE and taken is not None:
            least = np.float32(self._least_scales(layer, weights, axis, taken))
            is_new |= bool(np.any(least > scales))
            scales = np.maximum(scales, least)
        dtype = element_type(min(choices.width, BYTE) if own <= BYTE else choices.width, signed=True)
        stored = self._model.constant(maker.input[0])
        if is_new:
            stored = stored_weights(weights, scales if axis is not None else scales[0], own, axis)
        self._set(maker, stored.astype(dtype), scales)  # type: ignore[union-attr]

    def _least_scales(self, layer: Any, weights: np.ndarray, axis: int | None, taken: Any) -> np.ndarray:
        bias = self._float.constant(layer.input[2]) if len(layer.input) > 2 and layer.input[2] else None
        known = self._choices.ranges.get(layer.output[0])
        seen = float("inf") if known is None else float(np.abs(known).max())
        step, levels = self._scale(taken), self._levels[taken.input[1]]
        return least_scales(weights, axis, bias, step=step, levels=levels, seen=seen)

    def _store_operand(self, node: Any) -> None:
        """A constant beside an activation, as of an Add: as many bits as the node that reads it wants."""
        name = node.input[0].removesuffix("_quantized")
        array = self._float.constant(name)
        own = min(self._choices.bits.get(name, self._choices.width), self._choices.width)
        if array is None or own == BYTE or self._has_bias(node):
            return
        signed = bool(np.issubdtype(self._model.constant(node.input[2]).dtype, np.signedinteger))  # type: ignore[union-attr]
        dtype = element_type(self._choices.width, signed=signed)
        if signed:
            scale, zero = weight_scales(array, own, None, least_error=False), 0
            stored = stored_weights(array, scale, own, None)
        else:
            scale, zero = steps_of(float(array.min()), float(array.max()), own)
            stored = np.clip(np.rint(array / scale) + zero, 0, 2**own - 1)
        self._set(node, stored.astype(np.int32).astype(dtype), np.atleast_1d(scale), zero)

    def _has_bias(self, node: Any) -> bool:
        """Whether the constant belongs to a normalisation whose bias is stored in 32 bits (`_store_bias`)."""
        reader = self._model.reader(node.output[0])
        return self._choices.width > BYTE and reader is not None and reader.op_type == "LayerNormalization"

    def _store_bias(self, node: Any) -> None:
        """Stores the bias under the product of the scales of its layer's operands."""
        reader = self._model.reader(node.output[0])
        array = self._float.constant(node.input[0].removesuffix("_quantized"))
        operands = [self._stored(value) for value in reader.input[:2]] if reader is not None else []
        if array is None or len(operands) < 2 or None in operands:
            return
        first, second = (np.float32(self._model.constant(one.input[1])) for one in operands)  # type: ignore[union-attr]
        scales = np.atleast_1d(first.reshape(-1)[0] * second)
        stored = np.rint(np.float64(array) / scales)
        if np.abs(stored).max(initial=0) > np.iinfo(np.int32).max:
            raise CovenantError(
                Diagnostic(
                    "QNT0011", "a bias does not fit into 32 bits under the scale of its layer", os.fspath(self._path),
                    subject=reader.name, offending=f"{np.abs(stored).max():.4g} steps", allowed=("-2^31..2^31 - 1",),
                    fix="give what the layer takes, or its weights, fewer bits",
                )
            )  # fmt: skip
        self._set(node, stored.astype(np.int32), scales)

    def _stored(self, value: str) -> Any | None:
        """The DequantizeLinear that makes an operand; None of one in float."""
        maker = self._model.maker(value)
        return maker if maker is not None and maker.op_type == "DequantizeLinear" else None

    def _scale(self, node: Any) -> float:
        return float(np.asarray(self._model.constant(node.input[1])).reshape(-1)[0])

    def _set(self, node: Any, stored: np.ndarray, scales: np.ndarray, zero: int = 0) -> None:
        """Sets the constants that a DequantizeLinear reads; its scale and zero point keep their shape."""
        shape = np.shape(self._model.constant(node.input[1]))
        self._model.set_constant(node.input[0], stored)
        self._model.set_constant(node.input[1], np.float32(scales).reshape(shape))
        self._model.set_constant(node.input[2], np.full(shape, zero, np.int32).astype(stored.dtype))
        self._done.add(node.input[0])

"""Folds movements of dequantised constants: the stored constant is moved instead, with its scales.

Exporters transpose the weights of a linear layer after dequantising them: DequantizeLinear, Transpose, MatMul. But a
layer takes only a constant that a DequantizeLinear has made real.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.element_types import limits
from covenant.model.kernels import MOVEMENTS
from covenant.onnx_runtime.sessions import OracleError, Style, session

__all__ = ["constant_movements"]

_MOVED = frozenset(MOVEMENTS) - {"Pad", "Resize"}
_READERS = _MOVED | {"QuantizeLinear"}


@dataclass(frozen=True)
class _Stored:
    """A stored constant, and for each of its elements what it means."""

    elements: np.ndarray
    scales: np.ndarray
    zero_points: np.ndarray

    def quantization(self) -> tuple[np.ndarray, np.ndarray, int] | None:
        """Scales, zero points and the axis that they are along, -1: one for all; None: they vary along several."""
        scales, zeros = self.scales, self.zero_points
        if (scales == scales.flat[0]).all() and (zeros == zeros.flat[0]).all():
            return scales.reshape(-1)[0], zeros.reshape(-1)[0], -1
        for axis in range(scales.ndim):
            firsts = tuple(slice(None) if d == axis else slice(0, 1) for d in range(scales.ndim))
            if (scales == scales[firsts]).all() and (zeros == zeros[firsts]).all():
                return scales[firsts].reshape(-1), zeros[firsts].reshape(-1), axis
        return None


def constant_movements(model: EditableModel) -> dict[str, Sequence[Any]]:
    """DequantizeLinear of the moved constant in the place of each movement, and of what is quantised once more.

    A movement after which scales are along no single axis stays.
    """
    from onnx import numpy_helper  # noqa: PLC0415

    known: dict[str, _Stored] = {}
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type == "DequantizeLinear":
            readers = {reader.op_type for reader in model.readers(node.output[0])}
            found = _dequantized(model, node) if readers & _READERS else None
            if found is not None:
                known[node.output[0]] = found
        elif node.op_type in _MOVED and not node.domain and _is_known(model, node, known):
            moved = _moved(model, node, known)
            known |= moved
            if moved and all(one.quantization() is not None for one in moved.values()):
                replacements[node.output[0]] = [_written(model, node, *pair) for pair in moved.items()]
        elif node.op_type == "QuantizeLinear" and node.input[0] in known and not model.is_output(node.output[0]):
            stored = _quantized(model, node, known[node.input[0]])
            if stored is not None:
                model.model.graph.initializer.append(numpy_helper.from_array(stored, node.output[0]))
                replacements[node.output[0]] = []
    return replacements


def _dequantized(model: EditableModel, node: Any) -> _Stored | None:
    """Constant that a DequantizeLinear reads, if it has no blocks of scales; else None."""
    elements, scales = model.constant(node.input[0]), model.constant(node.input[1])
    attributes = attributes_of(node)
    has_zero = len(node.input) > 2 and node.input[2]
    zeros = model.constant(node.input[2]) if has_zero else np.zeros((), np.int32)
    if elements is None or scales is None or zeros is None or attributes.get("block_size", 0):
        return None
    if scales.dtype != np.float32 or elements.dtype.kind == "f":
        return None
    axis = attributes.get("axis", 1)

    def spread(array: np.ndarray) -> np.ndarray | None:
        if array.size == 1:
            return np.broadcast_to(array.reshape(-1)[0], elements.shape)
        if array.ndim != 1 or not -elements.ndim <= axis < elements.ndim or elements.shape[axis] != array.size:
            return None
        along = [1] * elements.ndim
        along[axis] = -1
        return np.broadcast_to(array.reshape(along), elements.shape)

    scale, zero = spread(scales), spread(zeros.astype(np.int32))
    return None if scale is None or zero is None else _Stored(elements, scale, zero)


def _is_known(model: EditableModel, node: Any, known: Mapping[str, _Stored]) -> bool:
    """Whether all that a movement moves is known, and how it does."""
    moved = list(node.input) if node.op_type == "Concat" else node.input[:1]
    types = {known[value].elements.dtype for value in moved if value in known}
    rest = [value for value in node.input[len(moved) :] if value]
    is_moved = bool(moved) and all(value in known for value in moved) and len(types) == 1
    return is_moved and all(model.constant(value) is not None for value in rest)


def _moved(model: EditableModel, node: Any, known: Mapping[str, _Stored]) -> dict[str, _Stored]:
    """Elements, scales and zero points, which ONNX Runtime moves alike; empty where it cannot."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    moved = list(dict.fromkeys(node.input if node.op_type == "Concat" else node.input[:1]))
    constants = {value: model.constant(value) for value in node.input if value and value not in moved}
    inputs = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, known[name].elements.shape) for name in moved]
    outputs = [value for value in node.output if value]
    graph = helper.make_graph(
        [node], "moved", inputs, [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in constants.items() if array is not None],
    )  # fmt: skip
    whole = helper.make_model(graph, opset_imports=model.model.opset_import, ir_version=min(model.model.ir_version, 10))
    try:
        runs = session(whole.SerializeToString(), Style.QOPERATOR)
        parts = [
            runs.run(outputs, {name: getattr(known[name], part).astype(np.float64) for name in moved})
            for part in ("elements", "scales", "zero_points")
        ]
    except (OracleError, RuntimeError):
        return {}
    dtype = known[moved[0]].elements.dtype
    return {
        name: _Stored(elements.astype(np.int64).astype(dtype), scales.astype(np.float32), zeros.astype(np.int32))
        for name, elements, scales, zeros in zip(outputs, *parts, strict=True)
    }


def _written(model: EditableModel, node: Any, name: str, stored: _Stored) -> Any:
    """A DequantizeLinear that makes `name`."""
    scales, zeros, axis = stored.quantization() or (np.float32(1), np.int32(0), -1)
    arrays = (stored.elements, np.asarray(scales, np.float32), np.asarray(zeros).astype(stored.elements.dtype))
    inputs = [model.add_constant(array, name) for array in arrays]
    made = made_node("DequantizeLinear", inputs, name, f"{node.name or name}/moved", _domain_of(model, stored))
    if axis >= 0:
        from onnx import helper  # noqa: PLC0415

        made.attribute.append(helper.make_attribute("axis", axis))
    return made


def _domain_of(model: EditableModel, stored: _Stored) -> str:
    """Domain whose DequantizeLinear knows the type: ONNX's own operator has 4 and 16 bits since opset 21."""
    opset = max(entry.version for entry in model.model.opset_import if entry.domain in ("", "ai.onnx"))
    least, most = limits(stored.elements.dtype)
    is_plain = opset >= 21 or (most - least).bit_length() in (8, 32)
    return "" if is_plain else "com.microsoft"


def _quantized(model: EditableModel, node: Any, known: _Stored) -> np.ndarray | None:
    """Result of a QuantizeLinear for a dequantised constant: each step rounded to f32, as ONNX says."""
    scales, zeros = (model.constant(value) if value else None for value in [*node.input[1:], ""][:2])
    attributes = attributes_of(node)
    if scales is None or zeros is None or attributes.get("block_size", 0) or scales.dtype != np.float32:
        return None
    axis, shape = attributes.get("axis", 1), known.elements.shape
    if scales.size > 1:
        if scales.ndim != 1 or not -len(shape) <= axis < len(shape) or shape[axis] != scales.size != zeros.size:
            return None
        along = [1] * len(shape)
        along[axis] = -1
        scales, zeros = scales.reshape(along), zeros.reshape(along)
    real = (known.elements.astype(np.int32) - known.zero_points).astype(np.float32) * known.scales
    steps = np.rint(real / scales.astype(np.float32)) + zeros.astype(np.float32)
    if not np.isfinite(steps).all():
        return None
    return np.clip(steps, *limits(zeros.dtype)).astype(zeros.dtype).reshape(shape)

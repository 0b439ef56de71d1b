"""Finds operands, weights and biases without a scale, in models that the front end does not take."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.model.constant_nodes import with_initializers
from covenant.model.editable_model import EditableModel
from covenant.model.ends import host_nodes, is_quantized
from covenant.model.float_subgraphs import ELEMENTWISE
from covenant.model.folding import folded
from covenant.model.scalar_scales import with_scalar_scales
from covenant.model.stored_layers import rows_of, stored_layer

__all__ = ["float_operand", "float_weights", "large_bias"]

_IN_FLOAT = ("ONX0006", "ONX0014")
_QDQ = "quantise with quant_format=QuantFormat.QDQ, or by covenant quantize"


def float_operand(model: Any, path: Path, error: CovenantError) -> CovenantError | None:
    """An elementwise operator between quantised tensors that reads an input of the model, or what the host makes.

    Args:
        model: an `onnx.ModelProto` that the front end does not take.
        path: of the model, for the diagnostic.
        error: of the front end, about the model.
    """
    if error.code not in _IN_FLOAT:
        return None
    hosts = {output for node in host_nodes(model) for output in node.output}
    constants = {tensor.name for tensor in model.graph.initializer}
    real = {entry.name: f"the input {entry.name}" for entry in model.graph.input if _is_float(entry)}
    real = {name: called for name, called in real.items() if name not in constants}
    stored: set[str] = set()  # what depends on a stored tensor
    for node in model.graph.node:
        floats = [value for value in node.input[node.op_type == "Where" :] if value in real]
        if is_quantized(node) or (node.op_type == "DequantizeLinear" and node.input[0] in stored):
            stored |= set(node.output)
        elif not stored.isdisjoint(node.input):
            if floats and node.op_type in ELEMENTWISE and hosts.isdisjoint(node.output):
                return _reads_float(node, floats[0], real[floats[0]], path)
            stored |= set(node.output)
        elif floats:
            real |= dict.fromkeys(node.output, f"the result of {_called(node)}")
    return None


def _reads_float(node: Any, value: str, called: str, path: Path) -> CovenantError:
    return _refused(
        "ONX0028", f"it reads {called} in float, between quantised tensors", path,
        subject=_called(node), offending=value, allowed=("what a DequantizeLinear makes",),
        fix=f"put a QuantizeLinear and a DequantizeLinear behind {value}: {_QDQ}",
    )  # fmt: skip


def _is_float(entry: Any) -> bool:
    from onnx import TensorProto  # noqa: PLC0415  (import costs; a model that is taken does not pay)

    return entry.type.tensor_type.elem_type == TensorProto.FLOAT


def float_weights(model: Any, path: Path, error: CovenantError) -> CovenantError | None:
    """A ConvTranspose whose weights are float: ONNX Runtime's quantiser leaves it so among operators on stored tensors.

    Args, returns: as `float_operand`.
    """
    known = EditableModel(_copied(with_initializers(model))) if error.code in _IN_FLOAT else None
    for node in known.nodes if known is not None else ():
        weights = known.constant(node.input[1]) if node.op_type == "ConvTranspose" else None  # type: ignore[union-attr]
        if weights is None or weights.dtype.kind != "f" or error.diagnostic.subject != _called(node):
            continue
        return _refused(
            "ONX0028", "its weights are float, and a machine multiplies stored ones", path, subject=_called(node),
            offending=node.input[1], allowed=("DequantizeLinear of a stored constant",), fix=_QDQ,
        )  # fmt: skip
    return None


def large_bias(model: Any, path: Path, error: CovenantError) -> CovenantError | None:
    """A float bias with an element for each output, which the sums of its layer have no room for.

    Args, returns: as `float_operand`.
    """
    if error.code != "ONX0015":
        return None
    known = EditableModel(_copied(folded(with_scalar_scales(with_initializers(model)))))
    node = next((one for one in known.nodes if _called(one) == error.diagnostic.subject), None)
    layer = stored_layer(known, node) if node is not None and len(node.input) > 2 else None
    bias = known.constant(node.input[2]) if node is not None and layer is not None else None
    rows = rows_of(bias, layer.outputs) if bias is not None and layer is not None else None
    if layer is None or rows is None or node is None:
        return None
    units = layer.source.step * layer.scales
    steps = np.abs(rows.astype(np.float64) / units)
    if steps.max() < 2**31:
        return None
    most = int(steps.argmax())
    return _refused(
        "ONX0015", "the bias is float, and does not fit 32 bits in units of input scale times weight scale", path,
        subject=_called(node), offending=f"{node.input[2]}[{most}] = {rows[most]:g}, {steps[most]:.2g} units",
        allowed=("2^31 units, less what products add",),
        fix=f"quantise again with samples like the data: the scale of the layer's input is {layer.source.step:g}",
    )  # fmt: skip


def _copied(model: Any) -> Any:
    from onnx import ModelProto  # noqa: PLC0415

    made = ModelProto()
    made.CopyFrom(model)
    return made


def _called(node: Any) -> str:
    """Name of a node in diagnostics."""
    return f"{node.name or node.output[0]} ({node.op_type})"


def _refused(code: str, message: str, path: Path, **rest: Any) -> CovenantError:
    return CovenantError(Diagnostic(code, message, os.fspath(path), **rest))

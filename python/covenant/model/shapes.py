"""Infers shapes of all values of an ONNX model, including those of ONNX Runtime's own operators and of ours."""

from __future__ import annotations

from typing import Any

__all__ = ["entries_of", "inferred", "shape_in", "shapes_of"]

_LIKE = {
    "QLinearAdd": ("Add", (0, 3)), "QLinearMul": ("Mul", (0, 3)), "QLinearWhere": ("Where", (0, 1, 4)),
    "QLinearSigmoid": ("Sigmoid", (0,)), "QLinearLeakyRelu": ("LeakyRelu", (0,)), "QLinearSoftmax": ("Softmax", (0,)),
    "QLinearAveragePool": ("AveragePool", (0,)), "QLinearGlobalAveragePool": ("GlobalAveragePool", (0,)),
    "QGemm": ("Gemm", (0, 3)), "Lookup": ("Identity", (0,)),
    "NormalizeRows": ("DequantizeLinear", (0, 1, 2)), "ScaleColumns": ("QuantizeLinear", (0, 3, 4)),
}  # fmt: skip
"""Operators that ONNX does not know: which of its operators makes the same shape, of which inputs."""

_NORMAL = frozenset({"GroupNormalization", "LayerNormalization", "SimplifiedLayerNormalization"})
"""Operators whose result has the shape of its operand: onnx does not say so of every opset."""

_SMALL = 1024
"""Elements of a constant that may say a shape."""


def shapes_of(model: Any) -> dict[str, tuple[int, ...]]:
    """Shapes of values, as far as they are fixed and follow from those of the inputs.

    Args:
        model: an `onnx.ModelProto`; left as it is.

    Returns:
        By value; constants are not among them.
    """
    return {name: shape for name, entry in entries_of(model).items() if (shape := shape_in(entry)) is not None}


def entries_of(model: Any) -> dict[str, Any]:
    """Types and shapes of values that are no constants: an `onnx.ValueInfoProto` each, by name."""
    from onnx import ModelProto, helper  # noqa: PLC0415  (import costs)

    outline = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, functions=model.functions)
    graph, made = model.graph, outline.graph
    made.name = graph.name
    made.input.extend(graph.input)
    made.output.extend(graph.output)
    made.value_info.extend(graph.value_info)
    made.node.extend(_known(node) for node in graph.node)
    inputs = {entry.name for entry in graph.input}
    for tensor in graph.initializer:  # inference copies what it is given
        if _elements(tensor.dims) <= _SMALL:
            made.initializer.append(tensor)
        elif tensor.name not in inputs:
            made.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    known = inferred(outline).graph
    return {entry.name: entry for entry in (*known.input, *known.value_info, *known.output)}


def inferred(model: Any, *, data_prop: bool = False) -> Any:
    """A copy of a model with shapes and types as onnx infers them; without where onnx gives up on it.

    It does on operators of domains that the model does not import, for one: the front end names what is wrong.
    """
    from onnx import shape_inference  # noqa: PLC0415

    try:
        return shape_inference.infer_shapes(model, data_prop=data_prop)
    except Exception:  # noqa: BLE001  (its own errors, and what C++ throws at sizes that no memory has)
        copy = type(model)()
        copy.CopyFrom(model)
        return copy


def _known(node: Any) -> Any:
    """The node, or one of ONNX that makes the same shapes."""
    from onnx import helper  # noqa: PLC0415

    if any(entry.name == "channels_last" and entry.i for entry in node.attribute):
        return node
    if node.domain and node.op_type in ("QuantizeLinear", "DequantizeLinear"):
        operator, operands = node.op_type, range(len(node.input))
    elif node.op_type == "QLinearConcat":
        operator, operands = "Concat", range(2, len(node.input), 3)
    elif node.op_type in _NORMAL and len(node.output) == 1:
        operator, operands = "Identity", (0,)
    elif node.op_type in _LIKE and node.domain:
        operator, operands = _LIKE[node.op_type]
    else:
        return node
    made = helper.make_node(operator, [node.input[k] for k in operands], node.output[:1], node.name)
    made.attribute.extend(entry for entry in node.attribute if entry.name != "channels_last")
    return made


def _elements(dims: Any) -> int:
    count = 1
    for size in dims:
        count *= size
    return count


def shape_in(entry: Any) -> tuple[int, ...] | None:
    """Shape of an entry; None: not fixed, or not known."""
    dimensions = entry.type.tensor_type.shape.dim
    if not entry.type.tensor_type.HasField("shape") or any(not one.HasField("dim_value") for one in dimensions):
        return None
    return tuple(one.dim_value for one in dimensions)

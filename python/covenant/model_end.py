"""The end of a model that the host computes: float operators that no quantised operator follows.

A closing Softmax, the decoding of boxes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["closing_nodes", "order_of", "outputs_of", "split_end", "with_shapes"]

_QUANTIZED = ("QuantizeLinear", "QGemm")
_ORDER = "covenant.outputs"
"""Key of the model's metadata: names of all outputs, in the order of the whole model."""


def closing_nodes(model: Any) -> list[Any]:
    """The float nodes of an `onnx.ModelProto` that no quantised one follows, in their order.

    A DequantizeLinear of what the machine has stored is none of them.
    """
    nodes = list(model.graph.node)
    is_followed: dict[str, bool] = {}  # by value: a quantised operator depends on it
    for node in reversed(nodes):
        follows = any(is_followed.get(value, False) for value in node.output)
        follows = follows or node.op_type in _QUANTIZED or node.op_type.startswith("QLinear")
        for value in node.input:
            is_followed[value] = is_followed.get(value, False) or follows
    real: set[str] = set()  # made by a DequantizeLinear, or by the host
    closing = []
    for node in nodes:
        if node.op_type == "DequantizeLinear":
            real |= set(node.output)
        elif real & set(node.input) and not any(is_followed.get(value, False) for value in node.output):
            real |= set(node.output)
            closing.append(node)
    return closing


def split_end(model: Any) -> tuple[Any, bytes]:
    """A model without its closing nodes, and these as a model of their own; nothing if there are none.

    Args:
        model: a quantised `onnx.ModelProto`; left as it is.
    """
    from onnx import ModelProto, TensorProto, helper  # noqa: PLC0415

    closing = closing_nodes(model)
    if not closing:
        return model, b""
    made = {value for node in closing for value in node.output}
    read = {value for node in closing for value in node.input}
    core = ModelProto()
    core.CopyFrom(model)
    kept = [node for node in core.graph.node if not made & set(node.output)]
    del core.graph.node[:]
    core.graph.node.extend(kept)
    outputs = [entry for entry in model.graph.output if entry.name not in made]
    stored = {entry.name for entry in outputs}
    between = [value for node in kept for value in node.output if value in read]
    del core.graph.output[:]
    core.graph.output.extend(outputs)
    core.graph.output.extend(
        helper.make_tensor_value_info(value, TensorProto.FLOAT, None) for value in between if value not in stored
    )
    constants = [tensor for tensor in model.graph.initializer if tensor.name in read]
    graph = helper.make_graph(
        closing,
        "end",
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, None) for value in between],
        [entry for entry in model.graph.output if entry.name in made],
        constants,
    )
    end = helper.make_model(graph, opset_imports=list(model.opset_import), ir_version=model.ir_version)
    helper.set_model_props(end, {_ORDER: json.dumps([entry.name for entry in model.graph.output])})
    return core, end.SerializeToString()


def with_shapes(content: bytes, shapes: Mapping[str, tuple[int, ...]]) -> bytes:
    """The same closing nodes with the shapes of what they read, and so of what they make."""
    from onnx import load_from_string, shape_inference  # noqa: PLC0415

    model = load_from_string(content)
    for entry in (*model.graph.input, *model.graph.output):
        entry.type.tensor_type.ClearField("shape")
        for size in shapes.get(entry.name, ()):
            entry.type.tensor_type.shape.dim.add().dim_value = size
    return shape_inference.infer_shapes(model).SerializeToString()


def outputs_of(content: bytes) -> dict[str, tuple[int, ...]]:
    """Names of the whole model's outputs in its order, and shapes of those that the closing nodes make."""
    from onnx import load_from_string  # noqa: PLC0415

    model = load_from_string(content)
    shapes = {
        entry.name: tuple(one.dim_value for one in entry.type.tensor_type.shape.dim) for entry in model.graph.output
    }
    return {name: shapes.get(name, ()) for name in order_of(model)}


def order_of(model: Any) -> list[str]:
    """Names of the whole model's outputs, of a model that `split_end` has made."""
    return json.loads(next(entry.value for entry in model.metadata_props if entry.key == _ORDER))

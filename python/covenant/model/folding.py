"""Constant folding: shape arithmetic of exporters, float weights of quantisers.

`Shape -> Gather -> Concat -> Reshape` of a tensor whose shape is known is a Reshape by a constant, and a QuantizeLinear
of float weights is a quantised initialiser. DequantizeLinear stays: what it makes is a layer's operand.
"""

from __future__ import annotations

from typing import Any

from covenant.model.shapes import shapes_of

__all__ = ["folded"]

_KEPT = frozenset({"DequantizeLinear", "RandomNormal", "RandomUniform"})
_MOST_ROUNDS = 64
"""Each makes shapes known that the next one takes; a model of more does not end here."""


def folded(model: Any) -> Any:
    """The model with constants in the place of what is computed of constants, or of the shapes of tensors.

    Args:
        model: an `onnx.ModelProto`; left as it is.

    Returns:
        The same object if there is nothing to fold.
    """
    for _ in range(_MOST_ROUNDS):
        constants = _constants_of(model)
        if not constants:
            break
        model = _with_constants(model, constants)
    return model


def _constants_of(model: Any) -> dict[str, Any]:
    """New constants, as arrays by name."""
    import numpy as np  # noqa: PLC0415  (import costs; a model without such nodes does not pay)

    known = {tensor.name for tensor in model.graph.initializer}
    known |= {node.output[0] for node in model.graph.node if node.op_type == "Constant"}
    nodes = []
    for node in model.graph.node:
        if _is_foldable(node) and known.issuperset(filter(None, node.input)):
            nodes.append(node)
            known |= set(node.output)
    shapes: dict[str, tuple[int, ...]] = {}
    if any(node.op_type == "Shape" for node in model.graph.node):
        shapes = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer} | shapes_of(model)
    constants = {
        node.output[0]: np.array(shapes[node.input[0]], np.int64)[_part(node, len(shapes[node.input[0]]))]
        for node in model.graph.node
        if node.op_type == "Shape" and node.input[0] in shapes
    }
    return constants | _computed(model, nodes)


def _is_foldable(node: Any) -> bool:
    """Whether the node always makes the same of the same."""
    from onnx import AttributeProto  # noqa: PLC0415

    is_known = node.domain in ("", "ai.onnx") or (node.domain, node.op_type) == ("com.microsoft", "QuantizeLinear")
    has_bodies = any(entry.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for entry in node.attribute)
    return is_known and not has_bodies and node.op_type not in _KEPT | {"Constant"}


def _part(node: Any, rank: int) -> slice:
    """The dimensions that a Shape asks for."""
    bounds = {entry.name: entry.i for entry in node.attribute}
    return slice(bounds.get("start", 0), bounds.get("end", rank))


def _computed(model: Any, nodes: list[Any]) -> dict[str, Any]:
    """Results of ONNX Runtime for nodes of constants alone; empty where it cannot compute them."""
    if not nodes:
        return {}
    import onnxruntime  # noqa: PLC0415
    from onnx import helper  # noqa: PLC0415

    read = {name for node in nodes for name in node.input}
    makers = [node for node in model.graph.node if node.op_type == "Constant" and node.output[0] in read]
    tensors = [tensor for tensor in model.graph.initializer if tensor.name in read]
    outputs = [name for node in nodes for name in node.output if name]
    graph = helper.make_graph(
        [*makers, *nodes], "constants", [], [helper.make_empty_tensor_value_info(name) for name in outputs], tensors
    )
    whole = helper.make_model(graph, opset_imports=model.opset_import, ir_version=min(model.ir_version, 10))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(whole.SerializeToString(), options, ["CPUExecutionProvider"])
        return dict(zip(outputs, session.run(None, {}), strict=True))
    except Exception:  # noqa: BLE001  (what it cannot do stays as it is: the compiler says what is wrong with it)
        return {}


def _with_constants(model: Any, constants: dict[str, Any]) -> Any:
    """The model whose nodes do not make these any more, nor what no other node reads then."""
    from onnx import ModelProto, numpy_helper  # noqa: PLC0415

    made = ModelProto()
    made.CopyFrom(model)
    kept = [node for node in model.graph.node if not constants.keys() & set(node.output)]
    read = {name for node in kept for name in node.input} | {entry.name for entry in model.graph.output}
    del made.graph.node[:]
    made.graph.node.extend(kept)
    del made.graph.initializer[:]
    made.graph.initializer.extend(tensor for tensor in model.graph.initializer if tensor.name in read)
    made.graph.initializer.extend(
        numpy_helper.from_array(array, name) for name, array in constants.items() if name in read
    )
    return made

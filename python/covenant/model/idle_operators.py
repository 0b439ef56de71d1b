"""Operators that do nothing: a Cast to the type that a tensor has, Dropout in inference, movements that move nothing.

Exporters leave them anywhere, between a quantisation and its layer, too. What reads their result reads their operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of

__all__ = ["without_idle"]

_RESHAPES = frozenset({"Expand", "Flatten", "Reshape", "Squeeze", "Tile", "Unsqueeze"})
"""Operators that keep the order of elements: of the same shape they do nothing."""
_IDLE = _RESHAPES | {
    "Cast", "CastLike", "Concat", "DepthToSpace", "Dropout", "Identity", "Pad", "Slice", "SpaceToDepth", "Split", "Sum",
    "Transpose", "Max", "Min", "Mean",
}  # fmt: skip
_OF_ONE = frozenset({"Concat", "Max", "Mean", "Min", "Sum"})
"""Operators on any number of tensors: of one they do nothing."""


def without_idle(model: Any) -> Any:
    """The model without operators that do nothing; its inputs and outputs keep their names.

    Args:
        model: an `onnx.ModelProto`, constants folded; left as it is.

    Returns:
        The same object if there is nothing to do.
    """
    from onnx import AttributeProto, ModelProto  # noqa: PLC0415  (import costs; callers without a model do not pay)

    nodes = model.graph.node
    has_bodies = any(entry.type == AttributeProto.GRAPH for node in nodes for entry in node.attribute)
    if has_bodies or not any(node.op_type in _IDLE for node in nodes):  # a body may read any value
        return model
    made = ModelProto()
    made.CopyFrom(model)
    known = EditableModel(made)
    idle = [node for node in known.nodes if node.op_type in _IDLE and _does_nothing(known, node)]
    return _without(made, idle) if idle else model


def _without(model: Any, idle: Sequence[Any]) -> Any:
    """The model, changed: each idle node's result has the name of its operand, or an output's name is that of both."""
    from onnx import helper  # noqa: PLC0415

    graph = model.graph
    made = {value for node in graph.node for value in node.output if value}
    fixed = {entry.name for entry in graph.output}
    gone = {node.output[0] for node in idle}
    called: dict[str, str] = {}

    def name_of(value: str) -> str:
        while value in called:
            value = called[value]
        return value

    kept = []
    for node in graph.node:
        if node.output[0] not in gone:
            kept.append(node)
            continue
        source, result = name_of(node.input[0]), node.output[0]
        if result not in fixed:
            called[result] = source
        elif source in made and source not in fixed:
            called[source] = result
        else:  # an output that is an input, a constant or another output
            kept.append(helper.make_node("Identity", [source], [result], node.name))
    for node in kept:
        for field in (node.input, node.output):
            names = [name_of(value) for value in field]
            del field[:]
            field.extend(names)
    del graph.node[:]
    graph.node.extend(kept)
    read = fixed.union(*(node.input for node in kept))
    constants = [tensor for tensor in graph.initializer if tensor.name in read]
    del graph.initializer[:]
    graph.initializer.extend(constants)
    del graph.value_info[:]
    return model


def _does_nothing(model: EditableModel, node: Any) -> bool:
    operator, attributes = node.op_type, attributes_of(node)
    if node.domain not in ("", "ai.onnx") or not node.input or not node.input[0]:
        return False
    if any(value and (model.readers(value) or model.is_output(value)) for value in node.output[1:]):
        return False
    if operator in ("Cast", "CastLike"):
        own = model.element_type(node.input[0])
        wanted = attributes.get("to", 0) if operator == "Cast" else model.element_type(node.input[1])
        return own == wanted != 0
    if operator in _OF_ONE:
        return len(node.input) == 1
    if operator == "Dropout":
        return _is_inference(model, node)
    return operator == "Identity" or _moves_nothing(model, node, attributes)


def _is_inference(model: EditableModel, node: Any) -> bool:
    """Whether a Dropout keeps everything: it trains only if an input says so."""
    if len(node.input) < 3 or not node.input[2]:
        return True
    trains = model.constant(node.input[2])
    return trains is not None and not trains.any()


def _moves_nothing(model: EditableModel, node: Any, attributes: dict[str, Any]) -> bool:
    operator = node.op_type
    shape, after = model.shape(node.input[0]), model.shape(node.output[0])
    if shape is None or shape != after:
        return False
    if operator in _RESHAPES or operator == "Split":
        return True
    if operator == "Transpose":
        order = attributes.get("perm", list(range(len(shape)))[::-1])
        varying = [d for d in order if shape[d] != 1]
        return varying == sorted(varying)
    if operator in ("DepthToSpace", "SpaceToDepth"):
        return attributes.get("blocksize") == 1
    if operator == "Slice":
        steps = model.constant(node.input[4]) if len(node.input) > 4 and node.input[4] else np.ones(1)
        return steps is not None and bool((steps > 0).all())
    pads = model.constant(node.input[1]) if len(node.input) > 1 else np.array(attributes.get("pads", []))
    return operator == "Pad" and pads is not None and not pads.any()

"""Finds the nodes that the quantiser leaves in float: chains that become tables, and ends for the host."""

from __future__ import annotations

from covenant.model.editable_model import EditableModel
from covenant.model.float_subgraphs import ELEMENTWISE

__all__ = ["chain_nodes", "closing_nodes"]

_BOUNDS = ("Relu", "Clip")
_TAKES_BOUNDS = ("Conv", "Gemm", "MatMul", "Add", "Mul")
"""Layers that a Relu or Clip after them becomes part of."""
_CLOSING = frozenset({"Softmax", "LogSoftmax", "ArgMax", "TopK", "Sigmoid", "NonMaxSuppression"})
"""Operators at the ends of models, beside movements, which the host computes better in float."""
_MOVING = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity", "Cast"})


def chain_nodes(model: EditableModel) -> list[str]:
    """Names of elementwise nodes whose operands depend on one tensor alone, element by element, and else are scalars.

    Between a DequantizeLinear and a QuantizeLinear each chain of them is one table (`covenant.model.float_subgraphs`)
    and rounds once. A Relu or Clip that is part of the layer before it stays outside.
    """
    source: dict[str, str] = {}  # result of a chain -> the tensor that it depends on
    names = []
    for node in model.nodes:
        if node.op_type not in ELEMENTWISE:
            continue
        varying = [value for value in node.input if value and not _is_scalar(model, value)]
        roots = {source.get(value, value) for value in varying}
        if len(roots) != 1 or any(model.constant(value) is not None for value in varying):
            continue
        maker = model.maker(varying[0])
        is_part = varying[0] not in source and maker is not None and maker.op_type in _TAKES_BOUNDS
        if node.op_type in _BOUNDS and is_part and model.is_read_once(varying[0]):
            continue
        source[node.output[0]] = roots.pop()
        names.append(node.name)
    return names


def closing_nodes(model: EditableModel) -> list[str]:
    """Names of the nodes at a model's end from the first Softmax or the like on, if nothing else follows it."""
    readers: dict[str, list[str]] = {entry.name: [] for entry in model.model.graph.output}
    for node in model.nodes:
        for value in node.input:
            readers.setdefault(value, []).append(node.name)
    names: list[str] = []
    for node in reversed(model.nodes):
        after = [readers.get(value) for value in node.output]
        leads_out = any(one is not None for one in after) and all(name in names for one in after for name in one or ())
        if leads_out and node.op_type in _CLOSING | _MOVING:
            names.append(node.name)
    kinds = {node.name: node.op_type for node in model.nodes}
    while names and kinds[names[-1]] in _MOVING:  # what moves elements in front of it stays inside
        names.pop()
    return names


def _is_scalar(model: EditableModel, value: str) -> bool:
    constant = model.constant(value)
    return constant is not None and constant.size == 1

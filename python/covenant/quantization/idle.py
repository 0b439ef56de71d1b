"""Nodes that bodies of operators leave, and that do nothing for these shapes."""

from __future__ import annotations

from typing import Any

from covenant.model.editable_model import EditableModel, attributes_of, made_node

__all__ = ["empty_parts_out"]


def empty_parts_out(model: EditableModel) -> int:
    """Concat and Split of parts without elements, Where by one answer for all: what is left, read directly."""
    replacements: dict[str, list[Any]] = {}
    instead: dict[str, str] = {}
    outputs = {entry.name for entry in model.model.graph.output}
    for node in model.nodes:
        made = _whole(model, node)
        left = _left(model, node) if made is None else [node.input[0]]
        if left is None:
            continue
        output = made or node.output[0]
        left = [instead.get(value, value) for value in left]
        replacements[node.output[0]] = []
        if len(left) > 1:
            replacements[node.output[0]] = [made_node("Concat", left, output, node.name, **attributes_of(node))]
        elif output in outputs:
            replacements[node.output[0]] = [made_node("Identity", left, output, node.name)]
        else:
            instead[output] = left[0]
    for node in model.nodes:
        for place, value in enumerate(node.input):
            if value in instead:
                node.input[place] = instead[value]
    model.replace(replacements)
    return len(replacements)


def _whole(model: EditableModel, node: Any) -> str | None:
    """The only part of a Split that has elements; None of others."""
    shapes = [model.shape(value) for value in node.output] if node.op_type == "Split" else []
    parts = [value for value, shape in zip(node.output, shapes, strict=False) if shape is None or 0 not in shape]
    return parts[0] if len(parts) == 1 < len(shapes) else None


def _left(model: EditableModel, node: Any) -> list[str] | None:
    """Operands that make the result; None if all do."""
    if node.op_type == "Concat":
        shapes = [model.shape(value) for value in node.input]
        left = [value for value, shape in zip(node.input, shapes, strict=True) if shape is None or 0 not in shape]
        return left if 0 < len(left) < len(node.input) else None
    condition = model.constant(node.input[0]) if node.op_type == "Where" else None
    if condition is None or (condition.any() and not condition.all()):
        return None
    value = node.input[1 if condition.all() else 2]
    shape = model.shape(value)
    return [value] if shape is not None and shape == model.shape(node.output[0]) else None

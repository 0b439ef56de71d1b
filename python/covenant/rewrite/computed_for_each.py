"""What a QuantizeLinear and something else read, computed once for each of them.

A machine writes a layer's result under one quantisation. Where a model quantises it twice, or the host reads it, too,
the layer is done again: no element changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from covenant.editable_model import EditableModel, made_node
from covenant.rewrite.carriers import Goal, computed_values, goal_in

__all__ = ["computed_for_each"]

_MOST_COPIED = 64
"""Nodes that are computed once more: more are no single layer."""


def computed_for_each(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Copies of what several QuantizeLinear read, or one and other nodes; one stands for all that are alike."""
    computed = computed_values(model)
    order = {node.output[0]: place for place, node in enumerate(model.nodes)}
    replacements: dict[str, Sequence[Any]] = {}
    for value in dict.fromkeys(node.input[0] for node in model.nodes if node.op_type == "QuantizeLinear"):
        readers = model.readers(value)
        if value not in computed or (len(readers) == 1 and not model.is_output(value)):
            continue
        groups: dict[Goal, list[Any]] = {}
        for reader in readers:
            goal = goal_in(model, reader) if reader.op_type == "QuantizeLinear" else None
            if goal is not None:
                groups.setdefault(goal, []).append(reader)
        is_read_otherwise = sum(map(len, groups.values())) < len(readers) or model.is_output(value)
        copied = list(groups)[0 if is_read_otherwise else 1 :]
        cone = _cone(model, value, order) if copied else []
        for goal, (first, *rest) in groups.items():
            if goal in copied and cone:
                nodes, source = _copied(cone, value, first)
                again = type(first)()
                again.CopyFrom(first)
                again.input[0] = source
                replacements[first.output[0]] = [*nodes, again]
            for other in rest:
                same = made_node("Identity", [first.output[0]], other.output[0], other.name)
                replacements[other.output[0]] = [same]
    return replacements


def _cone(model: EditableModel, value: str, order: dict[str, int]) -> list[Any]:
    """The float nodes that make a value of stored tensors and constants, in the model's order; none if too many."""
    found: dict[str, Any] = {}
    wanted = [value]
    while wanted:
        node = model.maker(wanted.pop())
        if node is None or node.op_type == "DequantizeLinear" or node.output[0] in found:
            continue
        found[node.output[0]] = node
        wanted.extend(node.input)
        if len(found) > _MOST_COPIED:
            return []
    return [found[name] for name in sorted(found, key=lambda one: order[one])]


def _copied(cone: Iterable[Any], value: str, quantize: Any) -> tuple[list[Any], str]:
    """The same nodes with names of their own, for one QuantizeLinear; the name of the value that they make."""
    copies: list[Any] = []
    called: dict[str, str] = {}
    for node in cone:
        copy = type(node)()
        copy.CopyFrom(node)
        copy.name = f"{node.name or node.output[0]}/for/{quantize.output[0]}"
        for place, operand in enumerate(node.input):
            copy.input[place] = called.get(operand, operand)
        for place, output in enumerate(node.output):
            if output:
                called[output] = copy.output[place] = f"{output}/for/{quantize.output[0]}"
        copies.append(copy)
    return copies, called[value]

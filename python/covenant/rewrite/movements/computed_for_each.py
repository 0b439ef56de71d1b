"""Computes a layer once for each of its readers, if a QuantizeLinear and something else read it.

A machine writes a layer's result under one quantisation. Where a model quantises it twice, or the host reads it, too,
the layer is done again: no element changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

from covenant.model.carriers import Goal, computed_values, goal_in
from covenant.model.editable_model import EditableModel, made_node

__all__ = ["computed_for_each"]

_MOST_COPIED = 64
"""Nodes that are computed once more: more are no single layer."""


def computed_for_each(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Copies of what several QuantizeLinear are made of, or one and other nodes; one stands for all that are alike."""
    computed = computed_values(model)
    groups: dict[tuple[str, Goal], list[Any]] = {}
    for node in model.nodes:
        goal = goal_in(model, node) if node.op_type == "QuantizeLinear" and node.input[0] in computed else None
        if goal is not None:
            groups.setdefault((node.input[0], goal), []).append(node)
    order = {node.output[0]: place for place, node in enumerate(model.nodes)}
    cones = {key: _cone(model, key[0], order, computed) for key in groups}
    made = {node.output[0]: node for cone in cones.values() for node in cone}
    inside = made.keys() | {node.output[0] for group in groups.values() for node in group}
    taken = {name for name, node in made.items() if _is_read_otherwise(model, node, inside)}
    replacements: dict[str, Sequence[Any]] = {}
    for (value, goal), (first, *rest) in groups.items():
        cone = cones[value, goal]
        names = {node.output[0] for node in cone}
        if taken.isdisjoint(names):
            taken |= names
        elif _may_be_copied(model, cone, taken):
            nodes, source = _copied(cone, value, first)
            again = type(first)()
            again.CopyFrom(first)
            again.input[0] = source
            replacements[first.output[0]] = [*nodes, again]
        for other in rest:
            replacements[other.output[0]] = [made_node("Identity", [first.output[0]], other.output[0], other.name)]
    return replacements


def _is_read_otherwise(model: EditableModel, node: Any, inside: Set[str]) -> bool:
    """Whether an output of the model, or a node outside, needs what a node makes."""
    values = [value for value in node.output if value]
    readers = [reader.output[0] for value in values for reader in model.readers(value)]
    return any(map(model.is_output, values)) or not inside >= set(readers)


def _may_be_copied(model: EditableModel, cone: Sequence[Any], taken: set[str]) -> bool:
    """Whether a cone is small, and what chooses in it is its own: selections share what they choose by."""
    chooses = any(node.op_type == "Where" for node in cone)
    return 0 < len(cone) <= _MOST_COPIED and (not chooses or cone[-1].output[0] in taken)


def _cone(model: EditableModel, value: str, order: dict[str, int], computed: set[str]) -> list[Any]:
    """The nodes that make a value of stored tensors, constants and what the host makes, in the model's order.

    One more than may be copied, if there are more.
    """
    found: dict[str, Any] = {}
    wanted = [value]
    while wanted and len(found) <= _MOST_COPIED:
        one = wanted.pop()
        node = model.maker(one) if one in computed else None
        if node is not None and node.output[0] not in found:
            found[node.output[0]] = node
            wanted.extend(node.input)
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

"""Max and Min of a quantised tensor and a float input, which quantisers in QOperator style leave in float.

Quantising is monotone: the larger of two numbers, quantised, is the larger of both, quantised in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from covenant.model.editable_model import EditableModel, made_node
from covenant.model.stored_values import Steps, goal_of

__all__ = ["compared_inputs"]


def compared_inputs(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Rewrites Max and Min before a QuantizeLinear: what is made of inputs alone is quantised like the result."""
    compared = [node for node in model.nodes if node.op_type in ("Max", "Min") and not node.domain]
    if not compared:
        return {}
    real = _real_values(model)
    replacements: dict[str, Sequence[Any]] = {}
    for node in compared:
        found = goal_of(model, node.output[0])
        floats = real.intersection(node.input)
        varying = [value for value in node.input if model.constant(value) is None]
        if found is None or not floats or floats.issuperset(varying):
            continue
        steps = Steps(model, node)
        operands = [
            steps.under(found[1], value, f"operand{place}") if value in floats else value
            for place, value in enumerate(node.input)
        ]
        last = made_node(node.op_type, operands, node.output[0], node.name)
        replacements[node.output[0]] = [*steps.made, last]
    return replacements


def _real_values(model: EditableModel) -> set[str]:
    """Inputs, and what is made of nothing else but constants, before anything is quantised."""
    real = {value for value in model.inputs if model.constant(value) is None}
    for node in model.nodes:
        made_of = [value for value in node.input if value and model.constant(value) is None]
        if made_of and real.issuperset(made_of) and node.op_type not in ("DequantizeLinear", "QuantizeLinear"):
            real |= set(node.output)
    return real

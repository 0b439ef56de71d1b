"""Rewrites ReduceMin as the complement of ReduceMax of complements.

Both complements are tables, and all of it is exact: quantising is monotone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.element_types import every_element, is_byte
from covenant.model.stored_values import Steps, goal_of, meaning_of
from covenant.rewrite.elementwise.tables import DOMAIN, OPERATOR

__all__ = ["minima"]


def minima(model: EditableModel) -> dict[str, Sequence[Any]]:
    """ReduceMin between a DequantizeLinear and a QuantizeLinear of bytes: a table, ReduceMax and a table."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        found = goal_of(model, node.output[0]) if node.op_type == "ReduceMin" else None
        dequantize = model.maker(node.input[0]) if found is not None else None
        if found is None or dequantize is None or dequantize.op_type != "DequantizeLinear":
            continue
        (quantize, goal), source = found, meaning_of(model, dequantize)
        if source is None or not is_byte(source.zero.dtype) or not is_byte(goal.zero.dtype):
            continue
        steps = Steps(model, node)
        stored = goal.stored(source.real(every_element(source.zero.dtype)))
        table = steps.constant(_complement(goal, stored))
        meaning = [goal.scale, goal.zero_point]
        inputs = [dequantize.input[0], source.scale, source.zero_point, table, *meaning]
        value = steps.add("DequantizeLinear", [steps.add(OPERATOR, inputs, "complement", DOMAIN), *meaning], "real")
        value = steps.add("ReduceMax", [value, *node.input[1:]], "largest", **attributes_of(node))
        value = steps.add("QuantizeLinear", [value, *meaning], "largest/stored")
        back = steps.constant(_complement(goal, every_element(goal.zero.dtype)))
        inputs = [value, *meaning, back, *meaning]
        last = made_node(OPERATOR, inputs, quantize.output[0], f"{node.name or node.output[0]}/least", DOMAIN)
        replacements[node.output[0]] = steps.made
        replacements[quantize.output[0]] = [last]
    return replacements


def _complement(goal: Any, stored: np.ndarray) -> np.ndarray:
    """Elements as far from the greatest as these are from the least."""
    return (goal.lowest + goal.highest - stored.astype(np.int32)).astype(goal.zero.dtype)

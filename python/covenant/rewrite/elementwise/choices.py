"""Rewrites operators that pick elements of several tensors: minima, maxima, and products with 1 and 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.ends import host_nodes
from covenant.model.float_subgraphs import find_float_subgraphs
from covenant.model.stored_values import Meaning, Steps, axes_of, goal_of, real_constant

__all__ = ["choices", "constant_parts", "integer_forms", "selections"]


def integer_forms(model: EditableModel) -> dict[str, Sequence[Any]]:
    """QLinearWhere, and QLinearConcat with a constant: dequantised, done, quantised."""
    replacements = {}
    for node in model.nodes:
        is_choice = node.op_type == "QLinearWhere"
        if is_choice:
            places, whole, ends = (1, 4), [node.input[0]], (7, 8)
        elif node.op_type == "QLinearConcat" and any(model.constant(one) is not None for one in node.input[2::3]):
            places, whole, ends = tuple(range(2, len(node.input), 3)), [], (0, 1)
        else:
            continue
        steps = Steps(model, node)
        for i, place in enumerate(places):
            whole.append(steps.add("DequantizeLinear", node.input[place : place + 3], f"operand{i}"))
        result = steps.add(node.op_type.removeprefix("QLinear"), whole, "result", **attributes_of(node))
        steps.add("QuantizeLinear", [result, *(node.input[end] for end in ends)])
        replacements[node.output[0]] = steps.made
    return replacements


def constant_parts(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Concat with constants: pads in their place, then a Where."""
    replacements = {}
    for node in model.nodes:
        known = [real_constant(model, value) for value in node.input] if node.op_type == "Concat" else []
        shapes = [model.shape(value) for value in node.input]
        has_both = any(one is not None for one in known) and any(one is None for one in known)
        if not has_both or any(shape is None for shape in shapes) or goal_of(model, node.output[0]) is None:
            continue
        rank = len(shapes[0] or ())
        axes = axes_of(np.array(attributes_of(node)["axis"]), rank)
        if axes is None:
            continue
        (axis,) = axes
        sizes = [(shape or ())[axis] for shape in shapes]
        steps, parts, before = Steps(model, node), [], 0
        for i, value in enumerate(node.input):
            if known[i] is not None:
                before += sizes[i]
                continue
            is_last = all(one is not None for one in known[i + 1 :])
            after = sum(sizes[i + 1 :]) if is_last else 0
            if before or after:
                pads = np.zeros((2, rank), np.int64)
                pads[0, axis], pads[1, axis] = before, after
                parts.append(steps.add("Pad", [value, steps.constant(pads.reshape(-1))], f"padded{i}"))
            else:
                parts.append(value)
            before = 0
        varying = steps.add("Concat", parts, "varying", axis=axis) if len(parts) > 1 else parts[0]
        is_constant = np.repeat([one is not None for one in known], sizes)
        along = [1] * rank
        along[axis] = -1
        pairs = zip(known, shapes, strict=True)
        filled = [np.zeros(shape or (), np.float32) if one is None else one for one, shape in pairs]
        whole = np.concatenate(filled, axis)
        condition = steps.constant(is_constant.reshape(along))
        steps.add("Where", [condition, steps.constant(whole), varying])
        replacements[node.output[0]] = steps.made
    return replacements


def choices(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Rewrites Where by a constant: what is not chosen is set to the lowest value, and the larger one counts."""
    replacements = {}
    for node in model.nodes:
        is_first = model.constant(node.input[0]) if node.op_type == "Where" else None
        found = goal_of(model, node.output[0]) if is_first is not None else None
        if is_first is None or found is None:
            continue
        (_, goal), steps, operands = found, Steps(model, node), []
        for place, is_chosen in ((1, is_first), (2, ~is_first)):
            value, what = node.input[place], f"operand{place}"
            known = real_constant(model, value)
            if known is not None:
                stored = np.where(is_chosen, goal.stored(known), goal.zero.dtype.type(goal.lowest))
                operands.append(steps.real(goal, stored, what))
                continue
            most = np.where(is_chosen, goal.highest, goal.lowest).astype(goal.zero.dtype)
            limit = steps.real(goal, most, f"{what}/limit")
            held = steps.add("Min", [steps.under(goal, value, what), limit], f"{what}/held")
            operands.append(steps.under(goal, held, f"{what}/chosen"))
        steps.add("Max", operands)
        replacements[node.output[0]] = steps.made
    return replacements


def selections(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Rewrites Where by a computed condition: one side times 1 or 0, the other times 0 or 1, and their sum.

    All of it is exact: both sides are stored as the result is, and so are their products and their sum.
    """
    done_otherwise = {node.output[0] for node in host_nodes(model.model)}
    done_otherwise |= {node.output[0] for subgraph in find_float_subgraphs(model.model) for node in subgraph.nodes}
    flags: dict[tuple[str, Any], tuple[str, str]] = {}
    replacements = {}
    for node in model.nodes:
        found = goal_of(model, node.output[0]) if node.op_type == "Where" else None
        if found is None or model.constant(node.input[0]) is not None or node.output[0] in done_otherwise:
            continue
        (_, goal), steps, products = found, Steps(model, node), []
        flag = (node.input[0], goal.zero.dtype)
        if flag not in flags:
            flags[flag] = _flags(steps, *flag)
        for place, is_chosen in ((1, flags[flag][0]), (2, flags[flag][1])):
            value, what = node.input[place], f"operand{place}"
            known = real_constant(model, value)
            one = steps.under(goal, value, what) if known is None else steps.real(goal, goal.stored(known), what)
            products.append(steps.under(goal, steps.add("Mul", [one, is_chosen], f"{what}/chosen"), f"{what}/product"))
        steps.add("Add", products)
        replacements[node.output[0]] = steps.made
    return replacements


def _flags(steps: Steps, condition: str, dtype: Any) -> tuple[str, str]:
    """1 where a condition holds and 0 elsewhere, and the other way round: real values under a quantisation."""
    from onnx import TensorProto  # noqa: PLC0415

    one, zero = np.float32(1), np.zeros((), dtype)
    stored = Meaning(steps.constant(np.array(one)), steps.constant(zero), one, zero)
    holds = steps.under(stored, steps.add("Cast", [condition], "holds", to=TensorProto.FLOAT), "holds")
    fails = steps.add("Sub", [steps.constant(np.array(one)), holds], "fails")
    return holds, steps.under(stored, fails, "fails")

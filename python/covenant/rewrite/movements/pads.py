"""Rewrites a Pad by a value into a Pad by zero and a sum with a constant: zero inside, the value around.

Both are exact. Under the scale of its result a tensor padded by zero has its zero point around it; the constant has its
zero point inside and the stored value around, so each sum of stored elements is one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.ends import host_nodes
from covenant.model.kernels import MOVEMENTS
from covenant.model.stored_values import Meaning, Steps, meaning_of, real_constant, stored_meaning

__all__ = ["cutting_pads", "pads_by_value"]


def cutting_pads(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Pad by constants with negative pads: a Slice, and a Pad with the others."""
    replacements = {}
    for node in model.nodes:
        around = _around(model, node)
        if around is None or not (around < 0).any():
            continue
        shape = np.array(model.shape(node.input[0]))
        starts, ends = np.maximum(-around[0], 0), shape - np.maximum(-around[1], 0)
        if (ends <= starts).any():
            continue
        steps = Steps(model, node)
        axes = steps.constant(np.arange(shape.size))
        value = steps.add("Slice", [node.input[0], steps.constant(starts), steps.constant(ends), axes], "cut")
        steps.add("Pad", [value, steps.constant(np.maximum(around, 0).reshape(-1)), *node.input[2:3]])
        replacements[node.output[0]] = steps.made
    return replacements


def pads_by_value(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Pad by another value than zero, or than the zero point of stored elements: a Pad by zero and a sum.

    The value is a constant, infinite at most, or an f32 input of the model. It is rounded as the QuantizeLinear after
    the Pad rounds it; where there is none, it has to be a value of the tensor's scale.
    """
    by_host = {node.output[0] for node in host_nodes(model.model)}
    replacements = {}
    for node in model.nodes:
        around = _around(model, node)
        if around is None or (around < 0).any() or node.output[0] in by_host:
            continue
        if not around.any():
            steps = Steps(model, node)
            steps.add("Identity", node.input[:1])
            replacements[node.output[0]] = steps.made
            continue
        steps = _on_stored(model, node, around) if _is_stored(model, node) else _on_reals(model, node, around)
        if steps is not None:
            replacements[node.output[0]] = steps.made
    return replacements


def _around(model: EditableModel, node: Any) -> np.ndarray | None:
    """Elements before and after each dimension: [2, rank]; None: no Pad by one value, or its pads are not constant."""
    shape = model.shape(node.input[0]) if node.op_type == "Pad" and len(node.input) > 1 else None
    pads = model.constant(node.input[1]) if shape is not None else None
    if shape is None or pads is None or attributes_of(node).get("mode", b"constant") != b"constant":
        return None
    named = len(node.input) > 3 and node.input[3]
    axes = model.constant(node.input[3]) if named else np.arange(len(shape))
    if axes is None or pads.size != 2 * axes.size or (np.abs(axes + 0.5) > len(shape)).any():
        return None
    around = np.zeros((2, len(shape)), np.int64)
    around[:, axes] = pads.reshape(2, -1)
    return around


def _value_name(node: Any) -> str:
    return node.input[2] if len(node.input) > 2 else ""


def _is_stored(model: EditableModel, node: Any) -> bool:
    return stored_meaning(model, node.input[0]) is not None


def _on_stored(model: EditableModel, node: Any, around: np.ndarray) -> Steps | None:
    """A Pad of stored elements, whose value is one, too: 0 where none is said."""
    meaning, name = stored_meaning(model, node.input[0]), _value_name(node)
    known = model.constant(name) if name else np.zeros(1, np.int64)
    if meaning is None or known is None or known.size != 1 or known.reshape(-1)[0] == meaning.zero:
        return None
    steps = Steps(model, node)
    real = steps.add("DequantizeLinear", [node.input[0], meaning.scale, meaning.zero_point], "real")
    total = _padded(model, node, steps, meaning, (real, around, known.reshape(-1)[0]))
    steps.add("QuantizeLinear", [total, meaning.scale, meaning.zero_point])
    return steps


def _on_reals(model: EditableModel, node: Any, around: np.ndarray) -> Steps | None:
    name = _value_name(node)
    known = real_constant(model, name) if name else np.zeros(1, np.float32)
    is_input = known is None and model.maker(name) is None and name in model.inputs
    if known is not None and known.size == 1 and not known.any() and model.maker(name) is not None:
        steps = Steps(model, node)  # zero, dequantised
        steps.add("Pad", [node.input[0], steps.constant(around.reshape(-1))])
        return steps
    if not is_input and (known is None or known.size != 1 or np.isnan(known).any() or not known.any()):
        return None
    goal = _goal(model, node, known)
    if goal is None:
        return None
    steps = Steps(model, node)
    inside = steps.under(goal, node.input[0], "inside")
    if known is None:
        is_around = steps.constant(_is_around(model, node, around))
        zero = steps.constant(np.zeros((), np.float32))
        border = steps.under(goal, steps.add("Where", [is_around, name, zero], "border"), "border")
        padded = _padded_by_zero(steps, inside, around)
        total = steps.add("Add", [padded, border], "total")
    else:
        total = _padded(model, node, steps, goal, (inside, around, goal.stored(known).reshape(-1)[0]))
    stored = steps.add("QuantizeLinear", [total, goal.scale, goal.zero_point], "stored")
    steps.add("DequantizeLinear", [stored, goal.scale, goal.zero_point])
    return steps


def _padded_by_zero(steps: Steps, value: str, around: np.ndarray) -> str:
    return steps.add("Pad", [value, steps.constant(around.reshape(-1))], "zeros")


def _padded(model: EditableModel, node: Any, steps: Steps, meaning: Meaning, said: tuple[str, np.ndarray, Any]) -> str:
    """The sum: of a real value, the elements around it, and what is stored there."""
    value, around, stored = said
    padded = _padded_by_zero(steps, value, around)
    border = np.where(_is_around(model, node, around), stored, meaning.zero).astype(meaning.zero.dtype)
    return steps.add("Add", [padded, steps.real(meaning, border, "border")], "total")


def _is_around(model: EditableModel, node: Any, around: np.ndarray) -> np.ndarray:
    """Mask in the shape of the result: whether an element lies outside of the tensor."""
    shape = model.shape(node.input[0]) or ()
    return np.pad(np.zeros(shape, np.bool_), around.T, constant_values=True)


def _goal(model: EditableModel, node: Any, known: np.ndarray | None) -> Meaning | None:
    """Under which scale and zero point the padded tensor is stored."""
    goals = list(_goals(model, node.output[0]))
    if goals and all(one is not None and goals[0] is not None and one.is_like(goals[0]) for one in goals):
        return goals[0]
    maker = model.maker(node.input[0])
    source = meaning_of(model, maker) if maker is not None and maker.op_type == "DequantizeLinear" else None
    if source is None or known is None or source.real(source.stored(known)).item() != known.item():
        return None
    return source


def _goals(model: EditableModel, value: str) -> Iterator[Meaning | None]:
    """Quantisation of the value by each reader, behind movements; None for one that does not quantise it."""
    if model.is_output(value):
        yield None
    for reader in model.readers(value):
        if reader.op_type == "QuantizeLinear":
            yield meaning_of(model, reader)
        elif reader.op_type in (*MOVEMENTS, "MaxPool") and not reader.domain and reader.input[0] == value:
            for output in reader.output:
                yield from _goals(model, output)
        else:
            yield None

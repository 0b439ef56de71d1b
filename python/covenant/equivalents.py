"""Operators of a quantised model said by others that the compiler knows.

Most of them make no new number: what a Tile, a Where by a constant, a GlobalMaxPool, a ReduceMax or a Concat with
constants picks is there before. Quantising is monotone, so movements, minima and maxima of stored values say the same,
byte for byte. A ReduceMean and a ReduceSum become an average of the same elements; ONNX Runtime adds floats in an order
of its own there, so bytes may be a step away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.editable_model import EditableModel
from covenant.kernels import MOVEMENTS
from covenant.tables import DOMAIN, OPERATOR

__all__ = ["with_equivalents"]

_REDUCTIONS = {"ReduceMax": "MaxPool", "ReduceMean": "GlobalAveragePool", "ReduceSum": "GlobalAveragePool"}
_SAID = frozenset({"Concat", "GlobalMaxPool", "QLinearConcat", "QLinearWhere", "Tile", "Where", *_REDUCTIONS})
_MOVED = frozenset(MOVEMENTS) - {"Concat", "Pad", "Split"}
"""Movements of one tensor that know no value of their own."""


def with_equivalents(model: Any) -> Any:
    """The model with such operators said by others; what is not constant enough for that stays as it is.

    Args:
        model: a quantised `onnx.ModelProto`, constants folded; left as it is.

    Returns:
        The same object if there is nothing to do.
    """
    from onnx import ModelProto, helper  # noqa: PLC0415  (import costs; a model that the compiler knows does not pay)

    if not any(node.op_type in _SAID for node in model.graph.node):
        return model
    made = ModelProto()
    made.CopyFrom(model)
    if all(entry.domain != DOMAIN for entry in made.opset_import):
        made.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    editable = EditableModel(made)
    rewrites: tuple[Callable[[EditableModel], dict[str, Sequence[Any]]], ...] = (
        _integer_forms, _tiles, _global_maxima, _constant_parts, _choices, _reductions
    )  # fmt: skip
    count = 0
    for rewrite in rewrites:
        replacements = rewrite(editable)
        count += len(replacements)
        editable.replace(replacements)
    while replacements := _quantised_first(editable):
        count += 1
        editable.replace(replacements)
    return made if count else model


@dataclass(frozen=True)
class _Meaning:
    """Names of the constants that say what stored values mean, and what they are."""

    scale: str
    zero_point: str
    step: np.float32
    zero: np.ndarray
    """One element of the stored dtype."""

    @property
    def limits(self) -> Any:
        return np.iinfo(self.zero.dtype)

    def stored(self, real: np.ndarray) -> np.ndarray:
        """QuantizeLinear."""
        steps = np.rint(real.astype(np.float32) / self.step) + np.float32(self.zero)
        return np.clip(steps, self.limits.min, self.limits.max).astype(self.zero.dtype)

    def real(self, stored: np.ndarray) -> np.ndarray:
        """DequantizeLinear."""
        return (stored.astype(np.int32) - self.zero.astype(np.int32)).astype(np.float32) * self.step


def _meaning(model: EditableModel, node: Any, place: int = 1) -> _Meaning | None:
    """Of the inputs from `place` on: one scale for the whole tensor, and its zero point."""
    names = [*node.input[place : place + 2], ""][:2]
    scale = model.constant(names[0])
    if scale is None or scale.size != 1:
        return None
    zero = model.constant(names[1]) if names[1] else np.zeros((), np.uint8)
    if zero is None:
        return None
    return _Meaning(*names, np.float32(scale.reshape(-1)[0]), zero.reshape(-1)[:1].reshape(()))


def _goal(model: EditableModel, value: str) -> tuple[Any, _Meaning] | None:
    """The QuantizeLinear that alone reads a value, and what it makes of it."""
    readers = [node for node in model.nodes if value in node.input]
    if len(readers) != 1 or readers[0].op_type != "QuantizeLinear" or not model.is_read_once(value):
        return None
    meaning = _meaning(model, readers[0])
    return None if meaning is None else (readers[0], meaning)


def _real_constant(model: EditableModel, value: str) -> np.ndarray | None:
    """An f32 initialiser, or one that is dequantised."""
    maker = model.maker(value)
    if maker is None or maker.op_type != "DequantizeLinear":
        return model.constant(value)
    stored, meaning = model.constant(maker.input[0]), _meaning(model, maker)
    return None if stored is None or meaning is None else meaning.real(stored)


def _attributes(node: Any) -> dict[str, Any]:
    from onnx import helper  # noqa: PLC0415

    return {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}


def _node(operator: str, inputs: Sequence[str], output: str, name: str, domain: str = "", **attributes: Any) -> Any:
    from onnx import helper  # noqa: PLC0415

    return helper.make_node(operator, list(inputs), [output], name, domain=domain, **attributes)


class _Steps:
    """Nodes one after the other that end in what `node` makes, named after it."""

    def __init__(self, model: EditableModel, node: Any) -> None:
        self.made: list[Any] = []
        self._model = model
        self._output = node.output[0]
        self._name = node.name or node.output[0]

    def constant(self, array: np.ndarray) -> str:
        return self._model.add_constant(array, self._output)

    def add(self, operator: str, inputs: Sequence[str], what: str = "", domain: str = "", **attributes: Any) -> str:
        """The value that it makes; `what` names it, nothing: the last step."""
        output = f"{self._output}/{what}" if what else self._output
        name = f"{self._name}/{what}" if what else self._name
        self.made.append(_node(operator, inputs, output, name, domain, **attributes))
        return output

    def reshape(self, value: str, shape: Sequence[int], what: str = "") -> str:
        return self.add("Reshape", [value, self.constant(np.array(shape, np.int64))], what)

    def under(self, goal: _Meaning, value: str, what: str) -> str:
        """A real value quantised and dequantised."""
        stored = self.add("QuantizeLinear", [value, goal.scale, goal.zero_point], f"{what}/stored")
        return self.add("DequantizeLinear", [stored, goal.scale, goal.zero_point], f"{what}/real")

    def real(self, goal: _Meaning, stored: np.ndarray, what: str) -> str:
        """A stored constant, dequantised."""
        return self.add("DequantizeLinear", [self.constant(stored), goal.scale, goal.zero_point], what)


def _integer_forms(model: EditableModel) -> dict[str, Sequence[Any]]:
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
        steps = _Steps(model, node)
        for i, place in enumerate(places):
            whole.append(steps.add("DequantizeLinear", node.input[place : place + 3], f"operand{i}"))
        result = steps.add(node.op_type.removeprefix("QLinear"), whole, "result", **_attributes(node))
        steps.add("QuantizeLinear", [result, *(node.input[end] for end in ends)])
        replacements[node.output[0]] = steps.made
    return replacements


def _tiles(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Each repeated dimension gets another one before it, which is expanded."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "Tile" else None
        counts = model.constant(node.input[1]) if shape is not None else None
        if shape is None or counts is None or min(counts, default=0) < 1:
            continue
        steps = _Steps(model, node)
        apart = [size for pair in zip([1] * len(shape), shape, strict=True) for size in pair]
        wanted = [size for pair in zip(counts, shape, strict=True) for size in pair]
        value = steps.reshape(node.input[0], apart, "apart")
        value = steps.add("Expand", [value, steps.constant(np.array(wanted, np.int64))], "many")
        steps.reshape(value, [size * count for size, count in zip(shape, counts, strict=True)])
        replacements[node.output[0]] = steps.made
    return replacements


def _global_maxima(model: EditableModel) -> dict[str, Sequence[Any]]:
    """GlobalMaxPool: one window."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "GlobalMaxPool" else None
        if shape is not None and len(shape) > 2:
            pool = _node("MaxPool", [node.input[0]], node.output[0], node.name, kernel_shape=shape[2:])
            replacements[node.output[0]] = [pool]
    return replacements


def _choices(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Where by a constant: what is not chosen is held at the lowest value, and the larger one counts."""
    replacements = {}
    for node in model.nodes:
        is_first = model.constant(node.input[0]) if node.op_type == "Where" else None
        found = _goal(model, node.output[0]) if is_first is not None else None
        if is_first is None or found is None:
            continue
        (_, goal), steps, operands = found, _Steps(model, node), []
        for place, is_chosen in ((1, is_first), (2, ~is_first)):
            value, what = node.input[place], f"operand{place}"
            known = _real_constant(model, value)
            if known is not None:
                stored = np.where(is_chosen, goal.stored(known), goal.zero.dtype.type(goal.limits.min))
                operands.append(steps.real(goal, stored, what))
                continue
            most = np.where(is_chosen, goal.limits.max, goal.limits.min).astype(goal.zero.dtype)
            limit = steps.real(goal, most, f"{what}/limit")
            held = steps.add("Min", [steps.under(goal, value, what), limit], f"{what}/held")
            operands.append(steps.under(goal, held, f"{what}/chosen"))
        steps.add("Max", operands)
        replacements[node.output[0]] = steps.made
    return replacements


def _constant_parts(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Concat with constants: pads in their place, then a Where."""
    replacements = {}
    for node in model.nodes:
        known = [_real_constant(model, value) for value in node.input] if node.op_type == "Concat" else []
        shapes = [model.shape(value) for value in node.input]
        has_both = any(one is not None for one in known) and any(one is None for one in known)
        if not has_both or any(shape is None for shape in shapes) or _goal(model, node.output[0]) is None:
            continue
        rank = len(shapes[0] or ())
        axis = int(_attributes(node)["axis"]) % rank
        sizes = [(shape or ())[axis] for shape in shapes]
        steps, parts, before = _Steps(model, node), [], 0
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


def _reductions(model: EditableModel) -> dict[str, Sequence[Any]]:
    """ReduceMax, ReduceMean and ReduceSum as pools: the dimensions that go become rows of an image."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type in _REDUCTIONS else None
        axes = _axes(model, node, len(shape)) if shape is not None else None
        found = _goal(model, node.output[0]) if shape is not None else None
        if shape is None or axes is None or found is None:
            continue
        steps = _Steps(model, node)
        kept = [d for d in range(len(shape)) if d not in axes]
        batch = [0] if kept[:1] == [0] and len(kept) > 1 else []
        order = [*batch, *(d for d in kept if d not in batch), *axes]
        image = [
            int(np.prod([shape[d] for d in batch])), int(np.prod([shape[d] for d in kept if d not in batch])),
            int(np.prod([shape[d] for d in axes])), 1,
        ]  # fmt: skip
        value = node.input[0]
        if order == [0, 1, 2, 3]:
            image = list(shape)
        elif order != list(range(len(shape))):
            value = steps.add("Transpose", [value], "turned", perm=order)
        if image != [shape[d] for d in order]:
            value = steps.reshape(value, image, "image")
        pool = _REDUCTIONS[node.op_type]
        value = steps.add(pool, [value], "pool", **({"kernel_shape": image[2:]} if pool == "MaxPool" else {}))
        keeps = _attributes(node).get("keepdims", 1)
        shape_after = [1 if d in axes else size for d, size in enumerate(shape) if keeps or d not in axes]
        quantize, goal = found
        if node.op_type != "ReduceSum":
            steps.reshape(value, shape_after)
            replacements[node.output[0]] = steps.made
            continue
        # The mean in steps of the sum's scale over the count: the same stored values.
        count = np.float32(image[2] * image[3])
        step, same = steps.constant(goal.step / count), np.arange(256, dtype=np.uint8).view(goal.zero.dtype)
        zero = steps.constant(goal.zero)
        value = steps.add("QuantizeLinear", [value, step, zero], "mean")
        inputs = [value, step, zero, steps.constant(same), goal.scale, zero]
        value = steps.add(OPERATOR, inputs, "sum", DOMAIN)
        wanted = steps.constant(np.array(shape_after, np.int64))
        replacements[node.output[0]] = steps.made
        replacements[quantize.output[0]] = [
            _node("Reshape", [value, wanted], quantize.output[0], f"{node.name}/shape"),
        ]
    return replacements


def _axes(model: EditableModel, node: Any, rank: int) -> list[int] | None:
    """The dimensions that go, sorted; None if they are not known, or none."""
    attributes = _attributes(node)
    stated = attributes.get("axes")
    if len(node.input) > 1 and node.input[1]:
        given = model.constant(node.input[1])
        if given is None:
            return None
        stated = given.reshape(-1).tolist()
    if not stated:
        return None if attributes.get("noop_with_empty_axes", 0) else list(range(rank))
    return sorted(int(axis) % rank for axis in stated)


def _quantised_first(model: EditableModel) -> dict[str, Sequence[Any]]:
    """One movement between a float operator and its QuantizeLinear: it moves what is quantised."""
    for node in model.nodes:
        maker = model.maker(node.input[0]) if node.op_type in _MOVED and not node.domain else None
        if maker is None or maker.op_type in (*MOVEMENTS, "DequantizeLinear") or not model.is_read_once(node.input[0]):
            continue
        found = _goal(model, node.output[0])
        if found is None or (node.op_type == "Resize" and _attributes(node).get("mode", b"nearest") != b"nearest"):
            continue
        quantize, goal = found
        stored = f"{node.output[0]}/before"
        moved = type(node)()
        moved.CopyFrom(node)
        moved.input[0], moved.output[0] = stored, quantize.output[0]
        inputs = [node.input[0], goal.scale, goal.zero_point]
        first = _node("QuantizeLinear", inputs, stored, quantize.name)
        return {node.output[0]: [], quantize.output[0]: [first, moved]}
    return {}

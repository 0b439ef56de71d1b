"""Limits masks before a Softmax to values for which it is 0 anyway.

Exporters write -inf, the lowest float or -1e4 where attention must not look. In a tensor of 256 levels such a number
leaves nothing for the scores beside it. What lies far enough below the largest score of its row is 0 after the Softmax,
to the last bit that is stored: the mask is held there, and the sum saturates there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.onnx_runtime.sessions import Style, session
from covenant.quantization.bias_correction import with_outputs
from covenant.quantization.calibration import Samples

__all__ = ["with_masks_held"]

_BELOW = 8.0
"""Distance below the largest score of its row at which a score vanishes: e^-8 is less than a step of a probability."""
_FAR = 1000.0
"""Rows whose largest element is so far below that of the tensor are masked as a whole."""
_DROWNS = 4
"""How many times further down a computed operand reaches before a Clip is put in."""
_MOVEMENTS = frozenset({"Expand", "Flatten", "Identity", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"})
_CHOICES = {"Where": (1, 2), "Max": (0, 1)}
"""Operators whose result is an element of one of two operands, and which those are."""
_SUMS = ("Add", "Sub")
_LAYERS = frozenset({"Conv", "ConvTranspose", "Gemm", "LayerNormalization", "MatMul", "Softmax"})


@dataclass
class _Seen:
    """Values of a tensor that calibration has shown: finite ones alone, but for `least`."""

    least: float = np.inf
    greatest: float = -np.inf


@dataclass
class _Held:
    """Operands that are held, by the value: who reads it where, and its bound."""

    least: dict[str, float] = field(default_factory=dict)
    """Value at which the result of each node on the way may saturate."""
    operands: dict[tuple[str, bool], list[tuple[Any, int, float]]] = field(default_factory=lambda: defaultdict(list))
    """Readers, places and bounds, by value and whether it is held from above."""


@dataclass(frozen=True)
class HeldMasks:
    """Masks that were limited."""

    least: dict[str, float] = field(default_factory=dict)
    """Least value of a tensor that has to be represented, by name: its range starts there."""
    count: int = 0
    """Number of operands that are limited."""
    on_host: tuple[str, ...] = ()
    """Names of nodes that compute masks from inputs: they stay in float."""


def with_masks_held(model: EditableModel, samples: Samples) -> HeldMasks:
    """Holds masks before every Softmax.

    Args:
        model: in float; changed.
        samples: as it takes them.
    """
    softmaxes = [node for node in model.nodes if node.op_type == "Softmax" and _is_summed(model, node.input[0])]
    if not softmaxes:
        return HeldMasks()
    seen, levels = _look(model, softmaxes, samples)
    held = _Held()
    for node in softmaxes:
        value, level = node.input[0], levels.get(node.output[0])
        if level is not None and seen[value].least < level:
            _hold(model, seen, held, (node, 0), level)
    clips = _rewire(model, held)
    on_host = {name for clip in clips for name in _on_host(model, clip)}
    names = tuple(node.name for node in model.nodes if node.name in on_host)
    return HeldMasks(held.least, len(held.operands), names)


def _is_summed(model: EditableModel, value: str) -> bool:
    """Whether something was added to scores, or chosen instead of them, with scales and movements after that."""
    maker = model.maker(value)
    while maker is not None and (maker.op_type in _MOVEMENTS or _factor(model, maker) is not None):
        maker = model.maker(maker.input[0])
    return maker is not None and (maker.op_type in _SUMS or maker.op_type in _CHOICES)


def _factor(model: EditableModel, node: Any) -> float | None:
    """Positive number by which a Mul or Div scales its first operand."""
    constant = model.constant(node.input[1]) if node.op_type in ("Mul", "Div") else None
    if constant is None or constant.size != 1 or not float(constant.reshape(-1)[0]) > 0:
        return None
    factor = float(constant.reshape(-1)[0])
    return factor if node.op_type == "Mul" else 1 / factor


def _operands(model: EditableModel, node: Any) -> list[int]:
    """Places of the operands through which a mask may have come."""
    if node.op_type in _SUMS:
        return [0, 1]
    if node.op_type in _CHOICES and len(node.input) == max(_CHOICES[node.op_type]) + 1:
        return list(_CHOICES[node.op_type])
    return [0] if node.op_type in _MOVEMENTS or _factor(model, node) is not None else []


def _look(
    model: EditableModel, softmaxes: list[Any], samples: Samples
) -> tuple[dict[str, _Seen], dict[str, float]]:  # fmt: skip
    """Ends of all tensors on the way, and of each Softmax, by its result, where its masks are held."""
    wanted, on_the_way = [node.input[0] for node in softmaxes], dict.fromkeys(node.input[0] for node in softmaxes)
    while wanted:
        maker = model.maker(wanted.pop())
        for place in _operands(model, maker) if maker is not None else []:
            if maker.input[place] not in on_the_way:
                on_the_way[maker.input[place]] = None
                wanted.append(maker.input[place])
    seen, rows = {value: _Seen() for value in on_the_way}, dict.fromkeys((node.output[0] for node in softmaxes), np.inf)
    made = [value for value in on_the_way if model.maker(value) is not None]
    running = session(with_outputs(model.model, made).SerializeToString(), Style.QOPERATOR)
    taken = {entry.name for entry in running.get_inputs()}
    lengths = {}
    for sample in samples:
        fed = {name: array for name, array in sample.items() if name in taken}
        arrays = dict(zip(made, running.run(made, fed), strict=True))
        arrays |= {value: sample[value] for value in on_the_way if value in sample}
        arrays |= {value: known for value in on_the_way if (known := model.constant(value)) is not None}
        for value, array in arrays.items():
            finite = array[np.isfinite(array)]
            seen[value].least = min(seen[value].least, float(np.nan_to_num(array, nan=np.inf).min(initial=np.inf)))
            seen[value].greatest = max(seen[value].greatest, float(finite.max(initial=-np.inf)))
        for node in softmaxes:
            array, axis = arrays[node.input[0]], attributes_of(node).get("axis", -1)
            highest = np.nan_to_num(array, nan=-np.inf).max(axis)
            counting = highest[highest > highest.max(initial=-np.inf) - _FAR]
            rows[node.output[0]] = min(rows[node.output[0]], float(counting.min(initial=np.inf)))
            lengths[node.output[0]] = array.shape[axis]
    return seen, {
        name: least - _BELOW - log(lengths[name]) for name, least in rows.items() if np.isfinite(least)
    }  # fmt: skip


def _hold(model: EditableModel, seen: dict[str, _Seen], held: _Held, at: tuple[Any, int], level: float) -> None:
    """Sees to it that nothing below `level` has to be represented in the operand of a node at a place.

    All that lies below may become `level`, and what is `level` or less may become anything that is.
    """
    node, place = at
    value = node.input[place]
    maker = model.maker(value)
    inner = _operands(model, maker) if maker is not None and model.is_read_once(value) else []
    if not inner:
        far = level - _DROWNS * _BELOW if maker is not None or value in _inputs(model) else level
        if seen[value].least < far:
            held.operands[value, False].append((node, place, level))
        return
    held.least[value] = level
    if maker.op_type in _SUMS:
        first, second = maker.input[:2]
        if maker.op_type == "Add":
            _hold(model, seen, held, (maker, 0), level - seen[second].greatest)
            _hold(model, seen, held, (maker, 1), level - seen[first].greatest)
        elif seen[second].greatest > (most := seen[first].greatest - level):
            held.operands[second, True].append((maker, 1, most))
        return
    factor = _factor(model, maker) or 1.0
    for one in inner:
        if seen[maker.input[one]].least < level / factor:
            _hold(model, seen, held, (maker, one), level / factor)


def _inputs(model: EditableModel) -> set[str]:
    """Names of the graph's inputs."""
    return {entry.name for entry in model.model.graph.input}


def _rewire(model: EditableModel, held: _Held) -> list[str]:
    """Readers take operands that are held: constants anew, others through a Clip; what the Clips make."""
    clips: dict[str, list[Any]] = defaultdict(list)
    for (value, from_above), readers in held.operands.items():
        bounds = [bound for _, _, bound in readers]
        bound = np.float32(max(bounds) if from_above else min(bounds))
        known, maker = model.constant(value), model.maker(value)
        if known is not None:
            name = model.add_constant((np.minimum if from_above else np.maximum)(known, bound), value)
        else:
            name = f"{value}/held"
            limit = model.add_constant(bound, value)
            clip = made_node("Clip", [value, "", limit] if from_above else [value, limit], name, name)
            clips["" if maker is None else maker.output[0]].append(clip)
        for node, place, _ in readers:
            node.input[place] = name
    nodes = {node.output[0]: [node, *clips[node.output[0]]] for node in model.nodes if node.output[0] in clips}
    if clips[""]:
        first = model.nodes[0]
        nodes[first.output[0]] = [*clips[""], *nodes.get(first.output[0], [first])]
    model.replace(nodes)
    return [clip.output[0] for made in clips.values() for clip in made]


def _on_host(model: EditableModel, value: str) -> list[str]:
    """Nodes from the inputs to a value, if there is nothing among them that machines are for."""
    wanted, names = [value], []
    while wanted:
        maker = model.maker(wanted.pop())
        if maker is not None and maker.op_type in _LAYERS:
            return []
        if maker is not None and maker.name not in names:
            names.append(maker.name)
            wanted.extend(maker.input)
    return names

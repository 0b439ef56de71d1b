"""Finds chains of elementwise operators on one stored tensor that differ from channel to channel.

A lone BatchNormalization, a PRelu with a slope for each channel, a layer scale: between a DequantizeLinear and a
QuantizeLinear they are a function of a byte for each index along one axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.element_types import is_byte
from covenant.model.float_subgraphs import ELEMENTWISE
from covenant.model.stored_values import Meaning, goal_of, meaning_of

__all__ = ["ChannelFunction", "channel_functions"]

_CHANNELWISE = ELEMENTWISE | {"BatchNormalization"}
_MOST_NODES = 64
"""Most nodes of one chain."""


@dataclass(frozen=True)
class ChannelFunction:
    """One chain."""

    nodes: tuple[Any, ...]
    """Nodes in the order of the model, with the DequantizeLinear of the source and of constants; without the last
    one."""
    quantize: Any
    """QuantizeLinear that ends the chain."""
    dequantize: Any
    """DequantizeLinear that reads the source."""
    source: Meaning
    goal: Meaning
    shape: tuple[int, ...]
    """Shape of the tensor."""
    axis: int
    """Axis along which functions differ."""

    @property
    def last(self) -> Any:
        """The node after which the layer is named."""
        return self.nodes[-1]


def channel_functions(model: EditableModel) -> list[ChannelFunction]:
    """Functions of a model, for elements of bytes."""
    order = {node.output[0]: place for place, node in enumerate(model.nodes)}
    found = (_function(model, node, order) for node in model.nodes if node.op_type in _CHANNELWISE)
    return [one for one in found if one is not None]


def _function(model: EditableModel, last: Any, order: dict[str, int]) -> ChannelFunction | None:
    """Function that ends with a node."""
    goal = goal_of(model, last.output[0])
    chain = None if goal is None or not is_byte(goal[1].zero.dtype) else _chain(model, last, order)
    if goal is None or chain is None:
        return None
    sources = [node for node in chain if node.op_type == "DequantizeLinear" and model.constant(node.input[0]) is None]
    stored = {(node.input[0], *node.input[1:]) for node in sources}
    shape = model.shape(sources[0].input[0]) if len(stored) == 1 else None
    source = meaning_of(model, sources[0]) if shape is not None else None
    if shape is None or len(shape) < 2 or source is None or not is_byte(source.zero.dtype):
        return None
    axes = [_axis_in(model, node, shape) for node in chain if node.op_type != "DequantizeLinear"]
    known = {axis for axis in axes if axis != _EVERYWHERE}
    if len(known) != 1 or None in known:
        return None
    quantize, meaning = goal
    return ChannelFunction(tuple(chain), quantize, sources[0], source, meaning, shape, next(iter(known)) or 0)


def _chain(model: EditableModel, last: Any, order: dict[str, int]) -> list[Any] | None:
    """The nodes before and with the last one, back to DequantizeLinear and constants, if nothing else reads them."""
    found: dict[str, Any] = {}
    wanted = [last]
    while wanted:
        node = wanted.pop()
        if node.output[0] in found:
            continue
        found[node.output[0]] = node
        if len(found) > _MOST_NODES or len([value for value in node.output if value]) > 1:
            return None
        if node.op_type == "DequantizeLinear":
            continue
        makers = [model.maker(value) for value in node.input if value and model.constant(value) is None]
        if node.op_type not in _CHANNELWISE or any(maker is None for maker in makers):
            return None
        wanted += makers
    inside = found.keys() | {last.output[0]}
    for name, node in found.items():
        if name == last.output[0] or node.op_type == "DequantizeLinear":
            continue
        if model.is_output(name) or any(reader.output[0] not in inside for reader in model.readers(name)):
            return None
    return sorted(found.values(), key=lambda node: order[node.output[0]])


_EVERYWHERE = -1
"""Axis of a node that does the same everywhere."""


def _axis_in(model: EditableModel, node: Any, shape: Sequence[int]) -> int | None:
    """The axis along which a node differs; None: along several, or its result has another shape."""
    constants = [_constant(model, value) for value in node.input if value]
    known = [one for one in constants if one is not None]
    if node.op_type == "BatchNormalization":
        is_plain = not attributes_of(node).get("training_mode", 0) and all(one.shape == (shape[1],) for one in known)
        return 1 if is_plain and len(known) == 4 else None
    axes = set()
    for array in known:
        if array.ndim > len(shape):
            return None
        along = (1,) * (len(shape) - array.ndim) + array.shape
        varying = [d for d, size in enumerate(along) if size != 1]
        if len(varying) > 1 or any(along[d] != shape[d] for d in varying):
            return None
        axes.update(varying)
    return None if len(axes) > 1 else next(iter(axes), _EVERYWHERE)


def _constant(model: EditableModel, value: str) -> np.ndarray | None:
    """A constant, or a stored one that is dequantised: its elements lie as theirs do."""
    maker = model.maker(value)
    if maker is not None and maker.op_type == "DequantizeLinear":
        return model.constant(maker.input[0])
    return model.constant(value)

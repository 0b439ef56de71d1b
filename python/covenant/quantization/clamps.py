"""Activations of fewer bits than an element has: their levels are its lowest, and a Clip keeps them there.

The least level is the least element, so that elements saturate there by themselves and a Relu vanishes, as where all
bits are used. The Clip stands where ONNX Runtime's layers stay integer kernels: what a layer makes is quantised,
limited, and quantised again under the same scale; in a chain that becomes a table, and at a model's input of bytes, the
Clip stands before the QuantizeLinear. Inputs of 16 bits are limited where the compiler sees it: it counts on their
levels where it multiplies two tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, made_node
from covenant.model.element_types import limits, width_of
from covenant.quantization.bits import BYTE

__all__ = ["Activation", "activations", "with_clamps"]

_CLAMP = "/clamp"
_STORED = "DequantizeLinear"
_SUFFIX = "_QuantizeLinear_Input"  # ONNX Runtime's, of what becomes an output of the model


class Activation:
    """An activation of a quantised model: its QuantizeLinear, and what its levels mean."""

    def __init__(self, model: EditableModel, node: Any) -> None:
        self.node = node
        clip = model.maker(node.input[0])
        is_clamp = clip is not None and clip.op_type == "Clip" and clip.output[0].endswith(_CLAMP)
        self.first = clip if is_clamp else node
        """The node that reads it in float: the QuantizeLinear, or the Clip before it."""
        self.value: str = self.first.input[0]
        """Name of the float tensor in the quantised model."""
        self.name = self.value.removesuffix(_SUFFIX)
        """Name of the tensor in the float model."""
        scale, zero = model.constant(node.input[1]), model.constant(node.input[2])
        self.scale, self.zero = np.float32(scale.reshape(-1)[0]), zero.reshape(-1)[0]  # type: ignore[union-attr]

    def highest(self, bits: int) -> int:
        """The greatest of 2^bits levels, as an element."""
        return limits(self.zero.dtype)[0] + 2**bits - 1

    @property
    def width(self) -> int:
        """Width of its elements, in bits."""
        return width_of(self.zero.dtype)

    @property
    def greatest(self) -> int:
        """The greatest element."""
        return limits(self.zero.dtype)[1]

    def real(self, level: int) -> np.float32:
        """Real number that an element means."""
        return np.float32(level - int(self.zero)) * self.scale


def activations(model: EditableModel) -> list[Activation]:
    """All of a quantised model's, in their order, each where it is quantised first."""
    nodes = [node for node in model.nodes if node.op_type == "QuantizeLinear"]
    found = [Activation(model, node) for node in nodes if model.constant(node.input[0]) is None]
    makers = [model.maker(one.value) for one in found]
    return [one for one, maker in zip(found, makers, strict=True) if maker is None or maker.op_type != _STORED]


def with_clamps(model: EditableModel, bits: Mapping[str, int], chains: Iterable[str]) -> dict[str, int]:
    """Limits activations to their levels; the bits of each that is quantised, by its name in the float model.

    Args:
        model: as ONNX Runtime's quantiser has made it, with elements of any width; changed.
        bits: of activations, by their names in the float model.
        chains: names of nodes that become tables.
    """
    in_chains, found, replacements = set(chains), {}, {}
    for activation in activations(model):
        maker = model.maker(activation.value)
        own = found[activation.name] = bits.get(activation.name, activation.width)
        highest = activation.highest(own)
        if highest == activation.greatest or _is_handed_on(model, activation, maker):
            continue
        limit = model.add_constant(activation.real(highest), activation.name)
        node, name = activation.node, f"{activation.name}{_CLAMP}"
        clip = lambda value, made, limit=limit, name=name: made_node("Clip", [value, "", limit], made, name)  # noqa: E731
        if (maker is None and activation.width <= BYTE) or (maker is not None and maker.name in in_chains):
            limited = made_node("QuantizeLinear", [name, *node.input[1:]], node.output[0], node.name)
            replacements[node.output[0]] = [clip(activation.value, name), limited]
            continue
        first, real = f"{activation.name}/unlimited", f"{activation.name}/unlimited/real"
        replacements[node.output[0]] = [
            made_node("QuantizeLinear", list(node.input), first, f"{node.name}/unlimited"),
            made_node(_STORED, [first, *node.input[1:]], real, f"{real}/node"),
            clip(real, name),
            made_node("QuantizeLinear", [name, *node.input[1:]], node.output[0], node.name),
        ]
    model.replace(replacements)
    return found


def _is_handed_on(model: EditableModel, activation: Activation, maker: Any) -> bool:
    """Whether the activation has the scale of its maker's operand, which is limited already."""
    source = model.maker(maker.input[0]) if maker is not None and maker.input else None
    is_stored = source is not None and source.op_type == _STORED
    return is_stored and list(source.input[1:3]) == list(activation.node.input[1:3])

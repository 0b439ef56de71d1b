"""Builds larger images in blocks of pixels: a Conv computes each block as channels of one pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node

__all__ = ["LinearGrowth", "PixelBlocks", "block_nodes", "linear_growth"]


@dataclass(frozen=True)
class PixelBlocks:
    """A Conv whose channels are blocks of pixels of a larger image, which is then cut."""

    weights: np.ndarray
    shape: Sequence[int]
    """Shape of the tensor that the Conv reads."""
    block: Sequence[int]
    """Rows and columns that each pixel becomes."""
    sizes: Sequence[int]
    """Rows and columns of the result."""
    pads: Sequence[int] = (0, 0, 0, 0)
    first: Sequence[int] = (0, 0)
    """Rows and columns that are cut off before the result."""
    group: int = 1
    """1: channels are [rows, columns, channel]; of several groups [channel, rows, columns]."""


@dataclass(frozen=True)
class LinearGrowth:
    """A Resize by whole factors, linear between the centres of pixels."""

    blocks: PixelBlocks
    """Weights are multiples of 1 / `parts`."""
    parts: int

    def nodes(self, model: EditableModel, node: Any, source: str, weights: str) -> list[Any]:
        """Nodes that replace the Resize, which reads `source`; `weights` as for `block_nodes`."""
        edges = f"{node.output[0]}/edges"
        pads = model.add_constant(np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64), node.output[0])
        return [
            made_node("Pad", [source, pads], edges, f"{node.name}/edges", mode="edge"),
            *block_nodes(model, node, edges, self.blocks, weights),
        ]


def linear_growth(model: EditableModel, node: Any) -> LinearGrowth | None:
    """Growth that a node does, if it is such a Resize of images."""
    shape = model.shape(node.input[0]) if node.op_type == "Resize" else None
    larger = model.shape(node.output[0]) if shape is not None and len(shape) == 4 else None
    factors = None if shape is None or larger is None else _factors(attributes_of(node), shape, larger)
    if factors is not None and not _are_scales(model, node, factors):
        return None
    if shape is None or larger is None or factors is None:
        return None
    plane = np.einsum("pi,qj->pqij", *map(_between, factors)).reshape(-1, 1, 3, 3)
    weights = np.tile(plane, (shape[1], 1, 1, 1)).astype(np.float32)
    around = [*shape[:2], shape[2] + 2, shape[3] + 2]
    blocks = PixelBlocks(weights, shape=around, block=factors, sizes=larger[2:], group=shape[1])
    return LinearGrowth(blocks, 4 * factors[0] * factors[1])


def _factors(attributes: dict[str, Any], shape: Sequence[int], larger: Sequence[int]) -> list[int] | None:
    """Factors by which rows and columns grow; None if blocks cannot do it."""
    place = attributes.get("coordinate_transformation_mode", b"half_pixel")
    is_linear = attributes.get("mode", b"nearest") == b"linear" and not attributes.get("antialias", 0)
    if not is_linear or place not in (b"half_pixel", b"pytorch_half_pixel") or tuple(larger[:2]) != tuple(shape[:2]):
        return None
    factors = [larger[d] // shape[d] for d in (2, 3)]
    is_whole = all(larger[d] == shape[d] * factor > 0 for d, factor in zip((2, 3), factors, strict=True))
    return factors if is_whole and max(factors) > 1 else None


def _are_scales(model: EditableModel, node: Any, factors: Sequence[int]) -> bool:
    """Whether a Resize that is told scales is told these: by others it takes other places to the same size."""
    place = 1 if len(node.input) == 2 else 2
    stated = model.constant(node.input[place]) if len(node.input) > place and node.input[place] else None
    if stated is None or not stated.size:
        return len(node.input) > 3 and bool(node.input[3])
    axes = attributes_of(node).get("axes", range(stated.size))
    known = {axis % 4: float(scale) for axis, scale in zip(axes, stated, strict=True)}
    return all(known.get(d, 1.0) == wanted for d, wanted in enumerate([1, 1, *factors]))


def _between(factor: int) -> np.ndarray:
    """[factor, 3]: what a pixel and its two neighbours give to each of the pixels that it becomes."""
    at = (np.arange(factor) + 0.5) / factor - 0.5
    return np.stack([np.maximum(0, -at), 1 - np.abs(at), np.maximum(0, at)], axis=1)


def block_nodes(model: EditableModel, node: Any, source: str, blocks: PixelBlocks, *operands: str) -> list[Any]:
    """Nodes in the place of `node`, whose name the Conv has.

    Args:
        model: that `node` is in.
        node: makes the larger image.
        source: the value that the Conv reads.
        blocks: what is made of it.
        operands: the value that holds `blocks.weights`, and, if there is one, that of the bias.
    """
    output, name = node.output[0], node.name
    inputs = [source, *operands]
    kernel, pads, shape = blocks.weights.shape[2:], blocks.pads, blocks.shape
    rows, columns = (shape[2 + i] + pads[i] + pads[2 + i] - kernel[i] + 1 for i in (0, 1))
    channels = len(blocks.weights) // (blocks.block[0] * blocks.block[1])
    if blocks.group > 1:
        apart, order = [channels, *blocks.block], [0, 1, 4, 2, 5, 3]
    else:
        apart, order = [*blocks.block, channels], [0, 3, 4, 1, 5, 2]
    whole = [shape[0], channels, rows * blocks.block[0], columns * blocks.block[1]]
    is_cut = any(blocks.first) or list(blocks.sizes) != whole[2:]
    image = f"{output}/image" if is_cut else output

    def constant(numbers: Sequence[int]) -> str:
        return model.add_constant(np.array(numbers, np.int64), output)

    window = {"pads": list(pads), "kernel_shape": kernel, "group": blocks.group}
    parts = constant([shape[0], *apart, rows, columns])
    made = [
        made_node("Conv", inputs, f"{output}/channels", name, **window),
        made_node("Reshape", [f"{output}/channels", parts], f"{output}/blocks", f"{name}/blocks"),
        made_node("Transpose", [f"{output}/blocks"], f"{output}/turned", f"{name}/turned", perm=order),
        made_node("Reshape", [f"{output}/turned", constant(whole)], image, f"{name}/image"),
    ]
    if is_cut:
        ends = [start + size for start, size in zip(blocks.first, blocks.sizes, strict=True)]
        cut = [image, constant(blocks.first), constant(ends), constant([2, 3])]
        made.append(made_node("Slice", cut, output, f"{name}/cut"))
    return made

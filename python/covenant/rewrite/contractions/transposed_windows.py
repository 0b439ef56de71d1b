"""ConvTranspose as a Conv that makes what falls between pixels as channels, which become blocks of the larger image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.rewrite.contractions.pixel_blocks import PixelBlocks, block_nodes

__all__ = ["TransposedWindow", "window_of"]


@dataclass(frozen=True)
class TransposedWindow:
    """Places of a kernel's elements in the larger image: rows, then columns; one row for one dimension."""

    shape: Sequence[int]
    """Shape of the operand, [N, C, rows, columns]."""
    made: Sequence[int]
    """Shape of the result: of rank 3 for one dimension."""
    strides: Sequence[int]
    dilations: Sequence[int]
    first: Sequence[int]
    """Rows and columns that are cut off before the result."""
    group: int

    def phases(self, weights: np.ndarray, fill: np.ndarray) -> np.ndarray:
        """Weights of the Conv, [channels of all blocks, C / group, taps of rows, taps of columns].

        Args:
            weights: of the ConvTranspose, [C, M / group, ...].
            fill: what stands for no weight, of each of the M / group channels.
        """
        inner, images = weights.shape[1], weights.reshape(*weights.shape[:2], *self._kernel(weights))
        sizes = [(images.shape[2 + i] - 1) * self.dilations[i] + 1 for i in (0, 1)]
        taps = self.taps(weights)
        whole = np.empty((*weights.shape[:2], *(taps[i] * self.strides[i] for i in (0, 1))), weights.dtype)
        whole[:] = fill.reshape(1, -1, 1, 1)
        whole[:, :, : sizes[0] : self.dilations[0], : sizes[1] : self.dilations[1]] = images
        # Tap m of phase r is element r + m * stride of the kernel; the latest pixel comes first there.
        apart = whole.reshape(self.group, -1, inner, taps[0], self.strides[0], taps[1], self.strides[1])
        apart = apart[:, :, :, ::-1, :, ::-1, :]
        order = (4, 6, 0, 2, 1, 3, 5) if self.group == 1 else (0, 2, 4, 6, 1, 3, 5)
        return apart.transpose(order).reshape(-1, weights.shape[0] // self.group, *taps)

    def of_blocks(self, channels: np.ndarray) -> np.ndarray:
        """One element for each channel of the result, [M], as the Conv's channels have them."""
        block = self.strides[0] * self.strides[1]
        return np.tile(channels, block) if self.group == 1 else np.repeat(channels, block)

    def taps(self, weights: np.ndarray) -> list[int]:
        """Pixels that meet in one, of rows and of columns."""
        kernel = self._kernel(weights)
        return [-(-((kernel[i] - 1) * self.dilations[i] + 1) // self.strides[i]) for i in (0, 1)]

    def nodes(
        self, model: EditableModel, node: Any, source: str, weights: np.ndarray, operands: Sequence[str]
    ) -> list[Any]:
        """Nodes that replace the ConvTranspose `node`.

        Args:
            model: that it is in.
            node: whose name the Conv has.
            source: what it reads.
            weights: those of the Conv, as `phases` makes them.
            operands: names of the Conv's weights and, if it has one, its bias.
        """
        output, taps = node.output[0], weights.shape[2:]
        sizes = [1, *self.made[2:]] if len(self.made) == 3 else list(self.made[2:])
        ends = [max(0, -(-(self.first[i] + sizes[i]) // self.strides[i]) - self.shape[2 + i]) for i in (0, 1)]
        blocks = PixelBlocks(
            weights=weights, shape=self.shape, block=self.strides, sizes=sizes,
            pads=[taps[0] - 1, taps[1] - 1, *ends], first=self.first, group=self.group,
        )  # fmt: skip
        if len(self.made) == 4:
            return block_nodes(model, node, source, blocks, *operands)
        inside = type(node)()
        inside.CopyFrom(node)
        inside.output[0] = f"{output}/rows"
        shapes = [model.add_constant(np.array(shape, np.int64), output) for shape in (self.shape, self.made)]
        return [
            made_node("Reshape", [source, shapes[0]], f"{output}/image_of_rows", f"{node.name}/rows"),
            *block_nodes(model, inside, f"{output}/image_of_rows", blocks, *operands),
            made_node("Reshape", [f"{output}/rows", shapes[1]], output, f"{node.name}/row"),
        ]

    def _kernel(self, weights: np.ndarray) -> tuple[int, ...]:
        return weights.shape[2:] if weights.ndim == 4 else (1, weights.shape[2])


def window_of(model: EditableModel, node: Any, weights: Sequence[int]) -> TransposedWindow | None:
    """Window of a ConvTranspose of one dimension or two; None for other nodes, or if its shape is not known.

    Args:
        model: that it is in.
        node: any one.
        weights: shape of its weights, [C, M / group, ...].
    """
    shape = model.shape(node.input[0]) if node.op_type == "ConvTranspose" else None
    if shape is None or len(shape) not in (3, 4):
        return None
    attributes, count, kernel = attributes_of(node), len(shape) - 2, weights[2:]
    strides = list(attributes.get("strides", [1] * count))
    dilations = list(attributes.get("dilations", [1] * count))
    more = list(attributes.get("output_padding", [0] * count))
    whole = [
        (shape[2 + i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + more[i] for i in range(count)
    ]  # fmt: skip
    auto = attributes.get("auto_pad", b"NOTSET")
    wanted = list(attributes.get("output_shape", []))[-count:]
    if not wanted and auto in (b"SAME_UPPER", b"SAME_LOWER"):
        wanted = [min(shape[2 + i] * strides[i], whole[i]) for i in range(count)]  # as ONNX Runtime
    pads = [0] * 2 * count if auto == b"VALID" else list(attributes.get("pads", [0] * 2 * count))
    if wanted:
        cut = [max(0, whole[i] - wanted[i]) for i in range(count)]
        first = [one // 2 if auto == b"SAME_UPPER" else one - one // 2 for one in cut]
    else:
        first, wanted = pads[:count], [whole[i] - pads[i] - pads[count + i] for i in range(count)]
    if min(wanted) < 1:
        return None
    made = [shape[0], weights[1] * attributes.get("group", 1), *wanted]
    ones = [1] * (2 - count)
    return TransposedWindow(
        shape=[*shape[:2], *ones, *shape[2:]], made=made, strides=[*ones, *strides], dilations=[*ones, *dilations],
        first=[*[0] * (2 - count), *first], group=attributes.get("group", 1),
    )  # fmt: skip

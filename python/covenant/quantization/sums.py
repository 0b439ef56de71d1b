"""Keeps sums of products of 16-bit elements within the 32 bits that machines have for them.

Two products of 16 bits fill 32, and what leaves them wraps. So operands that both vary have fewer bits, and a step of
weights is larger where it has to be: sums have room for the most that the stored numbers can make, or for several times
what calibration has seen, whichever is less.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log2

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of

__all__ = ["least_scales", "most_bits"]

_ROOM = 8
"""Factor by which a sum may exceed what calibration has seen."""
_SUM = 2**31 - 1
_PRODUCTS = ("Mul", "MatMul", "Gemm")


def most_bits(model: EditableModel, layers: Iterable[str], elsewhere: Iterable[str]) -> dict[str, int]:
    """Most bits of each tensor that is multiplied with another varying one, so that no sum of products leaves 32 bits.

    Args:
        model: in float.
        layers: names of nodes with constant weights, whose scales are chosen instead (`least_scales`).
        elsewhere: names of nodes that multiply no stored elements: of chains, and of ends for the host.
    """
    left_out = {*layers, *elsewhere}
    found: dict[str, int] = {}
    for node in model.nodes:
        if node.op_type not in _PRODUCTS or node.name in left_out:
            continue
        if node.op_type == "Mul" and any(model.constant(value) is not None for value in node.input):
            continue  # 2^16 levels of one, 2^15 of the constant
        shape = model.shape(node.input[0])
        turned = node.op_type == "Gemm" and attributes_of(node).get("transA", 0)
        count = 1 if node.op_type == "Mul" or not shape else shape[0 if turned else -1]
        most = floor((31 - log2(count)) / 2)
        for value in node.input[:2]:
            found[value] = min(most, found.get(value, most))
    return found


def least_scales(
    weights: np.ndarray, axis: int | None, bias: np.ndarray | None, *, step: float, levels: int, seen: float
) -> np.ndarray:
    """Least scale of the weights of a layer for which bias and sums have room.

    Args:
        weights: in float, of any shape.
        axis: of the output channels; None: one scale for all.
        bias: in float, of each output channel.
        step: scale of what the layer takes.
        levels: the most that a stored element of that is from its zero point.
        seen: the greatest absolute sum that calibration has shown, in float; infinite: not known.

    Returns:
        f64[channels], or f64[1] for one scale.
    """
    channels = 1 if axis is None else weights.shape[axis]
    rows = np.abs(np.float64(weights if axis is None else np.moveaxis(weights, axis, 0))).reshape(channels, -1)
    biases = np.abs(np.float64(0 if bias is None else bias))
    shifts = np.broadcast_to(biases.max(initial=0) if axis is None else biases, channels)
    rounded = rows.shape[1] * levels / 2  # weights that are stored may be half a step larger
    most = (rows.sum(axis=1) * levels * step + shifts) / max(_SUM - rounded, 1)
    return np.maximum(np.minimum(most, _ROOM * seen / _SUM), shifts * (1 + 1e-6) / _SUM) / step

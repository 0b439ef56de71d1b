"""Rewrites affine functions of a byte that differ by channel into a convolution of one element a channel.

A machine that scales in f32 computes `clamp(rint(f32(w * (x - zero) + bias) * scale) + zero of y)`, with an integer
weight and bias for each channel. It replaces the function of a channel if it gives the byte of ONNX Runtime for all 256
bytes, which are all compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covenant.model.element_types import limits

__all__ = ["ChannelConvolution", "fitted"]

_MOST = 127
"""Weights: i8 without -128."""
_MOST_BIAS = 2**22
"""Sums stay whole numbers that f32 holds."""


@dataclass(frozen=True)
class ChannelConvolution:
    """Weights, biases and scales of weights, an element for each channel."""

    weights: np.ndarray
    biases: np.ndarray
    scales: np.ndarray
    """f32, of the weights."""
    is_exact: np.ndarray
    """Channels whose bytes it makes."""


def fitted(
    tables: np.ndarray, reals: np.ndarray, x: tuple[np.float32, int], y: tuple[np.float32, int]
) -> ChannelConvolution:
    """The convolution that is nearest to a function of each channel.

    Args:
        tables: [channels, 256] bytes wanted for the bytes 0 to 255, read in the dtype of the tables.
        reals: [channels, 256], the real numbers that are quantised to them; functions that are not affine are skipped.
        x: scale and zero point of the input, of the same dtype.
        y: the same of the output.
    """
    (x_scale, x_zero), (y_scale, y_zero) = x, y
    every = np.arange(256, dtype=np.uint8).view(tables.dtype).astype(np.int64) - x_zero
    lines = [_line(real.astype(np.float64), every * np.float64(x_scale)) for real in reals]
    found = [
        _channel(table, every, line, (x_scale, y_scale), y_zero) for table, line in zip(tables, lines, strict=True)
    ]
    weights, biases, scales, exact = (np.array(column) for column in zip(*found, strict=True))
    return ChannelConvolution(
        weights.astype(np.int8), biases.astype(np.int32), scales.astype(np.float32), exact.astype(bool)
    )


def _line(made: np.ndarray, real: np.ndarray) -> tuple[float, float]:
    """Factor and offset of a function; not numbers if it is not affine."""
    low, high = int(np.argmin(real)), int(np.argmax(real))
    factor = (made[high] - made[low]) / (real[high] - real[low])
    offset = made[low] - factor * real[low]
    with np.errstate(all="ignore"):
        is_line = np.abs(factor * real + offset - made).max() <= 1e-5 * (np.abs(made).max() + np.abs(offset))
    return (factor, offset) if is_line else (np.nan, np.nan)


def _channel(
    table: np.ndarray,
    every: np.ndarray,
    line: tuple[float, float],
    steps: tuple[np.float32, np.float32],
    y_zero: int,
) -> tuple[int, int, np.float32, bool]:
    """Weight, bias, scale of the weight, and whether they make the table; `every` element is less its zero point."""
    (factor, offset), (x_scale, y_scale) = line, steps
    if np.all(table == table[0]):
        return 0, int(table[0]) - y_zero, np.float32(y_scale / x_scale), _is_one(x_scale, y_scale)
    sizes = np.arange(_MOST, 0, -1)
    with np.errstate(all="ignore"):
        scales = (np.abs(factor) / sizes).astype(np.float32)
        biases = np.rint(offset / (np.abs(factor) * np.float64(x_scale)) * sizes)
        rescale = (x_scale * scales).astype(np.float32) / y_scale
        is_usable = np.isfinite(biases) & (np.abs(biases) < _MOST_BIAS) & np.isfinite(rescale) & (scales > 1e-30)
        signed = sizes * (1 if factor > 0 else -1)
        sums = signed[:, None] * every + np.where(is_usable, biases, 0)[:, None]
        stored = np.rint(sums.astype(np.float32) * rescale[:, None].astype(np.float32)) + y_zero
        made = np.clip(stored, *limits(table.dtype))
    equal = is_usable & np.all(made == table, axis=1)
    if not equal.any():
        return 0, 0, np.float32(1), False
    best = int(np.argmax(equal))
    return int(signed[best]), int(biases[best]), scales[best], True


def _is_one(x_scale: np.float32, y_scale: np.float32) -> bool:
    """Whether the scale of a weight of 0 takes its bias as steps of the result."""
    with np.errstate(all="ignore"):
        scale = np.float32(y_scale / x_scale)
        return bool(scale > 0 and np.isfinite(scale) and abs(np.float32(x_scale * scale) / y_scale - 1) < 2**-10)

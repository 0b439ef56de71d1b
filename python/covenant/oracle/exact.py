"""Quantised operators in exact integers and correctly rounded steps: docs/reference/numerics.md in NumPy.

Written to be read beside that page, and compared by the probe (`covenant.oracle.probe`) and by tests with kernels that
others wrote.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = [
    "average", "choice", "concatenated", "conv_sums", "dequantized", "fma", "maximum", "product_of_two", "product_sums",
    "quantized", "real_pair", "requantized", "softmax", "sum_of_two", "window_average",
]  # fmt: skip


def _stored(values: np.ndarray, dtype: Any) -> np.ndarray:
    """Whole numbers, saturated to the dtype."""
    limits = np.iinfo(dtype)
    return np.clip(values, limits.min, limits.max).astype(dtype)


def product_sums(x: np.ndarray, w: np.ndarray, x_zero: int, w_zero: int) -> np.ndarray:
    """Sums of products in 64-bit integers: i64[M, N] of x[M, K] and w[K, N]."""
    return (x.astype(np.int64) - x_zero) @ (w.astype(np.int64) - w_zero)


def conv_sums(x: np.ndarray, w: np.ndarray, x_zero: int, w_zero: int, group: int = 1) -> np.ndarray:
    """Sums of a convolution without pads, by steps of 1: i64[N, O, OH, OW] of x[N, C, H, W], w[O, C/group, KH, KW]."""
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.int64) - x_zero, w.shape[2:], axis=(2, 3))
    parts = zip(np.split(windows, group, axis=1), np.split(w.astype(np.int64) - w_zero, group), strict=True)
    return np.concatenate([np.einsum("nchwij,ocij->nohw", part, weights) for part, weights in parts], axis=1)


def requantized(sums: np.ndarray, scale: Any, zero: int, dtype: Any) -> np.ndarray:
    """Sums as stored values: rint(f32(sum) * f32 scale) + zero, saturated."""
    return _stored(np.rint(sums.astype(np.float32) * np.asarray(scale, np.float32)) + zero, dtype)


def quantized(x: np.ndarray, scale: np.float32, zero: int, dtype: Any) -> np.ndarray:
    """f32 as stored values: rint(f32(x / scale)) + zero, saturated."""
    return _stored(np.rint(x / scale) + zero, dtype)


def dequantized(x: np.ndarray, scale: np.float32, zero: int) -> np.ndarray:
    """Stored values as f32: f32(x - zero) * scale."""
    return (x.astype(np.int32) - zero).astype(np.float32) * scale


def concatenated(parts: Any, scales: Any, zeros: Any) -> np.ndarray:
    """QLinearConcat along axis 0; scales and zeros of the parts, then of y."""
    return np.concatenate(_rescaled(parts, scales, zeros))


def choice(is_first: np.ndarray, operands: Any, scales: Any, zeros: Any) -> np.ndarray:
    """QLinearWhere; scales and zeros of both operands, then of y."""
    return np.where(is_first, *_rescaled(operands, scales, zeros))


def _rescaled(parts: Any, scales: Any, zeros: Any) -> list[np.ndarray]:
    """Each from its own scale to the last one."""
    made = []
    for part, scale, zero in zip(parts, scales, zeros, strict=False):
        is_like = scale == scales[-1] and zero == zeros[-1]
        real = dequantized(part, scale, zero)
        made.append(part if is_like else quantized(real, scales[-1], zeros[-1], part.dtype))
    return made


def average(x: np.ndarray, scales: Any, zeros: Any) -> np.ndarray:
    """QLinearGlobalAveragePool of x[N, C, H, W]; scales and zeros of x, y."""
    plane = x.shape[2] * x.shape[3]
    sums = x.astype(np.int64).sum(axis=(2, 3), keepdims=True) - plane * int(zeros[0])
    scale = np.float32(scales[0] / np.float32(scales[1] * np.float32(plane)))
    return requantized(sums, scale, int(zeros[1]), x.dtype)


def window_average(x: np.ndarray, scales: Any, zeros: Any, extent: int) -> np.ndarray:
    """QLinearAveragePool of x[N, C, H, W] over windows of extent x extent, without pads, by steps of 1.

    The sum of the dequantised elements is made one after the other, row by row, each step rounded.
    """
    real = dequantized(x, np.float32(scales[0]), int(zeros[0]))
    windows = np.lib.stride_tricks.sliding_window_view(real, (extent, extent), axis=(2, 3))
    total = np.zeros(windows.shape[:4], np.float32)
    for row, column in np.ndindex(extent, extent):
        total = total + windows[..., row, column]
    mean = total / np.float32(extent * extent)
    return _stored(np.rint(mean / np.float32(scales[1]) + np.float32(zeros[1])), x.dtype)


def real_pair(operator: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Sub or Div of f32."""
    return {"Sub": np.subtract, "Div": np.divide}[operator](a, b)


def softmax(x: np.ndarray, scales: Any, zeros: Any) -> np.ndarray:
    """QLinearSoftmax of x along its last dimension; scales and zeros of x, y.

    Exponentials come out of a table in double precision, raised so far that no sum of them overflows; their sum is made
    one after the other in f32.
    """
    scale = float(scales[0])
    most = np.float32(math.log(np.finfo(np.float32).max / np.float32(x.shape[-1])))
    raised = max(0.0, (float(most) - 5) / scale)
    table = np.exp((raised - np.arange(256)) * scale).astype(np.float32)
    below = x.max(axis=-1, keepdims=True).astype(np.int32) - x
    exponentials = table[below]
    total = np.zeros(x.shape[:-1], np.float32)
    for column in range(x.shape[-1]):
        total = total + exponentials[..., column]
    steps = np.floor(np.float32(1) / np.float32(scales[1]))
    return _stored(np.rint(exponentials * steps / total[..., None]) + int(zeros[1]), x.dtype)


def maximum(x: np.ndarray, extent: int) -> np.ndarray:
    """Max pool of x[N, C, H, W] over windows of extent x extent, without pads, by steps of 1."""
    return np.lib.stride_tricks.sliding_window_view(x, (extent, extent), axis=(2, 3)).max(axis=(4, 5))


def sum_of_two(a: np.ndarray, b: np.ndarray, scales: Any, zeros: Any) -> np.ndarray:
    """QLinearAdd of the model's operands a, b; scales and zeros of a, b, y."""
    ratio_a = np.float32(scales[0] / scales[2])
    ratio_b = np.float32(scales[1] / scales[2])
    part = np.float32(ratio_b * np.float32(zeros[1]))
    offset = np.float32(np.float32(zeros[2]) - fma(ratio_a, np.float32(zeros[0]), part))
    total = fma(a.astype(np.float32), ratio_a, fma(b.astype(np.float32), ratio_b, offset))
    return _stored(np.rint(total), a.dtype)


def product_of_two(a: np.ndarray, b: np.ndarray, scales: Any, zeros: Any) -> np.ndarray:
    """QLinearMul of a, b; scales and zeros of a, b, y. The zero point goes in before rounding."""
    product = ((a.astype(np.int32) - zeros[0]) * (b.astype(np.int32) - zeros[1])).astype(np.float32)
    scale = np.float32(np.float32(scales[0] * scales[1]) / scales[2])
    return _stored(np.rint(product * scale + np.float32(zeros[2])), a.dtype)


def fma(a: Any, b: Any, c: Any) -> np.ndarray:
    """f32 a * b + c, rounded once.

    The product is exact in f64; its sum with c is rounded to odd there, which makes the second rounding harmless
    (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd").
    """
    product = np.float64(a) * np.float64(b)
    product, addend = np.broadcast_arrays(product, np.float64(c))
    total = np.asarray(product + addend)
    back = total - product
    error = (product - (total - back)) + (addend - back)
    even = (total.view(np.int64) & 1) == 0
    odd = np.nextafter(total, np.where(error > 0, np.inf, -np.inf))
    return np.where((error != 0) & even, odd, total).astype(np.float32)

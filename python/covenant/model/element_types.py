"""Types of stored elements: of 4, 8 or 16 bits, signed or not."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["element_type", "every_element", "is_byte", "limits", "width_of"]


def element_type(width: int, *, signed: bool) -> np.dtype[Any]:
    """NumPy's type of an element; those of 4 bits are of the package ml_dtypes, as onnx has them."""
    import ml_dtypes  # noqa: PLC0415  (import costs; bytes do not pay)

    if width == 4:
        return np.dtype(ml_dtypes.int4 if signed else ml_dtypes.uint4)
    return np.dtype(f"{'i' if signed else 'u'}{width // 8}")


def limits(dtype: Any) -> tuple[int, int]:
    """The least and the greatest element of a type."""
    import ml_dtypes  # noqa: PLC0415

    found = ml_dtypes.iinfo(dtype)
    return int(found.min), int(found.max)


def width_of(dtype: Any) -> int:
    """Bits of an element of a type."""
    least, most = limits(dtype)
    return (most - least).bit_length()


def is_byte(dtype: Any) -> bool:
    """Whether elements have 8 bits."""
    return width_of(dtype) == 8


def every_element(dtype: Any) -> np.ndarray:
    """Every element of a type once, in the order of their bits read without a sign, as tables have them."""
    least, most = limits(dtype)
    return np.array([*range(most + 1), *range(least, 0)], np.int32).astype(dtype)

"""Inputs and outputs of programs, as the caller sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Tensor:
    """One input or output of a program, as the caller sees it."""

    name: str
    dtype: np.dtype
    """float32 where the host quantises at the boundary, else the stored integer type."""
    shape: tuple[int, ...]
    """The model's own shape, for example [1, C, H, W]."""
    scale: float
    """real = (stored - zero_point) * scale."""
    zero_point: int
    stored_dtype: np.dtype
    """Element type in the machine's memory."""


def tensor_of(binding: dict[str, Any]) -> Tensor:
    """The tensor that the core describes."""
    stored = np.dtype(binding["stored_dtype"])
    return Tensor(
        name=binding["name"],
        dtype=np.dtype(np.float32) if binding["host_quantizes"] else stored,
        shape=tuple(binding["shape"]),
        scale=binding["scale"],
        zero_point=binding["zero_point"],
        stored_dtype=stored,
    )


def real_tensor(name: str, shape: tuple[int, ...], dtype: np.dtype | type = np.float32) -> Tensor:
    """A tensor that the host takes or computes, never stored by the machine."""
    real = np.dtype(dtype)
    return Tensor(name=name, dtype=real, shape=shape, scale=1.0, zero_point=0, stored_dtype=real)

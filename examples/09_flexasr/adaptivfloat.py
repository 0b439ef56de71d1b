"""AdaptivFloat<8, 3>: what a host does to numbers of a tensor to make bytes of them.

A byte has a sign, 3 bits of exponent and 4 of mantissa. Exponents begin where a register of 3 bits says, which is one
for the whole tensor: 4 covers magnitudes to 3.875, and each step more doubles them (Tambe et al., "Algorithm-Hardware
Co-Design of Adaptive Floating-Point Encodings for Resilient Deep Learning Inference", 2020, Algorithm 1).
"""

from __future__ import annotations

import numpy as np


def register_of(values: np.ndarray) -> int:
    """The register whose highest power of two is that of the largest of these; 0 or 7 beyond."""
    return int(np.clip(np.floor(np.log2(np.abs(values).max())) + 3, 0, 7))


def encoded(values: np.ndarray, register: int) -> np.ndarray:
    """Bytes of numbers: the nearest, halves to even; what is too large becomes the largest number, tiny ones 0."""
    lowest = register - 10
    smallest, largest = 2.0**lowest * 17 / 16, 2.0**lowest * 31 * 8
    size = np.abs(values)
    clipped = np.clip(size, smallest, largest)
    exponent = np.floor(np.log2(clipped))
    whole = np.rint(clipped * 2 ** (4 - exponent))  # 16 to 32 sixteenths of a power of two
    code = (exponent - lowest) * 16 + whole - 16  # 32 goes over into the next exponent
    return np.where(size < smallest / 2, 0, code + 128 * (values < 0)).astype(np.uint8)

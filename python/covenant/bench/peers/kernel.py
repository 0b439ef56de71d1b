"""Kernels that peers and we compute: their inputs, their exact output, and the forms in which peers write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Inputs = tuple[np.ndarray, np.ndarray]
Expected = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Form:
    """One way to write a kernel."""

    name: str
    """Name of the source, `kernels/NAME.c`, or of the function of TVM, in `kernels/tvm_kernels.py`."""
    what: str
    expected: Expected | None = None
    """Exact output of a form that computes other sums or rounds in another way."""
    packed: Callable[[np.ndarray], np.ndarray] | None = None
    """The second input as this form wants it, made of the kernel's; None: as it is."""
    can_prefetch: bool = True
    """Whether it also has a variant that prefetches."""


@dataclass(frozen=True)
class Kernel:
    """One computation, in any form."""

    name: str
    what: str
    forms: tuple[Form, ...]
    """Forms in C."""
    tvm_forms: tuple[Form, ...]
    inputs: Callable[[], Inputs]
    """Both inputs as the sources want them, always the same."""
    expected: Expected
    """The exact output of these inputs."""


def random_bytes(*shape: int) -> np.ndarray:
    """Bytes of any value, u8, always the same."""
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)

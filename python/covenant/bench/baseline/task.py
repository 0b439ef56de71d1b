"""A computation for a library: a benchmark layer, with its tensors in the shapes that libraries know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covenant.bench.layers import BenchmarkLayer, weights_of


@dataclass(frozen=True)
class Task:
    """A layer, and how to compute it."""

    layer: BenchmarkLayer
    x: np.ndarray
    """int8, [heads*m, k] or [batch, channels, rows, columns]."""
    element: str
    """int8 or float32: of inputs and weights."""
    threads: int
    copies: int
    """How often one call computes the layer."""

    @property
    def is_gemm(self) -> bool:
        """A matrix product; otherwise a convolution."""
        return self.layer.kind == "gemm"

    @property
    def inputs(self) -> np.ndarray:
        """int8, [m, k], [heads, m, k] or [batch, channels, rows, columns]."""
        return self._shaped(self.x) if self.is_gemm else self.x

    @property
    def weights(self) -> np.ndarray:
        """int8, [k, n], [heads, k, n] or [out, in, rows, columns]."""
        return self._shaped(weights_of(self.layer)) if self.is_gemm else weights_of(self.layer)

    @property
    def output_shape(self) -> tuple[int, ...]:
        """[m, n], [heads, m, n] or [batch, channels, rows, columns]."""
        if self.is_gemm:
            return (*self.inputs.shape[:-1], self.layer.sizes["n"])
        return (self.x.shape[0], *self.layer.sizes["output"])

    @property
    def pads(self) -> tuple[int, int]:
        """Rows above and below the image of a convolution; columns are the same."""
        sizes = self.layer.sizes
        spanned = (sizes["output"][1] - 1) * sizes["stride"] + sizes["kernel"]
        return sizes["pad"], max(0, spanned - sizes["pad"] - sizes["input"][1])

    def _shaped(self, array: np.ndarray) -> np.ndarray:
        """One matrix where there is one head."""
        heads = self.layer.sizes["heads"]
        return array.reshape(*((heads,) if heads > 1 else ()), -1, array.shape[-1])

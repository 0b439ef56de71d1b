"""Report of quantising a model: rewrites, operators, and how far the quantised model is from the float one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from covenant.oracle import Oracle
from covenant.quantization.calibration import Samples
from covenant.quantization.layer_errors import LayerError, ratio_in_decibel
from covenant.quantization.ranges import SwallowedTensor

__all__ = ["OutputError", "QuantizationReport", "Refusal", "Rewrite", "compared"]


@dataclass(frozen=True)
class Refusal:
    """Diagnostic of `covenant run` for the quantised model, from the compiler or from one machine."""

    code: str
    subject: str
    """The layer that it is about, with its operator."""
    message: str
    offending: str
    fix: str


@dataclass(frozen=True)
class Rewrite:
    """A float rewrite that was done."""

    what: str
    """Description for people: "ReduceMean over pixels -> GlobalAveragePool"."""
    count: int


@dataclass(frozen=True)
class OutputError:
    """One output of the quantised model beside the float model's, over all calibration data."""

    name: str
    largest: float
    """Largest absolute difference."""
    mean: float
    """Mean absolute difference."""
    noise_decibel: float
    """Signal to noise ratio; infinite if nothing differs."""
    same_largest: float | None
    """Share of rows in which the same element is the largest; None of outputs that are no rows of scores."""


@dataclass(frozen=True)
class QuantizationReport:
    """Report of one call of `quantize`."""

    output: Path
    rewrites: tuple[Rewrite, ...]
    operators: dict[str, int]
    """Operators that ONNX Runtime runs in the quantised model, and how often."""
    tables: int
    """Chains of float operators that become one table each."""
    float_operators: tuple[str, ...]
    """Operators that compute in float in the middle of the model: no table stands for them."""
    closing: tuple[str, ...]
    """Nodes at the end that stay in float."""
    samples: int
    """Number of samples of the calibration data."""
    errors: tuple[OutputError, ...]
    """Errors of outputs whose shape is the same for all samples."""
    weight_bits: dict[str, int]
    """Bits of the weights of each layer that has them, by the name of its node."""
    activation_bits: dict[str, int]
    """Bits of each quantised tensor, by its name."""
    equalized: int = 0
    """Pairs of layers between which channels were scaled."""
    elements: int = 8
    """Bits of a stored element."""
    bias_corrections: dict[str, float] | None = None
    """Largest correction of a bias, by the name of the layer; None: not asked for."""
    layers: tuple[LayerError, ...] = ()
    """Errors of each layer by itself; empty: not asked for."""
    varying: tuple[str, ...] = ()
    """Outputs whose shape depends on what they hold, as the boxes of a NonMaxSuppression: they are not compared."""
    swallowed: tuple[SwallowedTensor, ...] = ()
    """Tensors whose step is too large for most of their values."""
    refusal: Refusal | None = None
    """Why the compiler will not take the quantised model; None: it does."""


def compared(
    in_float: Any, quantized: Oracle, samples: Samples, told: Callable[[int], None]
) -> tuple[tuple[OutputError, ...], tuple[str, ...]]:
    """The outputs of a quantised model beside those of the float model in a session of ONNX Runtime.

    Returns:
        How far each is from float; and names of those that are left out, since they have another shape from sample to
        sample, or in float.
    """
    pairs: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for done, sample in enumerate(samples):
        told(done)
        expected, got = in_float.run(None, dict(sample)), quantized.run(sample)
        for name, array in zip(got, expected, strict=True):
            pairs.setdefault(name, []).append((np.asarray(array), np.asarray(got[name])))
    varying = tuple(name for name, both in pairs.items() if len({one.shape for pair in both for one in pair}) > 1)
    return tuple(
        _error(name, *(np.float64(np.stack(one)) for one in zip(*both, strict=True)))
        for name, both in pairs.items()
        if name not in varying and both[0][0].size
    ), varying


def _error(name: str, expected: np.ndarray, got: np.ndarray) -> OutputError:
    difference = np.abs(expected - got)
    noise, signal = float(np.square(difference).sum()), float(np.square(expected).sum())
    is_rows = expected.ndim == 3 and expected.shape[-1] > 1  # [samples, batch, scores]
    same = float((expected.argmax(-1) == got.argmax(-1)).mean()) if is_rows else None
    return OutputError(name, float(difference.max()), float(difference.mean()), ratio_in_decibel(signal, noise), same)

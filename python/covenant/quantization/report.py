"""What quantising has done to a model, and how far the quantised model is from the float one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from covenant.oracle import Oracle
from covenant.quantization.calibration import Samples
from covenant.quantization.layer_errors import LayerError, ratio_in_decibel

__all__ = ["OutputError", "QuantizationReport", "Rewrite", "compared"]


@dataclass(frozen=True)
class Rewrite:
    """A float rewrite that was done."""

    what: str
    """For people: "ReduceMean over pixels -> GlobalAveragePool"."""
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
    """What `quantize` has done."""

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
    """Of the calibration data."""
    errors: tuple[OutputError, ...]
    weight_bits: dict[str, int]
    """Of each layer with weights, by the name of its node."""
    activation_bits: dict[str, int]
    """Of each quantised tensor, by its name."""
    equalized: int = 0
    """Pairs of layers between which channels were scaled."""
    elements: int = 8
    """Bits of a stored element."""
    bias_corrections: dict[str, float] | None = None
    """By how much at most a bias was moved, by the name of the layer; None: not asked for."""
    layers: tuple[LayerError, ...] = ()
    """How far each layer is from float by itself; empty: not asked for."""


def compared(
    in_float: Any, quantized: Oracle, samples: Samples, told: Callable[[int], None]
) -> tuple[OutputError, ...]:
    """The outputs of a quantised model beside those of the float model in a session of ONNX Runtime."""
    pairs: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for done, sample in enumerate(samples):
        told(done)
        expected, got = in_float.run(None, dict(sample)), quantized.run(sample)
        for name, array in zip(got, expected, strict=True):
            pairs.setdefault(name, []).append((np.float64(array), np.float64(got[name])))
    return tuple(_error(name, *map(np.stack, zip(*both, strict=True))) for name, both in pairs.items())


def _error(name: str, expected: np.ndarray, got: np.ndarray) -> OutputError:
    difference = np.abs(expected - got)
    noise, signal = float(np.square(difference).sum()), float(np.square(expected).sum())
    is_rows = expected.ndim == 3 and expected.shape[-1] > 1  # [samples, batch, scores]
    same = float((expected.argmax(-1) == got.argmax(-1)).mean()) if is_rows else None
    return OutputError(name, float(difference.max()), float(difference.mean()), ratio_in_decibel(signal, noise), same)

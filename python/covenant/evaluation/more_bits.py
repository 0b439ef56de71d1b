"""Finds the layer that needs more bits: gives weights more bits in one layer at a time."""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from covenant.errors import CovenantError
from covenant.evaluation.by_layer import LayerSensitivity, SensitivityResult, sensitivity
from covenant.evaluation.data import data_of
from covenant.evaluation.float_model import FloatModel
from covenant.evaluation.metrics import NEEDS_FLOAT, Rating, rating
from covenant.progress import Progress, told
from covenant.quantization import quantize
from covenant.runtime.values import Values

__all__ = ["sensitivity_to_bits"]

_WITH_WEIGHTS = ("conv", "gemm", "matmul")
_MATCHES_NOTHING = "QNT0009"
Arrays = Mapping[str, np.ndarray]


def sensitivity_to_bits(
    float_model: str | os.PathLike[str],
    data: str | os.PathLike[str] | Arrays,
    calibrate: str | os.PathLike[str] | Arrays,
    *,
    weight_bits: int = 4,
    more_bits: int = 8,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> SensitivityResult:
    """Result of `covenant.sensitivity` for a float model with few bits of weights, and which layer gains by more.

    Args:
        float_model: path of a float .onnx file.
        data: as for `covenant.accuracy`.
        calibrate: as for `covenant.quantize`.
        weight_bits: of the weights of all layers, 2 to 8.
        more_bits: of those of one layer at a time.
        shapes: of inputs without a fixed shape.
        progress: told how far it has come.
        options: others of `covenant.sensitivity`.

    Raises:
        CovenantError: as `covenant.quantize` and `covenant.sensitivity`.
    """
    with tempfile.TemporaryDirectory() as folder:

        def stored(bits: int | dict[str, int]) -> Path:
            path = Path(folder) / f"{Path(float_model).stem}.onnx"
            quantize(float_model, path, calibrate, shapes=shapes, weight_bits=bits)
            return path

        few = stored(weight_bits)
        result = sensitivity(few, data, float_model=float_model, progress=progress, **options)
        needs_float = result.metric in NEEDS_FLOAT
        in_float = FloatModel(few, float_model, options.get("threads") or 1) if needs_float else None

        def rated(bits: int | dict[str, int]) -> Rating | None:
            try:
                path = stored(bits)
            except CovenantError as error:
                if error.code != _MATCHES_NOTHING:
                    raise
                return None  # a layer that the quantiser calls otherwise, or one whose weights are no constants
            numerics = {name: options[name] for name in ("requant", "accumulators", "threads") if name in options}
            values = Values(path, **numerics)
            found = data_of(values.inputs, data, options.get("images"), result.metric)
            real = None if in_float is None else in_float.run(found.inputs, result.output)
            return rating(result.metric, values.run(found.inputs)[result.output], found.labels, real)

        layers = [
            _with_more(one, rated({glob.escape(one.statistics.node): more_bits, "*": weight_bits}))
            if one.statistics.operation in _WITH_WEIGHTS
            else one
            for one in told(result.layers, f"one layer of {more_bits} bits", progress)
        ]
        whole = rated(more_bits)
        return replace(
            result, layers=tuple[LayerSensitivity, ...](layers), weight_bits=weight_bits, more_bits=more_bits,
            accuracy_at_more_bits=whole and whole.figure, hits_at_more_bits=whole and whole.hits,
        )  # fmt: skip


def _with_more(layer: LayerSensitivity, rated: Rating | None) -> LayerSensitivity:
    if rated is None:
        return layer
    return replace(layer, accuracy_at_more_bits=rated.figure, hits_at_more_bits=rated.hits)

"""Finds the layer that costs accuracy: runs a quantised model with one layer at a time in float."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from covenant.evaluation.data import chosen_output, data_of
from covenant.evaluation.float_model import FloatModel, constants_of, float_session, plain_name, without_rounding
from covenant.evaluation.hits import AccuracyIntervals, Hits, interval_of, p_value_of
from covenant.evaluation.layers import LayerStatistics, layer_statistics
from covenant.evaluation.metrics import Rating, check_metric, digest_of, rating
from covenant.evaluation.ranks import RANKS, check_labels
from covenant.machine import Machine, Requant
from covenant.progress import Progress, told
from covenant.runtime.values import Values, images_of
from covenant.tables import data_frame

if TYPE_CHECKING:  # optional, and slow to import
    from pandas import DataFrame

__all__ = ["LayerSensitivity", "SensitivityResult", "sensitivity"]

_ALMOST_ALL = 0.999
"""Least share of weights that equal the rounded float weights: quantisers round in single precision."""


@dataclass(frozen=True)
class LayerSensitivity:
    """One layer."""

    statistics: LayerStatistics
    accuracy_in_float: float | None
    """Accuracy of the model in which this layer alone computes in float: with real weights, if the float model was
    named, and without rounding of its result. None: it was not asked for."""
    accuracy_at_more_bits: float | None = None
    """Accuracy of the model in which the weights of this layer alone have more bits; None: it was not asked for."""
    hits_in_float: Hits | None = field(repr=False, default=None)
    """Rows that are right with this layer in float; None of a metric that is no share of rows, as is the next."""
    hits_at_more_bits: Hits | None = field(repr=False, default=None)
    """Rows that are right with more bits of weights in this layer."""


@dataclass(frozen=True)
class SensitivityResult(AccuracyIntervals):
    """Layers of a model, and what rounding in each of them does."""

    model: str
    metric: str
    output: str
    images: int
    accuracy: float
    """Accuracy of the quantised model."""
    float_accuracy: float
    float_source: str
    """Description of the float model."""
    layers: tuple[LayerSensitivity, ...]
    """Layers in the order of the model."""
    weight_bits: int | None = None
    """Bits of weights of all layers, where the model was made for this; None: it was given."""
    more_bits: int | None = None
    """Bits of the weights of the one layer that has more."""
    accuracy_at_more_bits: float | None = None
    """Accuracy of the model in which all layers have more bits."""
    hits: Hits | None = field(repr=False, default=None)
    """Rows that the quantised model has right; None of a metric that is no share of rows, as are the next two."""
    float_hits: Hits | None = field(repr=False, default=None)
    """Rows that the float model has right."""
    hits_at_more_bits: Hits | None = field(repr=False, default=None)
    """Rows that are right where all layers have more bits."""

    def gain_p_value(self, layer: LayerSensitivity) -> float | None:
        """The p-value of the gain with this layer in float, by the exact McNemar test on these images."""
        return p_value_of(self.hits, layer.hits_in_float)

    def gain_of_bits_p_value(self, layer: LayerSensitivity) -> float | None:
        """The same of the gain with more bits of weights in this layer."""
        return p_value_of(self.hits, layer.hits_at_more_bits)

    def gain(self, layer: LayerSensitivity) -> float | None:
        """Gain in accuracy with this layer in float."""
        return None if layer.accuracy_in_float is None else layer.accuracy_in_float - self.accuracy

    def gain_of_bits(self, layer: LayerSensitivity) -> float | None:
        """Gain in accuracy with more bits of weights in this layer."""
        return None if layer.accuracy_at_more_bits is None else layer.accuracy_at_more_bits - self.accuracy

    def to_dataframe(self) -> DataFrame:
        """The layers as a data frame of pandas, without their histograms.

        Raises:
            CovenantError: CLI0012, pandas is not installed.
        """
        return data_frame({k: v for k, v in row.items() if k != "histogram"} for row in self.to_dict()["layers"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        rows = [
            one.statistics.to_dict()
            | {
                "accuracy_in_float": one.accuracy_in_float,
                "accuracy_in_float_interval": interval_of(one.hits_in_float),
                "gain": self.gain(one),
                "gain_p_value": self.gain_p_value(one),
                "accuracy_at_more_bits": one.accuracy_at_more_bits,
                "accuracy_at_more_bits_interval": interval_of(one.hits_at_more_bits),
                "gain_of_bits": self.gain_of_bits(one),
                "gain_of_bits_p_value": self.gain_of_bits_p_value(one),
            }
            for one in self.layers
        ]
        plain = {key: value for key, value in self.__dict__.items() if not key.endswith("hits") and "hits_" not in key}
        return plain | {
            "accuracy_interval": self.accuracy_interval,
            "float_accuracy_interval": self.float_accuracy_interval,
            "accuracy_at_more_bits_interval": interval_of(self.hits_at_more_bits),
            "layers": rows,
        }


def sensitivity(
    model: str | os.PathLike[str],
    data: str | os.PathLike[str] | Mapping[str, np.ndarray],
    *,
    metric: str = "top1",
    output: str | None = None,
    images: int | None = None,
    float_model: str | os.PathLike[str] | None = None,
    requant: Requant = "fp32",
    accumulators: Machine | None = None,
    one_in_float: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> SensitivityResult:
    """Errors of each layer, alone and in the chain, and the accuracy of the model with this layer in float.

    Args:
        model: path of an .onnx file, int8; in QDQ style if layers are to compute in float.
        data: as for `covenant.accuracy`.
        metric: one of `covenant.choices.METRICS`, or FILE.py:FUNCTION.
        output: name of the output that the metric is about; None: the only one.
        images: how many to take from the start; None: all.
        float_model: path of the float model; None: derived from the model by `FloatModel`.
        requant: how sums are scaled, as `Machine.requant` says.
        accumulators: the machine whose systolic arrays make the sums; None: in 32 bits.
        one_in_float: also run the model once for each layer, in ONNX Runtime, with that layer in float.
        threads: for values and for ONNX Runtime; None: one for each core.
        progress: called with the progress.

    Raises:
        CovenantError: the reference operators do not know the model (codes ONXnnnn); data or options do not suit
            (CLI0002, CLI0003, codes ACCnnnn).
    """
    check_metric(metric)
    digest_of(metric)  # mistakes in files are reported before the long computation
    threads = threads or os.cpu_count() or 1
    values = Values(model, requant=requant, accumulators=accumulators, threads=threads)
    in_float = FloatModel(model, float_model, threads)
    found = data_of(values.inputs, data, images, metric)
    name = chosen_output(output, values.outputs)
    if metric in RANKS:
        first = {name: array[:1] for name, array in found.inputs.items()}
        check_labels(found.labels, found.images, values.run(first)[name].shape[1:], name)
    made = values.run(found.inputs, progress=progress)[name]
    real = in_float.run(found.inputs, name, progress)

    def metric_of(stack: np.ndarray) -> Rating:
        return rating(metric, stack, found.labels, real)

    stored, unrounded = metric_of(made), metric_of(real)
    statistics = layer_statistics(values, in_float, found, progress)
    ratings: dict[str, Rating] = {}
    if one_in_float:
        weights = {} if float_model is None else constants_of(in_float.proto)
        variants = _variants(in_float.quantized, [one.name for one in statistics], weights)
        for layer, variant in told(variants, "one layer in float", progress):
            session = float_session(variant(), threads)
            stack = np.stack([session.run([name], feed)[0] for feed in images_of(found.inputs)])
            ratings[layer] = metric_of(stack)
    return SensitivityResult(
        model=Path(model).name,
        metric=metric,
        output=name,
        images=found.images,
        accuracy=stored.figure,
        float_accuracy=unrounded.figure,
        float_source=in_float.source,
        layers=tuple(_layer(one, ratings.get(one.name)) for one in statistics),
        hits=stored.hits,
        float_hits=unrounded.hits,
    )


def _layer(statistics: LayerStatistics, in_float: Rating | None) -> LayerSensitivity:
    if in_float is None:
        return LayerSensitivity(statistics, None)
    return LayerSensitivity(statistics, in_float.figure, hits_in_float=in_float.hits)


def _variants(
    model: Any, layers: Sequence[str], weights: Mapping[str, np.ndarray]
) -> list[tuple[str, Callable[[], Any]]]:
    """For each tensor that a QuantizeLinear of the model makes: the model in which the layer before it is in float.

    Raises:
        CovenantError: ACC0005, it says none so.
    """
    rounded = {node.output[0] for node in model.graph.node if node.op_type == "QuantizeLinear"}
    wanted = [name for name in layers if name in rounded]
    if not wanted:
        without_rounding(model)  # says what is wrong

    def made(name: str) -> Any:
        variant = without_rounding(model, {name})
        _with_real_weights(variant, model, name, weights)
        return variant

    return [(name, partial(made, name)) for name in wanted]


def _with_real_weights(made: Any, model: Any, name: str, weights: Mapping[str, np.ndarray]) -> None:
    """Gives the layer that makes a tensor the weights of the float model, in place."""
    from onnx import numpy_helper  # noqa: PLC0415 (import costs; other commands do not pay)

    producers = {output: node for node in made.graph.node for output in node.output}
    constants = constants_of(model)
    (rounding,) = (node for node in model.graph.node if name in node.output)
    open_ = [rounding.input[0]]
    while open_:
        node = producers.get(open_.pop())
        if node is None or node.op_type in ("QuantizeLinear", "DequantizeLinear"):
            continue
        for place, value in enumerate(node.input):
            maker = producers.get(value)
            is_stored = maker is not None and maker.op_type == "DequantizeLinear" and maker.input[0] in constants
            real = weights.get(plain_name(maker.input[0])) if is_stored else None
            if real is None or not _is_quantized_from(maker, constants, real):
                open_.append(value)
                continue
            node.input[place] = f"{value}_real"
            made.graph.initializer.append(numpy_helper.from_array(real.astype(np.float32), f"{value}_real"))


def _is_quantized_from(maker: Any, constants: Mapping[str, np.ndarray], real: np.ndarray) -> bool:
    """Whether these weights, rounded, are those that a DequantizeLinear takes: equalisation scales them first."""
    stored, scale = constants[maker.input[0]], constants[maker.input[1]]
    if real.shape != stored.shape:
        return False
    axis = next((attribute.i for attribute in maker.attribute if attribute.name == "axis"), 1)
    zero = constants[maker.input[2]] if len(maker.input) > 2 else np.zeros_like(scale, stored.dtype)
    if scale.size > 1:
        shape = [-1 if d == axis % stored.ndim else 1 for d in range(stored.ndim)]
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    rounded = np.rint(real.astype(np.float64) / scale) + zero
    same = np.clip(rounded, stored.min(), stored.max()) == stored
    return bool(np.mean(same) >= _ALMOST_ALL)

"""Errors of each layer by itself: given float's tensors, it quantises them, its weights and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel
from covenant.onnx_runtime.sessions import Style, session
from covenant.quantization.bias_correction import with_outputs
from covenant.quantization.calibration import Samples
from covenant.quantization.clamps import Activation, activations

__all__ = ["LayerError", "layer_errors", "ratio_in_decibel"]


@dataclass(frozen=True)
class LayerError:
    """One layer compared with itself in float, on the same float tensors, over all calibration data."""

    name: str
    """Name of its node."""
    operator: str
    weight_bits: int | None
    """None of layers without weights."""
    activation_bits: int
    """Bits of the tensors that it reads."""
    relative_error: float
    """Frobenius norm of the difference over that of what float makes."""
    sqnr_decibel: float
    """Signal to quantisation noise ratio; infinite if nothing differs."""


def layer_errors(
    in_float: Any, quantized: Any, weight_bits: Mapping[str, int], tensor_bits: Mapping[str, int], samples: Samples
) -> tuple[LayerError, ...]:
    """The layers of a quantised model, in their order.

    Args:
        in_float: the `onnx.ModelProto` that was quantised.
        quantized: in QDQ style.
        weight_bits: of layers, by the name of their node.
        tensor_bits: of activations, by their names in the float model.
        samples: as the model takes them.
    """
    model = EditableModel(_copy(quantized))
    known = {value for node in in_float.graph.node for value in node.output}
    given = {one.value: one for one in activations(model)}
    made = {value: one for value, one in given.items() if one.name in known and model.maker(value) is not None}
    names = sorted({one.name for one in given.values() if one.name in known})
    alone = _with_given(model, given, made)
    reference = session(with_outputs(in_float, names).SerializeToString(), Style.QOPERATOR)
    layers = session(alone.SerializeToString(), Style.QOPERATOR)
    noise, signal = dict.fromkeys(made, 0.0), dict.fromkeys(made, 0.0)
    inputs = [entry.name for entry in layers.get_inputs()]
    for sample in samples:
        fed = {entry.name: sample[entry.name] for entry in reference.get_inputs()}
        tensors = dict(sample) | dict(zip(names, reference.run(names, fed), strict=True))
        feed = {name: tensors[name.removesuffix(_GIVEN)] for name in inputs}
        for value, got in zip(made, layers.run(list(made), feed), strict=True):
            expected = np.float64(tensors[made[value].name])
            stored = _quantized(got, made[value], tensor_bits.get(made[value].name, made[value].width))
            noise[value] += float(np.square(stored - expected).sum())
            signal[value] += float(np.square(expected).sum())
    return tuple(_layer(model, made[value], weight_bits, tensor_bits, (signal[value], noise[value])) for value in made)


_GIVEN = "/given"


def ratio_in_decibel(signal: float, noise: float) -> float:
    """Ratio of two sums of squares, in dB; infinite without noise."""
    return float("inf") if noise == 0 else 10 * float(np.log10(max(signal, 1e-300) / noise))


def _copy(model: Any) -> Any:
    from onnx import ModelProto  # noqa: PLC0415

    made = ModelProto()
    made.CopyFrom(model)
    return made


def _with_given(model: EditableModel, given: Mapping[str, Activation], made: Mapping[str, Activation]) -> Any:
    """The model cut at every activation: what is quantised is given, what layers make is an output."""
    from onnx import TensorProto, helper  # noqa: PLC0415

    for one in given.values():
        one.first.input[0] = one.name + _GIVEN
    model.refresh()
    cut = with_outputs(model.model, made)
    fed = sorted({one.name + _GIVEN for one in given.values()})
    read = {value for node in cut.graph.node for value in node.input}
    cut.graph.input.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in fed if name in read)
    return cut


def _quantized(array: np.ndarray, activation: Activation, bits: int) -> np.ndarray:
    """The tensor rounded to its stored levels."""
    zero = int(activation.zero)
    low = activation.highest(0)
    stored = np.clip(np.rint(array / activation.scale) + zero, low, activation.highest(bits))
    return (stored - zero) * np.float64(activation.scale)


def _layer(
    model: EditableModel, made: Activation, weight_bits: Mapping[str, int], tensor_bits: Mapping[str, int],
    power: tuple[float, float],
) -> LayerError:  # fmt: skip
    signal, noise = power
    node = model.maker(made.value)
    taken = [tensor_bits[name] for value in node.input if (name := _stored_name(model, value)) in tensor_bits]
    return LayerError(
        name=node.name,
        operator=node.op_type,
        weight_bits=weight_bits.get(node.name),
        activation_bits=max(taken, default=made.width),
        relative_error=float(np.sqrt(noise / signal)) if signal else float(noise > 0),
        sqnr_decibel=ratio_in_decibel(signal, noise),
    )


def _stored_name(model: EditableModel, value: str) -> str:
    """The float model's name of what a layer takes dequantised; what a chain of float operators starts with."""
    maker = model.maker(value)
    while maker is not None and maker.op_type != "DequantizeLinear":
        maker = model.maker(maker.input[0])
    while maker is not None and maker.op_type in ("DequantizeLinear", "Clip", "QuantizeLinear"):
        value, maker = maker.input[0], model.maker(maker.input[0])
    return value.removesuffix(_GIVEN)

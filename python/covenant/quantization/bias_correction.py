"""Bias correction: subtracts from each layer's bias the amount by which quantising moves the means of its outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel
from covenant.onnx_runtime.sessions import Style, session
from covenant.quantization.calibration import Samples
from covenant.quantization.weight_scales import output_axis

__all__ = ["corrected", "with_biases", "with_outputs"]

_CORRECTED = ("Conv", "Gemm")


def with_biases(model: EditableModel) -> None:
    """Gives each Conv and Gemm a bias that can be corrected: zeros where it has none."""
    for node in model.nodes:
        weights = model.constant(node.input[1]) if node.op_type in _CORRECTED else None
        if weights is None or (len(node.input) > 2 and node.input[2]):
            continue
        zeros = model.add_constant(np.zeros(weights.shape[output_axis(node)], np.float32), node.output[0])
        del node.input[2:]
        node.input.append(zeros)
    model.refresh()


def corrected(
    in_float: Any, quantized: EditableModel, samples: Samples, told: Callable[[int, int], None]
) -> dict[str, float]:
    """Corrects biases, layer by layer in the order of the model; by how much at most, by the name of the layer.

    Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction", section 4.2 and appendix D:
    means come from calibration data, of each output channel before its activation function, over samples and pixels.
    A layer's mean is looked at after those before it have been corrected.

    Args:
        in_float: the `onnx.ModelProto` that was quantised.
        quantized: in QDQ style; its biases are changed.
        samples: as the model takes them.
        told: how many layers have been corrected, and of how many.
    """
    nodes = {node.name: node for node in quantized.nodes}
    layers = [node for node in in_float.graph.node if node.op_type in _CORRECTED and _bias_of(quantized, nodes, node)]
    if not layers:
        return {}
    wanted = _means(in_float, {node.name: node.output[0] for node in layers}, samples)
    moved = {}
    for done, layer in enumerate(layers):
        told(done, len(layers))
        node = nodes[layer.name]
        got = _means(quantized.model, {node.name: node.output[0]}, samples)[node.name]
        moved[node.name] = _correct(quantized, _bias_of(quantized, nodes, layer), got - wanted[node.name])
    return moved


def _bias_of(model: EditableModel, nodes: dict[str, Any], layer: Any) -> Any | None:
    """The DequantizeLinear of the layer's stored bias."""
    node = nodes.get(layer.name)
    maker = model.maker(node.input[2]) if node is not None and len(node.input) > 2 else None
    stored = None if maker is None or maker.op_type != "DequantizeLinear" else model.constant(maker.input[0])
    return maker if stored is not None and stored.dtype == np.int32 else None


def _correct(model: EditableModel, bias: Any, error: np.ndarray) -> float:
    """Corrects the stored bias by whole steps; returns the greatest correction, in float."""
    stored, scale = np.int64(model.constant(bias.input[0])), np.float64(model.constant(bias.input[1]))
    steps = np.rint(error / scale)
    limits = np.iinfo(np.int32)
    model.set_constant(bias.input[0], np.clip(stored - steps, limits.min, limits.max).astype(np.int32))
    return float(np.abs(steps * scale).max(initial=0))


def _means(model: Any, values: dict[str, str], samples: Samples) -> dict[str, np.ndarray]:
    """Mean of each channel of the values over all samples, by the same names."""
    running = session(with_outputs(model, values.values()).SerializeToString(), Style.QOPERATOR)
    known = {entry.name for entry in running.get_inputs()}
    sums: dict[str, np.ndarray] = {}
    for sample in samples:
        made = running.run(list(values.values()), {name: array for name, array in sample.items() if name in known})
        for name, array in zip(values, made, strict=True):
            over = tuple(axis for axis in range(array.ndim) if axis != 1)
            sums[name] = sums.get(name, 0) + np.float64(array).mean(axis=over)
    return {name: total / len(samples) for name, total in sums.items()}


def with_outputs(model: Any, values: Iterable[str]) -> Any:
    """A copy of an `onnx.ModelProto` that makes these values alone, and has no node that they do not need."""
    from onnx import ModelProto, ValueInfoProto  # noqa: PLC0415

    wanted = list(dict.fromkeys(values))
    needed, nodes = set(wanted), []
    for node in reversed(model.graph.node):
        if needed & set(node.output):
            needed |= set(node.input)
            nodes.append(node)
    made = ModelProto()
    made.CopyFrom(model)
    for field, kept in (
        (made.graph.node, nodes[::-1]),
        (made.graph.initializer, [one for one in model.graph.initializer if one.name in needed]),
        (made.graph.input, [one for one in model.graph.input if one.name in needed]),
        (made.graph.output, [ValueInfoProto(name=name) for name in wanted]),
    ):
        del field[:]
        field.extend(kept)
    return made

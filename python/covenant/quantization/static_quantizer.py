"""ONNX Runtime's static quantiser, told what scale each tensor has."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel
from covenant.quantization.bits import BYTE
from covenant.quantization.calibration import Range, steps_of
from covenant.quantization.reading import refused
from covenant.quantization.weight_scales import cut_off, output_axis, weight_scales

__all__ = ["OPERATORS", "activation_steps", "quantized", "weight_steps"]

OPERATORS = [
    "Add", "AveragePool", "Clip", "Concat", "Conv", "CumSum", "Div", "Expand", "Flatten", "Gather", "GatherElements",
    "Gemm", "GlobalAveragePool", "GlobalMaxPool", "LayerNormalization", "MatMul", "Max", "MaxPool", "Min", "Mul", "Pad",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape", "Resize", "ReverseSequence", "Slice",
    "Softmax", "Split", "Squeeze", "Sub", "Tile", "Transpose", "Unsqueeze", "Where",
]  # fmt: skip
"""Types of nodes that are quantised."""
Steps = dict[str, list[dict[str, Any]]]
"""Scales and zero points by tensor, as ONNX Runtime's quantiser takes them (`TensorQuantOverrides`)."""


def weight_steps(
    model: EditableModel, bits: Mapping[str, int], *, width: int, per_channel: bool, least_error: bool
) -> Steps:
    """Steps of the weights of layers, except those that ONNX Runtime would choose itself; cuts weights off (`cut_off`).

    Where elements are wider than bytes, each layer gets weights of its own: their scales depend on what it takes, and
    those of more than 8 bits are stored later (`covenant.quantization.elements`).

    Args:
        model: in float; changed.
        bits: by the name of the layer's node.
        width: of the elements.
        per_channel: one scale for each output channel.
        least_error: as for `weight_scales`.
    """
    found: Steps = {}
    for node in model.nodes:
        own = bits.get(node.name, BYTE)
        if node.name not in bits:
            continue
        weights = model.constant(node.input[1])
        if width > BYTE and not model.is_read_once(node.input[1]):
            node.input[1] = model.add_constant(weights, node.input[1])  # type: ignore[arg-type]
        if own > BYTE or (own == BYTE and not least_error):
            continue
        axis = output_axis(node) % weights.ndim if per_channel and weights.ndim > 1 else None  # type: ignore[union-attr]
        scales = weight_scales(weights, own, axis, least_error=least_error)  # type: ignore[arg-type]
        name = cut_off(model, node, scales, own, axis)
        known = [{"scale": scale, "zero_point": np.int8(0)} for scale in np.atleast_1d(scales)]
        found[name] = known if axis is None else [one | {"axis": axis} for one in known]
    model.replace({})
    return found


def activation_steps(ranges: Mapping[str, Range], bits: Mapping[str, int], activations: str) -> Steps:
    """Steps of activations of fewer than 8 bits: levels are the lowest of the byte (`covenant.quantization.clamps`)."""
    dtype = {"i8": np.int8, "u8": np.uint8}[activations]
    found: Steps = {}
    for name, (low, high) in ranges.items():
        own = bits.get(name, BYTE)
        if own < BYTE:
            scale, zero = steps_of(low, high, own)
            found[name] = [{"scale": np.array(scale), "zero_point": np.array(zero + np.iinfo(dtype).min, dtype)}]
    return found


def quantized(
    path: str | os.PathLike[str], model: Any, excluded: Sequence[str], ranges: Mapping[str, Range], steps: Steps,
    *, activations: str, per_channel: bool,
) -> Any:  # fmt: skip
    """An `onnx.ModelProto` in QDQ style.

    Args:
        path: of the model, for diagnostics.
        model: in float.
        excluded: names of nodes that stay in float.
        ranges: of activations.
        steps: of tensors whose scale does not follow from their range.
        activations: one of SIGNS.
        per_channel: one scale for each output channel of weights.

    Raises:
        CovenantError: QNT0004, ONNX Runtime refuses the model.
    """
    import onnx  # noqa: PLC0415
    from onnxruntime import quantization as theirs  # noqa: PLC0415
    from onnxruntime.quantization.calibrate import TensorsData, save_tensors_data  # noqa: PLC0415

    types = {"i8": theirs.QuantType.QInt8, "u8": theirs.QuantType.QUInt8}
    method = theirs.CalibrationMethod.MinMax
    with tempfile.TemporaryDirectory() as folder, _quiet():
        given, made, known = (Path(folder) / name for name in ("float.onnx", "int8.onnx", "ranges.json"))
        given.write_bytes(model.SerializeToString())
        save_tensors_data(TensorsData(method, dict(ranges)), known)
        try:
            theirs.quantize_static(
                str(given), str(made), None, quant_format=theirs.QuantFormat.QDQ, weight_type=theirs.QuantType.QInt8,
                activation_type=types[activations], calibrate_method=method, per_channel=per_channel,
                op_types_to_quantize=OPERATORS, nodes_to_exclude=list(excluded), calibration_cache_path=str(known),
                extra_options={"ForceQuantizeNoInputCheck": True, "TensorQuantOverrides": steps},
            )  # fmt: skip
        except Exception as error:  # theirs have no base of their own
            raise refused(path, error) from error
        return onnx.load(str(made))


@contextmanager
def _quiet() -> Iterator[None]:
    """The quantiser logs advice that does not apply to what it is given."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)

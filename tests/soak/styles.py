"""Quantises a float network in each of the styles."""

from __future__ import annotations

import io
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime.quantization as ort_quantization
from exporters import EXPORTERS, exported
from onnx import helper, numpy_helper
from onnxruntime.quantization.shape_inference import quant_pre_process
from plans import Plan
from witnesses import Arrays, session

import covenant

COVENANT: dict[str, dict[str, Any]] = {
    "covenant i8": {},
    "covenant u8": {"activations": "u8"},
    "covenant weights of 4 bits": {"weight_bits": 4},
    "covenant 16 bits": {"elements": 16},
    "covenant elements of 4 bits": {"elements": 4},
    "covenant equalised": {"equalize": True, "bias_correction": True},
    "covenant mse": {"method": "mse"},
}
TYPES = {"u8": ort_quantization.QuantType.QUInt8, "s8": ort_quantization.QuantType.QInt8}


class VoidError(Exception):
    """The tool itself does not quantise this network."""


class _Samples(ort_quantization.CalibrationDataReader):
    def __init__(self, arrays: list[dict[str, np.ndarray]]) -> None:
        self._left = list(arrays)

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next sample."""
        return self._left.pop() if self._left else None


def quantized(plan: Plan, network: Any, samples: list[dict[str, np.ndarray]]) -> Any:
    """The network in the plan's style.

    Raises:
        CovenantError: `covenant quantize` refuses it.
        VoidError: another tool cannot quantise it.
    """
    random = np.random.default_rng([plan.form, 3])
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if plan.style in COVENANT:
            onnx.save(network, place / "float.onnx")
            covenant.quantize(place / "float.onnx", place / "made.onnx", stacked(samples), **COVENANT[plan.style])
            return onnx.load(place / "made.onnx")
        if plan.style.startswith("ort"):
            try:
                with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                    return _by_onnxruntime(plan.style, network, samples, place, random)
            except Exception as error:  # of any kind: ONNX Runtime's quantiser has no base of its own
                raise VoidError(f"{type(error).__name__}: {error}") from error
    try:
        model = exported(network, EXPORTERS[plan.style], _ranges(network, samples), random)
    except Exception as error:
        raise VoidError(f"{type(error).__name__}: {error}") from error
    return _with_constant_nodes(model) if random.random() < 0.2 else model


def stacked(samples: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Samples one after the other along the first axis."""
    return {name: np.concatenate([one[name] for one in samples]) for name in samples[0]}


def _by_onnxruntime(
    style: str, network: Any, samples: list[dict[str, np.ndarray]], place: Path, random: np.random.Generator
) -> Any:
    words = style.split()
    onnx.save(network, place / "float.onnx")
    source = place / "float.onnx"
    if random.random() < 0.5:
        quant_pre_process(str(source), str(place / "prepared.onnx"), skip_symbolic_shape=True)
        source = place / "prepared.onnx"
    form = ort_quantization.QuantFormat.QOperator if words[1] == "qoperator" else ort_quantization.QuantFormat.QDQ
    activation, weight = TYPES["u8"], TYPES["s8"]
    if words[2] == "int4":
        activation, weight = TYPES["s8"], ort_quantization.QuantType.QInt4
    elif words[2] == "int16":
        activation = ort_quantization.QuantType.QInt16
    else:
        activation, weight = TYPES[words[2][:2]], TYPES[words[2][2:]]
    options: dict[str, Any] = {}
    if random.random() < 0.3:
        options["ActivationSymmetric"] = True
    if random.random() < 0.15 and words[1] == "qdq":
        options["DedicatedQDQPair"] = True
    if random.random() < 0.1 and words[1] == "qdq":
        options["QuantizeBias"] = False
    if words[1] == "qdq" and random.random() < 0.1:
        options["UseQDQContribOps"] = True
    ort_quantization.quantize_static(
        str(source), str(place / "made.onnx"), _Samples(samples), quant_format=form, activation_type=activation,
        weight_type=weight, per_channel=words[-1] == "channels", extra_options=options,
    )  # fmt: skip
    return onnx.load(place / "made.onnx")


def _ranges(network: Any, samples: list[dict[str, np.ndarray]]) -> dict[str, tuple[float, float]]:
    """Least and greatest number of every float tensor, by ONNX Runtime."""
    seen = onnx.ModelProto()
    seen.CopyFrom(network)
    known = {entry.name for entry in network.graph.output}
    seen.graph.output.extend(
        onnx.ValueInfoProto(name=name) for node in network.graph.node for name in node.output if name not in known
    )
    made = session(seen, fused=False)
    names = [entry.name for entry in made.get_outputs()]
    ranges: dict[str, tuple[float, float]] = {}
    for sample in samples:
        for name, array in [*sample.items(), *zip(names, made.run(names, sample), strict=True)]:
            if array.dtype != np.float32 or not np.all(np.isfinite(array)) or not array.size:
                continue
            low, high = ranges.get(name, (np.inf, -np.inf))
            ranges[name] = min(low, float(array.min())), max(high, float(array.max()))
    return ranges


def _with_constant_nodes(model: Any) -> Any:
    """The model with its initialisers as Constant nodes."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    nodes = [
        helper.make_node("Constant", [], [entry.name], value=numpy_helper.from_array(numpy_helper.to_array(entry)))
        for entry in model.graph.initializer
    ]
    del made.graph.initializer[:]
    del made.graph.node[:]
    made.graph.node.extend([*nodes, *model.graph.node])
    return made


def same_inputs(model: Any, feed: Arrays) -> dict[str, np.ndarray]:
    """The inputs in a feed that the model takes, in the model's types."""
    return {
        entry.name: feed[entry.name].astype(helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type))
        for entry in model.graph.input
        if entry.name in feed
    }

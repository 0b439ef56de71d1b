"""Outputs of ONNX Runtime for a quantised model, and whether they explain what a machine has computed.

Nothing here reads through the project: only ONNX Runtime and NumPy do. Each model has two witnesses, run on the file as
it stands: kernels of integers (fused), and every operator by itself with all optimisations off (unfused). Where outputs
are not those of the second, each stored tensor that the machine has made is put into a copy of that model which is cut
at these tensors: whatever a layer makes of the machine's own inputs has to be within a step of what the machine has
made of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from spelling import spelled_out

Arrays = Mapping[str, np.ndarray]
NARROW = {onnx.TensorProto.INT4: onnx.TensorProto.INT8, onnx.TensorProto.UINT4: onnx.TensorProto.UINT8}
RELATIVE = 1e-5
"""Relative tolerance for float outputs, because kernels of the host sum in other orders."""


class RefusedError(Exception):
    """ONNX Runtime does not take the model."""


def session(model: Any, *, fused: bool) -> Any:
    """ONNX Runtime on a model, with or without its optimisations."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED if fused else levels.ORT_DISABLE_ALL
    if fused:
        options.add_session_config_entry("session.qdqisint8allowed", "1")
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no base of their own
        raise RefusedError(str(error)) from error


def outputs_of(model: Any, inputs: Arrays, *, fused: bool) -> dict[str, np.ndarray]:
    """Outputs of the model."""
    made = session(model, fused=fused)
    names = [entry.name for entry in made.get_outputs()]
    try:
        return dict(zip(names, made.run(names, dict(inputs)), strict=True))
    except Exception as error:  # as above
        raise RefusedError(str(error)) from error


def is_qoperator(model: Any) -> bool:
    """Whether layers are operators on stored tensors, of which there is no unfused form."""
    return any(node.op_type.startswith(("QLinear", "QGemm")) for node in model.graph.node)


def is_quantized(model: Any) -> bool:
    """Whether anything is."""
    return is_qoperator(model) or any(node.op_type == "QuantizeLinear" for node in model.graph.node)


@dataclass(frozen=True)
class Gap:
    """A tensor that is further from what a layer makes of the machine's own tensors than it may be."""

    tensor: str
    operator: str
    steps: float

    def __str__(self) -> str:
        return f"{self.tensor} ({self.operator}): {self.steps:g} steps"


def same(ours: Arrays, theirs: Arrays) -> bool:
    """Whether outputs are equal: stored ones and indices all bytes, floats but for the order of sums."""
    return set(ours) == set(theirs) and all(
        ours[name].shape == theirs[name].shape and bool(_close(ours[name], theirs[name]).all()) for name in theirs
    )


def _close(mine: np.ndarray, other: np.ndarray) -> np.ndarray:
    if mine.dtype.kind != "f":
        return np.asarray(mine == other)
    span = np.abs(other[np.isfinite(other)]).max(initial=0)
    return np.isclose(mine, other, rtol=RELATIVE, atol=RELATIVE * float(span), equal_nan=True)


def gaps(
    model: Any, inputs: Arrays, tensors: Arrays, outputs: Arrays, *, most_steps: int = 1
) -> tuple[list[Gap], int, int]:
    """Unexplained gaps; how many tensors were compared, and how many steps they are away at most.

    Args:
        model: the quantised model, as it stands in its file.
        inputs: by name.
        tensors: stored tensors that the machine has made, by the model's names.
        outputs: of the machine.
        most_steps: that a layer may be away.
    """
    written = spelled_out(model)
    forms = [written] if written is model else [written, model]  # of stored operators two kernels have a say
    found, given, theirs = [], {}, []
    for form in forms:
        cut, given = _cut(form, tensors, stored_types(model))
        theirs.append(outputs_of(cut, {**inputs, **given}, fused=False))
    makers = {name: node.op_type for node in written.graph.node for name in node.output}
    farthest = 0
    for key, array in given.items():
        name = key.removesuffix(" given")
        away = min(_away(other[f"{name} made"], array) for other in theirs)
        farthest = max(farthest, int(away))
        if away > most_steps:
            found.append(Gap(name, _maker(written, name), away))
    spans = _steps_of_outputs(written, tensors)
    for name, array in outputs.items():
        other = theirs[0][name]
        if array.shape != other.shape or array.dtype != other.dtype:
            found.append(Gap(name, f"{array.dtype}{list(array.shape)}, not {other.dtype}{list(other.shape)}", np.inf))
        elif not _close(array, other).all():
            step = spans.get(name, 0.0)
            away = np.abs(array.astype(np.float64) - other.astype(np.float64)).max()
            if not step or away > step * (most_steps + 0.01):
                found.append(Gap(name, makers.get(name, "?"), float(away / step) if step else np.inf))
    return found, len(given), farthest


def _away(other: np.ndarray, array: np.ndarray) -> float:
    return float(np.abs(other.astype(np.float64) - array.astype(np.float64)).max(initial=0))


def _cut(model: Any, tensors: Arrays, kinds: dict[str, int]) -> tuple[Any, dict[str, np.ndarray]]:
    """The model, cut at the stored tensors that are given; and these, as the model stores them."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    given, casts = {}, []
    for node in made.graph.node:
        for place, name in enumerate(node.output):
            array = _stored(tensors, name, kinds.get(name))
            if array is None:
                continue
            kind = kinds[name]
            wide = NARROW.get(kind, kind)  # arrays of NumPy have whole bytes
            given[name] = array.astype(helper.tensor_dtype_to_np_dtype(wide))
            was, said, put = f"{name} made", f"{name} made", name
            if wide != kind:
                was, put = f"{name} narrow", f"{name} given"
                casts += [
                    helper.make_node("Cast", [was], [said], to=wide),
                    helper.make_node("Cast", [put], [name], to=kind),
                ]
            node.output[place] = was
            made.graph.input.append(helper.make_tensor_value_info(put, wide, array.shape))
            made.graph.output.append(helper.make_tensor_value_info(said, wide, array.shape))
    given_names = {entry.name.removesuffix(" given"): entry.name for entry in made.graph.input}
    made.graph.node.extend(casts)
    _sort(made.graph)
    return made, {given_names[name]: array for name, array in given.items()}


def stored_shapes(model: Any, inputs: Arrays) -> dict[str, tuple[int, ...]]:
    """The shapes of what `stored_types` names."""
    made = onnx.ModelProto()
    made.CopyFrom(spelled_out(model))
    del made.graph.output[:]
    names = {}
    makers = {name: node for node in made.graph.node for name in node.output}
    for number, name in enumerate(stored_types(model)):
        said = f"soak shape {number}"
        maker = makers[name]  # Shape takes no elements of 4 bits
        alike = maker.input[0] if maker.op_type == "QuantizeLinear" else name
        made.graph.node.append(helper.make_node("Shape", [alike], [said]))
        made.graph.output.append(helper.make_tensor_value_info(said, onnx.TensorProto.INT64, None))
        names[said] = name
    found = outputs_of(made, inputs, fused=False) if names else {}
    return {names[said]: tuple(int(size) for size in shape) for said, shape in found.items()}


def _sort(graph: Any) -> None:
    """Puts nodes behind what they read."""
    known = {entry.name for entry in [*graph.input, *graph.initializer]} | {""}
    left, sorted_nodes = list(graph.node), []
    while left:
        ready = [node for node in left if known.issuperset(node.input)]
        known.update(name for node in ready for name in node.output)
        sorted_nodes += ready
        left = [node for node in left if not any(node is one for one in ready)]
    del graph.node[:]
    graph.node.extend(sorted_nodes)


def stored_types(model: Any) -> dict[str, int]:
    """The element types of the tensors that a QuantizeLinear, or an operator on stored tensors, makes of inputs."""
    constants = {entry.name: entry.data_type for entry in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            constants[node.output[0]] = node.attribute[0].t.data_type
    kinds: dict[str, int] = {}
    varying = {entry.name for entry in model.graph.input}
    for node in spelled_out(model).graph.node:
        if not varying.intersection(node.input):
            continue  # weights
        varying.update(node.output)
        if node.op_type == "QuantizeLinear":
            declared = next((one.i for one in node.attribute if one.name == "output_dtype"), onnx.TensorProto.UINT8)
            zero = node.input[2] if len(node.input) > 2 else ""
            kinds[node.output[0]] = constants.get(zero, declared)
    return kinds


def _stored(tensors: Arrays, name: str, kind: int | None) -> np.ndarray | None:
    """A tensor of the machine as the model stores it; None if the machine has not made it."""
    array = tensors.get(name)
    if array is None or kind is None:
        return None
    signed = kind in (onnx.TensorProto.INT8, onnx.TensorProto.INT16, onnx.TensorProto.INT4)
    if (array.dtype.kind == "i") == signed:
        return array
    half = 1 << (array.dtype.itemsize * 8 - 1)  # the same number in a type whose zero point lies half its range away
    return array.astype(np.int32) + (-half if signed else half)


def _maker(model: Any, name: str) -> str:
    """The operators that end in a stored tensor, for people."""
    by_output = {output: node for node in model.graph.node for output in node.output}
    words = []
    node = by_output.get(name)
    while node is not None and len(words) < 4 and node.op_type != "DequantizeLinear":
        words.append(node.op_type)
        node = next((by_output[one] for one in node.input if one in by_output), None)
    return " < ".join(words)


def _steps_of_outputs(model: Any, given: Arrays) -> dict[str, float]:
    """Scales of outputs that come from a stored tensor which the machine has not shown, or is a step away from."""
    by_output = {output: node for node in model.graph.node for output in node.output}
    values = {entry.name: onnx.numpy_helper.to_array(entry) for entry in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            values[node.output[0]] = onnx.numpy_helper.to_array(node.attribute[0].t)
    found = {}
    for entry in model.graph.output:
        node = by_output.get(entry.name)
        while node is not None and node.op_type in ("Reshape", "Transpose", "Flatten", "Squeeze", "Identity"):
            node = by_output.get(node.input[0])
        if node is None:
            continue
        if node.op_type == "DequantizeLinear" and node.input[0] not in given and node.input[1] in values:
            found[entry.name] = float(values[node.input[1]].reshape(-1)[0])
        elif node.op_type == "QuantizeLinear":
            found[entry.name] = 1.0
    return found

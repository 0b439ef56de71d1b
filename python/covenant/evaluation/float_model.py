"""The float model with which a quantised one is compared, and the tensors that both have in common."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from covenant.errors import CovenantError
from covenant.evaluation.errors import user_error
from covenant.files import read_whole
from covenant.onnx_runtime.sessions import OracleError, check_version
from covenant.progress import Progress, told

__all__ = ["FloatModel", "constants_of", "float_session", "plain_name", "without_rounding"]

_SUFFIXES = ("_QuantizeLinear_Output", "_quantized", "_QuantizeLinear_Input")
"""Suffixes that ONNX Runtime's quantiser appends to the name of a tensor."""
_REWRITTEN = re.compile(r"/rewritten\d+$")
"""Suffix that `EditableModel` appends to the name of a constant that it makes anew."""
_ACTIVATIONS = ("Relu", "Clip")
"""Operators that the quantiser takes into the one before them."""


class FloatModel:
    """A float model in ONNX Runtime.

    Args:
        quantized: path of the quantised model that it is compared with.
        model: path of the float model; None: the quantised one without rounding between its layers
            (`without_rounding`). Its weights are then those that are stored, made real.
        threads: of ONNX Runtime.

    Attributes:
        source: its description, for reports.
        proto: the `onnx.ModelProto`.
        quantized: that of the quantised model.

    Raises:
        CovenantError: ACC0005, there is none for a model in QOperator style, or it cannot be read; ACC0006, ONNX
            Runtime refuses it, or it takes other inputs than the quantised model.
    """

    def __init__(
        self, quantized: str | os.PathLike[str], model: str | os.PathLike[str] | None = None, threads: int = 1
    ) -> None:
        self.source = "the model without rounding between layers" if model is None else Path(model).name
        self.quantized = _parsed(quantized)
        self.proto = without_rounding(self.quantized) if model is None else _parsed(model)
        self._threads = threads
        self._session = float_session(self.proto, threads)
        taken = {entry.name for entry in self._session.get_inputs()}
        constants = {tensor.name for tensor in self.quantized.graph.initializer}
        wanted = {entry.name for entry in self.quantized.graph.input} - constants
        if taken != wanted:
            raise user_error("ACC0006", "the float model takes other inputs than the quantised one", self.source,
                             offending=", ".join(sorted(taken)), allowed=sorted(wanted),
                             fix="name the model that the quantised one was made of")  # fmt: skip

    def run(self, inputs: Mapping[str, np.ndarray], name: str, progress: Progress | None = None) -> np.ndarray:
        """One output of all images: [images, *shape].

        Raises:
            CovenantError: ACC0006, it has no such output.
        """
        if name not in [entry.name for entry in self._session.get_outputs()]:
            raise user_error("ACC0006", "the float model has no such output", self.source, offending=name,
                             allowed=[entry.name for entry in self._session.get_outputs()],
                             fix="name the model that the quantised one was made of")  # fmt: skip
        return np.stack([made[0] for made in _each(self._session, inputs, [name], "float", progress)])

    def counterparts(self, names: Sequence[str]) -> dict[str, str]:
        """Tensors of this model by the corresponding tensors of the quantised model, where there are such.

        Tensors correspond by name, without the suffixes of the quantiser. A Relu or Clip that the quantiser has taken
        into a layer follows the tensor of that name here.
        """
        made = {output for node in self.proto.graph.node for output in node.output}
        made |= {entry.name for entry in self.proto.graph.input}
        followers = _followers(self.proto)
        nodes = self.quantized.graph.node
        quantized_from = {node.output[0]: node.input[0] for node in nodes if node.op_type == "QuantizeLinear"}
        real = {node.input[0]: node.output[0] for node in nodes if node.op_type == "DequantizeLinear"}
        known = set(names)
        found = {}
        for name in names:
            plain = plain_name(name)
            options = [
                real.get(name, ""),
                quantized_from.get(name, ""),
                plain,
                plain_name(quantized_from.get(name, "")),
            ]
            at = next((one for one in options if one in made), None)
            if at is None:
                continue
            after = followers.get(at)
            taken_in = after and not {f"{after}{suffix}" for suffix in ("", *_SUFFIXES)} & known
            found[name] = after if taken_in else at
        return found

    def tensors(
        self, inputs: Mapping[str, np.ndarray], names: Sequence[str], progress: Progress | None = None
    ) -> Iterator[dict[str, np.ndarray]]:
        """Tensors of one image after the other."""
        from onnx import ModelProto, ValueInfoProto  # noqa: PLC0415 (import costs; other commands do not pay)

        model = ModelProto()
        model.CopyFrom(self.proto)
        known = {entry.name for entry in model.graph.output}
        given = {entry.name for entry in model.graph.input}
        wanted = [name for name in dict.fromkeys(names) if name not in given]
        model.graph.output.extend(ValueInfoProto(name=name) for name in wanted if name not in known)
        session = float_session(model, self._threads)
        for index, made in enumerate(_each(session, inputs, wanted, "float", progress)):
            own = dict(zip(wanted, made, strict=True))
            yield {name: own[name] if name in own else inputs[name][index] for name in names}


def float_session(model: Any, threads: int) -> Any:
    """ONNX Runtime on an `onnx.ModelProto` that computes in float, wholly or in part.

    Raises:
        CovenantError: ACC0006, it is missing, of another version, or refuses the model.
    """
    try:
        check_version()
        import onnxruntime  # noqa: PLC0415 (as above)
    except (OracleError, ImportError) as error:
        raise user_error(
            "ACC0006", f"ONNX Runtime cannot run the float model: {error}", fix="see what it says"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Threads that wait for work must not take the processor from others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no base of their own
        raise user_error("ACC0006", "ONNX Runtime refuses the float model", offending=error,
                         fix="name the model that the quantised one was made of") from error  # fmt: skip


def without_rounding(model: Any, only: Collection[str] | None = None) -> Any:
    """An `onnx.ModelProto` in QDQ style without the rounding between its layers.

    The range of the stored type replaces each QuantizeLinear and the DequantizeLinear of its output: values beyond it
    still become its ends, because that is how the quantiser writes Relu.

    Args:
        model: the model to convert; left unchanged.
        only: outputs of the QuantizeLinear that are meant; None: all.

    Raises:
        CovenantError: ACC0005, the model is in another style.
    """
    if not any(node.op_type == "QuantizeLinear" for node in model.graph.node) or any(
        node.op_type.startswith(("QLinear", "QGemm")) for node in model.graph.node
    ):
        raise user_error("ACC0005", "only of a model in QDQ style a float one can be made", "model",
                         fix="name the float model that it was made of with --float")  # fmt: skip
    made = type(model)()
    made.CopyFrom(model)
    constants = constants_of(made)
    rounding = {
        node.output[0]: node
        for node in made.graph.node
        if node.op_type == "QuantizeLinear" and (only is None or node.output[0] in only)
    }
    nodes = []
    for node in made.graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in rounding:
            source = rounding[node.input[0]]
            scale = constants[source.input[1]]
            zero = constants[source.input[2]] if len(source.input) > 2 else np.uint8(0)
            nodes += _in_range(made, source.input[0], node.output[0], scale, np.asarray(zero))
        else:
            nodes.append(node)
    read = {name for node in nodes for name in node.input} | {entry.name for entry in made.graph.output}
    kept = [node for node in nodes if node.output[0] not in rounding or node.output[0] in read]
    copies = [type(node).FromString(node.SerializeToString()) for node in kept]
    del made.graph.node[:]
    made.graph.node.extend(copies)
    return made


def constants_of(model: Any) -> dict[str, np.ndarray]:
    """Arrays of an `onnx.ModelProto` by name."""
    from onnx import numpy_helper  # noqa: PLC0415 (as above)

    found = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in model.graph.node:
        for attribute in node.attribute if node.op_type == "Constant" else ():
            if attribute.name == "value":
                found[node.output[0]] = numpy_helper.to_array(attribute.t)
    return found


def _in_range(model: Any, value: str, name: str, scale: np.ndarray, zero: np.ndarray) -> list[Any]:
    """Nodes that limit a tensor to the range of a stored type."""
    from onnx import helper, numpy_helper  # noqa: PLC0415 (as above)

    limits = np.iinfo(zero.dtype)
    ends = {
        f"{name}_{end}": np.float32((np.int64(stored) - zero.astype(np.int64)) * scale)
        for end, stored in (("lowest", limits.min), ("highest", limits.max))
    }
    model.graph.initializer.extend(numpy_helper.from_array(array, end) for end, array in ends.items())
    lowest, highest = ends
    return [
        helper.make_node("Max", [value, lowest], [f"{name}_above"]),
        helper.make_node("Min", [f"{name}_above", highest], [name]),
    ]


def _parsed(path: str | os.PathLike[str]) -> Any:
    from onnx import load_model_from_string  # noqa: PLC0415 (as above)

    try:
        return load_model_from_string(read_whole(path))
    except CovenantError:
        raise
    except Exception as error:  # its parser raises what it likes
        raise user_error("ACC0005", "this is no ONNX model", os.fspath(path), offending=error,
                         fix="name an .onnx file") from error  # fmt: skip


def plain_name(name: str) -> str:
    """Name of a tensor without what ONNX Runtime's quantiser appends."""
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return _REWRITTEN.sub("", name)


def _followers(model: Any) -> dict[str, str]:
    """Result of the Relu or Clip that alone reads a tensor, by that tensor."""
    readers: dict[str, list[Any]] = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    return {
        name: nodes[0].output[0]
        for name, nodes in readers.items()
        if len(nodes) == 1 and nodes[0].op_type in _ACTIVATIONS
    }


def _each(
    session: Any, inputs: Mapping[str, np.ndarray], names: Sequence[str], what: str, progress: Progress | None
) -> Iterator[list[np.ndarray]]:
    """Outputs of the session for one image after the other."""
    for index in told(range(len(next(iter(inputs.values())))), what, progress):
        yield session.run(list(names), {name: array[index] for name, array in inputs.items()})

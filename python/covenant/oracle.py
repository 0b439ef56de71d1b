"""ONNX Runtime as the oracle: how a quantised model has to be run so that its bytes mean something.

ONNX Runtime differs from itself, between optimisation levels and between processors, so its version is pinned and
its settings are fixed here:

- **QOperator** models (QLinearConv and the like) run with all graph optimisations off.
- **QDQ** models run with the optimisations that fuse them into integer kernels (`ORT_ENABLE_EXTENDED`), and with
  `session.qdqisint8allowed`, without which i8 models are half rewritten to u8 and layers around a residual stay float.
  What was fused is checked in the optimised model: no float operator may be left.
- On processors whose kernels saturate products of u8 and i8 (no VNNI) its option `session.x64quantprecision` stores i8
  weights of QDQ models as u8, which is exact.
- Of layers that read one type of bytes and make the other one it has no integer kernels: it is given them as layers of
  one type with conversions around them (`covenant.alike_types`), which are the same numbers.
- Of elements of 4 and 16 bits it has no integer kernels: it computes such models in float, between QuantizeLinear and
  DequantizeLinear, and is no oracle of their bytes. They run, where that is asked for, with optimisations off.
- Both use one thread and the CPU provider.
- The host's ends of a model (`covenant.model_ends`) run with optimisations off on both sides: fusions of float
  operators round in an order of their own, and some quantise activations once more.

Whether the kernels that then run are exact on this processor, `covenant.probe` says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from covenant.alike_types import with_alike_types
from covenant.constant_nodes import with_initializers
from covenant.folding import folded
from covenant.host import finished, started
from covenant.kernels import float_operators, inexact_values, kernels_of
from covenant.model_ends import Ends, split_ends, with_shapes
from covenant.onnx_runtime import (
    PINNED_ONNXRUNTIME,
    NotExactError,
    OracleError,
    Style,
    check_version,
    outputs_of,
    session,
)
from covenant.scalar_scales import with_scalar_scales

__all__ = [
    "PINNED_ONNXRUNTIME",
    "NotExactError",
    "Oracle",
    "OracleError",
    "Style",
    "check_version",
    "oracle_of",
    "run",
    "session",
    "style_of",
]

_QOPERATORS = frozenset(
    {
        "QLinearConv", "QLinearMatMul", "QGemm", "QLinearAdd", "QLinearMul", "QLinearGlobalAveragePool",
        "QLinearAveragePool", "QLinearConcat", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax", "QLinearWhere",
    }
)  # fmt: skip


_MOVES = ("QuantizeLinear", "DequantizeLinear")


def style_of(model: Any) -> Style:
    """The style of an `onnx.ModelProto`.

    Raises:
        OracleError: it mixes quantised and float operators.
    """
    operators = {node.op_type for node in model.graph.node}
    inner = {"AveragePool", "Conv", "Gemm", "MatMul", "Add", "GlobalAveragePool", "Softmax"}
    if operators & _QOPERATORS:
        if operators & inner:
            message = f"the model mixes quantised and float operators: {', '.join(sorted(operators & inner))}"
            raise OracleError(message)
        return Style.QOPERATOR
    if operators.intersection(_MOVES):
        return Style.IN_FLOAT if _has_other_widths(model) else Style.QDQ
    return Style.FLOAT


def _is_unsigned(model: Any) -> bool:
    """Whether all that is quantised on the way is u8, which zero points say."""
    from onnx import TensorProto  # noqa: PLC0415

    unsigned = {tensor.name for tensor in model.graph.initializer if tensor.data_type == TensorProto.UINT8} | {""}
    return all(unsigned.issuperset(node.input[2:3]) for node in model.graph.node if node.op_type == _MOVES[0])


def _has_other_widths(model: Any) -> bool:
    """Whether a stored element has 4 or 16 bits, which zero points say."""
    from onnx import TensorProto  # noqa: PLC0415

    widths = (TensorProto.INT4, TensorProto.UINT4, TensorProto.INT16, TensorProto.UINT16)
    read = {value for node in model.graph.node if node.op_type in _MOVES for value in node.input[2:3]}
    return any(tensor.data_type in widths for tensor in model.graph.initializer if tensor.name in read)


class Oracle:
    """A model in ONNX Runtime, set up as this module says.

    The ends of a strict oracle's model are the host's, as in a program: computed as they are written, between them what
    ONNX Runtime fuses.

    Args:
        model: path of the ONNX file, or an `onnx.ModelProto`.
        strict: refuse a QDQ model of which a float operator is left after fusion.
        any_width: take a model with elements of 4 or 16 bits all the same, which is computed in float.

    Attributes:
        style: `Style` of the model.
        operators: operator types that ONNX Runtime runs, in its order, after its optimisations.
        kernels: those that compute, with their element types.
        inexact: values that may be one step from exact ones, and by which operator.
        float_operators: those of a quantised model that compute in float, where no table stands for them.

    Raises:
        OracleError: another version of ONNX Runtime, a model that it refuses, or a quantised one that would not run in
            integers.
    """

    def __init__(self, model: str | Path | Any, *, strict: bool = True, any_width: bool = False) -> None:
        check_version()
        try:
            import onnx  # noqa: PLC0415  (import costs; a program that never compares does not pay)
        except ImportError as error:
            message = f"it needs the package onnx: {error}; install it with: pip install onnx"
            raise OracleError(message) from error

        proto = onnx.load(str(model)) if isinstance(model, str | Path) else model
        self.style = style_of(proto)
        if strict and not any_width and self.style is Style.IN_FLOAT:
            message = (
                "it has integer kernels for bytes alone: elements of 4 and 16 bits it computes in float, and its "
                "outputs may be a step beside the exact ones"
            )
            raise NotExactError(message)
        self.input_names = tuple(entry.name for entry in proto.graph.input)
        self._ends = _ends_of(proto) if strict and self.style is not Style.FLOAT else Ends(proto)
        with tempfile.TemporaryDirectory() as folder:
            optimized = Path(folder) / "optimized.onnx"
            core = self._ends.core
            if self.style in (Style.QDQ, Style.QOPERATOR):
                core = with_alike_types(with_scalar_scales(with_initializers(core)))
            self._session = session(core.SerializeToString(), self.style, optimized, unsigned=_is_unsigned(core))
            ran = onnx.load(str(optimized))
        self._optimized = ran
        self._every_tensor: Any = None
        self.operators = tuple(node.op_type for node in ran.graph.node)
        self.kernels = kernels_of(ran)
        self.inexact = inexact_values(ran)
        self.float_operators = () if self.style is Style.FLOAT else float_operators(ran)
        if strict and self.float_operators and self.style is not Style.IN_FLOAT:
            left = ", ".join(self.float_operators)
            message = f"ONNX Runtime would run float operators in the middle of the model: {left}"
            raise NotExactError(message)

    def run(self, inputs: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, np.ndarray]:
        """One run.

        Args:
            inputs: one array per graph input, or the array of the only one.

        Returns:
            One array per graph output.

        Raises:
            OracleError: ONNX Runtime refuses them.
        """
        if isinstance(inputs, np.ndarray):
            inputs = {self.input_names[0]: inputs}
        known = self._started(inputs)
        return self._finished(outputs_of(self._session, known), known)

    def tensors(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Every tensor that a node of the optimised graph makes, by name; the graph itself runs as in `run`.

        Raises:
            OracleError: as `run`; or its outputs are other ones where its tensors are asked for, too.
        """
        if self._every_tensor is None:
            # Off: the graph is optimised already, and what is to be seen must not be fused away.
            self._every_tensor = session(_with_every_output(self._optimized).SerializeToString(), Style.QOPERATOR)
        known = self._started(inputs)
        tensors = outputs_of(self._every_tensor, known)
        for name, array in outputs_of(self._session, known).items():
            if array.tobytes() != tensors[name].tobytes():
                message = f"its output {name} is another one where every tensor of its graph is asked for"
                raise OracleError(message)
        return tensors | self._finished(tensors, known)

    def _started(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The inputs, and what the host makes of them."""
        return started(self._ends.start, dict(inputs)).arrays

    def _finished(self, made: dict[str, np.ndarray], known: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """All outputs of the model."""
        return finished(self._ends.end, made, known).arrays


def _ends_of(model: Any) -> Ends:
    """The model in parts; whole where it has no ends for the host."""
    ends = split_ends(folded(with_initializers(model)))
    if ends.end:
        ends = replace(ends, end=_with_exact_products(ends.core, ends.end))
    return ends if ends.start or ends.end else Ends(model)


def _with_exact_products(core: Any, end: bytes) -> bytes:
    """An end whose products of what the core has stored are of integers, as those of a program are."""
    from onnx import load_from_string  # noqa: PLC0415

    from covenant.closing_products import exact_products  # noqa: PLC0415
    from covenant.editable_model import EditableModel  # noqa: PLC0415  (a model without ends does not pay)
    from covenant.equivalent_nodes import meaning_of  # noqa: PLC0415

    known = EditableModel(core)
    makers = {entry.name: known.maker(entry.name) for entry in core.graph.output}
    stored = {name: one for name, one in makers.items() if one is not None and one.op_type == "DequantizeLinear"}
    meanings = {name: meaning for name, one in stored.items() if (meaning := meaning_of(known, one)) is not None}
    shapes = {name: shape for name in stored if (shape := known.shape(name)) is not None}
    editable = EditableModel(load_from_string(with_shapes(end, shapes)))
    editable.replace(exact_products(editable, meanings))
    return editable.model.SerializeToString()


def _with_every_output(model: Any) -> Any:
    """The model with every value that a node makes as an output; types are inferred where it is loaded."""
    from onnx import ModelProto, ValueInfoProto  # noqa: PLC0415

    made = ModelProto()
    made.CopyFrom(model)
    known = {output.name for output in made.graph.output}
    made.graph.output.extend(
        ValueInfoProto(name=value) for node in model.graph.node for value in node.output if value and value not in known
    )
    return made


def run(
    model_path: str | Path, inputs: Mapping[str, np.ndarray] | np.ndarray, *, any_width: bool = False
) -> dict[str, np.ndarray]:
    """Runs a model once, as `Oracle` does; float models run with ONNX Runtime's defaults.

    Runs of the same unchanged file share one session.

    Raises:
        OracleError: see `Oracle`.
    """
    return oracle_of(model_path, any_width=any_width).run(inputs)


def oracle_of(model_path: str | Path, *, any_width: bool = False) -> Oracle:
    """The oracle of a file; the same one for as long as the file is unchanged.

    Raises:
        OracleError: see `Oracle`.
    """
    path = Path(model_path)
    state = path.stat()
    return _oracle_of(path, state.st_mtime_ns, state.st_size, any_width=any_width)


@lru_cache(maxsize=8)
def _oracle_of(path: Path, _modified_ns: int, _size_bytes: int, *, any_width: bool) -> Oracle:
    """The oracle of a file in one state."""
    return Oracle(path, any_width=any_width)

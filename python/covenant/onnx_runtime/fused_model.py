"""Models after the optimisations of ONNX Runtime that their style has (`covenant.oracle.oracle` says why)."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from covenant.model.constant_nodes import with_initializers
from covenant.model.kernels import float_operators, inexact_values, kernels_of
from covenant.model.scalar_scales import with_scalar_scales
from covenant.onnx_runtime.alike_types import with_alike_types
from covenant.onnx_runtime.sessions import OracleError, Style, outputs_of, session

__all__ = ["FusedModel", "style_of"]

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


class FusedModel:
    """A model after the optimisations of ONNX Runtime that its style has.

    Args:
        model: an `onnx.ModelProto`.
        style: its style, or that of the model that it is a part of.

    Attributes:
        optimized: the `onnx.ModelProto` after the optimisations.
        operators: operator types that ONNX Runtime runs, in its order, after its optimisations.
        kernels: those that compute, with their element types.
        inexact: values that may be one step from exact ones, and by which operator.
        float_operators: those of a quantised model that compute in float, where no table stands for them.

    Raises:
        OracleError: another version of ONNX Runtime, or a model that it refuses.
    """

    def __init__(self, model: Any, style: Style) -> None:
        import onnx  # noqa: PLC0415  (import costs; a program that never compares does not pay)

        with tempfile.TemporaryDirectory() as folder:
            optimized = Path(folder) / "optimized.onnx"
            if style in (Style.QDQ, Style.QOPERATOR):
                model = with_alike_types(with_scalar_scales(with_initializers(model)))
            self._session = session(model.SerializeToString(), style, optimized, unsigned=_is_unsigned(model))
            ran = onnx.load(str(optimized))
        self.optimized = ran
        self._every_tensor: Any = None
        self.operators = tuple(node.op_type for node in ran.graph.node)
        self.kernels = kernels_of(ran)
        self.inexact = inexact_values(ran)
        self.float_operators = () if style is Style.FLOAT else float_operators(ran)

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """One array per graph output, of one array per graph input.

        Raises:
            OracleError: ONNX Runtime refuses them.
        """
        return outputs_of(self._session, inputs)

    def tensors(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Every tensor that a node of the optimised graph makes, by name; the graph itself runs as in `run`.

        Raises:
            OracleError: as `run`; or its outputs are other ones where its tensors are asked for, too.
        """
        if self._every_tensor is None:
            # Off: the graph is optimised already, and what is to be seen must not be fused away.
            self._every_tensor = session(_with_every_output(self.optimized).SerializeToString(), Style.QOPERATOR)
        tensors = outputs_of(self._every_tensor, inputs)
        for name, array in self.run(inputs).items():
            if array.tobytes() != tensors[name].tobytes():
                message = f"its output {name} is another one where every tensor of its graph is asked for"
                raise OracleError(message)
        return tensors


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

"""Finds float subgraphs in a quantised model.

What stands between the DequantizeLinear of one tensor and a QuantizeLinear, element by element, is a function of a
stored element. ONNX Runtime runs it in float; a machine looks it up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["ELEMENTWISE", "FloatSubgraph", "find_float_subgraphs"]

ELEMENTWISE = frozenset(
    {
        "Abs", "Acos", "Acosh", "Add", "And", "Asin", "Asinh", "Atan", "Atanh", "Cast", "Ceil", "Celu", "Clip", "Cos",
        "Cosh", "Div", "Elu", "Equal", "Erf", "Exp", "FastGelu", "Floor", "Gelu", "Greater", "GreaterOrEqual",
        "HardSigmoid", "HardSwish", "Identity", "IsInf", "IsNaN", "LeakyRelu", "Less", "LessOrEqual", "Log", "Max",
        "Min", "Mish", "Mod", "Mul", "Neg", "Not", "Or", "PRelu", "Pow", "QuickGelu", "Reciprocal", "Relu", "Round",
        "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Sub", "Sum", "Swish",
        "Tan", "Tanh", "ThresholdedRelu", "Where", "Xor",
    }
)  # fmt: skip
"""Operators of ONNX and of ONNX Runtime whose result depends, element by element, on their operands alone."""

_BOUNDS = frozenset({"Relu", "Clip"})
_PAIRS = frozenset({"Add", "Mul"})


@dataclass(frozen=True)
class FloatSubgraph:
    """Float operators with one varying source, and the quantisation at both of its shores."""

    nodes: tuple[Any, ...]
    """Elementwise nodes of the subgraph, in the order of the model."""
    dequantize: tuple[Any, ...]
    """The DequantizeLinear nodes that it reads: of the source, and of constants."""
    quantize: Any
    """The QuantizeLinear that ends it."""
    source: str
    """The stored tensor that varies."""

    @property
    def name(self) -> str:
        """The name of its last node, as layers are called."""
        return self.nodes[-1].name or self.quantize.name or self.quantize.output[0]


def find_float_subgraphs(model: Any, *, wide: bool = False) -> tuple[FloatSubgraph, ...]:
    """The subgraphs of an `onnx.ModelProto`, in the order of their ends.

    All constants of a subgraph have one element, and stored tensors have elements of 4 or 8 bits; `wide` asks for those
    of 16 bits, too, of which there is no table. Two cases are none, for a layer of its own does them better: a Relu or
    Clip between equal quantisations, and one sum or product of two stored tensors. Nodes may be of several subgraphs:
    what they make is read by one and goes on in another.
    """
    graph = _Graph(model, wide=wide)
    found = (graph.subgraph(node) for node in graph.nodes if node.op_type == "QuantizeLinear")
    return tuple(subgraph for subgraph in found if subgraph is not None)


class _Graph:
    """Makers and readers of each value of a model, and its constants."""

    def __init__(self, model: Any, *, wide: bool) -> None:
        self._wide = wide
        self.nodes = list(model.graph.node)  # each access to the model makes another object of a node
        self._order = {id(node): place for place, node in enumerate(self.nodes)}
        self._maker = {output: node for node in self.nodes for output in node.output if output}
        self._outputs = {value.name for value in model.graph.output}
        self._constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self._constants |= {node.output[0]: _value_of(node) for node in self.nodes if node.op_type == "Constant"}
        self._model = model

    def subgraph(self, quantize: Any) -> FloatSubgraph | None:
        """The subgraph that ends with a QuantizeLinear, if one does."""
        nodes: dict[int, Any] = {}
        ends: dict[int, Any] = {}
        wanted = [quantize.input[0]]
        while wanted:
            value = wanted.pop()
            maker = self._maker.get(value)
            if not value or self._is_scalar(value):
                continue
            if maker is not None and maker.op_type == "DequantizeLinear":
                ends[id(maker)] = maker
            elif maker is None or maker.op_type not in ELEMENTWISE or value in self._outputs:
                return None
            elif id(maker) not in nodes:
                nodes[id(maker)] = maker
                wanted.extend(maker.input)
        if not nodes:
            return None
        return self._checked(self._sorted(nodes.values()), self._sorted(ends.values()), quantize)

    def _checked(self, nodes: tuple[Any, ...], ends: tuple[Any, ...], quantize: Any) -> FloatSubgraph | None:
        varying = [node for node in ends if not self._is_scalar(node.input[0])]
        has_table = self._wide or self._are_narrow([*varying, quantize])
        if not varying or not has_table or not self._is_per_tensor([*ends, quantize]):
            return None
        source = varying[0].input[0]
        if not all(node.input[0] == source and self._is_alike(node, varying[0]) for node in varying):
            return None
        if not self._keeps_rank(nodes, source):
            return None
        if all(node.op_type in _BOUNDS for node in nodes) and self._is_alike(varying[0], quantize):
            return None
        if len(nodes) == 1 and nodes[0].op_type in _PAIRS and not any(map(self._is_constant, nodes[0].input)):
            return None
        return FloatSubgraph(nodes, ends, quantize, source)

    def _sorted(self, nodes: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(sorted(nodes, key=lambda node: self._order[id(node)]))

    def _is_constant(self, value: str) -> bool:
        maker = self._maker.get(value)
        if maker is not None and maker.op_type == "DequantizeLinear":
            return maker.input[0] in self._constants
        return value in self._constants

    def _is_scalar(self, value: str) -> bool:
        tensor = self._constants.get(value)
        return tensor is not None and int(np.prod(tensor.dims, dtype=np.int64)) == 1

    def _is_per_tensor(self, nodes: Iterable[Any]) -> bool:
        return all(self._is_scalar(value) for node in nodes for value in node.input[1:] if value)

    def _are_narrow(self, nodes: Iterable[Any]) -> bool:
        """Nodes that quantise or dequantise elements of 8 bits or fewer: a table has an entry for each of them."""
        from onnx import TensorProto  # noqa: PLC0415

        zeros = [node.input[2] for node in nodes if len(node.input) > 2 and node.input[2]]
        said = [entry.i for node in nodes for entry in node.attribute if entry.name == "output_dtype" and entry.i]
        types = [self._constants[value].data_type for value in zeros] + said
        narrow = (TensorProto.INT4, TensorProto.UINT4, TensorProto.INT8, TensorProto.UINT8)
        return all(kind in narrow for kind in types)

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Inferred, for quantisers leave them out; most models never ask."""
        from covenant.model.shapes import shapes_of  # noqa: PLC0415

        return shapes_of(self._model)

    def _keeps_rank(self, nodes: Iterable[Any], source: str) -> bool:
        """No constant has more dimensions than the source: the result would have them too."""
        constants = [self._constants[value] for node in nodes for value in node.input if value in self._constants]
        most = max((len(tensor.dims) for tensor in constants), default=0)
        return most <= 1 or most <= len(self._shapes.get(source, (0,)))

    def _is_alike(self, one: Any, other: Any) -> bool:
        """Equal scales and zero points of two nodes that quantise or dequantise."""
        return all(self._content(one, place) == self._content(other, place) for place in (1, 2))

    def _content(self, node: Any, place: int) -> float:
        from onnx import numpy_helper  # noqa: PLC0415

        value = node.input[place] if place < len(node.input) else ""
        return float(numpy_helper.to_array(self._constants[value]).reshape(-1)[0]) if value else 0.0


def _value_of(node: Any) -> Any:
    """The tensor of a Constant node; of one without, an empty tensor: no scalar."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    attributes: Mapping[str, Any] = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    if "value" in attributes:
        return attributes["value"]
    scalar = attributes.get("value_float", attributes.get("value_int"))
    if scalar is None:
        return TensorProto(dims=[0])
    return numpy_helper.from_array(np.asarray(scalar, np.float32 if isinstance(scalar, float) else np.int64))

"""Networks as terms: nodes of an e-graph, in the words of the rules of tensors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

from covenant.errors import CovenantError, Diagnostic

__all__ = ["NetworkTerms", "terms_of"]

_OPERATIONS = {"Add": "add", "Mul": "mul", "Sub": "sub", "Div": "div", "Relu": "relu", "Sigmoid": "sigmoid",
               "Tanh": "tanh"}  # fmt: skip
"""Those of one meaning with the rules' words, and no attributes."""
_FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16)
_RESHAPES = ("Reshape", "Squeeze", "Unsqueeze", "Flatten")


@dataclass
class NetworkTerms:
    """Nodes after their children, and shapes by the names of those that the rules know nothing of.

    Attributes:
        nodes: operation and places of its children.
        shapes: of leaves and of operations without a meaning for the rules.
        roots: places of the outputs.
    """

    nodes: list[tuple[str, list[int]]] = field(default_factory=list)
    shapes: dict[str, list[int]] = field(default_factory=dict)
    roots: list[int] = field(default_factory=list)


def terms_of(model: onnx.ModelProto) -> NetworkTerms:
    """The terms of a model: an operator that the rules know nothing of is an operation of its own.

    Tensors without a fixed shape are known by name alone: no rule that asks for a shape takes them.

    Args:
        model: float.

    Raises:
        CovenantError: ONX0002, ONNX does not take the model; an operator whose operands do not fit is found by `match`.
    """
    try:
        onnx.checker.check_model(model)
        graph = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
    except Exception as error:  # raises what it likes
        raise CovenantError(
            Diagnostic("ONX0002", "ONNX does not take this model", getattr(getattr(model, "graph", None), "name", ""),
                       offending=str(error).strip(), fix="check it with onnx.checker.check_model, and export it again")
        ) from error  # fmt: skip
    return _Reader(graph).run()


class _Reader:
    def __init__(self, graph: onnx.GraphProto) -> None:
        self._graph = graph
        self._terms = NetworkTerms()
        self._places: dict[str, int] = {}
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}
        self._constants = {one.name: one for one in self._graph.initializer}
        self._makers = {name: node for node in self._graph.node for name in node.output}
        values = (*self._graph.input, *self._graph.value_info, *self._graph.output)
        self._shapes = {one.name: shape for one in values if (shape := _fixed(one)) is not None}
        self._shapes |= {name: list(one.dims) for name, one in self._constants.items()}
        self._floats = {one.name for one in values if one.type.tensor_type.elem_type in _FLOATS}
        self._floats |= {name for name, one in self._constants.items() if one.data_type in _FLOATS}

    def run(self) -> NetworkTerms:
        for name in dict.fromkeys((*self._constants, *(one.name for one in self._graph.input))):
            self._place(name)
        for node in self._graph.node:
            attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
            made = self._read(node, attributes)
            is_read = made is not None and len(made) >= sum(map(bool, node.output))
            self._places |= dict(zip(node.output, made, strict=False)) if is_read else self._opaque(node)
        self._terms.roots = [self._place(one.name) for one in self._graph.output]
        return self._terms

    def _place(self, name: str) -> int:
        """The place of a value; one that nothing makes is a leaf."""
        if name not in self._places:
            if name in self._shapes:
                self._terms.shapes[f"%{name}"] = self._shapes[name]
            self._places[name] = self._node(f"%{name}")
        return self._places[name]

    def _read(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> list[int] | None:
        """Places of the outputs; None if the rules have no word for the node."""
        if not _is_of_onnx(node) or not node.input or not all(one in self._floats for one in node.output if one):
            return None
        if not all(one in self._shapes for one in (*node.input, *node.output) if one):
            return None
        if node.op_type in _OPERATIONS:  # those of opset 6 and before broadcast as attributes say
            return None if attributes else [self._node(_OPERATIONS[node.op_type], *self._operands(node))]
        if node.op_type in _RESHAPES:
            return [self._node("reshape", self._place(node.input[0]), self._list(self._shapes[node.output[0]]))]
        if node.op_type == "Dropout" and len(node.input) < 3:  # the third one says that it trains
            return [self._place(node.input[0])]
        reads = {"Conv": self._conv, "Gemm": self._gemm, "Transpose": self._transpose, "Split": self._split,
                 "Concat": self._concat, "MaxPool": self._max_pool, "MatMul": self._matmul}  # fmt: skip
        return reads[node.op_type](node, attributes) if node.op_type in reads else None

    def _node(self, operation: str, *children: int) -> int:
        key = (operation, children)
        if key not in self._known:
            self._known[key] = len(self._terms.nodes)
            self._terms.nodes.append((operation, list(children)))
        return self._known[key]

    def _list(self, numbers: Iterable[int]) -> int:
        return self._node(f"[{','.join(str(int(one)) for one in numbers)}]")

    def _operands(self, node: onnx.NodeProto) -> list[int]:
        return [self._place(name) for name in node.input if name]

    def _opaque(self, node: onnx.NodeProto) -> dict[str, int]:
        places, place = {}, len(self._terms.nodes)
        operands = [*self._operands(node), *(self._place(name) for name in _captured(node) if name in self._places)]
        for number, name in enumerate(node.output):
            if name:
                operation = f"{node.op_type}#{place}.{number}"
                if name in self._shapes:
                    self._terms.shapes[operation] = self._shapes[name]
                places[name] = self._node(operation, *operands)
        return places

    def _with_bias(self, product: int, node: onnx.NodeProto, outputs: int) -> list[int]:
        if len(node.input) < 3 or not node.input[2]:
            return [product]
        bias = self._place(node.input[2])
        if self._shapes[node.input[2]] == [outputs]:
            return [self._node("bias_add", product, bias, self._list([1]))]
        return [self._node("add", product, bias)]

    def _conv(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> list[int] | None:
        axes = len(self._shapes[node.input[1]]) - 2
        is_plain = attributes.get("auto_pad", b"NOTSET") in {b"NOTSET", b"VALID"}
        if not is_plain or any(one != 1 for one in attributes.get("dilations", [])):
            return None
        x, w = self._operands(node)[:2]
        strides, pads = attributes.get("strides", [1] * axes), attributes.get("pads", [0] * 2 * axes)
        lists = (self._list(strides), self._list(pads), self._list([attributes.get("group", 1)]))
        return self._with_bias(self._node("conv", x, w, *lists), node, self._shapes[node.input[1]][0])

    def _max_pool(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> list[int] | None:
        sizes = attributes.get("kernel_shape", [])
        is_plain = attributes.get("auto_pad", b"NOTSET") in (b"NOTSET", b"VALID") and not attributes.get("ceil_mode", 0)
        if not is_plain or any(attributes.get("pads", [])) or any(one != 1 for one in attributes.get("dilations", [])):
            return None
        strides = self._list(attributes.get("strides", [1] * len(sizes)))
        windows = self._node("windows", self._place(node.input[0]), self._list(sizes), strides)
        return [self._node("reduce_max", self._list([len(sizes)]), windows)] if len(node.output) == 1 else None

    def _gemm(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> list[int] | None:
        is_plain = attributes.get("alpha", 1.0) == 1.0 and attributes.get("beta", 1.0) == 1.0
        if not is_plain or attributes.get("transA", 0):
            return None
        x, w = self._operands(node)[:2]
        turned = w if attributes.get("transB", 0) else self._node("transpose", w, self._list([1, 0]))
        return self._with_bias(self._node("dense", x, turned), node, self._shapes[node.output[0]][-1])

    def _matmul(self, node: onnx.NodeProto, _: dict[str, Any]) -> list[int] | None:
        """A product of rows, of however many dimensions, and of one matrix."""
        rows, weights = (self._shapes[name] for name in node.input)
        if len(rows) < 2 or len(weights) != 2:
            return None
        x, w = self._operands(node)
        turned = self._node("transpose", w, self._list([1, 0]))
        if len(rows) == 2:
            return [self._node("dense", x, turned)]
        flat = self._node("reshape", x, self._list([math.prod(rows[:-1]), rows[-1]]))
        return [self._node("reshape", self._node("dense", flat, turned), self._list(self._shapes[node.output[0]]))]

    def _transpose(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> list[int]:
        turned = range(len(self._shapes[node.input[0]]))[::-1]
        return [self._node("transpose", self._place(node.input[0]), self._list(attributes.get("perm", turned)))]

    def _split(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> list[int] | None:
        if len({tuple(self._shapes[name]) for name in node.output}) > 1:
            return None
        axis = attributes.get("axis", 0) % len(self._shapes[node.input[0]])
        of, count = self._place(node.input[0]), len(node.output)
        return [self._node("part", of, self._list([axis, count, index])) for index in range(count)]

    def _concat(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> list[int]:
        axis = attributes["axis"] % len(self._shapes[node.input[0]])
        stacked = [self._before_unsqueeze(name) for name in node.input]
        if axis == 0 and None not in stacked:
            made = self._node("nil")
            for one in reversed(stacked):
                made = self._node("cons", one, made)
            return [self._node("stack", made)]
        made, *rest = self._operands(node)
        for one in rest:
            made = self._node("join", self._list([axis]), made, one)
        return [made]

    def _before_unsqueeze(self, name: str) -> int | None:
        maker = self._makers.get(name)
        if maker is None or maker.op_type != "Unsqueeze" or not _is_of_onnx(maker):
            return None
        axes = next((list(one.ints) for one in maker.attribute if one.name == "axes"), None)  # up to opset 12
        if axes is None and len(maker.input) > 1 and maker.input[1] in self._constants:
            axes = numpy_helper.to_array(self._constants[maker.input[1]]).reshape(-1).tolist()
        return self._place(maker.input[0]) if axes == [0] else None


def _fixed(value: onnx.ValueInfoProto) -> list[int] | None:
    """The shape of a tensor, if all of its sizes are known."""
    tensor = value.type.tensor_type
    if not tensor.HasField("shape") or not all(one.HasField("dim_value") for one in tensor.shape.dim):
        return None
    return [one.dim_value for one in tensor.shape.dim]


def _is_of_onnx(node: onnx.NodeProto) -> bool:
    return node.domain in {"", "ai.onnx"}


def _captured(node: onnx.NodeProto) -> list[str]:
    """Values that graphs within a node take from outside."""
    inner = [one.g for one in node.attribute if one.HasField("g")]
    inner += [graph for one in node.attribute for graph in one.graphs]
    names = [name for graph in inner for one in graph.node for name in (*one.input, *_captured(one))]
    return list(dict.fromkeys(names))

"""Networks as terms: nodes of an e-graph, in the words of the rules of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

__all__ = ["NetworkTerms", "terms_of"]

_ELEMENTWISE = {"Add": "add", "Mul": "mul", "Sub": "sub", "Div": "div"}
_OF_ONE = {"Relu": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh"}


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
    """The terms of a model.

    Args:
        model: float, of static shapes.
    """
    return _Reader(model).run()


class _Reader:
    def __init__(self, model: onnx.ModelProto) -> None:
        self._graph = shape_inference.infer_shapes(model, data_prop=True).graph
        self._terms = NetworkTerms()
        self._places: dict[str, int] = {}
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}
        self._constants = {one.name: one for one in self._graph.initializer}
        values = (*self._graph.input, *self._graph.value_info, *self._graph.output)
        self._shapes = {one.name: [d.dim_value for d in one.type.tensor_type.shape.dim] for one in values}
        self._shapes |= {name: list(one.dims) for name, one in self._constants.items()}

    def run(self) -> NetworkTerms:
        for name, one in self._constants.items():
            self._leaf(name, list(one.dims))
        for one in self._graph.input:
            if one.name not in self._constants:
                self._leaf(one.name, self._shapes[one.name])
        for node in self._graph.node:
            self._read(node)
        self._terms.roots = [self._places[one.name] for one in self._graph.output]
        return self._terms

    def _leaf(self, name: str, shape: list[int]) -> None:
        self._terms.shapes[f"%{name}"] = shape
        self._places[name] = self._node(f"%{name}")

    def _node(self, operation: str, *children: int) -> int:
        key = (operation, children)
        if key not in self._known:
            self._known[key] = len(self._terms.nodes)
            self._terms.nodes.append((operation, list(children)))
        return self._known[key]

    def _list(self, numbers: Sequence[int]) -> int:
        return self._node(f"[{','.join(str(int(one)) for one in numbers)}]")

    def _integers(self, name: str) -> list[int]:
        return [int(one) for one in numpy_helper.to_array(self._constants[name]).reshape(-1)]

    def _read(self, node: onnx.NodeProto) -> None:
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        read = getattr(self, f"_read_{node.op_type.lower()}", None)
        made = read(node, attributes) if read is not None else None
        if made is None and node.op_type in _ELEMENTWISE:
            made = self._node(_ELEMENTWISE[node.op_type], *self._operands(node))
        if made is None and node.op_type in _OF_ONE:
            made = self._node(_OF_ONE[node.op_type], *self._operands(node))
        if made is None:
            self._opaque(node)
        else:
            self._places[node.output[0]] = made

    def _operands(self, node: onnx.NodeProto) -> list[int]:
        return [self._places[name] for name in node.input if name]

    def _opaque(self, node: onnx.NodeProto) -> None:
        for number, name in enumerate(node.output):
            if name:
                operation = f"{node.op_type}#{node.name}.{number}"
                self._terms.shapes[operation] = self._shapes[name]
                self._places[name] = self._node(operation, *self._operands(node))

    def _read_conv(self, node: onnx.NodeProto, attributes: dict) -> int | None:
        axes = len(attributes["kernel_shape"])
        if any(one != 1 for one in attributes.get("dilations", [1])) or attributes.get("auto_pad", b"NOTSET") != b"NOTSET":
            return None
        lists = (attributes.get("strides", [1] * axes), attributes.get("pads", [0] * 2 * axes), [attributes.get("group", 1)])
        x, w, *bias = self._operands(node)
        made = self._node("conv", x, w, *map(self._list, lists))
        return self._node("bias_add", made, bias[0], self._list([1])) if bias else made

    def _read_gemm(self, node: onnx.NodeProto, attributes: dict) -> int | None:
        plain = attributes.get("alpha", 1.0) == 1.0 and attributes.get("beta", 1.0) == 1.0
        if not plain or attributes.get("transA", 0) or not attributes.get("transB", 0):
            return None
        x, w, *bias = self._operands(node)
        made = self._node("dense", x, w)
        if bias and len(self._shapes[node.input[2]]) != 1:
            return None
        return self._node("bias_add", made, bias[0], self._list([1])) if bias else made

    def _read_reshape(self, node: onnx.NodeProto, _: dict) -> int:
        return self._node("reshape", self._places[node.input[0]], self._list(self._shapes[node.output[0]]))

    _read_squeeze = _read_unsqueeze = _read_flatten = _read_reshape

    def _read_transpose(self, node: onnx.NodeProto, attributes: dict) -> int:
        rank = len(self._shapes[node.input[0]])
        return self._node(
            "transpose", self._places[node.input[0]], self._list(attributes.get("perm", range(rank)[::-1]))
        )

    def _read_dropout(self, node: onnx.NodeProto, _: dict) -> int:
        return self._places[node.input[0]]

    def _read_split(self, node: onnx.NodeProto, attributes: dict) -> int | None:
        count = len(node.output)
        shape = self._shapes[node.input[0]]
        axis = attributes.get("axis", 0) % len(shape)
        if len({tuple(self._shapes[name]) for name in node.output}) > 1:
            return None
        for index, name in enumerate(node.output):
            self._places[name] = self._node("part", self._places[node.input[0]], self._list([axis, count, index]))
        return self._places[node.output[0]]

    def _read_concat(self, node: onnx.NodeProto, attributes: dict) -> int | None:
        axis = attributes["axis"] % len(self._shapes[node.input[0]])
        operands = self._operands(node)
        unstacked = [self._before_unsqueeze(name) for name in node.input]
        if axis == 0 and all(one is not None for one in unstacked):
            made = self._node("nil")
            for one in reversed(unstacked):
                made = self._node("cons", one, made)
            return self._node("stack", made)
        made = operands[0]
        for one in operands[1:]:
            made = self._node("join", self._list([axis]), made, one)
        return made

    def _before_unsqueeze(self, name: str) -> int | None:
        maker = next((one for one in self._graph.node if name in one.output), None)
        if maker is None or maker.op_type != "Unsqueeze" or self._integers(maker.input[1]) != [0]:
            return None
        return self._places[maker.input[0]]

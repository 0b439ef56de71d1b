"""Operators of Relay for which nodes of ONNX stand.

| ONNX node | operators of Relay |
|---|---|
| Gemm with transB = 1, of two inputs | nn.dense: its weights are [outputs, inputs] |
| Gemm with transB = 1, of three inputs | nn.dense and nn.bias_add |
| Conv with two axes in its kernel | nn.conv2d |
| Conv with one axis in its kernel | nn.conv1d |
| Conv of three inputs | nn.bias_add, beside the convolution |
| Einsum "bmk,bnk->bmn" | nn.batch_matmul, which transposes its second matrices |
| Concat of which every input is an Unsqueeze | stack, together with them |
| Unsqueeze that such a Concat reads | none: counted with it |
| Gather | take |
| Slice | strided_slice |
| Flatten with axis = 1 | nn.batch_flatten |
| Add | add, even of a bias: a bias_add is an input of Gemm or Conv |
| any other | the operator of the same meaning: Mul is multiply, Concat concatenate, Relu nn.relu, ... |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import onnx
from onnx import helper

__all__ = ["ONE_TO_ONE", "operator_counts", "operators_of"]

ONE_TO_ONE = {
    "Add": "add",
    "AveragePool": "nn.avg_pool2d",
    "BatchNormalization": "nn.batch_norm",
    "Cast": "cast",
    "Concat": "concatenate",
    "Dropout": "nn.dropout",
    "Einsum": "nn.batch_matmul",
    "Erf": "erf",
    "Flatten": "nn.batch_flatten",
    "Gather": "take",
    "GlobalAveragePool": "nn.global_avg_pool2d",
    "LayerNormalization": "nn.layer_norm",
    "LogSoftmax": "nn.log_softmax",
    "Mul": "multiply",
    "Pad": "nn.pad",
    "ReduceMean": "mean",
    "Relu": "nn.relu",
    "Reshape": "reshape",
    "Sigmoid": "sigmoid",
    "Slice": "strided_slice",
    "Softmax": "nn.softmax",
    "Split": "split",
    "Squeeze": "squeeze",
    "Tanh": "tanh",
    "Transpose": "transpose",
}
"""Operators of ONNX that stand for one of Relay, as long as their attributes are as `_REQUIRED` has them."""

_REQUIRED: Mapping[str, Mapping[str, object]] = {
    "Einsum": {"equation": "bmk,bnk->bmn"},
    "Flatten": {"axis": 1},
    "Gemm": {"transA": 0, "transB": 1, "alpha": 1.0, "beta": 1.0},
}
_DEFAULTS: Mapping[str, object] = {"axis": 1, "transA": 0, "transB": 0, "alpha": 1.0, "beta": 1.0}
_CONVOLUTIONS = {1: "nn.conv1d", 2: "nn.conv2d"}


def operator_counts(model: onnx.ModelProto) -> dict[str, int]:
    """Number of operators by their names in Relay, in the order of the names.

    Args:
        model: a network of this folder, or another of the same operators.

    Raises:
        ValueError: a node stands for no operator of Relay.

    Example:
        >>> from covenant.bench.matching import network
        >>> operator_counts(network("resnet_20"))["nn.conv2d"]
        21
    """
    found: Counter[str] = Counter()
    for operators in operators_of(model):
        found.update(operators)
    return dict(sorted(found.items()))


def operators_of(model: onnx.ModelProto) -> list[tuple[str, ...]]:
    """Operators of Relay for which each node of a model stands, in the order of its nodes.

    Args:
        model: as `operator_counts` has it.

    Raises:
        ValueError: a node stands for no operator of Relay.
    """
    nodes = model.graph.node
    kinds = {name: node.op_type for node in nodes for name in node.output}
    stacked = {name for node in nodes if _is_stack(node, kinds) for name in node.input}
    return [_operators(node, kinds, stacked) for node in nodes]


def _is_stack(node: onnx.NodeProto, kinds: Mapping[str, str]) -> bool:
    return node.op_type == "Concat" and all(kinds.get(name) == "Unsqueeze" for name in node.input)


def _operators(node: onnx.NodeProto, kinds: Mapping[str, str], stacked: set[str]) -> tuple[str, ...]:
    attributes = {one.name: _value(one) for one in node.attribute}
    required = _REQUIRED.get(node.op_type, {})
    wrong = [name for name, value in required.items() if attributes.get(name, _DEFAULTS.get(name)) != value]
    bias = ("nn.bias_add",) if len(node.input) > 2 else ()
    axes = len(attributes.get("kernel_shape", ()))
    found: tuple[str, ...] | None = None
    if wrong:
        found = None
    elif _is_stack(node, kinds):
        found = ("stack",)
    elif node.op_type == "Unsqueeze":
        found = () if node.output[0] in stacked else None
    elif node.op_type == "Conv" and axes in _CONVOLUTIONS:
        found = (_CONVOLUTIONS[axes], *bias)
    elif node.op_type == "Gemm":
        found = ("nn.dense", *bias)
    elif node.op_type in ONE_TO_ONE:
        found = (ONE_TO_ONE[node.op_type],)
    if found is None:
        about = f" with this {', '.join(wrong)}" if wrong else ""
        message = f"node {node.name!r}: {node.op_type}{about} stands for no operator of Relay"
        raise ValueError(message)
    return found


def _value(attribute: onnx.AttributeProto) -> object:
    value = helper.get_attribute_value(attribute)
    return value.decode() if isinstance(value, bytes) else value

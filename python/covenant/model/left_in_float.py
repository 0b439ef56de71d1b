"""Layers that ONNX Runtime computes in float: it fuses a layer only with a QuantizeLinear right after it.

Where movements that it does not know, a float bias of another shape, or factors of channels stand between, a machine
computes the layer in integers nevertheless. Float sums round in an order of their own: results are at most one step
away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from covenant.model.float_subgraphs import ELEMENTWISE

__all__ = ["LeftInFloat", "left_in_float"]

_LAYERS = frozenset(
    {
        "Add", "AveragePool", "Conv", "FusedConv", "FusedGemm", "FusedMatMul", "Gemm", "GlobalAveragePool", "MatMul",
        "Mul", "Softmax",
    }
)  # fmt: skip
_FACTORS = frozenset({"Add", "BatchNormalization", "Div", "Mul", "Sub"})
"""Operators by a constant for each channel after a layer."""
_PAIRS = frozenset({"Add", "Mul"})
"""Layers of two tensors; by a constant they are functions of one."""
_FUNCTIONS = ELEMENTWISE | {"BatchNormalization"}
_STORED = ("QGemm", "QuantizeLinear")
_EXACT = ""
_STORED_QGEMM = 8
"""Inputs of a QGemm that stores its result; without a scale of that it is real."""
_PICKING = frozenset({"Clip", "MaxPool", "Relu"})


@dataclass(frozen=True)
class LeftInFloat:
    """Values and layers of an optimised model that are computed in float."""

    values: frozenset[str]
    """Results of float nodes."""
    stored: dict[str, str]
    """Quantised values that may be one step from exact ones, and by which operator."""


def left_in_float(model: Any, moves: frozenset[str]) -> LeftInFloat:
    """Layers on dequantised tensors and constants, and what stands between them and QuantizeLinear.

    Args:
        model: the `onnx.ModelProto` that ONNX Runtime has optimised.
        moves: types of nodes that make no number.
    """
    graph = model.graph
    made = _made_by_layers(graph, moves)
    stored: dict[str, str] = {}
    lost: set[str] = set()  # values that something else reads, or what something else is made of
    before: set[str] = set()  # values that a quantised one depends on
    host: set[str] = set()  # what is made of them for no QuantizeLinear
    for node in reversed(graph.node):
        is_stored = node.op_type in _STORED or node.op_type.startswith("QLinear")
        if is_stored or before & set(node.output):
            before |= set(node.input)
        elif node.op_type != "DequantizeLinear":
            host |= set(node.output)
            continue
        if node.op_type == "QuantizeLinear" and node.input[0] in made:
            stored[node.output[0]] = node.input[0]
        elif not made.keys() >= set(node.output) or not lost.isdisjoint(node.output):
            lost |= made.keys() & set(node.input)
    inexact = {one: made[value] for one, value in stored.items() if value not in lost and made[value] != _EXACT}
    sums = {value for node in graph.node if node.op_type == "QGemm" for value in node.output}
    pools = {node.output[0] for node in graph.node if node.op_type == "MaxPool" and node.output[0] not in made}
    return LeftInFloat(frozenset(made.keys() - lost - sums | host | _picked(graph, pools, moves)), inexact)


def _picked(graph: Any, pools: set[str], moves: frozenset[str]) -> set[str]:
    """Results of a MaxPool of dequantised elements: it picks one of them, as it would of stored ones."""
    real: set[str] = set()
    for node in graph.node:
        is_moved = node.op_type in moves and node.input and node.input[0] in real
        if node.op_type == "DequantizeLinear" or is_moved or (node.output[0] in pools and node.input[0] in real):
            real |= set(node.output)
    return pools & real


def _made_by_layers(graph: Any, moves: frozenset[str]) -> dict[str, str]:
    """Values that layers make, and what is moved, picked or scaled after them: by which layer.

    Functions of one tensor are none: a table that ONNX Runtime makes itself stands for them.
    """
    fixed = {tensor.name for tensor in graph.initializer}
    real = set(fixed)  # dequantised, moved or constant: what a layer may read
    made: dict[str, str] = {}
    for node in graph.node:
        read = [value for value in node.input if value]
        before = [made[value] for value in read if value in made]
        others = {value for value in read if value not in made}
        varying = [value for value in read if value not in fixed]
        is_scaled = len(before) == 1 and node.op_type in _FACTORS and fixed.issuperset(others)
        is_layer = node.op_type in _LAYERS and (node.op_type not in _PAIRS or len(varying) > 1)
        if fixed.issuperset(read):
            fixed |= set(node.output)
            real |= set(node.output)
        elif node.op_type == "DequantizeLinear" or (node.op_type in moves | {"MaxPool"} and real.issuperset(read)):
            real |= set(node.output)
        elif is_layer and real.issuperset(read):
            made |= dict.fromkeys(node.output, node.op_type)
        elif node.op_type in _FUNCTIONS and all(value in real or made.get(value) == _EXACT for value in read):
            made |= dict.fromkeys(node.output, _EXACT)
        elif node.op_type == "MatMulIntegerToFloat" or (node.op_type == "QGemm" and len(read) < _STORED_QGEMM):
            made |= dict.fromkeys(node.output, node.op_type)  # of what is stored: real sums
        elif is_scaled or (before and node.op_type in moves | _PICKING and real.issuperset(others)):
            made |= dict.fromkeys(node.output, before[0])
    return made

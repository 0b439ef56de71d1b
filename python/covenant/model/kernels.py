"""Kernels that a model needs from ONNX Runtime: operators that it would run, with their element types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from covenant.model.ends import host_nodes
from covenant.model.float_subgraphs import find_float_subgraphs
from covenant.model.left_in_float import left_in_float

__all__ = [
    "CHANNELWISE", "CHOICES", "INEXACT", "MOVEMENTS", "PREDICATES", "REAL_PAIRS", "TABLE_OPERATORS",
    "ZERO_POINT_OF_OUTPUT", "Kernel",
    "float_operators", "inexact_values", "kernels_of", "square_of",
]  # fmt: skip

PRODUCTS = ("QLinearConv", "QLinearMatMul", "QGemm")
"""Operators with weights, at input 3."""

TABLE_OPERATORS = ("QLinearSigmoid", "QLinearLeakyRelu")
"""Functions of one byte, whose table is made by running them: inputs x, scale, zero point, y scale, zero point."""

MOVEMENTS = (
    "Concat", "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Identity", "Pad",
    "Reshape", "Resize", "ReverseSequence", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose",
    "Unsqueeze",
)  # fmt: skip
"""Operators that only move elements: no arithmetic, so nothing to be inexact about. A Resize is one if it repeats."""

REAL_PAIRS = ("Sub", "Div")
"""Operators on two dequantised tensors that ONNX Runtime leaves in float: one rounding, so nothing to choose."""

CHOICES = ("GlobalMaxPool", "Max", "Min", "ReduceMax", "ReduceMin", "Where")
"""Operators whose results are elements of their operands: no arithmetic either, for quantising is monotone."""

PREDICATES = (
    "And", "Equal", "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "Not", "Or", "Xor",
)  # fmt: skip
"""Operators that say yes or no of each element: nothing is rounded."""

CHANNELWISE = ("BatchNormalization", "PRelu")
"""Operators that are a function of a byte for each channel."""

INEXACT = (
    "ConvTranspose", "CumSum", "InstanceNormalization", "LayerNormalization", "MeanVarianceNormalization",
    "ReduceMean", "ReduceSum", "ReduceSumSquare", "Resize",
)  # fmt: skip
"""Operators in float on a dequantised tensor that round in an order of their own: a machine is at most one step away.

A Resize is one if it does not repeat."""

_MOVING = frozenset({*MOVEMENTS, *CHOICES})

_SUMS = ("ReduceMean", "ReduceSum")
"""Operators that also add up squares of dequantised tensors."""

_OTHERS = (
    "QLinearAdd", "QLinearAveragePool", "QLinearConcat", "QLinearMul", "QLinearGlobalAveragePool", "QLinearSoftmax",
    "QLinearWhere", "MaxPool", "Relu", "Clip", "QuantizeLinear", "DequantizeLinear",
)  # fmt: skip
ZERO_POINT_OF_OUTPUT = {
    "QLinearConv": 7, "QLinearMatMul": 7, "QGemm": 8, "QLinearAdd": 7, "QLinearMul": 7, "QLinearGlobalAveragePool": 4,
    "QuantizeLinear": 2, "QLinearSigmoid": 4, "QLinearLeakyRelu": 4, "QLinearConcat": 1, "QLinearAveragePool": 4,
    "QLinearSoftmax": 4, "QLinearWhere": 8,
}  # fmt: skip
"""Place of the zero point of the result among the inputs of an operator on stored values, after its scale."""
_FIRST_OPERAND = {"QLinearConcat": 2, "QLinearWhere": 1}  # of others input 0


@dataclass(frozen=True, order=True)
class Kernel:
    """One operator on one choice of element types.

    Example:
        >>> str(Kernel("QLinearConv", ("uint8", "int8")))
        'QLinearConv uint8 x int8'
    """

    operator: str  #: as ONNX calls it
    types: tuple[str, ...]  #: of activations and, if it has some, of weights

    def __str__(self) -> str:
        """For reports."""
        return f"{self.operator} {' x '.join(self.types)}"


def kernels_of(model: Any) -> tuple[Kernel, ...]:
    """The kernels that compute, each once, sorted; of the `onnx.ModelProto` that ONNX Runtime has optimised.

    INEXACT ones are not among them: there is nothing that a probe could compare them with.
    """
    found = set()
    theirs = _of_onnx_runtime(model) | left_in_float(model, _MOVING).values
    for node, types in _typed(model):
        if _only_moves(node) or node.output[0] in theirs or node.op_type in INEXACT:
            continue
        weights = [types.get(node.input[3], "?")] if node.op_type in PRODUCTS else []
        dtypes = (_operand_type(node, types), *weights)
        if node.op_type == "QuantizeLinear":
            dtypes = (types[node.output[0]],)
        found.add(Kernel(node.op_type, dtypes))
    return tuple(sorted(found))


def float_operators(model: Any) -> tuple[str, ...]:
    """Operators that compute in float in the middle of the same model.

    Those that quantise and dequantise are none of them, nor those that a table stands for, nor those at its ends, nor
    layers (`covenant.model.left_in_float`).
    """
    known = {*PRODUCTS, *_OTHERS}
    theirs = _of_onnx_runtime(model) | left_in_float(model, _MOVING).values
    between = _between_bytes(model)
    found = {
        node.op_type
        for node, types in _typed(model)
        if node.output[0] not in theirs
        and not _only_moves(node)
        and node.output[0] not in between
        and (
            node.op_type not in known
            or (node.op_type != "QuantizeLinear" and _operand_type(node, types).startswith("float"))
        )
    }
    return tuple(sorted(found))


def inexact_values(model: Any) -> dict[str, str]:
    """Quantised values of the same model that may be one step from exact ones, and by which operator."""
    sources = _sources(model)
    found = dict(left_in_float(model, _MOVING).stored)
    for node in model.graph.node:
        source = sources.get(node.input[0]) if node.op_type == "QuantizeLinear" else None
        if source is not None and source.op_type in INEXACT:
            found[node.output[0]] = source.op_type
    return found


def _operand_type(node: Any, types: dict[str, str]) -> str:
    return types.get(node.input[_FIRST_OPERAND.get(node.op_type, 0)], "?")


def _only_moves(node: Any) -> bool:
    """Whether no number that a node makes is new."""
    if node.op_type == "Resize":
        return all(entry.s == b"nearest" for entry in node.attribute if entry.name == "mode")
    return node.op_type in MOVEMENTS or node.op_type in CHOICES or node.op_type in PREDICATES


def _of_onnx_runtime(model: Any) -> set[str]:
    """Values that ONNX Runtime itself computes here, too.

    A table stands for them, of which it has said every byte (`covenant.rewrite.elementwise.tables`), or they are at an
    end of the model (`covenant.model.ends`).
    """
    made = {output for subgraph in find_float_subgraphs(model) for node in subgraph.nodes for output in node.output}
    made |= {output for node in host_nodes(model) for output in node.output} | _clamps(model)
    stored = {node.output[0] for node in model.graph.node if node.op_type == "DequantizeLinear"}
    made |= {node.output[0] for node in model.graph.node if node.op_type in CHANNELWISE and node.input[0] in stored}
    return made | {node.output[0] for node in model.graph.node if node.op_type in TABLE_OPERATORS}


def _clamps(model: Any) -> set[str]:
    """Results of a Relu or Clip between equal quantisations: stored values within limits, not rounded."""
    from onnx import numpy_helper  # noqa: PLC0415

    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    stored = {node.output[0]: node for node in model.graph.node if node.op_type == "DequantizeLinear"}
    limits = {
        node.output[0]: stored[node.input[0]] for node in model.graph.node
        if node.op_type in ("Clip", "Relu") and node.input[0] in stored
    }  # fmt: skip
    readers: dict[str, list[Any]] = {value: [] for value in limits}
    for node in model.graph.node:
        for value in readers.keys() & set(node.input):
            readers[value].append(node)

    def meaning(node: Any) -> list[Any]:
        return [
            numpy_helper.to_array(constants[name]).tolist() if name in constants else name for name in node.input[1:]
        ]

    def is_alike(node: Any, other: Any) -> bool:
        return node.op_type == "QuantizeLinear" and meaning(node) == meaning(other)

    return {value for value, first in limits.items() if all(is_alike(one, first) for one in readers[value])}


def _sources(model: Any) -> dict[str, Any]:
    """The node that has made the elements of each value: movements make none."""
    sources: dict[str, Any] = {}
    for node in model.graph.node:
        source = sources.get(node.input[0]) if node.input and _only_moves(node) else node
        if source is not None:
            sources |= dict.fromkeys(node.output, source)
    return sources


def _between_bytes(model: Any) -> set[str]:
    """Results of `REAL_PAIRS` and `INEXACT` between DequantizeLinear and QuantizeLinear, with movements at most."""
    sources = _sources(model)
    squares = _squares(model, sources)
    ends: dict[int, set[str]] = {}  # by the node that has made elements: the operators that read these
    for node in model.graph.node:
        if not _only_moves(node):
            for value in node.input:
                if value in sources:
                    ends.setdefault(id(sources[value]), set()).add(node.op_type)
    found = set()
    for node in {id(source): source for source in sources.values()}.values():
        operands = node.input[:1] if node.op_type in INEXACT else node.input if node.op_type in REAL_PAIRS else []
        stored = [squares.get(value, value) if node.op_type in _SUMS else value for value in operands]
        is_stored = [value in sources and sources[value].op_type == "DequantizeLinear" for value in stored]
        if is_stored and all(is_stored) and ends.get(id(node)) == {"QuantizeLinear"}:
            found |= {node.output[0], *(value for value in operands if value not in stored)}
    return found


def _squares(model: Any, sources: dict[str, Any]) -> dict[str, str]:
    """Squares of dequantised tensors that a sum alone reads, and of which each is."""
    from onnx import numpy_helper  # noqa: PLC0415

    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    constant = lambda name: numpy_helper.to_array(constants[name]) if name in constants else None  # noqa: E731
    readers: dict[str, list[str]] = {}
    for node in model.graph.node:
        for value in node.input:
            readers.setdefault(value, []).append(node.op_type)
    found = {}
    for node in model.graph.node:
        of = square_of(node, constant)
        both = [sources.get(value) for value in node.input] if node.op_type == "Mul" else []
        if both and all(one is not None and one.op_type == "DequantizeLinear" for one in both):
            of = node.input[0] if both[0].input == both[1].input else of  # one for each reader
        if of is not None and of in sources and set(readers.get(node.output[0], ())) <= set(_SUMS):
            found[node.output[0]] = of
    return found


def square_of(node: Any, constant: Callable[[str], Any]) -> str | None:
    """Value that a node squares, a Pow or a Mul; None for other nodes.

    Args:
        node: an `onnx.NodeProto`, or None.
        constant: of a name the array; None of what is computed.
    """
    if node is None or node.op_type not in ("Mul", "Pow") or len(node.input) != 2:
        return None
    if node.op_type == "Mul":
        return node.input[0] if node.input[0] == node.input[1] else None
    exponent = constant(node.input[1])
    return node.input[0] if exponent is not None and exponent.size == 1 and exponent.reshape(-1)[0] == 2 else None


def _typed(model: Any) -> list[tuple[Any, dict[str, str]]]:
    """Nodes in their order, and the element types of all tensors by name."""
    from onnx import helper  # noqa: PLC0415  (import costs; a program that never compares does not pay)

    def name_of(element: int) -> str:
        return helper.tensor_dtype_to_np_dtype(element).name if element else "?"

    types = {entry.name: name_of(entry.type.tensor_type.elem_type) for entry in model.graph.input}
    types |= {tensor.name: name_of(tensor.data_type) for tensor in model.graph.initializer}
    for node in model.graph.node:
        place = ZERO_POINT_OF_OUTPUT.get(node.op_type)
        zero = node.input[place] if place is not None and place < len(node.input) else ""
        made = types.get(node.input[0], "?") if node.input else "?"
        if zero:
            made = types.get(zero, "?")
        elif node.op_type == "QuantizeLinear":
            said = next((entry.i for entry in node.attribute if entry.name == "output_dtype"), 0)
            made = name_of(said) if said else "uint8"
        elif node.op_type == "DequantizeLinear":
            made = "float32"
        types |= dict.fromkeys(node.output, made)
    return [(node, types) for node in model.graph.node]

"""Builds tables for float subgraphs by running ONNX Runtime on every possible element.

The compiler reads a model in which each subgraph is one node, `covenant.Lookup`: `x, x_scale, x_zero_point, table,
y_scale, y_zero_point -> y`, `y` the table's element for each element of `x`, read without a sign: 256 bytes, or 16
elements of 4 bits. Those of 4 bits ONNX Runtime is asked about in bytes of the same scale and zero point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.model.element_types import every_element, limits
from covenant.model.float_subgraphs import ELEMENTWISE, FloatSubgraph, find_float_subgraphs
from covenant.model.kernels import TABLE_OPERATORS
from covenant.onnx_runtime.fused_model import FusedModel, style_of
from covenant.onnx_runtime.sessions import OracleError

__all__ = ["DOMAIN", "OPERATOR", "agreed", "has_tables", "no_table", "replaced", "table_of"]

DOMAIN = "covenant"
OPERATOR = "Lookup"
_GONE = ELEMENTWISE | {"DequantizeLinear"}
"""Types of nodes that are left out where nothing reads them."""


def has_tables(model: Any) -> bool:
    """Whether `replaced` would change an `onnx.ModelProto`."""
    return bool(find_float_subgraphs(model)) or any(node.op_type in TABLE_OPERATORS for node in model.graph.node)


def replaced(model: Any) -> Any:
    """A copy of an `onnx.ModelProto` in which subgraphs are lookups.

    Raises:
        CovenantError: ONX0021, see `table_of`.
    """
    from onnx import ModelProto, helper  # noqa: PLC0415

    result = ModelProto()
    result.CopyFrom(model)
    known = _Constants.of(model)
    lookups: dict[str, Any] = {}  # by the output that they make
    names: set[str] = set()
    for subgraph in find_float_subgraphs(result):
        table = _table_of_subgraph(known, subgraph)
        name = f"{subgraph.quantize.output[0]}/table"
        source = next(node for node in subgraph.dequantize if node.input[0] == subgraph.source)
        called = subgraph.name if subgraph.name not in names else f"{subgraph.name}/{subgraph.quantize.output[0]}"
        names.add(called)
        lookups[subgraph.quantize.output[0]] = _lookup(called, source.input, name, subgraph.quantize)
        result.graph.initializer.append(_tensor(table, name))
    for node in result.graph.node:
        if node.op_type not in TABLE_OPERATORS:
            continue
        name = f"{node.output[0]}/table"
        result.graph.initializer.append(_tensor(_table_of_single(known, node), name))
        inputs = [*node.input[:3], name, *node.input[3:]]
        lookups[node.output[0]] = helper.make_node(OPERATOR, inputs, list(node.output), node.name, domain=DOMAIN)
    nodes = [lookups.get(node.output[0], node) for node in result.graph.node]
    read = {value.name for value in result.graph.output}
    kept = []
    for node in reversed(nodes):  # what a table stands for is not read any more, unless others go on from it
        if node.op_type not in _GONE or read.intersection(node.output):
            read.update(node.input)
            kept.append(node)
    del result.graph.node[:]
    result.graph.node.extend(kept[::-1])
    if all(entry.domain != DOMAIN for entry in result.opset_import):
        result.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return result


def table_of(model: Any, subgraph: FloatSubgraph) -> np.ndarray:
    """Result of a float subgraph for each element, by ONNX Runtime.

    Args:
        model: the `onnx.ModelProto` that the subgraph is in.
        subgraph: one of `find_float_subgraphs(model)`.

    Returns:
        Elements of the result's dtype, for those of the source in the order of `every_element`.

    Raises:
        CovenantError: ONX0021, ONNX Runtime cannot be asked, or makes one byte of an element alone and another of it
            among others: no table is right then.
    """
    return _table_of_subgraph(_Constants.of(model), subgraph)


@dataclass(frozen=True)
class _Constants:
    """Constants of a model, initialisers and Constant nodes alike, by name."""

    model: Any
    tensors: dict[str, Any]
    nodes: dict[str, Any]

    @classmethod
    def of(cls, model: Any) -> _Constants:
        made = {node.output[0]: node for node in model.graph.node if node.op_type == "Constant"}
        return cls(model, {tensor.name: tensor for tensor in model.graph.initializer}, made)


def _table_of_subgraph(known: _Constants, subgraph: FloatSubgraph) -> np.ndarray:
    nodes = [*subgraph.dequantize, *subgraph.nodes, subgraph.quantize]
    return _table(known, nodes, subgraph.source, subgraph.quantize.output[0], subgraph.name)


def _table_of_single(known: _Constants, node: Any) -> np.ndarray:
    return _table(known, [node], node.input[0], node.output[0], node.name or node.output[0])


def _table(known: _Constants, nodes: Sequence[Any], source: str, result: str, name: str) -> np.ndarray:
    reader = next(node for node in nodes if node.input[0] == source)
    taken = _dtype(known.tensors, reader, 2)
    made = _dtype(known.tensors, nodes[-1], _place_of_zero(nodes[-1]))
    rank = _rank_of(known.tensors, nodes)
    try:
        together, alone = _asked(*_little_model(known, nodes, source, result, (_in_bytes(taken), rank)), taken, rank)
    except OracleError as error:
        raise no_table(name, f"ONNX Runtime cannot be asked for it: {error}", "") from error
    return np.clip(agreed(name, together, alone), *limits(made)).astype(made)


@lru_cache(maxsize=4096)
def _asked(content: bytes, source: str, result: str, taken: np.dtype[Any], rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Results of ONNX Runtime for every element among the others, and alone; equal chains are computed once."""
    from onnx import ModelProto  # noqa: PLC0415

    model = ModelProto()
    model.ParseFromString(content)
    in_bytes = every_element(taken).astype(_in_bytes(taken)).reshape(*[1] * (rank - 1), -1)
    little = FusedModel(model, style_of(model))
    together = little.run({source: in_bytes})[result].reshape(-1)
    single = np.split(in_bytes, in_bytes.size, axis=-1)
    return together, np.concatenate([little.run({source: one})[result].reshape(-1) for one in single])


def agreed(name: str, together: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """Results of ONNX Runtime for every byte (the last dimension), which must be the same among others and alone.

    Raises:
        CovenantError: ONX0021, it is not.
    """
    differing = np.argwhere(together != alone)
    if differing.size:
        at = tuple(differing[0])
        offending = f"byte {at[-1]}: {together[at]} and {alone[at]}"
        raise no_table(name, "ONNX Runtime makes another byte of an element alone than among others", offending)
    return together


def no_table(name: str, why: str, offending: str) -> CovenantError:
    """ONX0021: of the chain that ends in `name`, and what is wrong with it."""
    fix = "leave this chain out of the quantised part, or write it with operators whose kernels agree"
    return CovenantError(
        Diagnostic("ONX0021", f"no table stands for this chain of float operators: {why}", subject=name,
                   offending=offending, fix=fix)
    )  # fmt: skip


def _dtype(constants: dict[str, Any], node: Any, place: int) -> np.dtype[Any]:
    """Type of the zero point at input `place`; without one a tensor is u8."""
    from onnx import helper  # noqa: PLC0415

    value = node.input[place] if place < len(node.input) else ""
    return np.dtype(helper.tensor_dtype_to_np_dtype(constants[value].data_type)) if value else np.dtype(np.uint8)


def _place_of_zero(node: Any) -> int:
    """Place of the input that is the zero point of a node's result."""
    return 4 if node.op_type in TABLE_OPERATORS else 2


def _rank_of(constants: dict[str, Any], nodes: Sequence[Any]) -> int:
    """Rank of a source that no constant exceeds."""
    return max([1, *(len(constants[value].dims) for node in nodes for value in node.input if value in constants)])


def _in_bytes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of bytes with the same sign."""
    return np.dtype(np.int8 if limits(dtype)[0] < 0 else np.uint8)


def _little_model(
    known: _Constants, nodes: Sequence[Any], source: str, result: str, kind: tuple[np.dtype[Any], int]
) -> tuple[bytes, str, str]:
    """`nodes` alone, from a source of any length to a result, both of a `kind`: a dtype of bytes, and a rank.

    Returns:
        The model, whose values are called after their places, and the names of its input and output.
    """
    from onnx import NodeProto, TensorProto, helper, numpy_helper  # noqa: PLC0415

    read = dict.fromkeys(value for node in nodes for value in node.input)
    makers = [known.nodes[value] for value in read if value in known.nodes]
    element = helper.np_dtype_to_tensor_dtype(_in_bytes(_dtype(known.tensors, nodes[-1], _place_of_zero(nodes[-1]))))
    names: dict[str, str] = {"": ""}

    def called(value: str) -> str:
        return names.setdefault(value, f"value{len(names)}")

    constants = []
    for value in read:
        if value not in known.tensors:
            continue
        array = numpy_helper.to_array(known.tensors[value])
        if known.tensors[value].data_type in (TensorProto.INT4, TensorProto.UINT4):
            array = array.astype(_in_bytes(array.dtype))
        constants.append(numpy_helper.from_array(array, called(value)))
    whole = []
    for place, node in enumerate([*makers, *nodes]):
        one = NodeProto()
        one.CopyFrom(node)
        one.name, one.doc_string = f"node{place}", ""
        one.input[:] = [called(value) for value in node.input]
        one.output[:] = [called(value) for value in node.output]
        whole.append(one)
    taken, shape = helper.np_dtype_to_tensor_dtype(kind[0]), [*[1] * (kind[1] - 1), "length"]
    graph = helper.make_graph(
        whole,
        "table",
        [helper.make_tensor_value_info(called(source), taken, shape)],
        [helper.make_tensor_value_info(called(result), element, shape)],
        constants,
    )
    imports = list(known.model.opset_import)
    made = helper.make_model(graph, opset_imports=imports, ir_version=known.model.ir_version)
    return made.SerializeToString(deterministic=True), called(source), called(result)


def _lookup(name: str, source: Sequence[str], table: str, quantize: Any) -> Any:
    from onnx import helper  # noqa: PLC0415

    x = [*source, ""][:3]
    y = [*quantize.input[1:], ""][:2]
    return helper.make_node(OPERATOR, [*x, table, *y], list(quantize.output), name, domain=DOMAIN)


def _tensor(table: np.ndarray, name: str) -> Any:
    from onnx import numpy_helper  # noqa: PLC0415

    return numpy_helper.from_array(table, name)

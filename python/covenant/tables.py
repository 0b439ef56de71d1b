"""Tables of 256 bytes for islands of float operators (`covenant.islands`), made by running ONNX Runtime on every byte.

The compiler reads a model in which each island is one node, `covenant.Lookup`: `x, x_scale, x_zero_point, table,
y_scale, y_zero_point -> y`, `y` the table's element for each byte of `x`, read without a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.islands import Island, find_islands
from covenant.kernels import TABLE_OPERATORS

__all__ = ["DOMAIN", "OPERATOR", "agreed", "has_tables", "no_table", "replaced", "table_of"]

DOMAIN = "covenant"
OPERATOR = "Lookup"
_BYTES = 256


def has_tables(model: Any) -> bool:
    """Whether `replaced` would change an `onnx.ModelProto`."""
    return bool(find_islands(model)) or any(node.op_type in TABLE_OPERATORS for node in model.graph.node)


def replaced(model: Any) -> Any:
    """A copy of an `onnx.ModelProto` in which islands are lookups.

    Raises:
        CovenantError: ONX0021, see `table_of`.
    """
    from onnx import ModelProto, helper  # noqa: PLC0415

    result = ModelProto()
    result.CopyFrom(model)
    lookups: dict[str, Any] = {}  # by the output that they make
    gone: set[str] = set()  # outputs of nodes that are replaced
    for island in find_islands(result):
        table = table_of(model, island)
        name = f"{island.quantize.output[0]}/table"
        source = next(node for node in island.dequantize if node.input[0] == island.source)
        lookups[island.quantize.output[0]] = _lookup(island.name, source.input, name, island.quantize)
        result.graph.initializer.append(_tensor(table, name))
        gone |= {output for node in (*island.nodes, island.quantize) for output in node.output}
    for node in result.graph.node:
        if node.op_type not in TABLE_OPERATORS:
            continue
        name = f"{node.output[0]}/table"
        result.graph.initializer.append(_tensor(_table_of_single(model, node), name))
        inputs = [*node.input[:3], name, *node.input[3:]]
        lookups[node.output[0]] = helper.make_node(OPERATOR, inputs, list(node.output), node.name, domain=DOMAIN)
        gone |= set(node.output)
    nodes = [lookups.get(node.output[0], node) for node in result.graph.node]
    kept = [node for node in nodes if node.domain == DOMAIN or not gone & set(node.output)]
    read = {value for node in kept for value in node.input} | {value.name for value in result.graph.output}
    del result.graph.node[:]
    result.graph.node.extend(node for node in kept if node.op_type != "DequantizeLinear" or node.output[0] in read)
    if all(entry.domain != DOMAIN for entry in result.opset_import):
        result.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return result


def table_of(model: Any, island: Island) -> np.ndarray:
    """What an island makes of each byte, by ONNX Runtime.

    Args:
        model: the `onnx.ModelProto` that the island is in.
        island: one of `find_islands(model)`.

    Returns:
        256 elements of the result's dtype, for the bytes 0, 1, ..., 255 read without a sign.

    Raises:
        CovenantError: ONX0021, ONNX Runtime cannot be asked, or makes one byte of an element alone and another of it
            among others: no table is right then.
    """
    nodes = [*island.dequantize, *island.nodes, island.quantize]
    return _table(model, nodes, island.source, island.quantize.output[0], island.name)


def _table_of_single(model: Any, node: Any) -> np.ndarray:
    return _table(model, [node], node.input[0], node.output[0], node.name or node.output[0])


def _table(model: Any, nodes: Sequence[Any], source: str, result: str, name: str) -> np.ndarray:
    from covenant.oracle import Oracle, OracleError  # noqa: PLC0415

    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    reader = next(node for node in nodes if node.input[0] == source)
    dtype = np.int8 if _is_signed(constants, reader, 2) else np.uint8
    every = np.arange(_BYTES, dtype=np.uint8).view(dtype)
    try:
        oracle = Oracle(_little_model(model, nodes, source, result, dtype), strict=False)
        together = oracle.run({source: every})[result]
        alone = np.concatenate([oracle.run({source: every[i : i + 1]})[result] for i in range(_BYTES)])
    except OracleError as error:
        raise no_table(name, f"ONNX Runtime cannot be asked for it: {error}", "") from error
    return agreed(name, together, alone)


def agreed(name: str, together: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """What ONNX Runtime makes of every byte (the last dimension) among others: the same as of that byte alone.

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


def _is_signed(constants: dict[str, Any], node: Any, place: int) -> bool:
    """Whether the zero point at input `place` is i8; without one a tensor is u8."""
    from onnx import TensorProto  # noqa: PLC0415

    value = node.input[place] if place < len(node.input) else ""
    return bool(value) and constants[value].data_type == TensorProto.INT8


def _little_model(model: Any, nodes: Sequence[Any], source: str, result: str, dtype: Any) -> Any:
    """`nodes` alone, from `source` of any length to `result`."""
    from onnx import TensorProto, helper  # noqa: PLC0415

    constants = [tensor for tensor in model.graph.initializer if any(tensor.name in node.input for node in nodes)]
    made = [node for node in model.graph.node if node.op_type == "Constant"
            and any(node.output[0] in one.input for one in nodes)]  # fmt: skip
    by_name = {tensor.name: tensor for tensor in constants}
    place = 4 if nodes[-1].op_type in TABLE_OPERATORS else 2
    element = TensorProto.INT8 if _is_signed(by_name, nodes[-1], place) else TensorProto.UINT8
    graph = helper.make_graph(
        [*made, *nodes],
        "table",
        [helper.make_tensor_value_info(source, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), ["length"])],
        [helper.make_tensor_value_info(result, element, ["length"])],
        constants,
    )
    return helper.make_model(graph, opset_imports=list(model.opset_import), ir_version=model.ir_version)


def _lookup(name: str, source: Sequence[str], table: str, quantize: Any) -> Any:
    from onnx import helper  # noqa: PLC0415

    x = [*source, ""][:3]
    y = [*quantize.input[1:], ""][:2]
    return helper.make_node(OPERATOR, [*x, table, *y], list(quantize.output), name, domain=DOMAIN)


def _tensor(table: np.ndarray, name: str) -> Any:
    from onnx import numpy_helper  # noqa: PLC0415

    return numpy_helper.from_array(table, name)

"""Finds the reason why the compiler refuses a model, where that is not the first unknown operator."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from covenant.compiler.causes import cause_in
from covenant.compiler.unquantized import float_operand, float_weights, large_bias
from covenant.errors import CovenantError, Diagnostic
from covenant.model.ends import host_nodes
from covenant.model.float_subgraphs import ELEMENTWISE, find_float_subgraphs
from covenant.model.function_bodies import BODIES
from covenant.model.kernels import MOVEMENTS
from covenant.model.kinds import nodes_with_graphs, quantized_otherwise, with_graphs
from covenant.model.loading import has_operands
from covenant.rewrite.reductions.pools import REDUCTIONS

__all__ = ["true_reason"]

_SAID_IN_FLOAT = BODIES | {
    "ConvTranspose", "InstanceNormalization", "LRN", "LpNormalization", "ReduceL2", "SimplifiedLayerNormalization",
    "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
}  # fmt: skip
"""Operators that `covenant quantize` says by others, each with a scale of its own."""


_MADE = re.compile(r"/rewritten\d+\b")
"""Suffix of the names of new constants (`EditableModel.add_constant`)."""


_OF_NODES = ("ONX0005", "ONX0006", "ONX0009", "ONX0010", "ONX0014")
"""Codes that may be about an operator, or about operators that have replaced it."""


_QUANTISED_HERE = ELEMENTWISE | REDUCTIONS.keys() | {"CumSum", "ReduceMin"}
"""Operators that machines know between quantised tensors: only their neighbours there can cause a refusal."""


_BETWEEN = frozenset({"Constant", "DequantizeLinear", "QuantizeLinear", *MOVEMENTS})
"""Operators that compute nothing in float."""


def true_reason(path: Path, error: CovenantError) -> CovenantError:
    """A more precise diagnostic for a model than the front end's; the same if there is none.

    Args:
        path: of the model.
        error: the front end's diagnostic, ONXnnnn.
    """
    try:
        import onnx  # noqa: PLC0415  (import costs; a model that the compiler takes does not pay)

        model = onnx.load(os.fspath(path))
    except Exception:  # noqa: BLE001  (parsers raise what they like: the compiler has said what is wrong)
        return error
    if not has_operands(model):
        return _named(error)
    reasons: tuple[Callable[[Any, Path, CovenantError], CovenantError | None], ...] = (
        lambda one, where, _: quantized_otherwise(one, "ONX0025", where),
        _runs_graphs,
        _too_wide,
        float_operand,
        float_weights,
        large_bias,
        cause_in,
        _left_in_float,
    )
    return next((found for reason in reasons if (found := reason(model, path, error)) is not None), _named(error))


def _named(error: CovenantError) -> CovenantError:
    """The same with the model's names of constants in the place of those that are made of them."""
    told = error.diagnostic
    message, offending = (_MADE.sub("", text) for text in (told.message, told.offending))
    if (message, offending) == (told.message, told.offending):
        return error
    return CovenantError(replace(told, message=message, offending=offending))


def _runs_graphs(model: Any, path: Path, _: CovenantError) -> CovenantError | None:
    """An If, Loop or Scan between quantised layers; the host runs those at the ends of a model."""
    hosts = {output for node in host_nodes(model) for output in node.output}
    held = [node for node in nodes_with_graphs(model) if not hosts.intersection(node.output)]
    return with_graphs(held, "ONX0026", path)


def _too_wide(model: Any, path: Path, error: CovenantError) -> CovenantError | None:
    """A chain of elementwise operators on elements of 16 bits, of which there is no table."""
    name, apart, operator = error.diagnostic.subject.partition("/for/")  # of several, each computed for a reader
    subject = f"{name} {operator.rpartition(' ')[2]}" if apart else name
    plain = _with_last_outputs(model)
    narrow = {subgraph.quantize.output[0] for subgraph in find_float_subgraphs(plain)}
    subgraphs = [one for one in find_float_subgraphs(plain, wide=True) if one.quantize.output[0] not in narrow]
    named = {f"{node.name} ({node.op_type})" for subgraph in subgraphs for node in subgraph.nodes}
    if subject not in named and not (error.code == "ONX0006" and _is_of_wide(model, subject)):
        return None
    return CovenantError(
        Diagnostic(
            "ONX0027", "a function of one element is looked up in a table of all its values", os.fspath(path),
            subject=subject, offending="elements of 16 bits", allowed=("elements of 4 or 8 bits around this operator",),
            fix="quantise what it takes and makes to 8 bits, or, at an end of the model, leave it in float for the "
            "host",
        )
    )  # fmt: skip


def _is_of_wide(model: Any, subject: str) -> bool:
    """Whether a node is a function of one dequantised tensor of 16 bits, which movements may follow."""
    from onnx import TensorProto  # noqa: PLC0415

    node = next((one for one in model.graph.node if f"{one.name} ({one.op_type})" == subject), None)
    if node is None or node.op_type not in ELEMENTWISE or len(set(node.input)) != 1:
        return False
    makers = [one for one in model.graph.node if node.input[0] in one.output and one.op_type == "DequantizeLinear"]
    zeros = {value for one in makers for value in one.input[2:3]}
    types = {tensor.data_type for tensor in model.graph.initializer if tensor.name in zeros}
    return bool(types & {TensorProto.INT16, TensorProto.UINT16})


def _with_last_outputs(model: Any) -> Any:
    """The model with outputs that none of its nodes reads: chains end at the others, too."""
    read = {value for node in model.graph.node for value in node.input}
    kept = [entry for entry in model.graph.output if entry.name not in read]
    made = type(model)()
    made.CopyFrom(model)
    del made.graph.output[:]
    made.graph.output.extend(kept)
    return made


def _left_in_float(model: Any, path: Path, error: CovenantError) -> CovenantError | None:
    """Operators that compute in float, one after the other, between quantised tensors: what is between has no scale."""
    if error.code not in _OF_NODES:
        return None
    called = {f"{node.name or node.output[0]} ({node.op_type})": node for node in model.graph.node}
    several = [node for node in model.graph.node if node.op_type in _SAID_IN_FLOAT]
    subject = error.diagnostic.subject
    node = called.get(subject)
    if node is None and several and _is_of_a_body(model, subject):
        node = several[0]
    if node is None or node.op_type not in _SAID_IN_FLOAT | _QUANTISED_HERE:
        return None
    if node.op_type in _SAID_IN_FLOAT:
        message = "the operator is several in one, computed in float between quantised tensors"
    elif error.code == "ONX0006" and _is_beside_others(model, node):
        message = "operators compute in float here, one after the other, between quantised tensors"
    else:
        return None
    return CovenantError(
        Diagnostic(
            "ONX0028", f"{message}: what they make on the way has no scale", os.fspath(path),
            subject=f"{node.name or node.output[0]} ({node.op_type})", offending=node.op_type,
            allowed=("a scale for each tensor that a machine stores",),
            fix="start from the float model: covenant quantize gives each a scale, or says the operator by others",
        )
    )  # fmt: skip


def _is_beside_others(model: Any, node: Any) -> bool:
    """Whether a neighbour of a node computes in float, too."""
    near = [one for one in model.graph.node if set(one.output) & set(node.input) or set(one.input) & set(node.output)]
    return any(one.op_type not in _BETWEEN for one in near)


def _is_of_a_body(model: Any, subject: str) -> bool:
    """Whether no node of the model has this name: it is that of a node that replaced another one."""
    known = {node.name for node in model.graph.node} | {tensor.name for tensor in model.graph.initializer}
    known |= {value for node in model.graph.node for value in node.output}
    return (subject.rpartition(" (")[0] or subject) not in known | {""}

"""Recognises kinds of models that are refused as a whole, so that a diagnostic names the kind and not an operator."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from covenant.errors import CovenantError, Diagnostic

__all__ = ["DYNAMIC", "NEWEST_OPSET", "WEIGHT_ONLY", "nodes_with_graphs", "quantized_otherwise", "with_graphs"]

NEWEST_OPSET = 25
"""The newest version of ONNX's operators that is read."""

DYNAMIC = frozenset(
    {
        "ConvInteger", "DynamicQuantizeLSTM", "DynamicQuantizeLinear", "DynamicQuantizeMatMul", "MatMulInteger",
        "MatMulIntegerToFloat", "QAttention",
    }
)  # fmt: skip
"""Operators of dynamically quantised models: they compute the scales of activations as they run."""
_PRODUCTS_OF_INTEGERS = frozenset({"ConvInteger", "MatMulInteger"})
WEIGHT_ONLY = frozenset({"GatherBlockQuantized", "MatMulBnb4", "MatMulFpQ4", "MatMulNBits", "QMoE"})
"""Operators of models of which weights alone are quantised."""

_STATICALLY = (
    "start from the float model and quantise it statically: "
    "covenant quantize float.onnx -o int8.onnx --calibrate samples.npz"
)


def quantized_otherwise(model: Any, code: str, path: str | os.PathLike[str]) -> CovenantError | None:
    """The refusal of a model that is quantised, but not statically; None of all others.

    Args:
        model: an `onnx.ModelProto`.
        code: of the diagnostic.
        path: of the model, for the diagnostic.
    """
    found = {node.op_type for node in model.graph.node}
    if "QuantizeLinear" in found and not found & DYNAMIC - _PRODUCTS_OF_INTEGERS:
        found -= _PRODUCTS_OF_INTEGERS  # of what is quantised under constants
    for operators, message in (
        (DYNAMIC, "the model is quantised dynamically: it computes the scales of its activations as it runs"),
        (WEIGHT_ONLY, "the weights of the model alone are quantised: its activations are in float"),
    ):
        if named := sorted(found & operators):
            return CovenantError(
                Diagnostic(code, message, os.fspath(path), offending=", ".join(named),
                           allowed=("scales that are constants of the model",), fix=_STATICALLY)
            )  # fmt: skip
    return None


def nodes_with_graphs(model: Any) -> list[Any]:
    """The nodes of an `onnx.ModelProto` that hold graphs of their own: If, Loop, Scan."""
    from onnx import AttributeProto  # noqa: PLC0415  (import costs; a model that the compiler takes does not pay)

    kinds = (AttributeProto.GRAPH, AttributeProto.GRAPHS)
    return [node for node in model.graph.node if any(entry.type in kinds for entry in node.attribute)]


def with_graphs(held: Sequence[Any], code: str, path: str | os.PathLike[str]) -> CovenantError | None:
    """The refusal that names the first of these nodes with graphs (If, Loop, Scan); None without any."""
    if not held:
        return None
    node = held[0]
    return CovenantError(
        Diagnostic(
            code, "an operator chooses or repeats a graph of its own as it runs: machines run one fixed list of layers",
            os.fspath(path), subject=f"{node.name or node.output[0]} ({node.op_type})", offending=node.op_type,
            allowed=("operators without graphs inside",),
            fix="export the model with the branch, or the number of turns, fixed: as a constant condition it is folded",
        )
    )  # fmt: skip

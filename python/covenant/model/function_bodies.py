"""Expands functions of the model, and operators that ONNX defines by others, into their bodies.

Exporters write RMSNormalization, Attention or RotaryEmbedding as one node. ONNX gives each a body of simpler operators;
its inliner puts that in the place of the node.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from covenant.model.shapes import inferred

__all__ = ["BODIES", "with_bodies"]

BODIES = frozenset(
    {
        "AffineGrid", "Attention", "CastLike", "CenterCropPad", "GroupNormalization", "MeanVarianceNormalization",
        "NegativeLogLikelihoodLoss", "RMSNormalization", "ReduceL1", "ReduceLogSum", "ReduceLogSumExp",
        "ReduceSumSquare", "RotaryEmbedding", "SoftmaxCrossEntropyLoss",
    }
)  # fmt: skip
"""Operators of ONNX whose bodies are taken: those that nothing here knows as one."""


_IN_BODIES = frozenset({"CastLike"})
"""Operators of bodies with which ONNX Runtime computes no constants."""


def with_bodies(model: Any, operators: Iterable[str] = BODIES) -> Any:
    """The model without functions of its own, and with the bodies of some operators in their places.

    Args:
        model: an `onnx.ModelProto`; left as it is.
        operators: types of nodes of ONNX's own domain.

    Returns:
        The same object if there is nothing to do.
    """
    if not model.functions and not _called(model, operators):
        return model
    from onnx import inliner  # noqa: PLC0415  (import costs; a model without such nodes does not pay)

    made = inliner.inline_local_functions(model) if model.functions else model
    inside = {*operators, *_IN_BODIES}
    while called := _called(made, inside):  # a body may hold others
        chosen = [("", name) for name in called]
        try:
            typed = _with_defaults(_typed(made), called)
            made = inliner.inline_selected_functions(typed, chosen, inline_schema_functions=True)
        except RuntimeError:  # the inliner asks for a type that onnx has not inferred: the node stays as it is
            break
        if _called(made, inside) == called:
            break
    if made is model:
        return model
    del made.graph.value_info[:]
    _name_apart(made)
    return made


def _called(model: Any, operators: Iterable[str]) -> list[str]:
    """Operators among these that the model has."""
    return sorted({node.op_type for node in model.graph.node if node.domain in ("", "ai.onnx")} & set(operators))


def _typed(model: Any) -> Any:
    """The model with the type of every value: bodies depend on them, and the inliner asks for those of constants."""
    from onnx import helper  # noqa: PLC0415

    typed = inferred(model, data_prop=True)
    known = {entry.name for entry in (*typed.graph.value_info, *typed.graph.input, *typed.graph.output)}
    typed.graph.value_info.extend(
        helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
        for tensor in typed.graph.initializer
        if tensor.name not in known
    )
    return typed


def _with_defaults(model: Any, called: Iterable[str]) -> Any:
    """The model, changed: attributes that nodes leave out said, for the inliner makes nothing of those in a body."""
    from onnx import AttributeProto, defs  # noqa: PLC0415

    version = max(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    for node in model.graph.node:
        if node.op_type not in called or node.domain not in ("", "ai.onnx"):
            continue
        said = {entry.name for entry in node.attribute}
        for name, one in defs.get_schema(node.op_type, version, "").attributes.items():
            if name not in said and one.default_value.type != AttributeProto.UNDEFINED:
                node.attribute.append(one.default_value)
    return model


def _name_apart(model: Any) -> None:
    """Nodes of a body are named after what they make: the inliner leaves them without a name, or with equal ones."""
    taken: set[str] = set()
    for node in model.graph.node:
        if not node.name or node.name in taken:
            node.name = next(iter(filter(None, node.output)), node.op_type)
        taken.add(node.name)

"""Float rewrites of products of matrices into the forms that the quantiser and machines take."""

from __future__ import annotations

from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.stored_values import Steps

__all__ = ["constants_to_the_right", "plain_products"]


def plain_products(model: EditableModel) -> int:
    """Gemm with alpha, beta, transA or a bias that is no constant vector: a plain one, Transpose and Add beside it.

    The quantiser gives a bias the scale of input times weights, whatever alpha and beta are, and stops at a bias of
    another shape than [N].
    """
    replacements = {}
    for node in model.nodes:
        made = _plain(model, node) if node.op_type == "Gemm" else None
        if made is not None:
            replacements[node.output[0]] = made
    model.replace(replacements)
    return len(replacements)


def _plain(model: EditableModel, node: Any) -> list[Any] | None:
    """Nodes in the place of a Gemm; None if it is plain already."""
    shape, weights, given = model.shape(node.output[0]), model.constant(node.input[1]), attributes_of(node)
    alpha, beta = np.float32(given.get("alpha", 1.0)), np.float32(given.get("beta", 1.0))
    bias = node.input[2] if len(node.input) > 2 else ""
    known = model.constant(bias) if bias else None
    if shape is None or _is_plain(shape, weights, known, given, bias):
        return None
    steps, first = Steps(model, node), node.input[0]
    row = _row(known, shape[1]) if weights is not None else None
    rest = bias if row is None and beta != 0 else ""
    if given.get("transA", 0):
        first = steps.add("Transpose", [first], "turned", perm=[1, 0])
    if weights is not None:
        operands = [first, steps.constant((np.float64(weights) * alpha).astype(np.float32))]
        if row is not None:
            operands.append(steps.constant((row * beta).astype(np.float32)))
        value = steps.add("Gemm", operands, "product" if rest else "", transB=given.get("transB", 0))
    else:
        second = node.input[1]
        if given.get("transB", 0):
            second = steps.add("Transpose", [second], "columns", perm=[1, 0])
        value = steps.add("MatMul", [first, second], "product" if rest or alpha != 1 else "")
        if alpha != 1:
            value = steps.add("Mul", [value, steps.constant(alpha)], "scaled" if rest else "")
    if rest:
        if known is not None:
            rest = steps.constant((np.float64(known) * beta).astype(np.float32))
        elif beta != 1:
            rest = steps.add("Mul", [rest, steps.constant(beta)], "added")
        steps.add("Add", [value, rest])
    return steps.made


def _is_plain(
    shape: tuple[int, ...], weights: np.ndarray | None, bias: np.ndarray | None, given: dict[str, Any], name: str
) -> bool:
    has_vector = not name or (bias is not None and bias.shape == shape[1:] and given.get("beta", 1.0) == 1)
    return weights is not None and has_vector and given.get("alpha", 1.0) == 1 and not given.get("transA", 0)


def _row(bias: np.ndarray | None, columns: int) -> np.ndarray | None:
    """The same vector that is added to every row, in f64; None if rows differ, or it is not known."""
    if bias is None or not (bias.size == 1 or bias.shape[-1:] == (columns,) == (bias.size,)):
        return None
    return np.broadcast_to(np.float64(bias).reshape(-1), (columns,))


def constants_to_the_right(model: EditableModel) -> int:
    """MatMul of a constant matrix by what varies: all three turned, for machines hold the right operand."""
    replacements = {}
    for node in model.nodes:
        first = model.constant(node.input[0]) if node.op_type == "MatMul" else None
        shape = model.shape(node.input[1]) if first is not None else None
        if first is None or shape is None or model.constant(node.input[1]) is not None:
            continue
        if not 2 <= first.ndim <= len(shape) or max(first.shape[:-2], default=1) > 1:
            continue
        order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
        steps = Steps(model, node)
        turned = steps.add("Transpose", [node.input[1]], "turned", perm=order)
        value = steps.add("MatMul", [turned, steps.constant(first.reshape(first.shape[-2:]).T)], "product")
        steps.add("Transpose", [value], perm=order)
        replacements[node.output[0]] = steps.made
    model.replace(replacements)
    return len(replacements)

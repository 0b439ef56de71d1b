"""Rewrites an Einsum of two operands as a product of matrices, with the summed dimensions where MatMul has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.stored_values import Steps

__all__ = ["einsums_into_products"]


def einsums_into_products(model: EditableModel) -> int:
    """Rewrites Einsums that sum no dimension of one operand alone: each letter is in both, or in one and the result."""
    replacements = {}
    for node in model.nodes:
        made = _product(model, node) if node.op_type == "Einsum" and len(node.input) == 2 else None
        if made is not None:
            replacements[node.output[0]] = made
    model.replace(replacements)
    return len(replacements)


def _product(model: EditableModel, node: Any) -> list[Any] | None:
    equation = attributes_of(node)["equation"].decode().replace(" ", "")
    terms, _, result = equation.partition("->")
    first, _, second = terms.partition(",")
    shapes = [model.shape(value) for value in node.input]
    letters = [*first, *second, *result]
    is_plain = "->" in equation and all(one.isalpha() for one in letters)
    is_plain &= all(len(set(one)) == len(one) for one in (first, second, result))
    if not is_plain or any(shape is None for shape in shapes):
        return None
    sizes = dict(zip(first, shapes[0] or (), strict=True)) | dict(zip(second, shapes[1] or (), strict=True))
    batch = [one for one in first if one in second and one in result]
    summed = [one for one in first if one in second and one not in result]
    rows = [one for one in first if one not in second]
    columns = [one for one in second if one not in first]
    if set(result) != {*batch, *rows, *columns} or not summed:
        return None
    steps = Steps(model, node)
    order = {one: place for place, one in enumerate([*batch, *rows, *columns])}

    def size(names: list[str]) -> int:
        return int(np.prod([sizes[one] for one in names], dtype=np.int64))

    def turned(value: str, term: str, parts: tuple[list[str], list[str]], what: str) -> str:
        """The operand as [batch, parts[0], parts[1]], each part one dimension."""
        wanted = [*batch, *parts[0], *parts[1]]
        perm = [term.index(one) for one in wanted]
        shape = [*(sizes[one] for one in batch), size(parts[0]), size(parts[1])]
        known = model.constant(value)
        if known is not None:
            return steps.constant(known.transpose(perm).reshape(shape))
        if perm != list(range(len(perm))):
            value = steps.add("Transpose", [value], f"{what}/turned", perm=perm)
        return value if shape == [sizes[one] for one in wanted] else steps.reshape(value, shape, what)

    left = turned(node.input[0], first, (rows, summed), "first")
    right = turned(node.input[1], second, (summed, columns), "second")
    whole, perm = [sizes[one] for one in order], [order[one] for one in result]
    is_turned, has_shape = perm != sorted(perm), len(rows) == 1 == len(columns)
    value = steps.add("MatMul", [left, right], "product" if is_turned or not has_shape else "")
    if not has_shape:
        value = steps.reshape(value, whole, "whole" if is_turned else "")
    if is_turned:
        steps.add("Transpose", [value], perm=perm)
    return steps.made

"""Transposes products with a constant on the left, because layers of machines have their constants on the right.

(B A)^T is A^T B^T. The turned constant is stored, and turning activations is a movement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.stored_values import Steps

__all__ = ["left_products"]


def left_products(model: EditableModel) -> dict[str, Sequence[Any]]:
    """MatMul of a dequantised matrix, and QLinearMatMul of a stored one, by what varies."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type == "QLinearMatMul":
            replacements |= _stored(model, node)
        maker = model.maker(node.input[0]) if node.op_type == "MatMul" else None
        if maker is None or maker.op_type != "DequantizeLinear":
            continue
        left, shape = model.constant(maker.input[0]), model.shape(node.input[1])
        if left is None or shape is None or not _is_matrix(left, len(shape)) or _is_constant(model, node.input[1]):
            continue
        axis = left.ndim - 1 - attributes_of(maker).get("axis", 1) % left.ndim
        scale = model.constant(maker.input[1])
        if scale is None or attributes_of(maker).get("block_size", 0) or (scale.size > 1 and axis > 1):
            continue
        stored = model.add_constant(_transposed(left), maker.input[0])
        inputs, real = [stored, *maker.input[1:]], f"{stored}/real"
        turned = made_node("DequantizeLinear", inputs, real, maker.name, maker.domain)
        if scale.size > 1:
            from onnx import helper  # noqa: PLC0415

            turned.attribute.append(helper.make_attribute("axis", axis))
        replacements[node.output[0]] = [turned, *_turned(model, node, len(shape), [real])]
    return replacements


def _is_matrix(left: np.ndarray, rank: int) -> bool:
    """Whether a constant is a matrix beside a tensor of a rank: dimensions of one index before it add none."""
    return 2 <= left.ndim <= max(rank, 2) and all(size == 1 for size in left.shape[:-2])


def _transposed(left: np.ndarray) -> np.ndarray:
    return left.reshape(left.shape[-2:]).T


def _is_constant(model: EditableModel, value: str) -> bool:
    maker = model.maker(value)
    if maker is not None and maker.op_type == "DequantizeLinear":
        return model.constant(maker.input[0]) is not None
    return model.constant(value) is not None


def _stored(model: EditableModel, node: Any) -> dict[str, Sequence[Any]]:
    left, shape = model.constant(node.input[0]), model.shape(node.input[3])
    meanings = [model.constant(value) for value in node.input[1:3]]
    if left is None or shape is None or model.constant(node.input[3]) is not None:
        return {}
    if not _is_matrix(left, len(shape)) or any(one is None or one.size not in (1, left.shape[-2]) for one in meanings):
        return {}
    scale, zero = (
        value if one is None or one.ndim < 2 else model.add_constant(one.reshape(-1), value)
        for value, one in zip(node.input[1:3], meanings, strict=True)
    )
    constant = model.add_constant(_transposed(left), node.input[0])
    return {node.output[0]: _turned(model, node, len(shape), [constant, scale, zero])}


def _turned(model: EditableModel, node: Any, rank: int, left: list[str]) -> list[Any]:
    """The nodes in the place of a product; `left`: its first operand, turned."""
    steps = Steps(model, node)
    half = len(left)
    others = list(node.input[half : 2 * half])
    product = type(node)()
    product.CopyFrom(node)
    if rank == 1:
        del product.input[: 2 * half]
        rest = list(product.input)
        del product.input[:]
        product.input.extend([*others, *left, *rest])
        return [product]
    order = [*range(rank - 2), rank - 1, rank - 2]
    others[0] = steps.add("Transpose", [others[0]], "turned", perm=order)
    rest = list(node.input[2 * half :])
    product.output[0] = f"{node.output[0]}/product"
    del product.input[:]
    product.input.extend([*others, *left, *rest])
    steps.made.append(product)
    back = made_node("Transpose", [product.output[0]], node.output[0], f"{node.name}/back", perm=order)
    return [*steps.made, back]

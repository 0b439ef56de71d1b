"""Float rewrites before quantising.

Each keeps the function, to the rounding of f32, and leaves operators that ONNX Runtime has integer kernels for, or
fewer of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.quantization.einsums import einsums_into_products
from covenant.quantization.idle import empty_parts_out
from covenant.quantization.interpolation import (
    linear_resizes_into_convolutions,
    resizes_into_products,
    transposed_into_convolutions,
)
from covenant.quantization.normalizations import (
    instances_into_rows,
    lengths_into_quotients,
    lengths_into_sums,
    normalizations_into_scales,
    responses_into_convolutions,
)
from covenant.quantization.paddings import pads_into_pools
from covenant.quantization.products import constants_to_the_right, plain_products

__all__ = ["REWRITES"]


def sums_into_additions(model: EditableModel) -> int:
    """Sum of several tensors: one Add after the other, for the quantiser does not know Sum."""
    replacements = {}
    for node in model.nodes:
        if node.op_type != "Sum" or len(node.input) < 2:
            continue
        so_far, made = node.input[0], []
        for place, operand in enumerate(node.input[1:], start=1):
            is_last = place == len(node.input) - 1
            output = node.output[0] if is_last else f"{node.output[0]}/part{place}"
            made.append(
                made_node("Add", [so_far, operand], output, node.name if is_last else f"{node.name}/part{place}")
            )
            so_far = output
        replacements[node.output[0]] = made
    model.replace(replacements)
    return len(replacements)


def flat_biases(model: EditableModel) -> int:
    """A bias [1, N] of a Gemm becomes [N]: the quantiser stops at the other with scales per channel."""
    count = 0
    for node in model.nodes:
        bias = model.constant(node.input[2]) if node.op_type == "Gemm" and len(node.input) > 2 else None
        if bias is not None and bias.ndim == 2 and bias.shape[0] == 1:
            node.input[2] = model.add_constant(bias.reshape(-1), node.input[2])
            count += 1
    model.refresh()
    return count


def slopes_into_sums(model: EditableModel) -> int:
    """PRelu with a slope for each channel: what is positive, and the rest times the slopes."""
    replacements = {}
    for node in model.nodes:
        slope = model.constant(node.input[1]) if node.op_type == "PRelu" else None
        if slope is None or slope.size == 1:
            continue
        x, output, name = node.input[0], node.output[0], node.name
        zero = model.add_constant(np.float32(0), output)
        replacements[output] = [
            made_node("Relu", [x], f"{output}/positive", f"{name}/positive"),
            made_node("Min", [x, zero], f"{output}/negative", f"{name}/negative"),
            made_node("Mul", [f"{output}/negative", node.input[1]], f"{output}/sloped", f"{name}/slope"),
            made_node("Add", [f"{output}/positive", f"{output}/sloped"], output, name),
        ]
    model.replace(replacements)
    return len(replacements)


def means_into_averages(model: EditableModel) -> int:
    """ReduceMean over all pixels: GlobalAveragePool, which has an integer kernel."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "ReduceMean" else None
        if shape is None or len(shape) != 4:
            continue
        attributes = attributes_of(node)
        axes = model.constant(node.input[1]) if len(node.input) > 1 else attributes.get("axes")
        if axes is None or sorted(int(axis) % 4 for axis in axes) != [2, 3]:
            continue
        output = node.output[0]
        if attributes.get("keepdims", 1):
            replacements[output] = [made_node("GlobalAveragePool", [node.input[0]], output, node.name)]
        else:
            replacements[output] = [
                made_node("GlobalAveragePool", [node.input[0]], f"{output}/pixel", node.name),
                made_node("Flatten", [f"{output}/pixel"], output, f"{node.name}/flatten", axis=1),
            ]
    model.replace(replacements)
    return len(replacements)


def averages_into_convolutions(model: EditableModel) -> int:
    """AveragePool: a depthwise Conv of weights 1/n, or GlobalAveragePool if its window is the image.

    Where windows count elements inside of the image alone, and reach out of it, a Mul follows: a factor a pixel.
    """
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "AveragePool" else None
        attributes = attributes_of(node)
        kernel = attributes.get("kernel_shape", [])
        if shape is None or len(shape) not in (3, 4) or any(step != 1 for step in attributes.get("dilations", [])):
            continue
        axes = range(len(shape) - 2)
        pads, strides = attributes.get("pads", [0, 0] * len(axes)), attributes.get("strides", [1] * len(axes))
        extents = [shape[2 + i] + pads[i] + pads[len(axes) + i] for i in axes]
        is_cut = attributes.get("ceil_mode", 0) and any((extents[i] - kernel[i]) % strides[i] for i in axes)
        if is_cut or attributes.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
            continue
        output = node.output[0]
        if not any(pads) and tuple(kernel) == shape[2:]:
            replacements[output] = [made_node("GlobalAveragePool", [node.input[0]], output, node.name)]
            continue
        weights = np.full((shape[1], 1, *kernel), 1 / np.prod(kernel), np.float32)
        inputs = [node.input[0], model.add_constant(weights, output)]
        window = {"kernel_shape": kernel, "strides": strides, "pads": pads, "group": shape[1]}
        if not any(pads) or attributes.get("count_include_pad", 0):
            replacements[output] = [made_node("Conv", inputs, output, node.name, **window)]
            continue
        counts = [_inside(shape[2 + i], kernel[i], strides[i], pads[i], extents[i]) for i in axes]
        factors = np.prod(kernel) / np.prod(np.meshgrid(*counts, indexing="ij"), axis=0)
        factor = model.add_constant(factors[None, None].astype(np.float32), output)
        replacements[output] = [
            made_node("Conv", inputs, f"{output}/sums", node.name, **window),
            made_node("Mul", [f"{output}/sums", factor], output, f"{node.name}/edge"),
        ]
    model.replace(replacements)
    return len(replacements)


def _inside(size: int, kernel: int, stride: int, before: int, extent: int) -> np.ndarray:
    """Number of elements of each window along an axis that lie inside of the image."""
    firsts = np.arange(0, extent - kernel + 1, stride) - before
    return np.minimum(firsts + kernel, size) - np.maximum(firsts, 0)


def scales_into_depthwise(model: EditableModel) -> int:
    """Mul, Div, Add or Sub by a constant for each channel that no Conv has taken: a depthwise Conv 1x1."""
    count = 0
    while made := _depthwise_convolutions(model):
        count += made + scales_into_convolutions(model)
    return count


def _depthwise_convolutions(model: EditableModel) -> int:
    """One for each scale of what is no such scale itself; those after it are folded into it."""
    replacements = {}
    for node in model.nodes:
        for place, constant in _scales_of(model, node):
            shape, maker = model.shape(node.input[place]), model.maker(node.input[place])
            if constant.size == 1 or shape is None or len(shape) not in (3, 4):
                continue
            factors = _per_channel(constant, shape[1], len(shape))
            if factors is None or (maker is not None and maker.output[0] in replacements):
                continue
            kernel = [1] * (len(shape) - 2)
            ones = model.add_constant(np.ones((shape[1], 1, *kernel), np.float32), node.output[0])
            conv = made_node("Conv", [node.input[place], ones], "", node.name, kernel_shape=kernel, group=shape[1])
            replacements[node.output[0]] = [_folded(model, conv, node, factors)]
    model.replace(replacements)
    return len(replacements)


def scales_into_convolutions(model: EditableModel) -> int:
    """Mul, Div, Add or Sub by a constant, one for all or one for each channel, of what one Conv alone makes."""
    count = 0
    while folded := _fold_each(model):
        count += folded
    return count


def _fold_each(model: EditableModel) -> int:
    """The first scale after each Conv."""
    replacements: dict[str, list[Any]] = {}
    for node in model.nodes:
        for place, constant in _scales_of(model, node):
            conv = model.maker(node.input[place])
            if conv is None or not _takes_scales(conv) or not model.is_read_once(conv.output[0]):
                continue
            weights = model.constant(conv.input[1])
            if weights is None:
                continue
            factors = _per_channel(constant, weights.shape[_channel_axis(conv)], weights.ndim)
            if factors is not None:
                replacements[conv.output[0]] = []
                replacements[node.output[0]] = [_folded(model, conv, node, factors)]
    model.replace(replacements)
    return len(replacements) // 2


def _scales_of(model: EditableModel, node: Any) -> list[tuple[int, np.ndarray]]:
    """Place of the operand of a Mul, Div, Add or Sub by a constant, and the constant; none for other nodes."""
    if node.op_type not in ("Mul", "Div", "Add", "Sub") or len(node.input) != 2:
        return []
    places = (0, 1) if node.op_type in ("Mul", "Add") else (0,)  # not the constant divided by what varies
    found = [(place, model.constant(node.input[1 - place])) for place in places]
    return [(place, constant) for place, constant in found if constant is not None][:1]


def _takes_scales(node: Any) -> bool:
    is_transposed = node.op_type == "ConvTranspose" and attributes_of(node).get("group", 1) == 1
    return node.op_type == "Conv" or is_transposed


def _channel_axis(conv: Any) -> int:
    """Dimension of the weights that is that of the output's channels."""
    return 0 if conv.op_type == "Conv" else 1


def _per_channel(constant: np.ndarray, channels: int, rank: int) -> np.ndarray | None:
    """One factor for each channel, if that is what a constant beside [N, C, ...] is."""
    if constant.size == 1 and constant.ndim <= rank:
        return np.full(channels, np.float64(constant.reshape(-1)[0]))
    shape = (1,) * (rank - constant.ndim) + constant.shape
    is_along = len(shape) == rank and shape[1] == channels == constant.size
    return np.float64(constant).reshape(-1) if is_along else None


def _folded(model: EditableModel, conv: Any, node: Any, factors: np.ndarray) -> Any:
    """The Conv that does both, in the place of the node."""
    weights = np.float64(model.constant(conv.input[1]))
    given = model.constant(conv.input[2]) if len(conv.input) > 2 and conv.input[2] else None
    axis = _channel_axis(conv)
    bias = np.zeros(weights.shape[axis]) if given is None else np.float64(given)
    if node.op_type in ("Mul", "Div"):
        factors = 1 / factors if node.op_type == "Div" else factors
        along = [-1 if d == axis else 1 for d in range(weights.ndim)]
        weights, bias = weights * factors.reshape(along), bias * factors
    else:
        bias = bias + (factors if node.op_type == "Add" else -factors)
    inputs = [
        conv.input[0],
        model.add_constant(weights.astype(np.float32), node.output[0]),
        model.add_constant(bias.astype(np.float32), node.output[0]),
    ]
    folded = made_node(conv.op_type, inputs, node.output[0], conv.name)
    folded.attribute.extend(conv.attribute)
    return folded


def joined_constants_into_sums(model: EditableModel) -> int:
    """Concat of one tensor and constants: it is padded with zeros, and the constants are added there."""
    replacements = {}
    for node in model.nodes:
        parts = [model.constant(value) for value in node.input] if node.op_type == "Concat" else []
        varying = [place for place, part in enumerate(parts) if part is None]
        shape = model.shape(node.input[varying[0]]) if len(varying) == 1 < len(parts) else None
        if shape is None or any(part is not None and part.dtype != np.float32 for part in parts):
            continue
        axis, output = attributes_of(node)["axis"] % len(shape), node.output[0]
        beside = [np.zeros(shape, np.float32) if part is None else part for part in parts]
        lengths = [part.shape[axis] for part in beside]
        pads = np.zeros((2, len(shape)), np.int64)
        pads[:, axis] = sum(lengths[: varying[0]]), sum(lengths[varying[0] + 1 :])
        inputs = [node.input[varying[0]], model.add_constant(pads.reshape(-1), output)]
        replacements[output] = [
            made_node("Pad", inputs, f"{output}/padded", f"{node.name}/pad"),
            made_node(
                "Add", [f"{output}/padded", model.add_constant(np.concatenate(beside, axis), output)], output, node.name
            ),
        ]
    model.replace(replacements)
    return len(replacements)


def shared_vectors_apart(model: EditableModel) -> int:
    """Vectors that several nodes read, as exporters leave of equal biases: each has its own, of its own scale."""
    count = 0
    seen: set[str] = set()
    for node in model.nodes:
        for place, value in enumerate(node.input):
            vector = model.constant(value) if value in seen else None
            seen.add(value)
            if vector is not None and vector.ndim == 1 and vector.dtype == np.float32:
                node.input[place] = model.add_constant(vector, value)
                count += 1
    model.refresh()
    return count


REWRITES: dict[str, Callable[[EditableModel], int]] = {
    "Concat of empty parts, Where by one answer -> out": empty_parts_out,
    "Sum -> Add": sums_into_additions,
    "Gemm bias [1,N] -> [N]": flat_biases,
    "Pad by the lowest float -> MaxPool": pads_into_pools,
    "Gemm with factors or another bias -> Gemm, Transpose, Add": plain_products,
    "Einsum -> MatMul": einsums_into_products,
    "MatMul by a constant on the left -> Transpose, MatMul": constants_to_the_right,
    "BatchNormalization -> Mul, Add": normalizations_into_scales,
    "InstanceNormalization -> LayerNormalization, Mul, Add": instances_into_rows,
    "LpNormalization -> ReduceL2, Div": lengths_into_quotients,
    "ReduceL2 -> Mul, ReduceSum, Sqrt": lengths_into_sums,
    "PRelu for each channel -> Relu, Min, Mul, Add": slopes_into_sums,
    "ReduceMean over pixels -> GlobalAveragePool": means_into_averages,
    "AveragePool -> Conv, GlobalAveragePool": averages_into_convolutions,
    "Mul, Div, Add, Sub -> Conv": scales_into_convolutions,
    "ConvTranspose -> Conv, blocks": transposed_into_convolutions,
    "Resize linear -> Pad, depthwise Conv, blocks": linear_resizes_into_convolutions,
    "Resize, linear or cubic -> MatMul": resizes_into_products,
    "LRN -> Mul, Conv, Pow": responses_into_convolutions,
    "Mul, Div, Add, Sub for each channel -> depthwise Conv": scales_into_depthwise,
    "Concat with constants -> Pad, Add": joined_constants_into_sums,
    "vectors that several nodes read -> one for each": shared_vectors_apart,
}
"""Rewrites in their order: a description for people, and the function, which returns how often it applied."""

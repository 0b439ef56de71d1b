"""Float rewrites before quantising.

Each keeps the function, to the rounding of f32, and leaves operators that ONNX Runtime has integer kernels for, or
fewer of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from covenant.quantization.float_model import FloatModel

__all__ = ["REWRITES"]


def _attributes(node: Any) -> dict[str, Any]:
    from onnx import helper  # noqa: PLC0415

    return {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}


def _node(operator: str, inputs: list[str], output: str, name: str, **attributes: Any) -> Any:
    from onnx import helper  # noqa: PLC0415

    return helper.make_node(operator, inputs, [output], name, **attributes)


def sums_into_additions(model: FloatModel) -> int:
    """Sum of several tensors: one Add after the other, for the quantiser does not know Sum."""
    replacements = {}
    for node in model.nodes:
        if node.op_type != "Sum" or len(node.input) < 2:
            continue
        so_far, made = node.input[0], []
        for place, operand in enumerate(node.input[1:], start=1):
            is_last = place == len(node.input) - 1
            output = node.output[0] if is_last else f"{node.output[0]}/part{place}"
            made.append(_node("Add", [so_far, operand], output, node.name if is_last else f"{node.name}/part{place}"))
            so_far = output
        replacements[node.output[0]] = made
    model.replace(replacements)
    return len(replacements)


def flat_biases(model: FloatModel) -> int:
    """A bias [1, N] of a Gemm becomes [N]: the quantiser stops at the other with scales per channel."""
    count = 0
    for node in model.nodes:
        bias = model.constant(node.input[2]) if node.op_type == "Gemm" and len(node.input) > 2 else None
        if bias is not None and bias.ndim == 2 and bias.shape[0] == 1:
            node.input[2] = model.add_constant(bias.reshape(-1), node.input[2])
            count += 1
    model.refresh()
    return count


def normalizations_into_scales(model: FloatModel) -> int:
    """BatchNormalization with constant statistics: one Mul and one Add for each channel."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "BatchNormalization" else None
        statistics = [model.constant(value) for value in node.input[1:5]]
        if shape is None or any(one is None for one in statistics) or len(node.output) != 1:
            continue
        gamma, beta, mean, variance = (np.float64(one) for one in statistics)
        scale = gamma / np.sqrt(variance + _attributes(node).get("epsilon", 1e-5))
        along = (1, -1) + (1,) * (len(shape) - 2)
        output = node.output[0]
        factors = model.add_constant(scale.astype(np.float32).reshape(along), output)
        terms = model.add_constant((beta - mean * scale).astype(np.float32).reshape(along), output)
        replacements[output] = [
            _node("Mul", [node.input[0], factors], f"{output}/scaled", f"{node.name}/scale"),
            _node("Add", [f"{output}/scaled", terms], output, node.name),
        ]
    model.replace(replacements)
    return len(replacements)


def means_into_averages(model: FloatModel) -> int:
    """ReduceMean over all pixels: GlobalAveragePool, which has an integer kernel."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "ReduceMean" else None
        if shape is None or len(shape) != 4:
            continue
        attributes = _attributes(node)
        axes = model.constant(node.input[1]) if len(node.input) > 1 else attributes.get("axes")
        if axes is None or sorted(int(axis) % 4 for axis in axes) != [2, 3]:
            continue
        output = node.output[0]
        if attributes.get("keepdims", 1):
            replacements[output] = [_node("GlobalAveragePool", [node.input[0]], output, node.name)]
        else:
            replacements[output] = [
                _node("GlobalAveragePool", [node.input[0]], f"{output}/pixel", node.name),
                _node("Flatten", [f"{output}/pixel"], output, f"{node.name}/flatten", axis=1),
            ]
    model.replace(replacements)
    return len(replacements)


def scales_into_convolutions(model: FloatModel) -> int:
    """Mul, Div, Add or Sub by a constant, one for all or one for each channel, of what one Conv alone makes."""
    count = 0
    while _fold_one(model):
        count += 1
    return count


def _fold_one(model: FloatModel) -> bool:
    for node in model.nodes:
        if node.op_type not in ("Mul", "Div", "Add", "Sub") or len(node.input) != 2:
            continue
        for place in (0, 1):
            constant, conv = model.constant(node.input[1 - place]), model.maker(node.input[place])
            if constant is None or conv is None or conv.op_type != "Conv" or not model.is_read_once(conv.output[0]):
                continue
            weights = model.constant(conv.input[1])
            is_turned = node.op_type in ("Div", "Sub") and place == 1  # the constant divided by the convolution
            factors = None if weights is None or is_turned else _per_channel(constant, weights.shape[0], weights.ndim)
            if factors is not None:
                _fold(model, conv, node, factors)
                return True
    return False


def _per_channel(constant: np.ndarray, channels: int, rank: int) -> np.ndarray | None:
    """One factor for each channel, if that is what a constant beside [N, C, ...] is."""
    if constant.size == 1 and constant.ndim <= rank:
        return np.full(channels, np.float64(constant.reshape(-1)[0]))
    shape = (1,) * (rank - constant.ndim) + constant.shape
    is_along = len(shape) == rank and shape[1] == channels == constant.size
    return np.float64(constant).reshape(-1) if is_along else None


def _fold(model: FloatModel, conv: Any, node: Any, factors: np.ndarray) -> None:
    weights = np.float64(model.constant(conv.input[1]))
    given = model.constant(conv.input[2]) if len(conv.input) > 2 and conv.input[2] else None
    bias = np.zeros(weights.shape[0]) if given is None else np.float64(given)
    if node.op_type in ("Mul", "Div"):
        factors = 1 / factors if node.op_type == "Div" else factors
        weights, bias = weights * factors.reshape(-1, *(1,) * (weights.ndim - 1)), bias * factors
    else:
        bias = bias + (factors if node.op_type == "Add" else -factors)
    inputs = [
        conv.input[0],
        model.add_constant(weights.astype(np.float32), conv.output[0]),
        model.add_constant(bias.astype(np.float32), conv.output[0]),
    ]
    folded = _node("Conv", inputs, node.output[0], conv.name)
    folded.attribute.extend(conv.attribute)
    model.replace({conv.output[0]: [folded], node.output[0]: []})


REWRITES: dict[str, Callable[[FloatModel], int]] = {
    "Sum -> Add": sums_into_additions,
    "Gemm bias [1,N] -> [N]": flat_biases,
    "BatchNormalization -> Mul, Add": normalizations_into_scales,
    "ReduceMean over pixels -> GlobalAveragePool": means_into_averages,
    "Mul, Div, Add, Sub -> Conv": scales_into_convolutions,
}
"""In the order in which they are done: what, for people, and the function, which says how often."""

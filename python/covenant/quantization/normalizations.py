"""Float rewrites of normalisations into scales, rows and convolutions."""

from __future__ import annotations

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node

__all__ = [
    "instances_into_rows", "lengths_into_quotients", "lengths_into_sums", "normalizations_into_scales",
    "responses_into_convolutions",
]  # fmt: skip


def normalizations_into_scales(model: EditableModel) -> int:
    """BatchNormalization with constant statistics: one Mul and one Add for each channel."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "BatchNormalization" else None
        statistics = [model.constant(value) for value in node.input[1:5]]
        if shape is None or any(one is None for one in statistics) or len(node.output) != 1:
            continue
        gamma, beta, mean, variance = (np.float64(one) for one in statistics)
        scale = gamma / np.sqrt(variance + attributes_of(node).get("epsilon", 1e-5))
        along = (1, -1) + (1,) * (len(shape) - 2)
        output = node.output[0]
        factors = model.add_constant(scale.astype(np.float32).reshape(along), output)
        terms = model.add_constant((beta - mean * scale).astype(np.float32).reshape(along), output)
        replacements[output] = [
            made_node("Mul", [node.input[0], factors], f"{output}/scaled", f"{node.name}/scale"),
            made_node("Add", [f"{output}/scaled", terms], output, node.name),
        ]
    model.replace(replacements)
    return len(replacements)


def instances_into_rows(model: EditableModel) -> int:
    """InstanceNormalization: a LayerNormalization of each channel's pixels, then a Mul and an Add for each channel."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "InstanceNormalization" else None
        if shape is None:
            continue
        scale, bias = (model.constant(value) for value in node.input[1:3])
        if scale is None or bias is None:
            continue
        output, pixels = node.output[0], int(np.prod(shape[2:]))
        along = (1, -1) + (1,) * (len(shape) - 2)
        rows, whole = (model.add_constant(np.array(one, np.int64), output) for one in ((*shape[:2], pixels), shape))
        ones = model.add_constant(np.ones(pixels, np.float32), output)
        flat = () if scale.size == 1 else along  # one element is a part of a chain
        factors, terms = (model.add_constant(one.reshape(flat), output) for one in (scale, bias))
        epsilon = attributes_of(node).get("epsilon", 1e-5)
        normal = made_node(
            "LayerNormalization", [f"{output}/rows", ones], f"{output}/normal", node.name, epsilon=epsilon
        )
        replacements[output] = [
            made_node("Reshape", [node.input[0], rows], f"{output}/rows", f"{node.name}/rows"),
            normal,
            made_node("Reshape", [f"{output}/normal", whole], f"{output}/image", f"{node.name}/image"),
            made_node("Mul", [f"{output}/image", factors], f"{output}/scaled", f"{node.name}/scale"),
            made_node("Add", [f"{output}/scaled", terms], output, f"{node.name}/shift"),
        ]
    model.replace(replacements)
    return len(replacements)


def responses_into_convolutions(model: EditableModel) -> int:
    """LRN: the squares of neighbouring channels are added by a Conv 1x1 of ones, then a power, and a product."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "LRN" else None
        if shape is None or len(shape) not in (3, 4):
            continue
        attributes, channels = attributes_of(node), shape[1]
        size = attributes["size"]
        # Krizhevsky et al., "ImageNet Classification with Deep Convolutional Neural Networks", section 3.3.
        apart = np.arange(channels)[None, :] - np.arange(channels)[:, None]
        is_near = (apart >= -((size - 1) // 2)) & (apart <= size // 2)
        ones = is_near.astype(np.float32).reshape(channels, channels, *[1] * (len(shape) - 2))
        x, output, name = node.input[0], node.output[0], node.name
        scale, bias, power = (
            model.add_constant(np.float32(number), output)
            for number in (
                attributes.get("alpha", 1e-4) / size, attributes.get("bias", 1.0), -attributes.get("beta", 0.75)
            )
        )  # fmt: skip
        replacements[output] = [
            made_node("Mul", [x, x], f"{output}/squares", f"{name}/squares"),
            made_node(
                "Conv", [f"{output}/squares", model.add_constant(ones, output)], f"{output}/sums", f"{name}/sums"
            ),
            made_node("Mul", [f"{output}/sums", scale], f"{output}/scaled", f"{name}/scaled"),
            made_node("Add", [f"{output}/scaled", bias], f"{output}/raised", f"{name}/raised"),
            made_node("Pow", [f"{output}/raised", power], f"{output}/factor", f"{name}/factor"),
            made_node("Mul", [x, f"{output}/factor"], output, name),
        ]
    model.replace(replacements)
    return len(replacements)


def lengths_into_quotients(model: EditableModel) -> int:
    """LpNormalization of squares: what is divided by its length."""
    replacements = {}
    for node in model.nodes:
        attributes = attributes_of(node)
        if node.op_type != "LpNormalization" or attributes.get("p", 2) != 2:
            continue
        x, output = node.input[0], node.output[0]
        axes = model.add_constant(np.array([attributes.get("axis", -1)], np.int64), output)
        replacements[output] = [
            made_node("ReduceL2", [x, axes], f"{output}/length", f"{node.name}/length", keepdims=1),
            made_node("Div", [x, f"{output}/length"], output, node.name),
        ]
    model.replace(replacements)
    return len(replacements)


def lengths_into_sums(model: EditableModel) -> int:
    """ReduceL2: the root of the sum of squares."""
    replacements = {}
    for node in model.nodes:
        if node.op_type != "ReduceL2":
            continue
        output, name, attributes = node.output[0], node.name, attributes_of(node)
        axes = attributes.pop("axes", None)
        given = list(node.input[1:]) if axes is None else [model.add_constant(np.array(axes, np.int64), output)]
        replacements[output] = [
            made_node("Mul", [node.input[0], node.input[0]], f"{output}/squares", f"{name}/squares"),
            made_node("ReduceSum", [f"{output}/squares", *given], f"{output}/sum", f"{name}/sum", **attributes),
            made_node("Sqrt", [f"{output}/sum"], output, name),
        ]
    model.replace(replacements)
    return len(replacements)

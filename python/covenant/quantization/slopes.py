"""LeakyRelu and PRelu without a table, for elements of which there is none.

What is positive, and the rest times a slope for each channel (one for all would make a chain of it, which is a table).

Both parts have the scale of what they are taken from, so that they are limits of stored elements.
"""

from __future__ import annotations

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node

__all__ = ["slopes_without_tables"]


def slopes_without_tables(model: EditableModel) -> dict[str, str]:
    """Says every LeakyRelu and every PRelu with constant slopes by Relu, Clip, Mul and Add.

    Returns:
        By the name of a part, that of the tensor whose scale it has.
    """
    replacements, alike = {}, {}
    for node in model.nodes:
        if node.op_type == "LeakyRelu":
            slopes = np.array(attributes_of(node).get("alpha", 0.01), np.float32)
        elif node.op_type == "PRelu" and model.constant(node.input[1]) is not None:
            slopes = np.asarray(model.constant(node.input[1]))
        else:
            continue
        shape = model.shape(node.input[0])
        if shape is None or len(shape) < 2 or shape[1] == 1:
            continue
        slopes = np.broadcast_to(slopes, np.broadcast_shapes(slopes.shape, (shape[1], *[1] * (len(shape) - 2))))
        x, output, name = node.input[0], node.output[0], node.name
        positive, negative, sloped = (f"{output}/{part}" for part in ("positive", "negative", "sloped"))
        zero, factor = (model.add_constant(one, output) for one in (np.float32(0), slopes))
        replacements[output] = [
            made_node("Relu", [x], positive, f"{name}/positive"),
            made_node("Clip", [x, "", zero], negative, f"{name}/negative"),
            made_node("Mul", [negative, factor], sloped, f"{name}/slope"),
            made_node("Add", [positive, sloped], output, name),
        ]
        alike |= {positive: x, negative: x}
    model.replace(replacements)
    return alike

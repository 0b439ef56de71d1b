"""Turns Constant nodes into initialisers, so that readers of the model find constants in one place."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["with_initializers"]

_REAL = ("value_float", "value_floats")
_WHOLE = ("value_int", "value_ints")


def with_initializers(model: Any) -> Any:
    """The model with an initialiser for each Constant node of numbers.

    Args:
        model: an `onnx.ModelProto`; left as it is.

    Returns:
        The same object if there is nothing to do.
    """
    from onnx import ModelProto  # noqa: PLC0415  (import costs; callers without a model do not pay)

    outputs = {entry.name for entry in model.graph.output}
    constants = {node.output[0]: tensor for node in model.graph.node if (tensor := _tensor(node)) is not None}
    constants = {name: tensor for name, tensor in constants.items() if name not in outputs}
    if not constants:
        return model
    made = ModelProto()
    made.CopyFrom(model)
    kept = [node for node in made.graph.node if node.op_type != "Constant" or node.output[0] not in constants]
    del made.graph.node[:]
    made.graph.node.extend(kept)
    made.graph.initializer.extend(constants.values())
    return made


def _tensor(node: Any) -> Any | None:
    """Tensor of a Constant node, named after its output; None for other nodes, and for what is no tensor of numbers."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    if node.op_type != "Constant" or node.domain not in ("", "ai.onnx") or len(node.attribute) != 1:
        return None
    (attribute,) = node.attribute
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        tensor = TensorProto()
        tensor.CopyFrom(value)
        tensor.name = node.output[0]
        return tensor
    if attribute.name in _REAL + _WHOLE:
        dtype = np.float32 if attribute.name in _REAL else np.int64
        return numpy_helper.from_array(np.array(value, dtype), node.output[0])
    return None

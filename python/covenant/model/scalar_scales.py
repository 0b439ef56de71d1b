"""Scales and zero points of one element as scalars: some exporters write them as vectors.

They mean the same, but kernels that ONNX Runtime fuses of QuantizeLinear and DequantizeLinear take scalars alone.
"""

from __future__ import annotations

import math
from typing import Any

__all__ = ["with_scalar_scales"]

_BOTH = ("QuantizeLinear", "DequantizeLinear")


def with_scalar_scales(model: Any) -> Any:
    """The model with a scalar in the place of each scale or zero point of one element; those of blocks stay.

    Args:
        model: an `onnx.ModelProto`, its constants initialisers; left as it is.

    Returns:
        The same object if there is nothing to do.
    """
    from onnx import ModelProto  # noqa: PLC0415  (import costs)

    vectors = {tensor.name for tensor in model.graph.initializer if tensor.dims and math.prod(tensor.dims) == 1}
    named = {f"{value}/scalar" for node in model.graph.node if _is_plain(node) for value in vectors & set(_steps(node))}
    if not named or not named.isdisjoint(tensor.name for tensor in model.graph.initializer):
        return model
    made = ModelProto()
    made.CopyFrom(model)
    for node in made.graph.node:
        for place, value in enumerate(node.input) if _is_plain(node) else ():
            if place in (1, 2) and value in vectors:
                node.input[place] = f"{value}/scalar"
    read = {value for node in made.graph.node for value in node.input} | {entry.name for entry in made.graph.output}
    for tensor in [one for one in made.graph.initializer if f"{one.name}/scalar" in named]:
        scalar = tensor if tensor.name not in read else made.graph.initializer.add()
        scalar.CopyFrom(tensor)
        scalar.name = f"{tensor.name}/scalar"
        del scalar.dims[:]
    return made


def _is_plain(node: Any) -> bool:
    """Whether a node quantises or dequantises without blocks."""
    has_blocks = any(entry.name == "block_size" and entry.i for entry in node.attribute)
    return node.op_type in _BOTH and not has_blocks


def _steps(node: Any) -> list[str]:
    """Names of the scale and the zero point of a node."""
    return list(node.input[1:3])

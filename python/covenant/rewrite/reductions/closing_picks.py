"""Lets ArgMax and ArgMin of stored elements at the end of a model read real numbers, so that the host computes them.

ONNX Runtime's quantiser has them read stored elements, in its form of operators on these. Scales are above 0, so that
the order of elements, and which of them are equal, is that of real numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel
from covenant.model.stored_values import Steps, stored_meaning

__all__ = ["closing_picks"]

_PICKS = frozenset({"ArgMax", "ArgMin"})


def closing_picks(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Puts a DequantizeLinear before each ArgMax or ArgMin whose operand a layer has stored."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type not in _PICKS or node.domain or model.constant(node.input[0]) is not None:
            continue
        meaning = stored_meaning(model, node.input[0])
        if meaning is None or not np.finfo(np.float32).tiny <= meaning.step < np.finfo(np.float32).max / 2**17:
            continue
        steps = Steps(model, node)
        real = steps.add(
            "DequantizeLinear", [node.input[0], *filter(None, (meaning.scale, meaning.zero_point))], "real"
        )
        whole = type(node)()
        whole.CopyFrom(node)
        whole.input[0] = real
        replacements[node.output[0]] = [*steps.made, whole]
    return replacements

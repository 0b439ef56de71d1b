"""Operators of a quantised model said by others that the compiler knows.

Most of them make no new number: what a Tile, a mirroring Pad, a Where, a ReduceMax or a Concat with constants picks is
there before. Quantising is monotone, so movements, minima and maxima of stored values say the same, byte for byte; so
do products with 1 and 0. A ReduceMean and a ReduceSum become an average of the same elements, a Resize between pixels a
convolution; ONNX Runtime adds floats in an order of its own there, so bytes may be a step away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

from covenant.channel_tables import channel_tables
from covenant.choices import choices, constant_parts, integer_forms, selections
from covenant.editable_model import EditableModel
from covenant.kernels import CHANNELWISE
from covenant.movements import expansions, mirrors, picks, quantised_first, steps_back, tiles
from covenant.reductions import REDUCTIONS, global_maxima, reductions
from covenant.resizes import linear_resizes
from covenant.tables import DOMAIN

__all__ = ["with_equivalents", "with_selections"]

_Rewrite = Callable[[EditableModel], dict[str, Sequence[Any]]]

_SAID = frozenset(
    {
        *CHANNELWISE, "Concat", "Expand", "GatherND", "GlobalMaxPool", "Pad", "QLinearConcat", "QLinearWhere", "Resize",
        "Slice", "Tile", "Where", *REDUCTIONS,
    }
)  # fmt: skip


def with_selections(model: Any) -> Any:
    """The model with every Where by a computed condition said by products and a sum.

    Args:
        model: as for `with_equivalents`, whole: its ends may compute conditions.

    Returns:
        The same object if there is nothing to do.
    """
    constants = {tensor.name for tensor in model.graph.initializer}
    choosers = [node for node in model.graph.node if node.op_type in {"Where", "QLinearWhere"}]
    if all(node.input[0] in constants for node in choosers):
        return model
    return _said(model, {"Where", "QLinearWhere"}, (integer_forms, selections))


def with_equivalents(model: Any) -> Any:
    """The model with such operators said by others; what is not constant enough for that stays as it is.

    Args:
        model: a quantised `onnx.ModelProto`, constants folded; left as it is.

    Returns:
        The same object if there is nothing to do.
    """
    rewrites = (
        quantised_first, integer_forms, expansions, tiles, linear_resizes, channel_tables, mirrors, picks, steps_back,
        global_maxima, constant_parts, choices, reductions, quantised_first,
    )  # fmt: skip
    return _said(model, _SAID, rewrites)


def _said(model: Any, operators: Set[str], rewrites: Sequence[_Rewrite]) -> Any:
    """The model after rewrites that have something to do, one after the other."""
    from onnx import ModelProto, helper  # noqa: PLC0415  (import costs; a model that the compiler knows does not pay)

    if not any(node.op_type in operators for node in model.graph.node):
        return model
    made = ModelProto()
    made.CopyFrom(model)
    if all(entry.domain != DOMAIN for entry in made.opset_import):
        made.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    editable = EditableModel(made)
    count = 0
    for rewrite in rewrites:
        while replacements := rewrite(editable):  # each replacing looks at the whole model anew
            count += 1
            editable.replace(replacements)
            if rewrite is not quantised_first:  # which does one movement at a time
                break
    return made if count else model

"""Operators of a quantised model said by others that the compiler knows.

Most of them make no new number: what a Tile, a mirroring Pad, a Where, a ReduceMax or a Concat with constants picks is
there before. Quantising is monotone, so movements, minima and maxima of stored values say the same, byte for byte; so
do products with 1 and 0. A ReduceMean and a ReduceSum become an average of the same elements, a Resize between pixels a
convolution; ONNX Runtime adds floats in an order of its own there, so bytes may be a step away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from covenant.channel_tables import channel_convolutions, channel_tables
from covenant.choices import choices, constant_parts, integer_forms, selections
from covenant.closing_products import closing_products
from covenant.computed_for_each import computed_for_each
from covenant.constant_movements import constant_movements
from covenant.editable_model import EditableModel
from covenant.float_biases import float_biases
from covenant.left_products import left_products
from covenant.model_ends import host_nodes
from covenant.movements import expansions, mirrors, picks, steps_back, tiles
from covenant.nearest_resizes import nearest_resizes
from covenant.pads import cutting_pads, pads_by_value
from covenant.quantised_first import elements_first, quantised_first, stored_after_movements
from covenant.reductions import global_maxima, reductions
from covenant.resizes import linear_resizes
from covenant.scaled_layers import scaled_layers
from covenant.single_numbers import single_numbers
from covenant.tables import DOMAIN

__all__ = ["with_closing_products", "with_each_computed", "with_equivalents", "with_pads", "with_selections"]

_STEPWISE = (constant_movements, elements_first)
"""Rewrites that go past one operator at a time."""
_Rewrite = Callable[[EditableModel], dict[str, Sequence[Any]]]


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
    return _said(model, (integer_forms, selections))


def with_pads(model: Any) -> Any:
    """The model with every Pad by another value than zero said by one by zero and a sum, whose border an input may say.

    Args:
        model: as for `with_selections`.

    Returns:
        The same object if there is nothing to do.
    """
    if all(node.op_type != "Pad" for node in model.graph.node):
        return model
    return _said(model, (cutting_pads, pads_by_value))


def with_closing_products(model: Any) -> Any:
    """The model with the sums of its closing products as integers, which a machine makes.

    Args:
        model: as for `with_selections`.

    Returns:
        The same object if there is nothing to do.
    """
    if all(node.op_type not in {"Conv", "Gemm", "MatMul"} for node in host_nodes(model)):
        return model
    return _said(model, (closing_products,))


def with_equivalents(model: Any, *, scales_in_f32: bool = False) -> Any:
    """The model with such operators said by others; what is not constant enough for that stays as it is.

    Args:
        model: a quantised `onnx.ModelProto`, constants folded; left as it is.
        scales_in_f32: for a machine that scales sums of 32 bits in f32: affine functions are a convolution there.

    Returns:
        The same object if there is nothing to do.
    """
    by_channel = channel_convolutions if scales_in_f32 else channel_tables
    moved = (elements_first, quantised_first, stored_after_movements, computed_for_each)
    rewrites = (
        left_products, *moved, integer_forms, expansions, tiles, nearest_resizes, linear_resizes, by_channel,
        mirrors, picks, steps_back, global_maxima, constant_parts, choices, reductions, scaled_layers, float_biases,
        *moved,
    )  # fmt: skip
    return _said(model, rewrites)


def with_each_computed(model: Any) -> Any:
    """The model with movements of what is quantised before them, and with one reader for what is quantised.

    What is left for the host's end then reads no value that a machine quantises.

    Args:
        model: as for `with_equivalents`, whole.

    Returns:
        The same object if there is nothing to do.
    """
    return _said(model, (single_numbers, constant_movements, elements_first, quantised_first, computed_for_each))


def _said(model: Any, rewrites: Sequence[_Rewrite]) -> Any:
    """The model after rewrites that have something to do, one after the other."""
    from onnx import ModelProto, helper  # noqa: PLC0415  (import costs; a model that the compiler knows does not pay)

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
            if rewrite not in _STEPWISE:
                break
    return made if count else model

"""Rewrites operators of a quantised model into others that the compiler knows.

Most of them make no new number: what a Tile, a mirroring Pad, a Where, a ReduceMax or a Concat with constants picks is
there before. Quantising is monotone, so movements, minima and maxima of stored values give the same bytes; so do
products with 1 and 0. A ReduceMean and a ReduceSum become an average of the same elements, a Resize between pixels a
convolution; ONNX Runtime adds floats in an order of its own there, so bytes may be a step away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from covenant.model.editable_model import EditableModel
from covenant.rewrite.contractions.closing_products import closing_products
from covenant.rewrite.contractions.float_biases import float_biases
from covenant.rewrite.contractions.left_products import left_products
from covenant.rewrite.contractions.resizes import linear_resizes
from covenant.rewrite.contractions.rotary_embeddings import rotary_embeddings
from covenant.rewrite.contractions.scaled_layers import scaled_layers
from covenant.rewrite.contractions.stacked_products import stacked_products
from covenant.rewrite.contractions.transposed_convolutions import transposed_convolutions
from covenant.rewrite.elementwise.channel_tables import channel_convolutions, channel_tables
from covenant.rewrite.elementwise.choices import choices, constant_parts, integer_forms, selections
from covenant.rewrite.elementwise.compared_inputs import compared_inputs
from covenant.rewrite.elementwise.float_chains import float_chains
from covenant.rewrite.elementwise.kept_scales import kept_scales
from covenant.rewrite.elementwise.single_numbers import single_numbers
from covenant.rewrite.elementwise.tables import DOMAIN
from covenant.rewrite.elementwise.wide_lines import wide_lines
from covenant.rewrite.movements.computed_for_each import computed_for_each
from covenant.rewrite.movements.constant_movements import constant_movements
from covenant.rewrite.movements.nearest_resizes import nearest_resizes
from covenant.rewrite.movements.pads import cutting_pads, pads_by_value
from covenant.rewrite.movements.quantized_first import elements_first, quantized_first, stored_after_movements
from covenant.rewrite.movements.simpler_movements import expansions, mirrors, picks, rearrangements, steps_back, tiles
from covenant.rewrite.reductions.closing_picks import closing_picks
from covenant.rewrite.reductions.float_rows import float_rows
from covenant.rewrite.reductions.instance_normalizations import instances_as_rows
from covenant.rewrite.reductions.mean_variances import mean_variances
from covenant.rewrite.reductions.minima import minima
from covenant.rewrite.reductions.pools import global_maxima, reductions
from covenant.rewrite.reductions.running_sums import running_sums
from covenant.rewrite.reductions.sums_of_squares import sums_of_squares

__all__ = ["with_equivalents", "with_whole_equivalents"]

_STEPWISE = (constant_movements, elements_first)
"""Rewrites that go past one operator at a time."""
_Rewrite = Callable[[EditableModel], dict[str, Sequence[Any]]]
_MOVED = (elements_first, quantized_first, stored_after_movements, computed_for_each)


def with_whole_equivalents(model: Any) -> Any:
    """The model before its ends are split off for the host, so that these read nothing that a machine quantises.

    What is quantised has one reader, behind its movements. A Where by a computed condition becomes products and a sum;
    a Pad by another value than zero becomes a Pad by zero and a sum, whose border may come from an input; sums of
    closing products are integers, which a machine makes.

    Args:
        model: a quantised `onnx.ModelProto`, constants folded; left as it is.

    Returns:
        The same object if there is nothing to do.
    """
    constants = {tensor.name for tensor in model.graph.initializer}
    choosers = [node for node in model.graph.node if node.op_type in {"Where", "QLinearWhere"}]
    computed = () if all(node.input[0] in constants for node in choosers) else (integer_forms, selections)
    rewrites = (
        single_numbers, constant_movements, stacked_products, elements_first, quantized_first, computed_for_each,
        *computed, compared_inputs, cutting_pads, pads_by_value, closing_picks, closing_products,
    )  # fmt: skip
    return _said(model, rewrites)


def with_equivalents(model: Any, *, scales_in_f32: bool = False) -> Any:
    """A machine's part of a model with such operators rewritten; what is not constant enough stays as it is.

    Args:
        model: as for `with_whole_equivalents`, its ends split off.
        scales_in_f32: for a machine that scales sums of 32 bits in f32: affine functions are a convolution there.

    Returns:
        The same object if there is nothing to do.
    """
    by_channel = channel_convolutions if scales_in_f32 else channel_tables
    rewrites = (
        transposed_convolutions, instances_as_rows, mean_variances, sums_of_squares, float_rows, rotary_embeddings,
        kept_scales, left_products, *_MOVED, integer_forms, expansions, tiles, nearest_resizes, linear_resizes,
        by_channel, mirrors, picks, rearrangements, steps_back, global_maxima, constant_parts, choices, minima,
        running_sums, reductions, wide_lines, scaled_layers, float_biases, *_MOVED, float_chains,
    )  # fmt: skip
    return _said(model, rewrites)


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

"""Rewrites a ConvTranspose of stored values into a Conv whose channels are blocks of the larger image.

Stored weights are moved, and where no weight is stands the zero point: the sums are the same integers. ONNX Runtime
adds floats instead, so bytes may be a step away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel
from covenant.rewrite.contractions.transposed_windows import TransposedWindow, window_of

__all__ = ["transposed_convolutions"]

_BOUNDS = ("Clip", "Relu")


def transposed_convolutions(model: EditableModel) -> dict[str, Sequence[Any]]:
    """ConvTranspose in QDQ style whose weights and bias are constants: a Conv and movements."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type == "ConvTranspose":
            replacements |= _replaced(model, node)
    return replacements


def _replaced(model: EditableModel, node: Any) -> dict[str, list[Any]]:
    """Nodes that replace those from a ConvTranspose to its QuantizeLinear; empty if that would not be exact."""
    after = _to_quantize(model, node)
    dequantize = _dequantize(model, node.input[1])
    stored = None if dequantize is None else model.constant(dequantize.input[0])
    window = None if stored is None else window_of(model, node, stored.shape)
    if after is None or dequantize is None or stored is None or window is None:
        return {}
    weights = _weights(model, node, dequantize, stored, window)
    bias = _bias(model, node, window, stored.shape[1] * window.group)
    if weights is None or bias is None:
        return {}
    phases, names, nodes = weights
    last = after[-1]
    in_place = type(node)()
    in_place.CopyFrom(node)
    in_place.output[0] = last.output[0]  # stored elements are moved
    operands = [*names, *bias[0]]
    made = _on_stored(model, node, window.nodes(model, in_place, node.input[0], phases, operands))
    at = next(i for i, one in enumerate(made) if one.op_type == "Conv")
    value = made[at].output[0]
    made[at].output[0] = f"{value}/sums"
    between, before = [], f"{value}/sums"
    for place, one in enumerate(after):
        copy = type(node)()
        copy.CopyFrom(one)
        copy.input[0], copy.output[0] = before, value if one is last else f"{value}/bounded{place}"
        before = copy.output[0]
        between.append(copy)
    gone = {output: [] for one in [node, *after[:-1]] for output in one.output}
    return gone | {last.output[0]: [*nodes, *bias[1], *made[: at + 1], *between, *made[at + 1 :]]}


def _on_stored(model: EditableModel, node: Any, made: list[Any]) -> list[Any]:
    """Nodes of a ConvTranspose of one dimension: stored elements become an image, which is dequantised."""
    dequantize = _dequantize(model, node.input[0])
    if made[0].op_type != "Reshape" or dequantize is None:
        return made
    again = type(node)()
    again.CopyFrom(dequantize)
    again.output[0] = made[0].output[0]
    made[0].input[0], made[0].output[0] = dequantize.input[0], f"{made[0].output[0]}/stored"
    again.input[0], again.name = made[0].output[0], again.output[0]
    return [made[0], again, *made[1:]]


def _to_quantize(model: EditableModel, node: Any) -> list[Any] | None:
    """Nodes up to the QuantizeLinear: a Relu or Clip at most comes before it."""
    found = []
    reader = model.reader(node.output[0])
    if reader is not None and reader.op_type in _BOUNDS and reader.input[0] == node.output[0]:
        found.append(reader)
        reader = model.reader(reader.output[0])
    if reader is None or reader.op_type != "QuantizeLinear":
        return None
    scale = model.constant(reader.input[1])
    return None if scale is None or scale.size != 1 else [*found, reader]


def _dequantize(model: EditableModel, value: str) -> Any | None:
    maker = model.maker(value)
    return maker if maker is not None and maker.op_type == "DequantizeLinear" else None


def _weights(
    model: EditableModel, node: Any, dequantize: Any, stored: np.ndarray, window: TransposedWindow
) -> tuple[np.ndarray, list[str], list[Any]] | None:
    """Stored weights of the Conv, the value that holds them in float, and the node that makes it."""
    inner = stored.shape[1]
    meaning = [model.constant(value) for value in dequantize.input[1:] if value]
    if any(one is None for one in meaning) or any(
        entry.name == "block_size" and entry.i for entry in dequantize.attribute
    ):
        return None
    scale = meaning[0]
    zero = meaning[1] if len(meaning) > 1 else np.zeros(scale.shape, stored.dtype)  # type: ignore[union-attr]
    axis = next((entry.i for entry in dequantize.attribute if entry.name == "axis"), 1) % stored.ndim
    if scale.size != 1 and (axis != 1 or scale.shape != (inner,)):  # type: ignore[union-attr]
        return None
    phases = window.phases(stored, np.broadcast_to(zero.reshape(-1), (inner,)))  # type: ignore[union-attr]
    shared = [one.reshape(-1)[:1].reshape(()) for one in (scale, zero)]  # type: ignore[union-attr]
    if scale.size != 1:  # type: ignore[union-attr]
        shared = [window.of_blocks(np.tile(one.reshape(-1), window.group)) for one in (scale, zero)]  # type: ignore[union-attr]
    output = node.output[0]
    inputs = [model.add_constant(one, output) for one in (phases, *shared)]
    return phases, [f"{output}/weights"], [_made_dequantize(dequantize, inputs, f"{output}/weights")]


def _bias(
    model: EditableModel, node: Any, window: TransposedWindow, channels: int
) -> tuple[list[str], list[Any]] | None:
    """The value that holds the bias of the Conv, and the node that makes it; both empty without one."""
    given = node.input[2] if len(node.input) > 2 else ""
    if not given:
        return [], []
    output, known = node.output[0], model.constant(given)
    if known is not None:
        return [model.add_constant(window.of_blocks(known), output)], []
    dequantize = _dequantize(model, given)
    parts = [] if dequantize is None else [model.constant(value) for value in dequantize.input if value]
    if dequantize is None or any(one is None or one.size not in (1, channels) for one in parts):
        return None
    moved = [one.reshape(()) if one.size == 1 and i else window.of_blocks(one) for i, one in enumerate(parts)]  # type: ignore[union-attr]
    inputs = [model.add_constant(one, output) for one in moved]
    return [f"{output}/bias"], [_made_dequantize(dequantize, inputs, f"{output}/bias")]


def _made_dequantize(given: Any, inputs: list[str], output: str) -> Any:
    """The same along the first dimension."""
    from onnx import helper  # noqa: PLC0415

    return helper.make_node("DequantizeLinear", inputs, [output], output, domain=given.domain, axis=0)

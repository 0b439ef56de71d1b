"""Functions of a byte that differ from channel to channel: a table for each, by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.editable_model import EditableModel, made_node
from covenant.element_types import is_byte
from covenant.equivalent_nodes import Steps, goal_of, meaning_of, real_constant
from covenant.kernels import CHANNELWISE
from covenant.oracle import OracleError, session
from covenant.tables import DOMAIN, OPERATOR, agreed, no_table

__all__ = ["channel_tables"]

_MOST = 1024
"""Channels: each is a layer, and what is beside it in its vectors waits."""


def channel_tables(model: EditableModel) -> dict[str, Sequence[Any]]:
    """A lone BatchNormalization, a PRelu with a slope for each channel: cut into channels, looked up, joined.

    Raises:
        CovenantError: ONX0021, ONNX Runtime cannot be asked, or makes one byte of an element alone and another of it
            among others.
    """
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type in CHANNELWISE else None
        dequantize, found = model.maker(node.input[0]) if shape else None, goal_of(model, node.output[0])
        if shape is None or dequantize is None or found is None or not _is_by_channel(model, node, shape):
            continue
        source = meaning_of(model, dequantize) if dequantize.op_type == "DequantizeLinear" else None
        if source is None or not is_byte(source.zero.dtype) or not is_byte(found[1].zero.dtype):
            continue
        (quantize, goal), steps, parts = found, Steps(model, node), []
        tables = _tables(model, [dequantize, node, quantize], shape, source.zero.dtype)
        for channel, table in enumerate(tables):
            ends = [steps.constant(np.array([end], np.int64)) for end in (channel, channel + 1, 1)]
            part = steps.add("Slice", [dequantize.input[0], *ends], f"channel{channel}")
            inputs = [part, source.scale, source.zero_point, steps.constant(table), goal.scale, goal.zero_point]
            parts.append(steps.add(OPERATOR, inputs, f"table{channel}", DOMAIN))
        replacements[node.output[0]] = []
        replacements[quantize.output[0]] = [
            *steps.made, made_node("Concat", parts, quantize.output[0], f"{node.name}/joined", axis=1),
        ]  # fmt: skip
    return replacements


def _is_by_channel(model: EditableModel, node: Any, shape: Sequence[int]) -> bool:
    """Whether its constants have an element for each of not too many channels."""
    if len(shape) < 2 or shape[1] > _MOST or len([name for name in node.output if name]) > 1:
        return False
    known = [real_constant(model, value) for value in node.input[1:]]
    if any(one is None for one in known):
        return False
    if node.op_type == "BatchNormalization":
        return all(one.shape == (shape[1],) for one in known)
    lies = (1, shape[1], *[1] * (len(shape) - 2))
    return known[0].ndim <= len(shape) and np.broadcast_shapes(known[0].shape, lies) == lies


def _tables(model: EditableModel, nodes: Sequence[Any], shape: Sequence[int], dtype: Any) -> np.ndarray:
    """[channels, 256]: what the nodes make of each byte, read without a sign."""
    from onnx import helper  # noqa: PLC0415

    (dequantize, node, quantize), rank, channels = nodes, len(shape), shape[1]
    held = {tensor.name: tensor for tensor in model.model.graph.initializer}
    makers = {value: model.maker(value) for value in node.input[1:] if value not in held}  # each once
    whole = [*filter(None, makers.values()), *nodes]
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = helper.make_graph(
        whole, "tables",
        [helper.make_tensor_value_info(dequantize.input[0], element, [None] * rank)],
        [helper.make_empty_tensor_value_info(quantize.output[0])],
        [held[name] for name in dict.fromkeys(name for one in whole for name in one.input) if name in held],
    )  # fmt: skip
    little = helper.make_model(graph, opset_imports=model.model.opset_import, ir_version=model.model.ir_version)
    every = np.arange(256, dtype=np.uint8).view(dtype)
    flat = (1, channels, 256, *[1] * (rank - 3)) if rank > 2 else (256, channels)
    together = np.broadcast_to(every.reshape((-1, 1) if rank == 2 else (1, 1, -1, *[1] * (rank - 3))), flat)
    try:
        runs = session(little.SerializeToString())

        def run(x: np.ndarray) -> np.ndarray:
            return runs.run(None, {dequantize.input[0]: np.ascontiguousarray(x)})[0]

        made = run(together).reshape((channels, 256) if rank > 2 else (256, channels))
        alone = [run(np.full((1, channels, *[1] * (rank - 2)), byte, dtype)).reshape(channels) for byte in every]
    except OracleError as error:
        raise no_table(node.name, f"ONNX Runtime cannot be asked for it: {error}", "") from error
    return agreed(node.name, made if rank > 2 else made.T, np.stack(alone, axis=1))

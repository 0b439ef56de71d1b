"""Functions of a byte that differ from channel to channel: a table for each, by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.editable_model import EditableModel, made_node
from covenant.equivalent_nodes import Steps
from covenant.oracle import OracleError, session
from covenant.rewrite.channel_functions import ChannelFunction, channel_functions
from covenant.tables import DOMAIN, OPERATOR, agreed, no_table

__all__ = ["channel_tables"]

_MOST = 1024
"""Channels: each is a layer, and what is beside it in its vectors waits."""


def channel_tables(model: EditableModel) -> dict[str, Sequence[Any]]:
    """A lone BatchNormalization, factors and slopes for each channel: cut into channels, looked up, joined.

    Raises:
        CovenantError: ONX0021, ONNX Runtime cannot be asked, or makes one byte of an element alone and another of it
            among others.
    """
    replacements: dict[str, Sequence[Any]] = {}
    for function in channel_functions(model):
        if function.shape[function.axis] > _MOST:
            continue
        node, quantize, source, goal = function.last, function.quantize, function.source, function.goal
        steps, parts = Steps(model, node), []
        for channel, table in enumerate(_tables(model, function)):
            ends = [steps.constant(np.array([end], np.int64)) for end in (channel, channel + 1, function.axis)]
            part = steps.add("Slice", [function.dequantize.input[0], *ends], f"channel{channel}")
            inputs = [part, source.scale, source.zero_point, steps.constant(table), goal.scale, goal.zero_point]
            parts.append(steps.add(OPERATOR, inputs, f"table{channel}", DOMAIN))
        joined = made_node("Concat", parts, quantize.output[0], f"{node.name}/joined", axis=function.axis)
        replacements[quantize.output[0]] = [*steps.made, joined]
    return replacements


def _tables(model: EditableModel, function: ChannelFunction) -> np.ndarray:
    """[channels, 256]: what the nodes make of each byte, read without a sign."""
    from onnx import helper  # noqa: PLC0415

    rank, axis, dtype = len(function.shape), function.axis, function.source.zero.dtype
    channels, source, result = function.shape[axis], function.dequantize.input[0], function.quantize.output[0]
    held = {tensor.name: tensor for tensor in model.model.graph.initializer}
    whole = [*function.nodes, function.quantize]
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = helper.make_graph(
        whole, "tables", [helper.make_tensor_value_info(source, element, [None] * rank)],
        [helper.make_empty_tensor_value_info(result)],
        [held[name] for name in dict.fromkeys(name for one in whole for name in one.input) if name in held],
    )  # fmt: skip
    little = helper.make_model(graph, opset_imports=model.model.opset_import, ir_version=model.model.ir_version)
    every = np.arange(256, dtype=np.uint8).view(dtype)
    beside = axis + 1 if axis + 1 < rank else axis - 1
    sizes, along = [1] * rank, [1] * rank
    sizes[axis], along[beside] = channels, 256
    try:
        runs = session(little.SerializeToString())

        def run(x: np.ndarray) -> np.ndarray:
            """Of all elements: [channels, elements]."""
            made = runs.run(None, {source: np.ascontiguousarray(x)})[0]
            return np.moveaxis(made, axis, 0).reshape(channels, -1)

        together = run(np.broadcast_to(every.reshape(along), np.maximum(sizes, along)))
        alone = np.concatenate([run(np.full(sizes, byte, dtype)) for byte in every], axis=1)
    except OracleError as error:
        raise no_table(function.last.name, f"ONNX Runtime cannot be asked for it: {error}", "") from error
    return agreed(function.last.name, together, alone)

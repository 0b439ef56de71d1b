"""Builds a table for each channel of a function of a byte that differs from channel to channel, by ONNX Runtime.

Affine ones are one convolution for machines that scale in f32, and neighbours with equal tables one lookup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, made_node
from covenant.model.stored_values import Steps
from covenant.onnx_runtime.sessions import OracleError, session
from covenant.rewrite.elementwise.channel_convolutions import fitted
from covenant.rewrite.elementwise.channel_functions import ChannelFunction, channel_functions
from covenant.rewrite.elementwise.tables import DOMAIN, OPERATOR, agreed, no_table

__all__ = ["channel_convolutions", "channel_tables"]

_MOST = 1024
"""Most channels: each is a layer, and the other channels in its vectors wait."""
_RANKS = (3, 4)
"""Ranks of tensors that a convolution takes, channels second."""


def channel_convolutions(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Affine functions for each channel: a convolution of one element a channel, and tables for what differs from it.

    The bytes are those of `channel_tables` on machines that scale sums of 32 bits in f32.

    Raises:
        CovenantError: as `channel_tables`.
    """
    return _replacements(model, by_convolution=True)


def channel_tables(model: EditableModel) -> dict[str, Sequence[Any]]:
    """A lone BatchNormalization, factors and slopes for each channel: cut into channels, looked up, joined.

    Raises:
        CovenantError: ONX0021, ONNX Runtime cannot be asked, or makes one byte of an element alone and another of it
            among others.
    """
    return _replacements(model, by_convolution=False)


def _replacements(model: EditableModel, *, by_convolution: bool) -> dict[str, Sequence[Any]]:
    replacements: dict[str, Sequence[Any]] = {}
    for function in channel_functions(model):
        if function.shape[function.axis] > _MOST:
            continue
        result, goal, cut = function.quantize.output[0], function.goal, _Cut(Steps(model, function.last), function)
        tables = _tables(model, function)
        is_image = len(function.shape) in _RANKS and function.axis == 1
        if by_convolution and is_image and function.source.zero.dtype == goal.zero.dtype:
            whole, is_exact = _convolved(model, cut, tables)
        else:
            whole, is_exact = "", np.zeros(len(tables), bool)
        last, name = (whole, goal.scale, goal.zero_point), function.quantize.name
        if is_exact.all():
            replacements[result] = [*cut.steps.made, made_node("QuantizeLinear", last, result, name)]
            continue
        runs = _runs(tables, is_exact)
        if len(runs) == 1:
            inputs = cut.lookup(function.dequantize.input[0], tables[0])
            replacements[result] = [made_node(OPERATOR, inputs, result, function.last.name, DOMAIN)]
            continue
        stored = cut.steps.add("QuantizeLinear", last, "convolved/stored") if whole else ""
        parts = [
            cut.part(stored, first, end) if is_exact[first] else cut.table(tables[first], first, end)
            for first, end in runs
        ]
        joined = made_node("Concat", parts, result, f"{function.last.name}/joined", axis=function.axis)
        replacements[result] = [*cut.steps.made, joined]
    return replacements


@dataclass(frozen=True)
class _Cut:
    """Channels of what a function reads and makes."""

    steps: Steps
    function: ChannelFunction

    def part(self, value: str, first: int, end: int) -> str:
        """The channels of a stored tensor from the first one on."""
        ends = [self.steps.constant(np.array([one], np.int64)) for one in (first, end, self.function.axis)]
        return self.steps.add("Slice", [value, *ends], f"channel{first}")

    def table(self, table: np.ndarray, first: int, end: int) -> str:
        """Channels of the source, each element looked up."""
        inputs = self.lookup(self.part(self.function.dequantize.input[0], first, end), table)
        return self.steps.add(OPERATOR, inputs, f"table{first}", DOMAIN)

    def lookup(self, stored: str, table: np.ndarray) -> list[str]:
        """Inputs of the operator that looks up each element of a stored tensor."""
        source, goal = self.function.source, self.function.goal
        return [stored, source.scale, source.zero_point, self.steps.constant(table), goal.scale, goal.zero_point]


def _runs(tables: np.ndarray, is_exact: np.ndarray) -> list[tuple[int, int]]:
    """Neighbouring channels that one node makes: those of the convolution, those of one table."""
    is_table = ~is_exact
    alike = (is_exact[1:] & is_exact[:-1]) | (is_table[1:] & is_table[:-1] & np.all(tables[1:] == tables[:-1], axis=1))
    return list(pairwise([0, *(np.flatnonzero(~alike) + 1).tolist(), len(tables)]))


def _convolved(model: EditableModel, cut: _Cut, tables: np.ndarray) -> tuple[str, np.ndarray]:
    """The value that the convolution makes, and the channels whose bytes it makes; no name if there are none."""
    function, steps = cut.function, cut.steps
    channels, more, source, goal = len(tables), len(function.shape) - 2, function.source, function.goal
    reals = _made(model, function, function.nodes, function.last.output[0])[0]
    made = fitted(tables, reals, (source.step, int(source.zero)), (goal.step, int(goal.zero)))
    if not made.is_exact.any():
        return "", made.is_exact
    weights = steps.constant(made.weights.reshape(channels, 1, *[1] * more))
    held = [weights, steps.constant(made.scales), steps.constant(np.zeros(channels, np.int8))]
    inputs = [function.dequantize.output[0], steps.add("DequantizeLinear", held, "weights", axis=0)]
    scales = (source.step * made.scales).astype(np.float32)
    held = [steps.constant(made.biases), steps.constant(scales), steps.constant(np.zeros(channels, np.int32))]
    inputs.append(steps.add("DequantizeLinear", held, "biases", axis=0))
    return steps.add("Conv", inputs, "convolved", group=channels, kernel_shape=[1] * more), made.is_exact


def _tables(model: EditableModel, function: ChannelFunction) -> np.ndarray:
    """[channels, 256]: what the nodes make of each byte, read without a sign."""
    nodes = [*function.nodes, function.quantize]
    return agreed(function.last.name, *_made(model, function, nodes, function.quantize.output[0]))


def _made(
    model: EditableModel, function: ChannelFunction, nodes: Sequence[Any], result: str
) -> tuple[np.ndarray, np.ndarray]:
    """[channels, 256]: what nodes make of every byte among the others, and alone."""
    from onnx import helper  # noqa: PLC0415

    rank, axis, dtype = len(function.shape), function.axis, function.source.zero.dtype
    channels, source = function.shape[axis], function.dequantize.input[0]
    held = {tensor.name: tensor for tensor in model.model.graph.initializer}
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = helper.make_graph(
        nodes, "tables", [helper.make_tensor_value_info(source, element, [None] * rank)],
        [helper.make_empty_tensor_value_info(result)],
        [held[name] for name in dict.fromkeys(name for one in nodes for name in one.input) if name in held],
    )  # fmt: skip
    little = helper.make_model(graph, opset_imports=model.model.opset_import, ir_version=model.model.ir_version)
    every = np.arange(256, dtype=np.uint8).view(dtype)
    beside = axis + 1 if axis + 1 < rank else axis - 1
    sizes, along = [1] * rank, [1] * rank
    sizes[axis], along[beside] = channels, 256
    try:
        runs = session(little.SerializeToString())

        def run(x: np.ndarray) -> np.ndarray:
            """Results for all elements: [channels, elements]."""
            made = runs.run(None, {source: np.ascontiguousarray(x)})[0]
            return np.moveaxis(made, axis, 0).reshape(channels, -1)

        together = run(np.broadcast_to(every.reshape(along), np.maximum(sizes, along)))
        alone = np.concatenate([run(np.full(sizes, byte, dtype)) for byte in every], axis=1)
    except OracleError as error:
        raise no_table(function.last.name, f"ONNX Runtime cannot be asked for it: {error}", "") from error
    return together, alone

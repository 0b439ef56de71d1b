"""The two ends of a model that the host computes: float operators before the first quantised one and after the last.

Before it a spectrum, the look-up of an embedding; after it a closing Softmax, the decoding of boxes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from covenant.model.shapes import inferred

__all__ = ["Ends", "host_nodes", "is_quantized", "names_in", "split_ends", "with_shapes"]

_INPUTS, _OUTPUTS = "covenant.inputs", "covenant.outputs"
"""Keys of a part's metadata: names of all the model's inputs, or outputs, in the order of the whole model."""


@dataclass(frozen=True)
class Ends:
    """A model in three parts."""

    core: Any
    """Part that the machine runs: an `onnx.ModelProto`."""
    start: bytes = b""
    """What the host computes before it, as an ONNX model with all inputs of the whole; empty: nothing, and the end does
    not read them."""
    end: bytes = b""
    """Part that the host computes after it, as an ONNX model; empty: nothing."""


def host_nodes(model: Any) -> list[Any]:
    """The nodes of an `onnx.ModelProto` before its first quantised ones, and the float ones that none follows.

    A DequantizeLinear of what the machine has stored is none of them.
    """
    places = _Places(model)
    return places.opening() + places.closing()


_SUMS = ("ConvInteger", "MatMulInteger")
"""Operators that make stored sums."""


class _Places:
    """Places of the nodes of a model: before, among or after those that are quantised."""

    def __init__(self, model: Any) -> None:
        self.nodes = list(model.graph.node)
        self.constants = {tensor.name for tensor in model.graph.initializer}
        self.after: set[str] = set()  # values that depend on a quantised node
        for node in self.nodes:
            read = set(filter(None, node.input))
            if self.constants >= read:
                self.constants |= set(node.output)
            elif is_quantized(node) or node.op_type == "DequantizeLinear" or self.after & read:
                self.after |= set(node.output)
        self.before: set[str] = set()  # values that a quantised node depends on
        for node in reversed(self.nodes):
            if is_quantized(node) or self.before.intersection(node.output):
                self.before |= set(node.input)

    def _is_fixed(self, node: Any) -> bool:
        """Whether it depends on no input."""
        return self.constants.issuperset(node.output)

    def opening(self) -> list[Any]:
        opening: list[Any] = []
        readers: dict[str, list[Any]] = {}
        for node in self.nodes:
            for value in node.input:
                readers.setdefault(value, []).append(node)
        hosted: set[str] = set()
        for node in reversed(self.nodes):
            if self._is_fixed(node) or is_quantized(node) or self.after.intersection(node.output):
                continue
            after = [reader for value in node.output for reader in readers.get(value, ())]
            if self.before.intersection(node.output) and all(
                reader.op_type == "QuantizeLinear" or hosted.intersection(reader.output)
                or not self.before.intersection(reader.output) for reader in after
            ):  # fmt: skip
                hosted |= set(node.output)
                opening.append(node)
        return opening[::-1]

    def closing(self) -> list[Any]:
        real: set[str] = set()  # made by a DequantizeLinear, sums, or made by the host
        closing = []
        for node in self.nodes:
            if self._is_fixed(node) or (is_quantized(node) and node.op_type not in _SUMS):
                continue
            if node.op_type in ("DequantizeLinear", *_SUMS):
                real |= set(node.output)
            elif not self.before.intersection(node.output) and (
                real.intersection(node.input) or not self.after.intersection(node.input)
            ):
                real |= set(node.output)
                closing.append(node)
        return closing

    def needed(self, nodes: Iterable[Any]) -> list[Any]:
        """These nodes, after the ones that they need among those that depend on no input."""
        nodes = list(nodes)
        read = {value for node in nodes for value in node.input}
        fixed = []
        for node in reversed(self.nodes):
            if self._is_fixed(node) and read.intersection(node.output):
                read |= set(node.input)
                fixed.append(node)
        return [*fixed[::-1], *nodes]


def is_quantized(node: Any) -> bool:
    """Whether a node makes stored elements of real ones, or computes on them."""
    return node.op_type in ("QuantizeLinear", "QGemm", *_SUMS) or node.op_type.startswith("QLinear")


def split_ends(model: Any) -> Ends:
    """A model without its opening and closing nodes, and these as models of their own.

    Args:
        model: a quantised `onnx.ModelProto`; left as it is.
    """
    places = _Places(model)
    opening, closing = places.opening(), places.closing()
    if not (opening or closing) or not places.after:
        return Ends(model)
    inputs = {entry.name: entry for entry in model.graph.input}
    first = {value for node in opening for value in node.output}
    last = {value for node in closing for value in node.output}
    outputs = [entry for entry in model.graph.output if entry.name not in first | last]
    ends = [entry for entry in model.graph.output if entry.name in first | last]  # what the start makes passes the end
    by_start, for_end = _read_by(opening), (_read_by(closing) | {entry.name for entry in ends}) - last
    kept = [node for node in model.graph.node if not (first | last).intersection(node.output)]
    by_core = _read_by(kept)
    from_start = first & (by_core | for_end)
    made = {entry.name: entry for entry in _typed(model, places.needed(opening), sorted(from_start))}
    stored = {entry.name for entry in outputs}
    between = {
        value: _entry(value, is_sum=node.op_type in _SUMS)
        for node in kept for value in node.output if value in for_end - places.constants
    }  # fmt: skip
    core = _part(
        model, kept,
        [entry for name, entry in inputs.items() if name in by_core or name not in by_start | for_end]
        + [entry for name, entry in made.items() if name in by_core],
        [*outputs, *(entry for value, entry in between.items() if value not in stored)],
    )  # fmt: skip
    past = [value for value in sorted(for_end) if value in inputs or value in first]
    start = end = b""
    if opening or past:
        part = _part(model, places.needed(opening), list(inputs.values()), list(made.values()))
        start = _named(part, _INPUTS, list(inputs))
    if closing or ends:
        entries = list(between.values())
        entries += [inputs.get(value) or made[value] for value in past]
        part = _part(model, places.needed(closing), entries, ends)
        end = _named(part, _OUTPUTS, [entry.name for entry in model.graph.output])
    return Ends(core, start, end)


def _read_by(nodes: Iterable[Any]) -> set[str]:
    return {value for node in nodes for value in node.input if value}


def _typed(model: Any, nodes: list[Any], values: list[str]) -> list[Any]:
    """Entries for values of the nodes, with shapes and types as far as they can be inferred."""
    inputs = [entry for entry in model.graph.input if entry.name in _read_by(nodes)]
    part = _part(model, nodes, inputs, [_entry(value) for value in values])
    for entry in part.graph.output:
        entry.type.Clear()
    return list(inferred(part, data_prop=True).graph.output)


def _entry(name: str, *, is_sum: bool = False) -> Any:
    """Entry of a real tensor, or of sums in i32."""
    from onnx import TensorProto, helper  # noqa: PLC0415

    return helper.make_tensor_value_info(name, TensorProto.INT32 if is_sum else TensorProto.FLOAT, None)


def _part(model: Any, nodes: Iterable[Any], inputs: Iterable[Any], outputs: Iterable[Any]) -> Any:
    """Some nodes of a model, with the constants that they read."""
    from onnx import ModelProto  # noqa: PLC0415

    part = ModelProto()
    part.CopyFrom(model)
    for field in (part.graph.node, part.graph.input, part.graph.output, part.graph.initializer):
        del field[:]
    part.graph.node.extend(nodes)
    part.graph.input.extend(inputs)
    part.graph.output.extend(outputs)
    read = _read_by(part.graph.node) | {entry.name for entry in part.graph.output}
    part.graph.initializer.extend(tensor for tensor in model.graph.initializer if tensor.name in read)
    return part


def _named(part: Any, key: str, names: list[str]) -> bytes:
    from onnx import helper  # noqa: PLC0415

    del part.metadata_props[:]
    helper.set_model_props(part, {key: json.dumps(names)})
    return part.SerializeToString()


def with_shapes(content: bytes, shapes: Mapping[str, tuple[int, ...]]) -> bytes:
    """The same closing nodes with the shapes of what the machine has made for them, and so of what they make."""
    from onnx import load_from_string  # noqa: PLC0415

    model = load_from_string(content)
    for entry in (*model.graph.input, *model.graph.output):
        if entry.name in shapes or entry in model.graph.output:
            entry.type.tensor_type.ClearField("shape")
            for size in shapes.get(entry.name, ()):
                entry.type.tensor_type.shape.dim.add().dim_value = size
    return inferred(model).SerializeToString()


def names_in(part: Any) -> list[str]:
    """All inputs of the whole model, of its start; all outputs, of its end: in its order."""
    (entry,) = part.metadata_props
    return json.loads(entry.value)

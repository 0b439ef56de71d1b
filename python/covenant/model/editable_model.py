"""An ONNX model while it is being rewritten: constants by name, who makes and reads a value, shapes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from covenant.model.shapes import entries_of, shape_in

__all__ = ["MOST_ELEMENTS", "EditableModel", "attributes_of", "made_node", "read_by"]

MOST_ELEMENTS = 2**30
"""Most elements of a tensor: rewrites count through some, and the compiler refuses larger ones (ONX0011)."""


def attributes_of(node: Any) -> dict[str, Any]:
    """Attributes of an `onnx.NodeProto` by name, as Python values."""
    from onnx import helper  # noqa: PLC0415  (import costs; a model that is left as it is does not pay)

    return {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}


def made_node(operator: str, inputs: Sequence[str], output: str, name: str, domain: str = "", **attributes: Any) -> Any:
    """An `onnx.NodeProto` with one result."""
    from onnx import helper  # noqa: PLC0415

    return helper.make_node(operator, list(inputs), [output], name, domain=domain, **attributes)


def read_by(node: Any) -> set[str]:
    """The values that a node reads, those that the bodies in it read among them."""
    from onnx import AttributeProto  # noqa: PLC0415

    read = set(node.input)
    for entry in node.attribute:
        bodies = entry.graphs if entry.type == AttributeProto.GRAPHS else [entry.g]
        if entry.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS):
            read |= {value for body in bodies for inner in body.node for value in read_by(inner)}
            read |= {value.name for body in bodies for value in body.output}
    return read


class EditableModel:
    """An `onnx.ModelProto` whose nodes can be replaced.

    Args:
        model: changed in place; its shapes are inferred here.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self._made = 0
        self.refresh()

    def refresh(self) -> None:
        """Looks at the model anew. Rewrites call it after they have changed nodes."""
        graph = self.model.graph
        del graph.value_info[:]
        self._entries = entries_of(self.model)
        self._constants = {tensor.name: tensor for tensor in graph.initializer}
        self._maker = {output: node for node in graph.node for output in node.output}
        self._outputs = {entry.name for entry in graph.output}
        self._readers: dict[str, list[Any]] = defaultdict(list)
        for node in graph.node:
            for value in node.input:
                self._readers[value].append(node)

    @property
    def nodes(self) -> list[Any]:
        """All nodes, in their order."""
        return list(self.model.graph.node)

    def maker(self, value: str) -> Any | None:
        """The node that makes a value; None of inputs and constants."""
        return self._maker.get(value)

    def reader(self, value: str) -> Any | None:
        """The node that alone reads a value, once; None if there are others, or it is an output."""
        readers = self._readers.get(value, [])
        return readers[0] if len(readers) == 1 and value not in self._outputs else None

    def readers(self, value: str) -> list[Any]:
        """The nodes that read a value, as often as they do."""
        return list(self._readers.get(value, []))

    def is_output(self, value: str) -> bool:
        """Whether it is one of the model's."""
        return value in self._outputs

    @property
    def inputs(self) -> set[str]:
        """Names of the graph's inputs."""
        return {entry.name for entry in self.model.graph.input}

    def is_read_once(self, value: str) -> bool:
        """One node reads it, and it is no output."""
        return self.reader(value) is not None

    def shape(self, value: str) -> tuple[int, ...] | None:
        """Shape of a value; None where it is not fixed, not known, or of more elements than a tensor may have."""
        if value in self._constants:
            return tuple(self._constants[value].dims)
        entry = self._entries.get(value)
        shape = None if entry is None else shape_in(entry)
        return shape if shape is not None and math.prod(shape) <= MOST_ELEMENTS else None

    def element_type(self, value: str) -> int:
        """An `onnx.TensorProto.DataType`; 0 where it is not known."""
        if value in self._constants:
            return int(self._constants[value].data_type)
        entry = self._entries.get(value)
        return 0 if entry is None else int(entry.type.tensor_type.elem_type)

    def constant(self, value: str) -> np.ndarray | None:
        """The content of an initialiser; None of what is computed."""
        from onnx import numpy_helper  # noqa: PLC0415

        tensor = self._constants.get(value)
        return None if tensor is None else numpy_helper.to_array(tensor)

    def add_constant(self, array: np.ndarray, near: str) -> str:
        """A new initialiser, named after the value that it is for; its name."""
        from onnx import numpy_helper  # noqa: PLC0415

        name = near
        while (
            name == near or name in self._constants or name in self._maker
        ):  # another object may have rewritten the model before
            self._made += 1
            name = f"{near}/rewritten{self._made}"
        tensor = numpy_helper.from_array(np.asarray(array, order="C"), name)
        self.model.graph.initializer.append(tensor)
        self._constants[name] = self.model.graph.initializer[-1]
        return name

    def set_constant(self, name: str, array: np.ndarray) -> None:
        """Replaces the content of an existing initialiser."""
        from onnx import numpy_helper  # noqa: PLC0415

        self._constants[name].CopyFrom(numpy_helper.from_array(np.asarray(array, order="C"), name))

    def replace(self, replacements: Mapping[str, Sequence[Any]]) -> None:
        """Puts other nodes in the place of those that make the values that `replacements` names; none takes one out.

        Nodes that no output depends on any more go, too.
        """
        nodes = []
        for node in self.nodes:
            nodes.extend(replacements.get(node.output[0], [node]))
        graph = self.model.graph
        read = {entry.name for entry in graph.output}
        kept = []
        for node in reversed(nodes):
            if not read.isdisjoint(node.output):
                kept.append(node)
                read |= read_by(node)
        del graph.node[:]
        graph.node.extend(reversed(kept))
        self._drop_unread(read)
        self.refresh()

    def _drop_unread(self, read: Set[str]) -> None:
        graph = self.model.graph
        kept = [tensor for tensor in graph.initializer if tensor.name in read]
        del graph.initializer[:]
        graph.initializer.extend(kept)

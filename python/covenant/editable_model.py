"""An ONNX model while it is being rewritten: constants by name, who makes and reads a value, shapes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from covenant.shapes import shapes_of

__all__ = ["EditableModel", "attributes_of", "made_node"]


def attributes_of(node: Any) -> dict[str, Any]:
    """Attributes of an `onnx.NodeProto` by name, as Python values."""
    from onnx import helper  # noqa: PLC0415  (import costs; a model that is left as it is does not pay)

    return {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}


def made_node(operator: str, inputs: Sequence[str], output: str, name: str, domain: str = "", **attributes: Any) -> Any:
    """An `onnx.NodeProto` with one result."""
    from onnx import helper  # noqa: PLC0415

    return helper.make_node(operator, list(inputs), [output], name, domain=domain, **attributes)


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
        self._shapes = shapes_of(self.model)
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

    def is_read_once(self, value: str) -> bool:
        """One node reads it, and it is no output."""
        return self.reader(value) is not None

    def shape(self, value: str) -> tuple[int, ...] | None:
        """As far as it is fixed and known."""
        if value in self._constants:
            return tuple(self._constants[value].dims)
        return self._shapes.get(value)

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
        """Another content of an initialiser that is there."""
        from onnx import numpy_helper  # noqa: PLC0415

        self._constants[name].CopyFrom(numpy_helper.from_array(np.asarray(array, order="C"), name))

    def replace(self, replacements: Mapping[str, Sequence[Any]]) -> None:
        """Puts other nodes in the place of those that make the values that `replacements` names; none takes one out."""
        nodes = []
        for node in self.nodes:
            nodes.extend(replacements.get(node.output[0], [node]))
        del self.model.graph.node[:]
        self.model.graph.node.extend(nodes)
        self._drop_unread()
        self.refresh()

    def _drop_unread(self) -> None:
        graph = self.model.graph
        read = {value for node in graph.node for value in node.input} | {entry.name for entry in graph.output}
        kept = [tensor for tensor in graph.initializer if tensor.name in read]
        del graph.initializer[:]
        graph.initializer.extend(kept)

"""Builds float networks in ONNX node by node, with the shapes that ONNX infers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

IR_VERSIONS = {11: 6, 12: 7, 13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}
"""IR versions of ONNX files, by opset."""


SHAPES_KEPT = ("GroupNormalization", "RMSNormalization")
"""Operators with a body: inference of one node knows no shape of them."""


class InapplicableError(Exception):
    """A layer that cannot follow the tensor it was drawn for."""


class Network:
    """A float network that grows at its end.

    Args:
        opset: of the model, 11 to 23.
        shape: of its first input.

    Attributes:
        inputs: names, `x` first.
        nodes, constants: of the graph so far.
        history: tensors that layers have made, the input first; later layers may read them again.
    """

    def __init__(self, opset: int, shape: Sequence[int]) -> None:
        self.opset = opset
        self.nodes: list[Any] = []
        self.constants: dict[str, np.ndarray] = {}
        self.types: dict[str, Any] = {}
        self.inputs: list[str] = []
        self.history = [self.input(shape)]
        self._made = 0

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of a tensor."""
        return tuple(entry.dim_value for entry in self.types[name].tensor_type.shape.dim)

    def input(self, shape: Sequence[int], element: int = onnx.TensorProto.FLOAT) -> str:
        """One more input; its name."""
        name = f"x{len(self.inputs) or ''}"
        self.inputs.append(name)
        self.types[name] = helper.make_tensor_type_proto(element, shape)
        return name

    def constant(self, array: Any, dtype: Any = np.float32) -> str:
        """An initialiser; its name."""
        name = self._name("c")
        self.constants[name] = np.ascontiguousarray(array, dtype).reshape(np.shape(array))
        self.types[name] = helper.make_tensor_type_proto(
            helper.np_dtype_to_tensor_dtype(self.constants[name].dtype), self.constants[name].shape
        )
        return name

    def integers(self, *values: int) -> str:
        """A vector of i64."""
        return self.constant(np.array(values, np.int64), np.int64)

    def node(self, operation: str, inputs: Sequence[str], count: int = 1, **attributes: Any) -> Any:
        """A node; the name of what it makes, or names, if it makes several.

        Raises:
            InapplicableError: ONNX knows no shape of that.
        """
        outputs = [self._name("t") for _ in range(count)]
        node = helper.make_node(operation, list(inputs), outputs, name=f"{operation}_{len(self.nodes)}", **attributes)
        given = {name: self.types[name] for name in inputs if name}
        data = {name: numpy_helper.from_array(self.constants[name], name) for name in inputs if name in self.constants}
        try:
            schema = onnx.defs.get_schema(operation, self.opset, "")
            found = shape_inference.infer_node_outputs(
                schema, node, given, data, opset_imports=[helper.make_opsetid("", self.opset)]
            )
        except Exception as error:  # its exceptions have no base of their own
            raise InapplicableError(f"{operation}: {error}") from error
        if operation in SHAPES_KEPT:
            found = {outputs[0]: self.types[inputs[0]]}
        for name in outputs:
            known = name in found and found[name].tensor_type.HasField("shape")
            sizes = [entry.dim_value for entry in found[name].tensor_type.shape.dim] if known else [0]
            if min(sizes, default=1) < 1:
                raise InapplicableError(f"{operation}: no shape")
            self.types[name] = found[name]
        self.nodes.append(node)
        return outputs[0] if count == 1 else outputs

    def model(self, outputs: Sequence[str]) -> Any:
        """The model with these outputs; nodes that none of them needs are left out."""
        needed, nodes = set(outputs), []
        for node in reversed(self.nodes):
            if needed & set(node.output):
                nodes.append(node)
                needed |= set(node.input)
        graph = helper.make_graph(
            list(reversed(nodes)),
            "soak",
            [helper.make_value_info(name, self.types[name]) for name in self.inputs if name == "x" or name in needed],
            [helper.make_value_info(name, self.types[name]) for name in outputs],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items() if name in needed],
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=IR_VERSIONS[self.opset]
        )

    def state(self) -> tuple[int, int]:
        """State of the network, for `back_to`."""
        return len(self.nodes), len(self.history)

    def back_to(self, state: tuple[int, int]) -> None:
        """Drops what came after a state."""
        del self.nodes[state[0] :]
        del self.history[state[1] :]

    def _name(self, prefix: str) -> str:
        self._made += 1
        return f"{prefix}{self._made}"

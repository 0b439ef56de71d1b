"""Relay's text and ONNX models as the same kind of graph, to compare the two.

Each operator becomes a number: equal for operators that are called alike, have equal attributes, and are applied to
values that are equal in turn. Weights and inputs are told apart by their shapes only.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import onnx
from onnx import helper, numpy_helper

from covenant.bench.matching import operators_of

STATEMENT = re.compile(r"^  (?:(?P<name>%\d+) = )?(?P<what>.*?);?$")
CALL = re.compile(r"^(?P<operator>[a-z][\w.]*)\((?P<inside>.*)\)$")
PARAMETER = re.compile(r"%(?P<name>\w+): (?P<type>\((?:Tensor\[.*?\](?:, )?)+\)|Tensor\[.*?\])(?=, %|\))")
SHAPE = re.compile(r"Tensor\[\(([\d, ]*)\), \w+\]")
ATTRIBUTE = re.compile(r"(\w+)=(\[\[.*?\]\]|\[.*?\]|[^,\[\]]+)")
ARGUMENT = re.compile(r"%\w+(?:\.\d+)?|(?<![\w.\[])-?\d[\d.e-]*f?(?![\w.])")
# Operators with a state that they do not return here: their results are tuples in Relay.
TUPLES = ("nn.batch_norm", "nn.dropout")
COMMUTE = ("add", "multiply")
KEPT = {
    "concatenate": ("axis",),
    "nn.batch_norm": ("epsilon",),
    "nn.conv1d": ("kernel_size", "groups"),
    "nn.conv2d": ("kernel_size", "strides", "padding", "groups"),
    "nn.pad": ("pad_width",),
    "reshape": ("newshape",),
    "strided_slice": ("begin", "end"),
    "transpose": ("axes",),
}
"""Attributes that are compared."""
ABSENT = {"epsilon": 1e-5, "groups": 1, "strides": [1, 1]}


def main_of(text: str) -> str:
    """The function `main`, without comments, the types before it and the attributes after it."""
    return re.sub(r" /\*.*?\*/", "", text[text.index("def @main") :].split("\n}", maxsplit=1)[0])


def parameter_shapes(text: str) -> Counter[tuple[int, ...]]:
    """Shapes of all parameters, and how many have each."""
    return Counter(shape for shapes in _parameters(text).values() for shape in shapes)


def _parameters(text: str) -> dict[str, list[tuple[int, ...]]]:
    header = main_of(text).splitlines()[0]
    return {
        match["name"]: [tuple(int(size) for size in shape.split(",") if size) for shape in SHAPE.findall(match["type"])]
        for match in PARAMETER.finditer(header)
    }


def counted(text: str) -> dict[str, int]:
    """Calls of each operator."""
    calls = re.findall(r"^  (?:%\d+ = )?([a-z][\w.]*)\(", main_of(text), re.MULTILINE)
    return dict(sorted(Counter(calls).items()))


class Numbers:
    """Numbers of operators, the same for all graphs that are read with one of these."""

    def __init__(self) -> None:
        self._known: dict[object, int] = {}
        self._states: set[int] = set()  # results of TUPLES

    def of(self, *key: object) -> int:
        """The number of a value."""
        return self._known.setdefault(key, len(self._known))

    def call(self, operator: str, attributes: object, values: list[int]) -> int:
        """The number of an operator's result."""
        number = self.of(operator, attributes, *(sorted(values) if operator in COMMUTE else values))
        if operator in TUPLES:
            self._states.add(number)
        return number

    def in_text(self, text: str) -> Counter[int]:
        """Operators of Relay's text."""
        known: dict[str, object] = {}
        for name, shapes in _parameters(text).items():
            values = [self.of("given", shape) for shape in shapes]
            known[f"%{name}"] = values if len(values) > 1 else values[0]
        found: Counter[int] = Counter()
        for line in main_of(text).splitlines()[1:]:
            statement = STATEMENT.match(line)
            assert statement, line
            call = CALL.match(statement["what"])
            if call:
                known[statement["name"]] = value = self._called(call["operator"], call["inside"], known)
                found[value] += 1
            else:
                known[statement["name"]] = self._gathered(statement["what"], known)
        return found

    def _called(self, operator: str, inside: str, known: dict[str, object]) -> int:
        given = dict(ATTRIBUTE.findall(inside))
        attributes = tuple(
            repr(_plain(ast.literal_eval(given[name].rstrip("f")) if name in given else ABSENT.get(name, ())))
            for name in KEPT.get(operator, ())
        )
        values = self._arguments(ATTRIBUTE.sub("", re.sub(r"meta\[.*", "", inside)), known)
        return self.call(operator, attributes, values[:1] if operator == "nn.pad" else values)

    def _arguments(self, text: str, known: dict[str, object]) -> list[int]:
        found: list[int] = []
        for argument in ARGUMENT.findall(text):
            value = self._value(argument, known) if argument[0] == "%" else self._number(float(argument.rstrip("f")))
            found += value if isinstance(value, list) else [value]
        return found

    def _gathered(self, what: str, known: dict[str, object]) -> object:
        """A tuple, or a part of one."""
        if what.startswith("("):
            return [self._value(argument, known) for argument in ARGUMENT.findall(what)]
        return self._value(what, known)

    def _value(self, text: str, known: dict[str, object]) -> object:
        name, _, part = text.partition(".")
        value = known[name]
        if not part:
            return value
        return value[int(part)] if isinstance(value, list) else self._part(value, int(part))

    def _part(self, whole: int, index: int) -> int:
        return whole if whole in self._states else self.of("part", whole, index)

    def _number(self, value: float) -> int:
        return self.of("number", f"{value:.5g}")

    def in_model(self, model: onnx.ModelProto) -> Counter[int]:
        """Operators of an ONNX model, by the names that its nodes have in Relay."""
        arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
        known: dict[str, object] = {
            name: self.of("given", array.shape) if array.shape else self._number(float(array))
            for name, array in arrays.items()
        }
        for one in model.graph.input:
            known[one.name] = self.of("given", tuple(size.dim_value for size in one.type.tensor_type.shape.dim))
        found: Counter[int] = Counter()
        for node, operators in zip(model.graph.node, operators_of(model), strict=True):
            values = [known[name] for name in node.input if arrays.get(name, np.float32(0)).dtype == np.float32]
            if node.op_type in ("Dropout", "Pad"):
                values = values[:1]
            if node.op_type == "Gather":
                values = [known[name] for name in node.input]
            bias = [values.pop()] if "nn.bias_add" in operators else []
            value = values[0]
            for operator in operators:
                values = [value, *bias] if operator == "nn.bias_add" else values
                value = self.call(operator, tuple(_attributes(operator, node, arrays)), values)
                found[value] += 1
            parts = len(node.output) > 1 or node.op_type == "Split"
            for index, name in enumerate(node.output):
                known[name] = self.of("part", value, index) if parts else value
        return found


def _plain(value: object) -> object:
    """Numbers as an attribute of ONNX has them."""
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else float(f"{value:.5g}")


def _attributes(operator: str, node: onnx.NodeProto, arrays: dict[str, np.ndarray]) -> Iterator[str]:
    """Attributes that KEPT names, as Relay's text has them."""
    given = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    constants = [arrays[key].tolist() for key in node.input[1:] if key in arrays and arrays[key].dtype == np.int64]
    for name in KEPT.get(operator, ()):
        if name == "pad_width":
            half = len(constants[0]) // 2
            value = [list(one) for one in zip(constants[0][:half], constants[0][half:], strict=True)]
        elif name in ("newshape", "begin"):
            value = constants[0]
        elif name == "end":
            value = constants[1]
        else:
            theirs = {"axes": "perm", "groups": "group", "kernel_size": "kernel_shape", "padding": "pads"}
            value = given.get(theirs.get(name, name), ABSENT.get(name, ()))
        yield repr(_plain(value))

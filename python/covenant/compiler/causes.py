"""Finds the cause of a refusal where the front end names only its symptom.

The front end reads a model node by node and names the first that it does not take. What is wrong may lie elsewhere: a
shape that depends on values, a layer before the node that nothing quantises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.model.ends import host_nodes, is_quantized
from covenant.model.float_subgraphs import ELEMENTWISE

__all__ = ["cause_in"]

_QUANTISES = ("QuantizeLinear", "DequantizeLinear")
_SUBJECT = re.compile(r"(.*) \(([\w.]+)\)")
_LOOKED_AT = ("ONX0005", "ONX0006", "ONX0014")
_LISTED = "the operators that `covenant operators -m MACHINE` lists"
_AT_THE_ENDS = "or let the quantised layers end before it or begin after it: the host computes float operators there"
_NEVER = {
    ("NonZero", "Unique", "Compress", "NonMaxSuppression"): (
        "the shape of its result depends on values, and layers of a machine have fixed shapes",
        "write it by a mask (Where) of fixed shape",
    ),
    ("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"): (
        "the operator makes other numbers each time, and there is nothing to compare them with",
        "make the random numbers an input of the model",
    ),
    ("SequenceConstruct", "SequenceAt", "SequenceEmpty", "SequenceInsert", "ConcatFromSequence", "SplitToSequence"): (
        "the operator works on sequences of tensors, and layers of a machine on tensors",
        "write it with Split and Concat",
    ),
}
"""Operators that no machine can have between quantised layers: why, and what to do. They are to blame for what the
front end finds before or inside of them."""


def cause_in(model: Any, path: Path, error: CovenantError) -> CovenantError | None:
    """The refusal that names the cause; None where the front end does.

    Args:
        model: an `onnx.ModelProto`.
        path: of the model, for the diagnostic.
        error: of the front end, about the model.
    """
    if error.code not in _LOOKED_AT:
        return None
    found = _Model(model).cause(error.diagnostic)
    return None if found is None else CovenantError(replace(found, file=str(path)))


_CHAINED = ELEMENTWISE | {"BatchNormalization"}
_CONSTANTS = ("constants of one element", "beside bytes, constants along one axis, of 1,024 elements at most")


class _Model:
    """Makers and readers of the values of a model."""

    def __init__(self, model: Any) -> None:
        self.nodes = list(model.graph.node)
        self.maker = {output: node for node in self.nodes for output in node.output if output}
        self.constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self.host = {output for node in host_nodes(model) for output in node.output}
        self.constants |= {node.output[0]: None for node in self.nodes if node.op_type == "Constant"}

    def cause(self, told: Diagnostic) -> Diagnostic | None:
        """A truer refusal than the one that was told, if there is one."""
        for node in self.nodes:
            never = next((words for operators, words in _NEVER.items() if node.op_type in operators), None)
            if never is not None and not node.domain and self._is_machines(node):
                why, fix = never
                fix = f"{fix}, {_AT_THE_ENDS}"
                return Diagnostic("ONX0006", why, "", 0, 0, _subject(node), node.op_type, (_LISTED,), fix)
        named = _SUBJECT.fullmatch(told.subject)
        if named is None or told.code == "ONX0005":
            return None
        name = named[1].partition("/for/")[0]  # one of several, each computed for a reader
        node = next((one for one in self.nodes if _called(one) == name), None)
        if node is None or node.op_type not in _CHAINED:
            return None
        return self._of_chain(node)

    def _is_machines(self, node: Any) -> bool:
        """Whether it stands between quantised layers."""
        return not self.host.intersection(node.output) and any(one.op_type in _QUANTISES for one in self.nodes)

    def _of_chain(self, node: Any) -> Diagnostic | None:
        """Why no table stands for the chain of elementwise operators that a node belongs to."""
        chain = self._chain_of(node)
        sources, floats = self._read_by(chain)
        subject = _subject(node)
        if floats:
            message = f"it reads the float result of {_subject(floats[0])}, which nothing quantises"
            fix = f"put a QuantizeLinear and a DequantizeLinear behind {_called(floats[0])}, {_AT_THE_ENDS}"
            allowed = ("what a DequantizeLinear makes",)
            return Diagnostic("ONX0028", message, "", 0, 0, subject, floats[0].output[0], allowed, fix)
        stored = list(dict.fromkeys(source.input[0] for source in sources if source.input[0] not in self.constants))
        # Quantising changes nothing where a lone operator reads two tensors: it has no codelet.
        if len(stored) > 1 and len(chain) > 1:
            message = "no table stands for a chain of float operators that reads two tensors"
            fix = f"put a QuantizeLinear and a DequantizeLinear behind each of {', '.join(map(_called, chain))}"
            allowed = ("one tensor, and constants of one element",)
            return Diagnostic("ONX0028", message, "", 0, 0, subject, ", ".join(stored), allowed, fix)
        many = [name for one in chain for name in one.input if self._elements(name) > 1]
        if many:
            message = "no tables stand for a chain whose constants differ along several axes, or in too many places"
            fix = f"quantise the constant, and what the operator makes, {_AT_THE_ENDS}"
            offending = f"{many[0]}, {self._elements(many[0])} elements"
            return Diagnostic("ONX0028", message, "", 0, 0, subject, offending, _CONSTANTS, fix)
        return None

    def _chain_of(self, node: Any) -> list[Any]:
        """The node, and before it elementwise operators up to what is quantised."""
        chain, wanted = [node], list(node.input)
        while wanted:
            maker = self.maker.get(wanted.pop())
            if maker is not None and maker.op_type in _CHAINED and all(maker is not one for one in chain):
                chain.append(maker)
                wanted.extend(maker.input)
        return chain[::-1]

    def _read_by(self, chain: Iterable[Any]) -> tuple[list[Any], list[Any]]:
        """Nodes that a chain reads: the DequantizeLinear nodes, and the operators whose results are float."""
        own = {output for node in chain for output in node.output}
        makers = [self.maker[name] for node in chain for name in node.input if name in self.maker and name not in own]
        quantized = [maker for maker in makers if maker.op_type == "DequantizeLinear"]
        floats = [maker for maker in makers if maker.op_type not in ("DequantizeLinear", "Constant")]
        return quantized, [maker for maker in floats if not is_quantized(maker)]

    def _elements(self, name: str) -> int:
        tensor = self.constants.get(name)
        count = 1
        for extent in tensor.dims if tensor is not None else ():
            count *= extent
        return count


def _called(node: Any) -> str:
    """Name of the node's layer."""
    return node.name or node.output[0]


def _subject(node: Any) -> str:
    """`conv1 (Conv)`."""
    return f"{_called(node)} ({node.op_type})"

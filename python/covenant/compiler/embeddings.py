"""Embeddings of layers into the instructions of a machine: all that there are, or whether a text is one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covenant import _core
from covenant.compiler.model_parts import ModelParts, with_parts
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine, as_machine

__all__ = [
    "MOST_NODES",
    "RELAXATIONS",
    "Axis",
    "CheckedText",
    "Embedding",
    "EmbeddingRules",
    "InstructionEmbeddings",
    "LayerEmbeddings",
    "LayoutAxis",
    "OperandLayout",
    "benchmark_embeddings",
    "embeddings",
]

RELAXATIONS: tuple[str, ...] = tuple(_core.relaxation_names())
"""Names of all relaxations (compiler/embedding/rules.h)."""
MOST_NODES: int = _core.MOST_EMBEDDING_NODES
"""Factors that a search tries before it gives up, unless told otherwise."""


@dataclass(frozen=True)
class EmbeddingRules:
    """Rules of a search.

    Raises:
        CovenantError: EMB0013, no relaxation has one of these names.
    """

    relaxations: tuple[str, ...] = RELAXATIONS
    """Names of those that embeddings may need; none: strict rules."""
    most_nodes: int = MOST_NODES
    """Factors that the search for one instruction may try."""

    def __post_init__(self) -> None:
        for name in self.relaxations:
            if name not in RELAXATIONS:
                raise CovenantError(
                    Diagnostic("EMB0013", "there is no such relaxation", subject="relaxations", offending=name,
                               allowed=RELAXATIONS, fix="name some of these; `none` allows none, `all` all of them")
                )  # fmt: skip


@dataclass(frozen=True)
class LayoutAxis:
    """An axis of the block that one execution of an instruction takes of an operand."""

    axis: str
    """Name of the instruction's axis."""
    places: int
    factors: str
    """Axes of the layer that lie there, outermost first; `-` if a single instance does."""


@dataclass(frozen=True)
class OperandLayout:
    """Place of an operand's elements as an embedding wants them."""

    tensor: str
    """Name in the layer's codelet; empty for a number."""
    output: bool
    constant: bool
    """Whether it is packed into blocks at compile time."""
    elements: int
    """Elements of the tensor."""
    packed_elements: int | None
    """Elements of all blocks of a constant."""
    axes: tuple[LayoutAxis, ...]
    """Axes of a block, outermost first."""


@dataclass(frozen=True)
class Embedding:
    """One embedding, and its figures."""

    text: str
    """Text that can be checked again (compiler/embedding/text.h)."""
    relaxations: tuple[str, ...]
    """Those that it needs."""
    steps: int
    """Executions of the instruction."""
    utilisation: float
    """Part of the instruction's places that is used, over all steps."""
    operands: tuple[OperandLayout, ...]
    """Inputs in the order of the instruction, then the output."""


@dataclass(frozen=True)
class CheckedText:
    """A text, and the embedding that it is or the reason why it is none."""

    text: str
    embedding: Embedding | None
    diagnostic: Diagnostic | None
    """EMB0011."""


@dataclass(frozen=True)
class InstructionEmbeddings:
    """Findings for one layer and one instruction."""

    compute: str
    """Node of the machine that has the instruction."""
    instruction: str
    """Its function, and the size of each axis."""
    types: str
    """Element types of its operands."""
    instances: int
    """Instances of one execution."""
    found: int
    """Number of embeddings."""
    complete: bool
    """Whether there are no others under these rules."""
    nodes: int
    """Factors that the search has tried."""
    embeddings: tuple[Embedding, ...]
    """The best ones, fewest steps first; as many as were asked for."""
    diagnostic: Diagnostic | None
    """EMB0010: there is none; EMB0012: the search was given up."""
    checked: tuple[CheckedText, ...]


@dataclass(frozen=True)
class Axis:
    """An axis of what a layer computes."""

    name: str
    extent: int
    reduction: bool
    """Whether it is summed over."""


@dataclass(frozen=True)
class LayerEmbeddings:
    """Findings for one layer."""

    layer: str
    workload: str
    """Text of what most of its instances compute; empty if it is no workload."""
    types: str
    """Element types of its operands."""
    axes: tuple[Axis, ...]
    instances: int
    instructions: tuple[InstructionEmbeddings, ...]
    """Those of the machine that compute this; there may be none."""
    diagnostic: Diagnostic | None
    """EMB0001, EMB0002: why it is no workload."""


def embeddings(
    model: str | os.PathLike[str],
    machine: Machine | str,
    library: str | os.PathLike[str] | None = None,
    *,
    rules: EmbeddingRules | None = None,
    layer: str | None = None,
    shown: int | None = None,
    texts: Sequence[str] = (),
) -> tuple[LayerEmbeddings, ...]:
    """How the layers of a model can be embedded into the machine's instructions.

    Args:
        model: path of an ONNX file, or of the text of a network.
        machine: a Machine, or the spec of one.
        library: a folder of codelets for operators beside the compiler's own.
        rules: of the search; None: all relaxations.
        layer: only the layer of this name; None: all.
        shown: embeddings of each instruction that are returned; None: all.
        texts: embeddings to check; if there are any, none is searched for.

    Raises:
        CovenantError: as `covenant.compile` up to its layers; GEN0041, the model has no such layer.
    """
    target = as_machine(machine)
    folder = "" if library is None else os.fspath(library)
    options = _options(rules, shown, texts) | {"layer": layer or "", "library": folder}

    def made(parts: ModelParts) -> list[dict[str, Any]]:
        return _core.embeddings(os.fspath(model), target._core, content=parts.content, **options)

    return tuple(_layer(raw) for raw in with_parts(model, made, target))


def benchmark_embeddings(
    name: str,
    machine: Machine | str,
    *,
    rules: EmbeddingRules | None = None,
    shown: int | None = None,
    texts: Sequence[str] = (),
) -> tuple[LayerEmbeddings, ...]:
    """The same for a layer of the benchmark table.

    Raises:
        CovenantError: GEN0040, there is no such layer.
    """
    raw = _core.benchmark_embeddings(name, as_machine(machine)._core, **_options(rules, shown, texts))
    return tuple(map(_layer, raw))


def _options(rules: EmbeddingRules | None, shown: int | None, texts: Sequence[str]) -> dict[str, Any]:
    given = rules or EmbeddingRules()
    return {
        "relaxations": list(given.relaxations), "most_nodes": given.most_nodes, "shown": shown, "texts": list(texts)
    }  # fmt: skip


def _diagnostic(raw: Mapping[str, Any] | None) -> Diagnostic | None:
    return None if raw is None else Diagnostic(**raw)


def _operand(raw: Mapping[str, Any]) -> OperandLayout:
    return OperandLayout(**{**raw, "axes": tuple(LayoutAxis(**axis) for axis in raw["axes"])})


def embedding_of(raw: Mapping[str, Any]) -> Embedding:
    """The embedding that `_core` gives as an object."""
    return Embedding(
        text=raw["text"],
        relaxations=tuple(raw["relaxations"]),
        steps=raw["steps"],
        utilisation=raw["utilisation"],
        operands=tuple(_operand(one) for one in raw["operands"]),
    )


def _checked(raw: Mapping[str, Any]) -> CheckedText:
    embedding = None if raw["embedding"] is None else embedding_of(raw["embedding"])
    return CheckedText(raw["text"], embedding, _diagnostic(raw["diagnostic"]))


def _instruction(raw: Mapping[str, Any]) -> InstructionEmbeddings:
    made = {
        "embeddings": tuple(embedding_of(one) for one in raw["embeddings"]),
        "diagnostic": _diagnostic(raw["diagnostic"]),
        "checked": tuple(_checked(one) for one in raw["checked"]),
    }
    return InstructionEmbeddings(**{**raw, **made})


def _layer(raw: Mapping[str, Any]) -> LayerEmbeddings:
    made = {
        "axes": tuple(Axis(**axis) for axis in raw["axes"]),
        "instructions": tuple(_instruction(one) for one in raw["instructions"]),
        "diagnostic": _diagnostic(raw["diagnostic"]),
    }
    return LayerEmbeddings(**{**raw, **made})

"""Embeddings of a convolution into the instructions of a machine: how many there are, and what the best one takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import geometric_mean

from covenant import _core
from covenant.bench.deepbench.layers import DeepBenchLayer, model_of
from covenant.compiler.embeddings import EmbeddingRules
from covenant.machine import Machine

__all__ = ["EmbeddingFigures", "EmbeddingSums", "embed", "sums_of"]


@dataclass(frozen=True)
class EmbeddingFigures:
    """Findings of the axis solver for one layer and one instruction, under strict rules and under those given."""

    layer: str
    compute: str
    """Node of the machine that has the instruction."""
    instruction: str
    """Its function, and the size of each of its axes."""
    embedded: bool
    """Whether there is an embedding under the rules given."""
    strict: bool
    """Whether there is one without any."""
    complete: bool
    """Whether both searches have seen all embeddings."""
    embeddings: int
    """How many there are."""
    nodes: int
    """Factors that both searches have tried."""
    milliseconds: float
    """Wall-clock time of both."""
    steps: int
    """Executions of the instruction that the best one takes; 0 if there is none."""
    embedding: str | None
    """The one of fewest steps, then of least weights, as text."""
    relaxations: tuple[str, ...]
    """Those that it needs."""
    weights_ratio: float | None
    """Packed weights, the least of all embeddings, over those of padding the channels alone; None without any."""


@dataclass(frozen=True)
class EmbeddingSums:
    """Sums over all layers, for one instruction."""

    compute: str
    instruction: str
    layers: int
    embedded: int
    """Layers with an embedding."""
    strict: int
    """Layers with one under strict rules."""
    complete: bool
    nodes: int
    milliseconds: float
    steps: int
    weights_ratio: float | None
    """Geometric mean over the layers that strict rules do not embed; None if that are none."""


def embed(layer: DeepBenchLayer, machine: Machine, rules: EmbeddingRules | None = None) -> list[EmbeddingFigures]:
    """Figures for each instruction of the machine that computes sums of products of the layer's types.

    Raises:
        CovenantError: the layer does not fit the machine (codes NETnnnn, EMBnnnn).
    """
    given = rules or EmbeddingRules()
    found = _core.embed(
        "layer.onnx", machine._core, relaxations=list(given.relaxations), most_nodes=given.most_nodes,
        content=model_of(layer).SerializeToString(),
    )  # fmt: skip
    return [
        EmbeddingFigures(
            layer=layer.name,
            compute=row["compute"],
            instruction=row["instruction"],
            embedded=row["embeddings"] > 0,
            strict=row["strict"],
            complete=row["complete"],
            embeddings=row["embeddings"],
            nodes=row["nodes"],
            milliseconds=row["milliseconds"],
            steps=row["steps"],
            embedding=row["embedding"],
            relaxations=tuple(row["relaxations"]),
            weights_ratio=row["weights_ratio"],
        )
        for row in found
    ]


def sums_of(rows: Iterable[EmbeddingFigures]) -> list[EmbeddingSums]:
    """Sums for each instruction, in the order of the machine."""
    groups: dict[tuple[str, str], list[EmbeddingFigures]] = {}
    for row in rows:
        groups.setdefault((row.compute, row.instruction), []).append(row)
    return [_sum(compute, instruction, group) for (compute, instruction), group in groups.items()]


def _sum(compute: str, instruction: str, rows: list[EmbeddingFigures]) -> EmbeddingSums:
    ratios = [row.weights_ratio for row in rows if row.weights_ratio is not None and not row.strict]
    return EmbeddingSums(
        compute=compute,
        instruction=instruction,
        layers=len(rows),
        embedded=sum(row.embedded for row in rows),
        strict=sum(row.strict for row in rows),
        complete=all(row.complete for row in rows),
        nodes=sum(row.nodes for row in rows),
        milliseconds=sum(row.milliseconds for row in rows),
        steps=sum(row.steps for row in rows),
        weights_ratio=geometric_mean(ratios) if ratios else None,
    )

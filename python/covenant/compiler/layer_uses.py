"""How the layers of a model use a machine's instructions, and what would use them better."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covenant import _core
from covenant.compiler.embeddings import Embedding, EmbeddingRules, embedding_of
from covenant.compiler.model_parts import ModelParts, with_parts
from covenant.compiler.schedule_file import schedule_text
from covenant.machine import Machine, as_machine

__all__ = ["LayerUse", "NextBest", "layer_uses"]


@dataclass(frozen=True)
class NextBest:
    """The second best way to do a layer."""

    lowering: str
    cycles: int
    """Predicted."""
    as_stored: bool
    """Whether its tensors could stay where they are."""
    embedding: str
    """Text of the embedding that it is; empty if it is none."""


@dataclass(frozen=True)
class LayerUse:
    """Use of the machine's instructions by one layer."""

    layer: str
    codelet: str
    lowering: str
    cycles: int
    """Predicted for the layer by itself."""
    workload: str
    """Text of what its codelet computes; empty if that is no workload."""
    compute: str
    """Node of the machine that does most of it."""
    instruction: str
    """Its function, and the size of each axis."""
    taken: Embedding | None
    """The embedding that the codelet is."""
    next: NextBest | None
    fewest: Embedding | None
    """The embedding of the layer, as the model has it, that takes the fewest steps; None unless fewer than `taken`."""
    complete: bool
    """Whether there are none of fewer steps."""
    obstacles: tuple[str, ...]
    """Memories of the machine that stand in the way of `fewest`."""

    @property
    def steps_lost(self) -> int:
        """Steps of `taken` beyond those of `fewest`."""
        return self.taken.steps - self.fewest.steps if self.taken and self.fewest else 0


def layer_uses(
    model: str | os.PathLike[str],
    machine: Machine | str,
    library: str | os.PathLike[str] | None = None,
    schedule: str | os.PathLike[str] | None = None,
    *,
    rules: EmbeddingRules | None = None,
    layer: str | None = None,
) -> tuple[LayerUse, ...]:
    """The embedding that each layer's codelet is, the next best way, and the embedding of fewest steps.

    Args:
        model: path of an ONNX file.
        machine: a Machine, or the spec of one.
        library: a folder of codelets for operators beside the compiler's own.
        schedule: a file that says how layers are tiled; what it leaves open is searched.
        rules: of the search for the embedding of fewest steps; None: all relaxations.
        layer: only the layer of this name; None: all, in their order.

    Raises:
        CovenantError: as `covenant.compile`; GEN0041, the model has no such layer; GEN0031, machines of this family
            have no layers.
    """
    target = as_machine(machine)
    given = rules or EmbeddingRules()
    options = {
        "relaxations": list(given.relaxations), "most_nodes": given.most_nodes, "layer": layer or "",
        "library": "" if library is None else os.fspath(library), **schedule_text(schedule),
    }  # fmt: skip

    def made(parts: ModelParts) -> list[dict[str, Any]]:
        return _core.explain_network(os.fspath(model), target._core, content=parts.content, **options)

    return tuple(_use(raw) for raw in with_parts(model, made, target))


def _use(raw: Mapping[str, Any]) -> LayerUse:
    made = {
        "taken": None if raw["taken"] is None else embedding_of(raw["taken"]),
        "fewest": None if raw["fewest"] is None else embedding_of(raw["fewest"]),
        "next": None if raw["next"] is None else NextBest(**raw["next"]),
        "obstacles": tuple(raw["obstacles"]),
    }
    return LayerUse(**{**raw, **made})

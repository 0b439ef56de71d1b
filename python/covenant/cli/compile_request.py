"""The request of `covenant compile`: made once from the parsed arguments, and passed to all that serve it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from covenant.cli.arguments import MachineRequest
from covenant.cli.embedding_options import EMBEDDINGS, EmbeddingsRequest

if TYPE_CHECKING:  # `--help` does not pay
    from covenant.compiler.optimisations import Optimisations


@dataclass(frozen=True)
class CompileRequest:
    """One request; None stands for options that were not given."""

    model: str | None
    layer: str | None
    """Layer of the benchmark table instead of a model; with a model: the one that is shown."""
    machine: MachineRequest
    library: str | None
    schedule: str | None
    save_schedule: str | None
    fusion: bool
    optimisations: Optimisations
    threads: int | None
    state: tuple[str, ...]
    """Pairs OUT:IN, an output of a run and the input of the next one that it is."""
    parts: tuple[str, ...]
    """Texts TENSOR=MACHINE of `--part`."""
    output: str | None
    emit: str | None
    stop_after: str | None
    profile: str | None
    explain_schedule: str | None
    """Layer of the model; empty: the one that `layer` names."""
    embeddings: EmbeddingsRequest

    @property
    def shown(self) -> str | None:
        """Pass whose result is shown."""
        return self.emit or self.stop_after

    @property
    def shows_embeddings(self) -> bool:
        """Whether this pass is that of embeddings."""
        return self.shown == EMBEDDINGS

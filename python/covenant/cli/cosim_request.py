"""The requests of `covenant cosim`: made once from the parsed arguments, and passed to all that serve them."""

from __future__ import annotations

from dataclasses import dataclass

from covenant.cli.source_request import SourceRequest
from covenant.runtime.build import Build


@dataclass(frozen=True)
class CosimRequest:
    """A model, a program or a layer in lock step."""

    source: SourceRequest
    build: Build
    memory: str
    image: int | None
    """The only one that runs."""
    wave: str | None
    first_cycle: int
    last_cycle: int | None


@dataclass(frozen=True)
class DrawnRequest:
    """Machines that are drawn from a seed: random ones in lock step, or broken ones, which must be refused."""

    source: SourceRequest
    """Only its seed counts."""
    build: Build
    memory: str
    wave: str | None
    machines: int
    first_machine: int
    layers: int
    """Layers of each random machine."""
    jobs: int | None
    output: str
    """Folder of files that reproduce what is wrong."""

    @property
    def seed(self) -> int:
        """Seed of everything that is drawn."""
        return self.source.seed

    @property
    def names_what_is_drawn(self) -> bool:
        """Whether something is named that would have to be drawn."""
        source = self.source
        return any(
            (source.model, source.layer, source.machine.spec, source.input, self.wave, source.schedule, source.library)
        )

"""The request of `covenant run`: made once from the parsed arguments, and passed to all that serve it."""

from __future__ import annotations

from dataclasses import dataclass

from covenant.choices import BACKENDS
from covenant.cli.packet_views import PacketViews
from covenant.cli.source_request import SourceRequest
from covenant.runtime.build import Build


@dataclass(frozen=True)
class RunRequest:
    """One request; None, False and () stand for options that were not given."""

    source: SourceRequest
    packets: PacketViews
    build: Build
    """Options for building Verilated models."""
    parts: tuple[str, ...]
    """Texts TENSOR=MACHINE of `--part`."""
    asked_backend: str | None
    memory: str
    compare: str | None
    layers: bool
    report: str | None
    output: str | None
    wave: str | None
    stdin: str | None
    max_packets: int | None
    energy: bool
    energy_table: str | None
    beside: tuple[str, ...]
    """Executables that run at the same time."""
    contexts: int | None
    rtl: str | None
    rtl_window: tuple[int, int] | None

    @property
    def backend(self) -> str:
        """The one that was asked for, or the one that runs if none was."""
        return self.asked_backend or BACKENDS[0]

    @property
    def is_mixed(self) -> bool:
        """Whether some layers run on the RTL, and the rest on the SystemC model."""
        return self.rtl is not None or self.rtl_window is not None

    @property
    def is_systemc(self) -> bool:
        """Whether the SystemC model runs all of it."""
        return not self.is_mixed and self.backend == BACKENDS[0]

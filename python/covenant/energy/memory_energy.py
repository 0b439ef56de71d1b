"""Energy of what models of off-chip memory count, from currents of data sheets or published energies."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from covenant.machine.memory_models import MemoryModel, memory_model

__all__ = ["MemoryEnergy", "memory_energy"]


@dataclass(frozen=True)
class MemoryEnergy:
    """Energy of the events of one channel, in pJ. What it draws between them, standby, is not in it."""

    activate: float
    """A row that is opened, and closed again."""
    read: float
    """An access: data from the open row and over the lines."""
    write: float
    """Likewise."""
    refresh: float
    """A refresh of all banks."""
    access_bytes: int
    """Bytes that an access moves."""
    sources: Mapping[str, str]
    """Publications of the figures, by a short name."""


@cache
def memory_energy(memory: str) -> MemoryEnergy | None:
    """Energy of the events of a model of off-chip memory.

    Args:
        memory: one of `covenant.memories()`, or the path of a file of parameters.

    Returns:
        None where no figures are published with the SDK: of a fixed latency, and of a file.

    Example:
        >>> from covenant.energy import memory_energy
        >>> round(memory_energy("hbm2").activate)
        909
    """
    tables = _tables()
    figures, model = tables.get(memory), memory_model(memory) if memory in tables else None
    if figures is None or model is None:
        return None
    bits = 8 * model.access_bytes
    names = {one["source"] for one in _entries(figures)}
    if "rails" in figures:
        share = figures["devices"] / figures.get("channels", 1)
        activate, read, write, refresh = (share * one for one in _from_currents(figures["rails"], model))
        line = _line(figures["lines"], model) * bits if "lines" in figures else 0.0
        read, write = read + line, write + line
        names.add("drampower")
    else:
        activate = figures["row"]["picojoules"]
        read = write = bits * sum(value for key, value in figures["bit"].items() if key != "source")
        rows = model.bytes // model.channels // model.row_bytes
        refresh = activate * rows / figures["refresh"]["commands"]
    sources = {name: text for name, text in tables["sources"].items() if name in names}
    return MemoryEnergy(activate, read, write, refresh, model.access_bytes, sources)


def _from_currents(rails: Iterable[Mapping[str, Any]], model: MemoryModel) -> tuple[float, float, float, float]:
    """Activation, read, write and refresh of one device, pJ: what each draws above standby, by all rails.

    The standby of an activation has one bank open for tRAS, and all closed for the rest of tRC; that of the others has
    all banks open.
    """
    opened, cycle = model.row_open_picoseconds, model.row_cycle_picoseconds
    activate = read = write = refresh = 0.0
    for rail in rails:
        one_open = rail["i2n"] + (rail["i3n"] - rail["i2n"]) / model.banks
        scale = rail["volts"] * 1e-3  # mA * V * ps to pJ
        activate += scale * (rail["i0"] * cycle - one_open * opened - rail["i2n"] * (cycle - opened))
        read += scale * (rail["i4r"] - rail["i3n"]) * model.burst_picoseconds
        write += scale * (rail["i4w"] - rail["i3n"]) * model.burst_picoseconds
        refresh += scale * (rail["i5b"] - rail["i3n"]) * model.refresh_picoseconds
    return activate, read, write, refresh


def _line(lines: Mapping[str, Any], model: MemoryModel) -> float:
    """One bit over a line that is terminated to its supply, pJ: current flows while it is low, half of the time."""
    watts = lines["volts"] ** 2 / (lines["driver_ohms"] + lines["termination_ohms"])
    return watts / 2 * model.clock_picoseconds / 2  # two bits in a clock


def _entries(figures: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """All that has a source."""
    tables = [one for one in figures.values() if isinstance(one, dict)]
    return tables + list(figures.get("rails", ()))


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(files("covenant.energy").joinpath("memories.toml").read_text(encoding="utf-8"))

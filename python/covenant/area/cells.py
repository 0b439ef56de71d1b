"""Standard cells that logic is mapped to, read from a Liberty file with their areas."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from covenant.area.errors import user_error
from covenant.files import read_whole

__all__ = ["BIT_AREA", "LIBRARY", "CellLibrary"]

LIBRARY = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
"""Cells of Oklahoma State University for 0.18 um of TSMC, from Debian's package qflow-tech-osu018."""
BIT_AREA = 5.59
"""um2 of a bit of SRAM: the cell of six transistors of a process of the same 180 nm (Yang et al., "A High Performance
180 nm Generation Logic Technology", IEDM 1998). Decoders and sense amplifiers are not in it."""
_CELL = re.compile(r"^\s*cell\s*\(\s*\"?(?P<name>\w+)\"?\s*\)|^\s*area\s*:\s*(?P<area>[\d.eE+-]+)\s*;", re.M)


@dataclass(frozen=True)
class CellLibrary:
    """A Liberty file."""

    path: str
    digest: str
    """SHA-256 of its content."""
    areas: dict[str, float]
    """um2 by cell."""

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> CellLibrary:
        """Reads it.

        Args:
            path: None: what the environment variable COVENANT_LIBERTY names, else LIBRARY.

        Raises:
            CovenantError: ARE0001, it is not there; ARE0002, it has no cell that states an area.
        """
        place = os.fspath(path or os.environ.get("COVENANT_LIBERTY") or LIBRARY)
        if not Path(place).is_file():
            raise user_error(
                "ARE0001", "there is no library of standard cells", file=place,
                fix="apt-get install qflow-tech-osu018, or name a Liberty file in COVENANT_LIBERTY",
            )  # fmt: skip
        content = read_whole(place)
        areas: dict[str, float] = {}
        cell = ""
        for found in _CELL.finditer(content.decode(errors="replace")):
            if found["name"]:
                cell = found["name"]
            elif cell:  # the first area of a cell is its own
                areas.setdefault(cell, float(found["area"]))
        if not areas:
            raise user_error("ARE0002", "no cell of the library states an area", file=place, fix="name a Liberty file")
        return cls(place, hashlib.sha256(content).hexdigest(), areas)

    @property
    def driver(self) -> str:
        """An inverter, which drives the inputs of what is measured."""
        inverters = [name for name in self.areas if re.match(r"(?i)inv", name)] or list(self.areas)
        return min(inverters, key=lambda name: (self.areas[name], name))

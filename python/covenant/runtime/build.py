"""Options for building Verilated models, and the folder in which they are kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from covenant.progress import Progress


@dataclass(frozen=True)
class Build:
    """Options for building the Verilated model of a machine, and where it is kept."""

    cache: str | os.PathLike[str] | None = None
    """Folder of built models; None: $COVENANT_RTL_CACHE, else covenant/rtl in the user's folder of caches."""
    quick: bool = False
    """Built in a third of the time, runs at half the speed."""
    checked: bool = False
    """Whether it has assertions, and random contents of registers and scratchpads at the start of a run; slower."""
    jobs: int = 0
    """Compilers at a time; 0: one for each core."""

    def to_core(self, *, wave: bool, progress: Progress | None) -> dict[str, Any]:
        """The options in the form that the C++ core takes."""
        made: dict[str, Any] = {"wave": wave, "quick": self.quick, "checked": self.checked, "jobs": self.jobs}
        if self.cache is not None:
            made["cache"] = os.fspath(self.cache)
        if progress is not None:
            made["progress"] = progress
        return made

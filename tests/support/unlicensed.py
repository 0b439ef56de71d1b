"""Data that the project may not hold, since their authors state no licence: tests read them from a folder elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = Path(os.environ.get("COVENANT_UNLICENSED", ROOT.parent / "shared/data/d2a"))


def unlicensed(name: str, source: str) -> Path:
    """The file or folder of this name; skips the test if it is not there.

    Args:
        name: below the folder that COVENANT_UNLICENSED names.
        source: where its authors publish it.
    """
    import pytest  # not needed by those who only ask for the place

    path = PLACE / name
    if not path.exists():
        pytest.skip(
            f"NOT CHECKED: {name} is not in {PLACE} (set COVENANT_UNLICENSED). Its authors publish it at {source}"
        )
    return path

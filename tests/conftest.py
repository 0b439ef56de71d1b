"""Fixtures and hooks that all Python tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Verilated models are shared with the C++ tests, and kept apart from those of the user.
os.environ.setdefault("COVENANT_RTL_CACHE", str(ROOT / "build" / "release" / "rtl_models"))
os.environ.setdefault("COVENANT_MACHINE_CACHE", str(ROOT / "build" / "release" / "machines"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT

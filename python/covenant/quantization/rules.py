"""What decides what becomes of a float model, as one digest: int8 models that are kept are known by it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

__all__ = ["digest_of_rules"]


@cache
def digest_of_rules() -> str:
    """SHA-256 of the code of this package, and of what it rewrites models with."""
    folder = Path(__file__).parent
    beside = [folder.parent / f"{name}.py" for name in ("editable_model", "element_types", "islands", "pixel_blocks")]
    found = hashlib.sha256()
    for path in [*sorted(folder.glob("*.py")), *beside]:
        found.update(path.read_bytes())
    return found.hexdigest()

"""Digest of all code that decides how a float model is quantised: kept int8 models are known by it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

__all__ = ["digest_of_rules"]


BESIDE = (
    "model/editable_model", "model/element_types", "model/ends", "model/float_subgraphs",
    "model/function_bodies", "model/kernels", "model/kinds", "model/left_in_float", "model/shapes",
    "model/stored_values", "model/text", "rewrite/contractions/pixel_blocks", "rewrite/contractions/transposed_windows",
)  # fmt: skip
"""Modules beside this package that it rewrites models with, themselves or through each other."""


@cache
def digest_of_rules() -> str:
    """SHA-256 of the code of this package, and of what it rewrites models with."""
    folder = Path(__file__).parent
    beside = [folder.parent / f"{name}.py" for name in BESIDE]
    found = hashlib.sha256()
    for path in [*sorted(folder.glob("*.py")), *beside]:
        found.update(path.read_bytes())
    return found.hexdigest()

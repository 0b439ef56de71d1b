"""Quantised models that are kept are known by all code that decides what becomes of them."""

from __future__ import annotations

import ast
from pathlib import Path

from covenant.quantization.rules import BESIDE

PACKAGE = Path(__file__).resolve().parents[2] / "python/covenant"
ABOUT_MODELS = {"compiler", "errors", "files", "inputs", "machine", "model_parts", "oracle", "progress", "values"}
"""Modules that quantising calls and that change no model: they report, read files, or run what was made."""


def imported(path: Path) -> set[Path]:
    """Modules of the package that a module imports, anywhere in its text."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "covenant":
            names += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    files = (PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in names)
    return {file for file in files if file.is_file()}


def test_the_digest_covers_what_rewrites_models():
    found: set[Path] = set()
    waiting = set((PACKAGE / "quantization").glob("*.py"))
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= {one for one in imported(path) if one.stem not in ABOUT_MODELS} - found
    assert {path.stem for path in found if path.parent == PACKAGE} == set(BESIDE)

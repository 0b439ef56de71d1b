"""Quantised models that are kept are known by all code that decides what becomes of them."""

from __future__ import annotations

import ast
from pathlib import Path

from covenant.quantization.rules import BESIDE

PACKAGE = Path(__file__).resolve().parents[2] / "python/covenant"
ABOUT_MODELS = {"compiler", "machine", "onnx_runtime", "oracle", "program", "runtime"}
"""Rooms that quantising calls and that change no model: they report, read files, or run what was made."""


def room_of(path: Path) -> str:
    """First folder of the package on the way to a module."""
    return path.relative_to(PACKAGE).parts[0]


def imported(path: Path) -> set[Path]:
    """Modules of the package that a module imports, anywhere in its text."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "covenant":
            names += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    files = (PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in names)
    return {file for file in files if file.is_file() and file.parent != PACKAGE}


def test_the_digest_covers_what_rewrites_models():
    found: set[Path] = set()
    waiting = set((PACKAGE / "quantization").glob("*.py"))
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= {one for one in imported(path) if room_of(one) not in ABOUT_MODELS} - found
    beside = {path.relative_to(PACKAGE).with_suffix("").as_posix() for path in found if room_of(path) != "quantization"}
    assert beside == set(BESIDE)

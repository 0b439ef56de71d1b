"""Paths of the digits example."""

from __future__ import annotations

from pathlib import Path

DIGITS = Path(__file__).resolve().parents[2] / "examples" / "01_digits"
STYLES = ("qoperator", "qdq")


def model_of(style: str) -> Path:
    """The quantised digits model of one style."""
    return DIGITS / f"digits_{style}.onnx"

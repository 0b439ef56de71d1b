"""Loads models from files."""

from __future__ import annotations

import os
from typing import Any

from covenant.errors import CovenantError, Diagnostic

__all__ = ["loaded_model"]


def loaded_model(path: str | os.PathLike[str]) -> Any:
    """The `onnx.ModelProto` of a file.

    The package `onnx` knows fields that the compiler's own reader passes over: it may refuse what that takes.

    Raises:
        CovenantError: ONX0002, the package reads no model there.
        ImportError: the package is missing.
    """
    import onnx  # noqa: PLC0415  (import costs; many programs do not pay)

    try:
        return onnx.load(os.fspath(path))
    except Exception as error:  # parsers raise what they like
        raise CovenantError(
            Diagnostic(
                "ONX0002", "the package onnx reads no model here", os.fspath(path), offending=str(error).strip(),
                fix="check the file with onnx.checker.check_model(path), and export the model again",
            )
        ) from error  # fmt: skip

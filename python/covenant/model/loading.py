"""Loads models from files, and asks whether what was loaded can be read node by node."""

from __future__ import annotations

import os
from typing import Any

from covenant.errors import CovenantError, Diagnostic

__all__ = ["has_operands", "loaded_model"]


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


def has_operands(model: Any) -> bool:
    """Whether nodes have the inputs and outputs that their operators need: rewrites read them without asking."""
    from onnx import defs  # noqa: PLC0415

    opset = {entry.domain: entry.version for entry in model.opset_import}.get("", 1)
    needed: dict[tuple[str, str], tuple[int, int]] = {}
    for node in model.graph.node:
        kind = (node.domain, node.op_type)
        if kind not in needed:
            try:
                schema = defs.get_schema(node.op_type, opset, node.domain) if not node.domain else None
            except defs.SchemaError:
                schema = None
            needed[kind] = (schema.min_input, schema.min_output) if schema is not None else (0, 1)
        if len(node.input) < needed[kind][0] or len(node.output) < needed[kind][1]:
            return False
    return True

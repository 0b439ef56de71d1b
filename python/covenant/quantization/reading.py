"""Reads a float model, and refuses what cannot be quantised."""

from __future__ import annotations

import os
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.files import of_the_system
from covenant.model.kinds import NEWEST_OPSET, nodes_with_graphs, quantized_otherwise, with_graphs
from covenant.model.text import check_text

__all__ = ["check_graphs", "float_model", "opset_of", "refused"]

_QUANTIZED = ("QuantizeLinear", "DequantizeLinear")


def float_model(path: str | os.PathLike[str]) -> Any:
    """The `onnx.ModelProto` of a file.

    Raises:
        CovenantError: QNT0001, no float model can be read; QNT0014, its operators are newer than those that are known.
    """
    import onnx  # noqa: PLC0415

    try:
        model = onnx.load(os.fspath(path))
        check_text(model)
    except Exception as error:  # parsers raise what they like
        raise CovenantError(
            Diagnostic(
                "QNT0001", "no ONNX model can be read here", os.fspath(path), offending=str(error).strip(),
                fix="name a float model in ONNX's format",
            )
        ) from error  # fmt: skip
    if otherwise := quantized_otherwise(model, "QNT0001", path):
        raise otherwise
    found = sorted({node.op_type for node in model.graph.node} & set(_QUANTIZED))
    found += sorted({node.op_type for node in model.graph.node if node.op_type.startswith("QLinear")})
    if found:
        raise CovenantError(
            Diagnostic(
                "QNT0001", "the model is quantised already", os.fspath(path), offending=", ".join(found),
                fix="compile it as it is",
            )
        )  # fmt: skip
    if opset_of(model) > NEWEST_OPSET:
        raise CovenantError(
            Diagnostic(
                "QNT0014", "the model's operator set is newer than those that are known", os.fspath(path),
                offending=f"opset {opset_of(model)}", allowed=(f"up to opset {NEWEST_OPSET}",),
                fix=f"export it with opset_version={NEWEST_OPSET}, or lower",
            )
        )  # fmt: skip
    return model


def check_graphs(model: Any, path: str | os.PathLike[str]) -> None:
    """Raises QNT0013 if a node holds a graph of its own (If, Loop, Scan)."""
    if found := with_graphs(nodes_with_graphs(model), "QNT0013", path):
        raise found


def opset_of(model: Any) -> int:
    """The version of ONNX's own operators that a model uses."""
    return next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 1)


def refused(path: str | os.PathLike[str], error: Exception) -> CovenantError:
    """QNT0004: ONNX, or ONNX Runtime, does not take the model; or what the system says, of temporary files too."""
    if isinstance(error, OSError):
        return CovenantError(of_the_system(error))
    return CovenantError(
        Diagnostic(
            "QNT0004", "ONNX Runtime does not take this model", os.fspath(path), offending=str(error).strip(),
            fix="check it with onnx.checker.check_model(path, full_check=True); export it again",
        )
    )  # fmt: skip

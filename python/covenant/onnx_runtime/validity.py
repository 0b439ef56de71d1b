"""Asks ONNX Runtime whether a file is an ONNX model at all."""

from __future__ import annotations

from pathlib import Path

__all__ = ["is_refused"]


def is_refused(path: Path) -> bool:
    """Whether ONNX Runtime does not load a model: its nodes are not what ONNX says of them.

    Without ONNX Runtime, onnx checks the model.
    """
    try:
        import onnxruntime  # noqa: PLC0415  (import costs; models that are taken do not pay)
    except ImportError:
        return _is_invalid(path)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception:  # noqa: BLE001  (its exceptions have no base of their own)
        return True
    return False


def _is_invalid(path: Path) -> bool:
    from onnx import checker  # noqa: PLC0415

    try:
        checker.check_model(str(path), full_check=True)
    except Exception:  # noqa: BLE001  (besides its own errors, those of parsers)
        return True
    return False

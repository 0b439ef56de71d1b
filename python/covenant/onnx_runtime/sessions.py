"""ONNX Runtime: the version that is pinned, and sessions with the settings of a style (`covenant.oracle` says why)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from covenant.errors import CovenantError
from covenant.model.loading import loaded_model

__all__ = [
    "PINNED_ONNXRUNTIME",
    "NotExactError",
    "OracleError",
    "Style",
    "check_version",
    "model_of",
    "outputs_of",
    "session",
]

PINNED_ONNXRUNTIME = "1.31.1"
"""The version that the project's numbers are compared with (also in requirements.txt)."""


class OracleError(RuntimeError):
    """ONNX Runtime is missing, of another version, or would not run the model in integers."""


class NotExactError(OracleError):
    """ONNX Runtime runs the model, but not in integers that are exact here: it is no oracle of its bytes."""


class Style(Enum):
    """Style in which a model is quantised, if it is."""

    FLOAT = "float"
    QOPERATOR = "QOperator"
    QDQ = "QDQ"
    IN_FLOAT = "QDQ of other elements than bytes"
    UNFUSED = "any, as it is written"

    @property
    def settings(self) -> str:
        """Settings that the model is run with, for reports."""
        if self is Style.FLOAT:
            return "its own defaults"
        if self in (Style.QOPERATOR, Style.UNFUSED):
            return "graph optimisations off"
        if self is Style.IN_FLOAT:
            return "computed in float, graph optimisations off"
        return "fused into integer kernels (extended optimisations, i8 kept)"


def session(content: bytes, style: Style = Style.QDQ, optimized: Path | None = None, *, unsigned: bool = False) -> Any:
    """ONNX Runtime on the bytes of a model, with the settings of a style; it writes what it has made of it.

    Args:
        content: of the ONNX file.
        style: says the optimisations.
        optimized: file for the optimised model.
        unsigned: all activations of a QDQ model are u8: its i8 weights are stored as u8 where products of the two would
            saturate. It has no kernels of i8 by u8.

    Raises:
        OracleError: it is missing, of another version, or refuses the model.
    """
    check_version()
    try:
        import onnxruntime  # noqa: PLC0415  (import costs; a program that never compares does not pay)
    except ImportError as error:
        message = f"it cannot be loaded: {error}; install it with: pip install onnx onnxruntime=={PINNED_ONNXRUNTIME}"
        raise OracleError(message) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = {
        Style.FLOAT: levels.ORT_ENABLE_ALL,
        Style.QOPERATOR: levels.ORT_DISABLE_ALL,
        Style.IN_FLOAT: levels.ORT_DISABLE_ALL,
        Style.UNFUSED: levels.ORT_DISABLE_ALL,
        Style.QDQ: levels.ORT_ENABLE_EXTENDED,
    }[style]
    if style is Style.QDQ:
        options.add_session_config_entry("session.qdqisint8allowed", "1")
        if unsigned:
            options.add_session_config_entry("session.x64quantprecision", "1")
    if optimized is not None:
        options.optimized_model_filepath = str(optimized)
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no base of their own
        message = f"it refuses the model: {error}"
        raise OracleError(message) from error


def model_of(path: str | Path) -> Any:
    """The `onnx.ModelProto` of a file.

    Raises:
        OracleError: the package onnx is missing, or reads no model there.
    """
    try:
        return loaded_model(path)
    except ImportError as error:
        message = f"it needs the package onnx: {error}; install it with: pip install onnx"
        raise OracleError(message) from error
    except CovenantError as error:
        message = f"it has no model to run: {error.diagnostic.message}: {error.diagnostic.offending}"
        raise OracleError(message) from error


def check_version() -> str:
    """The version of ONNX Runtime installed.

    Raises:
        OracleError: it is missing, or not the pinned one.
    """
    fix = f"install it with: pip install onnxruntime=={PINNED_ONNXRUNTIME}"
    try:
        version = metadata.version("onnxruntime")
    except metadata.PackageNotFoundError:
        message = f"ONNX Runtime is not installed; {fix}"
        raise OracleError(message) from None
    if version != PINNED_ONNXRUNTIME:
        message = (
            f"ONNX Runtime {version} is installed, but results are compared with {PINNED_ONNXRUNTIME}: versions differ "
            f"in how they round ties; {fix}"
        )
        raise OracleError(message)
    return version


def outputs_of(runnable: Any, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """All outputs of a session by name, of its own inputs among those given.

    Raises:
        OracleError: ONNX Runtime refuses them.
    """
    names = [entry.name for entry in runnable.get_outputs()]
    wanted = {entry.name for entry in runnable.get_inputs()}
    try:
        outputs = runnable.run(names, {name: array for name, array in inputs.items() if name in wanted})
    except Exception as error:  # its exceptions have no base of their own
        message = f"it refuses the inputs: {error}"
        raise OracleError(message) from error
    return dict(zip(names, outputs, strict=True))

"""ONNX Runtime as the oracle, its kernels beside exact integers, and a witness that shares nothing with either."""

from covenant.onnx_runtime.fused_model import style_of
from covenant.onnx_runtime.sessions import (
    PINNED_ONNXRUNTIME,
    NotExactError,
    OracleError,
    Style,
    check_version,
    session,
)
from covenant.oracle.oracle import Oracle, oracle_of, run

__all__ = [
    "PINNED_ONNXRUNTIME",
    "NotExactError",
    "Oracle",
    "OracleError",
    "Style",
    "check_version",
    "oracle_of",
    "run",
    "session",
    "style_of",
]

"""ONNX Runtime as the oracle: how a quantised model has to be run so that its bytes mean something.

ONNX Runtime differs from itself, between optimisation levels and between processors, so its version is pinned and
its settings are fixed here:

- **QOperator** models (QLinearConv and the like) run with all graph optimisations off.
- **QDQ** models run with the optimisations that fuse them into integer kernels (`ORT_ENABLE_EXTENDED`), and with
  `session.qdqisint8allowed`, without which i8 models are half rewritten to u8 and layers around a residual stay float.
  What was fused is checked in the optimised model: no float operator may be left.
- Both use one thread and the CPU provider.

`probe()` compares the kernels of this processor with exact integers on saturating inputs: processors without VNNI
saturate pairs of u8 x i8 products at 16 bits. Where it fails, the exact reference operators give the expected
outputs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

__all__ = [
    "PINNED_ONNXRUNTIME",
    "Oracle",
    "OracleError",
    "ProbeCase",
    "ProbeResult",
    "Style",
    "check_version",
    "describe",
    "probe",
    "run",
    "style_of",
]

PINNED_ONNXRUNTIME = "1.31.1"
"""The version that the project's numbers are compared with (also in requirements.txt)."""

_QOPERATORS = frozenset(
    {"QLinearConv", "QLinearMatMul", "QGemm", "QLinearAdd", "QLinearGlobalAveragePool", "QLinearAveragePool"}
)
_INTEGER_OPERATORS = _QOPERATORS | {
    "QuantizeLinear",
    "DequantizeLinear",
    "MaxPool",
    "Flatten",
    "Reshape",
    "Relu",
    "Clip",
}


class OracleError(RuntimeError):
    """ONNX Runtime is missing, of another version, or would not run the model in integers."""


class Style(Enum):
    """How a model says that it is quantised, if it is."""

    FLOAT = "float"
    QOPERATOR = "QOperator"
    QDQ = "QDQ"

    @property
    def settings(self) -> str:
        """What the model is run with, for reports."""
        if self is Style.FLOAT:
            return "its own defaults"
        if self is Style.QOPERATOR:
            return "graph optimisations off"
        return "fused into integer kernels (extended optimisations, i8 kept)"


@dataclass(frozen=True)
class ProbeCase:
    """One kernel of ONNX Runtime, compared with exact integers."""

    name: str  #: for example "conv u8 x i8, per channel, 255 x 127"
    identical: bool  #: every output byte equal
    different: int  #: output bytes that differ
    total: int  #: output bytes


@dataclass(frozen=True)
class ProbeResult:
    """What `probe` found."""

    version: str  #: of ONNX Runtime
    cases: tuple[ProbeCase, ...]

    @property
    def exact(self) -> bool:
        """Whether every kernel computes what the exact integers say."""
        return all(case.identical for case in self.cases)

    @property
    def text(self) -> str:
        """One sentence for the user.

        Example:
            >>> ProbeResult("1.31.1", (ProbeCase("conv", True, 0, 8),)).text
            'ONNX Runtime 1.31.1: all 1 probed integer kernels equal exact integers'
        """
        wrong = [case for case in self.cases if not case.identical]
        if not wrong:
            return f"ONNX Runtime {self.version}: all {len(self.cases)} probed integer kernels equal exact integers"
        names = "; ".join(case.name for case in wrong)
        return (
            f"ONNX Runtime {self.version}: {len(wrong)} of {len(self.cases)} probed kernels differ from exact integers "
            f"on this processor ({names}): it probably lacks VNNI and saturates at 16 bits. Take the expected outputs "
            "from the reference operators instead"
        )


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


def style_of(model: Any) -> Style:
    """The style of an `onnx.ModelProto`.

    Raises:
        OracleError: it mixes quantised and float operators.
    """
    operators = {node.op_type for node in model.graph.node}
    inner = {"Conv", "Gemm", "MatMul", "Add", "GlobalAveragePool"}
    if operators & _QOPERATORS:
        if operators & inner:
            message = f"the model mixes quantised and float operators: {', '.join(sorted(operators & inner))}"
            raise OracleError(message)
        return Style.QOPERATOR
    if {"QuantizeLinear", "DequantizeLinear"} & operators:
        return Style.QDQ
    return Style.FLOAT


class Oracle:
    """A model in ONNX Runtime, set up as this module says.

    Args:
        model: path of the ONNX file, or an `onnx.ModelProto`.
        strict: refuse a QDQ model of which a float operator is left after fusion.

    Attributes:
        style: `Style` of the model.
        operators: operator types that ONNX Runtime runs, in its order, after its optimisations.

    Raises:
        OracleError: another version of ONNX Runtime, or a quantised model that would not run in integers.
    """

    def __init__(self, model: str | Path | Any, *, strict: bool = True) -> None:
        check_version()
        try:
            import onnx  # noqa: PLC0415  (import costs; a program that never compares does not pay)
            import onnxruntime  # noqa: PLC0415
        except ImportError as error:
            message = (
                f"it cannot be loaded: {error}; install it with: pip install onnx onnxruntime=={PINNED_ONNXRUNTIME}"
            )
            raise OracleError(message) from error

        proto = onnx.load(str(model)) if isinstance(model, str | Path) else model
        self.style = style_of(proto)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        levels = onnxruntime.GraphOptimizationLevel
        if self.style is Style.FLOAT:
            options.graph_optimization_level = levels.ORT_ENABLE_ALL
        elif self.style is Style.QOPERATOR:
            options.graph_optimization_level = levels.ORT_DISABLE_ALL
        else:
            options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED
            options.add_session_config_entry("session.qdqisint8allowed", "1")
        with tempfile.TemporaryDirectory() as folder:
            optimized = Path(folder) / "optimized.onnx"
            options.optimized_model_filepath = str(optimized)
            self._session = onnxruntime.InferenceSession(
                proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
            self.operators = tuple(node.op_type for node in onnx.load(str(optimized)).graph.node)
        left = sorted(set(self.operators) - _INTEGER_OPERATORS)
        if strict and left and self.style is not Style.FLOAT:
            message = f"ONNX Runtime would run float operators in the middle of the model: {', '.join(left)}"
            raise OracleError(message)

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the graph's inputs."""
        return tuple(entry.name for entry in self._session.get_inputs())

    def run(self, inputs: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, np.ndarray]:
        """One run.

        Args:
            inputs: one array per graph input, or the array of the only one.

        Returns:
            One array per graph output.
        """
        if isinstance(inputs, np.ndarray):
            inputs = {self.input_names[0]: inputs}
        names = [entry.name for entry in self._session.get_outputs()]
        return dict(zip(names, self._session.run(names, dict(inputs)), strict=True))


def run(model_path: str | Path, inputs: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, np.ndarray]:
    """Runs a model once, as `Oracle` does; float models run with ONNX Runtime's defaults.

    Runs of the same unchanged file share one session.

    Raises:
        OracleError: see `Oracle`.
    """
    path = Path(model_path)
    state = path.stat()
    return _oracle_of(path, state.st_mtime_ns, state.st_size).run(inputs)


@lru_cache(maxsize=8)
def _oracle_of(path: Path, _modified_ns: int, _size_bytes: int) -> Oracle:
    """The oracle of a file in one state."""
    return Oracle(path)


def describe(model_path: str | Path) -> dict[str, Any]:
    """How `run` runs a model, for reports.

    Returns:
        `version` of ONNX Runtime, `style`, `settings` and `probe` in words, `exact`: whether the probe found its
        kernels to be exact.

    Raises:
        OracleError: see `Oracle`.
    """
    path = Path(model_path)
    state = path.stat()
    style = _oracle_of(path, state.st_mtime_ns, state.st_size).style
    found = probe()
    return {
        "version": found.version,
        "style": style.value,
        "settings": f"ONNX Runtime {found.version}, {style.value} model, {style.settings}",
        "probe": found.text,
        "exact": found.exact,
    }


def probe() -> ProbeResult:
    """Compares this processor's integer kernels with exact integers, on random and on saturating inputs.

    Takes well under a second.

    Raises:
        OracleError: another version of ONNX Runtime.
    """
    version = check_version()
    generator = np.random.default_rng(0)
    cases = []
    for x_type, w_type in ((np.uint8, np.int8), (np.int8, np.int8), (np.uint8, np.uint8)):
        x_range, w_range = np.iinfo(x_type), np.iinfo(w_type)
        fills = (
            ("random", None, None),
            *((f"{x_range.max} x {w}", x_range.max, w) for w in (w_range.max, w_range.min)),
        )
        for fill_name, x_fill, w_fill in fills:
            for per_channel in (False, True):
                for kind in ("conv", "matmul"):
                    x_shape, w_shape = ((1, 24, 6, 5), (12, 24, 3, 3)) if kind == "conv" else ((3, 72), (72, 20))
                    x = generator.integers(x_range.min, x_range.max + 1, x_shape).astype(x_type)
                    w = generator.integers(w_range.min, w_range.max + 1, w_shape).astype(w_type)
                    if x_fill is not None:
                        x[...], w[...] = x_fill, w_fill
                    different, total = _compare_kernel(kind, x, w, per_channel=per_channel)
                    scales = "per channel" if per_channel else "per tensor"
                    name = f"{kind} {x.dtype} x {w.dtype}, {scales}, {fill_name}"
                    cases.append(ProbeCase(name, different == 0, different, total))
    return ProbeResult(version, tuple(cases))


def _compare_kernel(kind: str, x: np.ndarray, w: np.ndarray, *, per_channel: bool) -> tuple[int, int]:
    """Bytes that differ between ONNX Runtime's kernel and exact integers, and bytes in all."""
    try:
        from onnx import helper, numpy_helper  # noqa: PLC0415
    except ImportError as error:
        message = f"the probe needs the package onnx: {error}; install it with: pip install onnx"
        raise OracleError(message) from error

    outputs = w.shape[0] if kind == "conv" else w.shape[1]
    x_zero, w_zero = (7, 0) if x.dtype == np.int8 else (113, 0 if w.dtype == np.int8 else 128)
    w_scales = np.linspace(0.01, 0.03, outputs if per_channel else 1, dtype=np.float32)
    sums = _exact_conv(x, w, x_zero, w_zero) if kind == "conv" else _exact_matmul(x, w, x_zero, w_zero)
    # An output scale that maps the largest sum to 100 steps: nothing hides in the clamp.
    x_scale = np.float32(0.02)
    y_scale = np.float32(max(float(np.abs(sums).max()) * 0.02 * float(w_scales.max()) / 100.0, 1e-6))
    y_zero = 0 if x.dtype == np.int8 else 128
    shape = (1, -1, 1, 1) if kind == "conv" else (1, -1)
    scale = (x_scale * w_scales / y_scale).astype(np.float32).reshape(shape)
    limits = np.iinfo(x.dtype)
    expected = np.clip(np.rint(sums.astype(np.float32) * scale) + y_zero, limits.min, limits.max).astype(x.dtype)

    constants = {
        "x_scale": x_scale,
        "x_zero": x.dtype.type(x_zero),
        "w": w,
        "w_scale": w_scales if per_channel else w_scales[0],
        "w_zero": np.full(outputs, w_zero, w.dtype) if per_channel else w.dtype.type(w_zero),
        "y_scale": y_scale,
        "y_zero": x.dtype.type(y_zero),
    }
    operator = "QLinearConv" if kind == "conv" else "QLinearMatMul"
    node = helper.make_node(operator, ["x", *constants], ["y"])
    element = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [node],
        "probe",
        [helper.make_tensor_value_info("x", element, x.shape)],
        [helper.make_tensor_value_info("y", element, expected.shape)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    result = Oracle(model).run({"x": x})["y"]
    return int((result != expected).sum()), expected.size


def _exact_matmul(x: np.ndarray, w: np.ndarray, x_zero: int, w_zero: int) -> np.ndarray:
    """Sums of products in 64-bit integers: i64[M, N]."""
    return (x.astype(np.int64) - x_zero) @ (w.astype(np.int64) - w_zero)


def _exact_conv(x: np.ndarray, w: np.ndarray, x_zero: int, w_zero: int) -> np.ndarray:
    """Sums of products of an unpadded convolution by steps of 1, in 64-bit integers: i64[N, O, OH, OW]."""
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.int64) - x_zero, w.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w.astype(np.int64) - w_zero)

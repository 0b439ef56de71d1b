"""Probes the kernels of ONNX Runtime on this processor against exact integers (`covenant.oracle.exact`).

Processors without VNNI saturate pairs of u8 x i8 products at 16 bits; others round sums of two in another way. So every
kernel that the front end accepts is run on random and on extreme operands, in each choice of element types, before its
word counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from covenant.model.kernels import REAL_PAIRS, Kernel
from covenant.onnx_runtime.sessions import OracleError, check_version
from covenant.oracle import exact
from covenant.oracle.oracle import Oracle

__all__ = ["ProbeCase", "ProbeResult", "probe"]

_TYPES = (np.uint8, np.int8)
_PRODUCT_TYPES = ((np.uint8, np.int8), (np.int8, np.int8), (np.uint8, np.uint8))
_MICROSOFT = (
    "QGemm", "QLinearAdd", "QLinearAveragePool", "QLinearConcat", "QLinearMul", "QLinearGlobalAveragePool",
    "QLinearSoftmax", "QLinearWhere",
)  # fmt: skip


@dataclass(frozen=True)
class ProbeCase:
    """One kernel on one choice of operands."""

    kernel: Kernel  #: operator and element types
    name: str  #: which operands, for example "per channel, 255 x 127"
    different: int  #: output elements that differ
    total: int  #: output elements

    @property
    def identical(self) -> bool:
        """Every output element equal."""
        return self.different == 0


@dataclass(frozen=True)
class ProbeResult:
    """Results of `probe`."""

    version: str  #: of ONNX Runtime
    cases: tuple[ProbeCase, ...]
    unknown: tuple[Kernel, ...] = ()  #: asked for by `of`, and not among the cases

    @property
    def wrong(self) -> tuple[Kernel, ...]:
        """Kernels with a case that differs, each once."""
        return tuple(dict.fromkeys(case.kernel for case in self.cases if not case.identical))

    @property
    def exact(self) -> bool:
        """Whether every kernel computes what the exact integers say."""
        return not self.wrong and not self.unknown

    def of(self, kernels: Iterable[Kernel]) -> ProbeResult:
        """Results for these kernels: those that one model needs."""
        wanted = tuple(kernels)
        cases = tuple(case for case in self.cases if case.kernel in wanted)
        probed = {case.kernel for case in cases}
        return ProbeResult(self.version, cases, tuple(kernel for kernel in wanted if kernel not in probed))

    @property
    def text(self) -> str:
        """One sentence for the user.

        Example:
            >>> ProbeResult("1.31.1", (ProbeCase(Kernel("MaxPool", ("int8",)), "random", 0, 8),)).text
            'ONNX Runtime 1.31.1: all 1 probed integer kernels equal exact integers'
        """
        kernels = dict.fromkeys(case.kernel for case in self.cases)
        start = f"ONNX Runtime {self.version}: "
        if self.exact:
            return f"{start}all {len(kernels)} probed integer kernels equal exact integers"
        parts = []
        if self.wrong:
            names = "; ".join(map(str, self.wrong))
            count = f"{len(self.wrong)} of {len(kernels)} probed kernels"
            parts.append(f"{count} differ from exact integers on this processor ({names})")
        if self.unknown:
            parts.append(f"kernels that are not probed ({'; '.join(map(str, self.unknown))})")
        text = start + ", and ".join(parts)
        if any(kernel.types == ("uint8", "int8") for kernel in self.wrong):
            text += ": without VNNI a processor saturates pairs of u8 x i8 products at 16 bits"
        return text


def probe() -> ProbeResult:
    """Compares this processor's integer kernels with exact integers; about a second, once in a process.

    Raises:
        OracleError: ONNX Runtime is missing, or another version.
    """
    version = check_version()
    return ProbeResult(version, _found())


@lru_cache(maxsize=1)
def _found() -> tuple[ProbeCase, ...]:
    return tuple(_cases())


def _cases() -> Iterator[ProbeCase]:
    generator = np.random.default_rng(0)
    for x_type, w_type in _PRODUCT_TYPES:
        yield from _products(generator, x_type, w_type)
    for dtype in _TYPES:
        yield from _elementwise(generator, dtype)
    sums, scale = _any(generator, (4096,), np.int32), np.float32(0.0173)
    kernel, constants = Kernel("DequantizeLinear", ("int32",)), [scale, np.int32(0)]
    yield _compared(kernel, "sums", [sums], constants, exact.dequantized(sums, scale, 0))


def _any(generator: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max + 1, shape).astype(dtype)


def _products(generator: np.random.Generator, x_type: Any, w_type: Any) -> Iterator[ProbeCase]:
    """Convolutions plain, in groups and depthwise, and products with and without bias."""
    x_most, w_range = np.iinfo(x_type).max, np.iinfo(w_type)
    fills = (("random", None), (f"{x_most} x {w_range.max}", w_range.max), (f"{x_most} x {w_range.min}", w_range.min))
    shapes: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], int]] = {
        "": ("QLinearConv", (1, 24, 6, 5), (12, 24, 3, 3), 1),
        "groups, ": ("QLinearConv", (1, 24, 6, 5), (12, 8, 3, 3), 3),
        "depthwise, ": ("QLinearConv", (1, 24, 6, 5), (24, 1, 3, 3), 24),
        "two rows, ": ("QLinearMatMul", (2, 72), (72, 20), 1),
        "bias, ": ("QGemm", (3, 72), (72, 20), 1),
    }
    for form, (operator, x_shape, w_shape, group) in shapes.items():
        for fill, w_value in fills:
            for per_channel in (False, True):
                x, w = _any(generator, x_shape, x_type), _any(generator, w_shape, w_type)
                if w_value is not None:
                    x[...], w[...] = x_most, w_value
                scales = "per channel" if per_channel else "per tensor"
                yield _product(operator, f"{form}{scales}, {fill}", x, w, group, per_channel=per_channel)


def _product(operator: str, name: str, x: np.ndarray, w: np.ndarray, group: int, *, per_channel: bool) -> ProbeCase:
    is_conv = operator == "QLinearConv"
    outputs = w.shape[0] if is_conv else w.shape[1]
    x_zero, w_zero = (7, 0) if x.dtype == np.int8 else (113, 0 if w.dtype == np.int8 else 128)
    w_scales = np.linspace(0.01, 0.03, outputs if per_channel else 1, dtype=np.float32)
    sums = exact.conv_sums(x, w, x_zero, w_zero, group) if is_conv else exact.product_sums(x, w, x_zero, w_zero)
    bias = np.arange(outputs, dtype=np.int32) * 37 - 300
    if operator == "QGemm":
        sums = sums + bias
    # An output scale that maps the largest sum to 100 steps: nothing hides in the clamp.
    x_scale, y_zero = np.float32(0.02), 0 if x.dtype == np.int8 else 128
    y_scale = np.float32(max(float(np.abs(sums).max()) * 0.02 * float(w_scales.max()) / 100.0, 1e-6))
    scale = (x_scale * w_scales / y_scale).astype(np.float32).reshape((1, -1, 1, 1) if is_conv else (1, -1))
    zeros = np.full(outputs, w_zero, w.dtype)
    weights = [w, w_scales, zeros] if per_channel else [w, w_scales[0], zeros[0]]
    middle = [bias] if operator == "QGemm" else []
    constants = [x_scale, x.dtype.type(x_zero), *weights, *middle, y_scale, x.dtype.type(y_zero)]
    expected = exact.requantized(sums, scale, y_zero, x.dtype)
    attributes = {"group": group} if is_conv else {}
    kernel = Kernel(operator, (x.dtype.name, w.dtype.name))
    return _compared(kernel, name, [x], constants, expected, **attributes)


def _elementwise(generator: np.random.Generator, dtype: Any) -> Iterator[ProbeCase]:
    """Everything without weights."""
    limits = np.iinfo(dtype)
    kernel = lambda operator: Kernel(operator, (np.dtype(dtype).name,))  # noqa: E731
    every = np.arange(limits.min, limits.max + 1).astype(dtype)
    for turn in range(3):
        scales = np.exp(generator.uniform(-6, 0, 3)).astype(np.float32)
        zeros = [int(zero) for zero in generator.integers(limits.min, limits.max + 1, 3)]
        pairs = [entry for pair in zip(scales, map(dtype, zeros), strict=True) for entry in pair]
        a, b = (np.ascontiguousarray(array) for array in np.meshgrid(every, every, indexing="ij"))
        both = exact.sum_of_two(a, b, scales, zeros)
        yield _compared(kernel("QLinearAdd"), f"all operands, scales {turn}", [a, b], pairs, both)
        product = exact.product_of_two(a, b, scales, zeros)
        yield _compared(kernel("QLinearMul"), f"all operands, scales {turn}", [a, b], pairs, product)
        joined = exact.concatenated([every, every], scales, zeros)
        operator = kernel("QLinearConcat")
        yield _compared(operator, f"all operands, scales {turn}", [every, every], pairs, joined, axis=0)
        chosen = exact.choice(a < b, [a, b], scales, zeros)
        yield _compared(kernel("QLinearWhere"), f"all operands, scales {turn}", [a < b, a, b], pairs, chosen)
        plane = _any(generator, (2, 5, 7 + turn, 9), dtype)
        average = exact.average(plane, (scales[0], scales[1]), zeros)
        operator = kernel("QLinearGlobalAveragePool")
        yield _compared(operator, f"random, scales {turn}", [plane], pairs[:4], average, channels_last=0)
        windows = exact.window_average(plane, (scales[0], scales[1]), zeros, 3)
        yield _compared(
            kernel("QLinearAveragePool"), f"random, scales {turn}", [plane], pairs[:4], windows, kernel_shape=[3, 3]
        )
        share = (scales[0], np.float32(1 / 256))
        rows = _any(generator, (9, 30 + turn), dtype)
        softmax = exact.softmax(rows, share, (zeros[0], limits.min))
        constants = [*pairs[:2], share[1], dtype(limits.min)]
        yield _compared(
            kernel("QLinearSoftmax"), f"random, scales {turn}", [rows], constants, softmax, axis=1, opset=13
        )
        steps = (generator.integers(-600, 600, 4096) / 2).astype(np.float32) * scales[0]  # half of them ties
        stored = exact.quantized(steps, scales[0], zeros[0], dtype)
        yield _compared(kernel("QuantizeLinear"), f"steps and ties, scales {turn}", [steps], pairs[:2], stored)
        real = exact.dequantized(every, scales[0], zeros[0])
        yield _compared(kernel("DequantizeLinear"), f"all operands, scales {turn}", [every], pairs[:2], real)
    real = [exact.dequantized(array, np.float32(0.017), zero) for array, zero in ((a, 3), (b, 7))]
    real[1][real[1] == 0] = 1
    for operator in REAL_PAIRS:
        case = f"all operands of {np.dtype(dtype).name}"
        yield _compared(Kernel(operator, ("float32",)), case, real, [], exact.real_pair(operator, *real))
    plane = _any(generator, (1, 3, 12, 11), dtype)
    yield _compared(kernel("MaxPool"), "random", [plane], [], exact.maximum(plane, 3), kernel_shape=[3, 3])
    low, high = dtype(limits.min + 31), dtype(limits.max - 57)
    yield _compared(kernel("Clip"), "all operands", [every], [low, high], np.clip(every, low, high))
    if dtype is np.int8:  # ONNX Runtime has no Relu of u8
        yield _compared(kernel("Relu"), "all operands", [every], [], np.maximum(every, dtype(0)))


def _compared(
    kernel: Kernel, name: str, inputs: list[np.ndarray], constants: list[Any], expected: np.ndarray, **attributes: Any
) -> ProbeCase:
    """Runs a model of one node; operands of a sum stand each before its scale and zero point."""
    try:
        from onnx import helper, numpy_helper  # noqa: PLC0415
    except ImportError as error:
        message = f"the probe needs the package onnx: {error}; install it with: pip install onnx"
        raise OracleError(message) from error

    names = [f"c{i}" for i in range(len(constants))]
    operands = [f"x{i}" for i in range(len(inputs))]
    order = [operands[0], *names[:2], operands[1], *names[2:]] if len(inputs) == 2 and names else [*operands, *names]
    if kernel.operator == "QLinearConcat":  # what it makes stands first
        order = [*names[4:], operands[0], *names[:2], operands[1], *names[2:4]]
    if kernel.operator == "QLinearWhere":  # what decides stands first
        order = [*operands[:2], *names[:2], operands[2], *names[2:]]
    domain = "com.microsoft" if kernel.operator in _MICROSOFT else ""
    graph = helper.make_graph(
        [helper.make_node(kernel.operator, order, ["y"], domain=domain, **attributes)],
        "probe",
        [_info(operand, array) for operand, array in zip(operands, inputs, strict=True)],
        [_info("y", expected)],
        [numpy_helper.from_array(np.asarray(value), entry) for entry, value in zip(names, constants, strict=True)],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    result = Oracle(model).run(dict(zip(operands, inputs, strict=True)))["y"]
    return ProbeCase(kernel, name, int((result != expected).sum()), expected.size)


def _info(name: str, array: np.ndarray) -> Any:
    from onnx import helper  # noqa: PLC0415

    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)

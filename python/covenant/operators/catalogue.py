"""Catalogue of the operators of quantised models, each with small models that try it."""

from __future__ import annotations

from covenant.operators.activations import ACTIVATIONS
from covenant.operators.forms import Form, qdq
from covenant.operators.little_model import Bias, Input, Real, Stored, Weights
from covenant.operators.movements import MOVEMENTS
from covenant.operators.on_stored import ON_STORED
from covenant.operators.others import OTHERS

__all__ = ["FORMS", "GROUPS"]

IMAGE = Input((1, 16, 6, 6))
ROWS = Input((4, 16))
CHANNELS = Real((16,))
THREE = (3, 3)

PRODUCTS = (
    qdq("Conv", IMAGE, Weights((16, 16, 3, 3)), Bias(16), kernel_shape=THREE, pads=[1, 1, 1, 1]),
    qdq("Conv", IMAGE, Weights((16, 1, 3, 3)), Bias(16), about="depthwise", kernel_shape=THREE, group=16),
    qdq("Conv", IMAGE, Weights((16, 4, 3, 3)), about="in groups", kernel_shape=THREE, group=4),
    qdq("Conv", IMAGE, Weights((16, 16, 3, 3)), CHANNELS, about="float bias", kernel_shape=THREE),
    qdq("Conv", Input((1, 16, 12)), Weights((16, 16, 3)), Bias(16), about="one dimension", kernel_shape=[3]),
    qdq("Conv", Input((1, 4, 4, 4, 4)), Weights((8, 4, 2, 2, 2)), about="three dimensions", kernel_shape=[2, 2, 2]),
    qdq("ConvTranspose", IMAGE, Weights((16, 16, 2, 2)), Bias(16), kernel_shape=[2, 2], strides=[2, 2]),
    qdq("DeformConv", IMAGE, Weights((16, 16, 3, 3)), Real((1, 18, 4, 4), 0, 0.5), kernel_shape=THREE),
    qdq("Gemm", ROWS, Weights((8, 16)), Bias(8), transB=1),
    qdq("Gemm", ROWS, Weights((8, 16)), Bias(8), about="alpha 0.5", transB=1, alpha=0.5),
    qdq("MatMul", ROWS, Weights((16, 8))),
    qdq("MatMul", Input((1, 2, 8, 16)), Input((1, 2, 16, 8)), about="two activations"),
    qdq("com.microsoft.FusedMatMul", ROWS, Weights((16, 8)), alpha=0.5),
    qdq("Einsum", ROWS, Weights((16, 8)), equation="ij,jk->ik"),
)

PAIRS = (
    qdq("Add", IMAGE, IMAGE),
    qdq("Add", IMAGE, Weights((1, 16, 1, 1), is_operand=True), about="a constant"),
    qdq("Mul", IMAGE, IMAGE),
    qdq("Mul", IMAGE, Input((1, 16, 1, 1)), about="one element a channel"),
    qdq("Sub", IMAGE, IMAGE),
    qdq("Div", IMAGE, IMAGE),
    qdq("Max", IMAGE, IMAGE),
    qdq("Min", IMAGE, IMAGE),
    qdq("Sum", IMAGE, IMAGE, IMAGE, about="of three"),
    qdq("Mean", IMAGE, IMAGE),
    qdq("Pow", IMAGE, IMAGE, about="of two tensors"),
    qdq("Where", Stored([[True] * 8 + [False] * 8], "bool"), ROWS, ROWS, about="by a constant"),
)

POOLS = (
    qdq("AveragePool", IMAGE, kernel_shape=[2, 2], strides=[2, 2]),
    qdq("AveragePool", IMAGE, about="padded", kernel_shape=THREE, pads=[1, 1, 1, 1]),
    qdq("GlobalAveragePool", IMAGE),
    qdq("MaxPool", IMAGE, kernel_shape=[2, 2], strides=[2, 2]),
    qdq("GlobalMaxPool", IMAGE),
    qdq("LpPool", IMAGE, kernel_shape=[2, 2]),
    qdq("GlobalLpPool", IMAGE),
    qdq("MaxUnpool", IMAGE, Stored([[[[0] * 6] * 6] * 16]), kernel_shape=[2, 2]),
    qdq("MaxRoiPool", IMAGE, Real((1, 5), 0, 4), pooled_shape=[2, 2]),
    qdq("RoiAlign", IMAGE, Real((1, 4), 0, 4), Stored([0])),
)

SUMS = (
    "ReduceMax", "ReduceMin", "ReduceMean", "ReduceSum", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
    "ReduceLogSum", "ReduceLogSumExp",
)  # fmt: skip
REDUCTIONS = (
    *(qdq(name, IMAGE, Stored([2, 3])) for name in SUMS),
    qdq("ReduceMean", IMAGE, Stored([1]), about="over channels"),
    qdq("ArgMax", ROWS, cast=True, closes_with="int64", axis=1),
    qdq("ArgMin", ROWS, cast=True, closes_with="int64", axis=1),
    qdq("TopK", ROWS, Stored([4]), outputs=2),
    qdq("CumSum", ROWS, Stored(1)),
)

NORMALISATIONS = (
    qdq("Softmax", ROWS, axis=-1),
    qdq("Softmax", IMAGE, about="over channels", axis=1),
    qdq("LogSoftmax", ROWS, axis=-1),
    qdq("Hardmax", ROWS, axis=-1),
    qdq("LayerNormalization", ROWS, CHANNELS, CHANNELS),
    qdq("RMSNormalization", ROWS, CHANNELS, opset=23),
    qdq("BatchNormalization", IMAGE, CHANNELS, CHANNELS, CHANNELS, CHANNELS),
    qdq("InstanceNormalization", IMAGE, CHANNELS, CHANNELS),
    qdq("GroupNormalization", IMAGE, CHANNELS, CHANNELS, num_groups=4),
    qdq("LpNormalization", ROWS),
    qdq("MeanVarianceNormalization", IMAGE),
    qdq("LRN", IMAGE, size=3),
    qdq("com.microsoft.SkipLayerNormalization", Input((1, 4, 16)), Input((1, 4, 16)), CHANNELS, CHANNELS),
)

GROUPS: dict[str, tuple[Form, ...]] = {
    "Products": PRODUCTS,
    "Two tensors": PAIRS,
    "Pools": POOLS,
    "Reductions": REDUCTIONS,
    "Normalisations": NORMALISATIONS,
    "Functions of an element": ACTIVATIONS,
    "Movements": MOVEMENTS,
    "Others": OTHERS,
    "On stored elements": ON_STORED,
}
"""All forms, by what kind of work they are."""

FORMS: tuple[Form, ...] = tuple(form for group in GROUPS.values() for form in group)

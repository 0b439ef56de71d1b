"""Catalogue of operators that compute on quantised elements: the style QOperator."""

from __future__ import annotations

import numpy as np

from covenant.operators.forms import Alone, Form, stored
from covenant.operators.little_model import Bias, Input, Stored, Weights

__all__ = ["ON_STORED"]

_IMAGE = Input((1, 16, 6, 6))
_ROWS = Input((4, 16))
_RESULT = ("scale", "zero")

ON_STORED: tuple[Form, ...] = (
    stored("QLinearConv", _IMAGE, Weights((16, 16, 3, 3)), *_RESULT, Bias(16), kernel_shape=[3, 3]),
    stored("QLinearConv", _IMAGE, Weights((16, 1, 3, 3)), *_RESULT, about="depthwise", kernel_shape=[3, 3], group=16),
    stored("QLinearMatMul", _ROWS, Weights((16, 8)), *_RESULT),
    stored("QLinearMatMul", Input((1, 2, 8, 16)), Input((1, 2, 16, 8)), *_RESULT, about="two activations"),
    stored("com.microsoft.QGemm", _ROWS, Weights((8, 16)), Bias(8), *_RESULT, transB=1),
    stored("com.microsoft.QLinearAdd", _IMAGE, _IMAGE, *_RESULT),
    stored("com.microsoft.QLinearMul", _IMAGE, _IMAGE, *_RESULT),
    stored("com.microsoft.QLinearConcat", *_RESULT, _ROWS, _ROWS, axis=1),
    stored("com.microsoft.QLinearWhere", Stored([[True] * 8 + [False] * 8], "bool"), _ROWS, _ROWS, *_RESULT),
    stored("com.microsoft.QLinearSigmoid", _ROWS, *_RESULT),
    stored("com.microsoft.QLinearLeakyRelu", _ROWS, *_RESULT),
    stored("com.microsoft.QLinearGlobalAveragePool", _IMAGE, *_RESULT),
    stored("com.microsoft.QLinearAveragePool", _IMAGE, *_RESULT, kernel_shape=[2, 2], strides=[2, 2]),
    stored("com.microsoft.QLinearSoftmax", _ROWS, *_RESULT, axis=-1, opset=21),
    stored("com.microsoft.QLinearReduceMean", _IMAGE, *_RESULT, axes=[2, 3]),
    stored("MaxPool", Alone((1, 16, 6, 6)), kernel_shape=[2, 2], strides=[2, 2]),
    stored("Relu", Alone((4, 16))),
    stored("Reshape", Alone((4, 16)), Stored([2, 32])),
    stored("Transpose", Alone((4, 16)), perm=[1, 0]),
    stored("Concat", Alone((4, 16)), Alone((4, 16)), axis=1),
    stored("Gather", Alone((4, 16)), Stored(np.array([2, 0])), axis=0),
    stored("Slice", Alone((4, 16)), Stored([0]), Stored([8]), Stored([1])),
    stored("Split", Alone((4, 16)), outputs=2, axis=1, num_outputs=2),
    stored("Expand", Alone((1, 16)), Stored([4, 16])),
    stored("Pad", Alone((1, 16, 4, 4)), Stored([0, 0, 1, 1, 0, 0, 1, 1]), "zero"),
    stored("DepthToSpace", Alone((1, 16, 4, 4)), blocksize=2),
)

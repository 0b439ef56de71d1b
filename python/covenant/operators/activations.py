"""Catalogue of operators that compute each element of the result from one element of the input."""

from __future__ import annotations

from covenant.operators.forms import Form, qdq
from covenant.operators.little_model import Input, Real

__all__ = ["ACTIVATIONS"]

_ROWS = Input((4, 16))
_IMAGE = Input((1, 16, 4, 4))
_ONE = Real((), 2, 2)
_PLAIN = (
    "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Elu", "Selu", "Celu", "Gelu", "HardSigmoid", "HardSwish", "Mish",
    "Softplus", "Softsign", "ThresholdedRelu", "Shrink", "Abs", "Neg", "Exp", "Log", "Sqrt", "Reciprocal", "Erf",
    "Sign", "Floor", "Ceil", "Round", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh",
    "Atanh",
    "com.microsoft.Gelu", "com.microsoft.FastGelu", "com.microsoft.QuickGelu",
)  # fmt: skip

ACTIVATIONS: tuple[Form, ...] = (
    *(qdq(name, _ROWS) for name in _PLAIN),
    qdq("Clip", _ROWS, Real((), -1, -1), Real((), 3, 3)),
    qdq("Swish", _ROWS, opset=24),
    qdq("PRelu", _IMAGE, Real((16, 1, 1), 0.1, 0.4), about="a slope a channel"),
    qdq("PRelu", _IMAGE, Real((1,), 0.2, 0.2), about="one slope"),
    qdq("Pow", _ROWS, _ONE, about="by a number"),
    qdq("Mul", _ROWS, _ONE, about="by a number"),
    qdq("Add", _ROWS, _ONE, about="a number"),
    qdq("Greater", _ROWS, _ONE, about="than a number", cast=True, closes_with=bool),
    qdq("Equal", _ROWS, _ONE, about="to a number", cast=True, closes_with=bool),
    qdq("IsNaN", _ROWS, cast=True, closes_with=bool),
    qdq("com.microsoft.BiasGelu", _ROWS, Real((16,))),
)

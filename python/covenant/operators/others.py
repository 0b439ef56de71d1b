"""Catalogue of operators with a state, with products of activations inside, or that select elements."""

from __future__ import annotations

from covenant.operators.forms import Form, qdq
from covenant.operators.little_model import Input, Real, Stored

__all__ = ["OTHERS"]

_STEPS = Input((4, 1, 8))
_HEADS = Input((1, 2, 4, 8))
_TOKENS = Input((1, 4, 16))


def _recurrent(name: str, gates: int) -> Form:
    weights = Real((1, gates * 8, 8), -0.3, 0.3)
    return qdq(name, _STEPS, weights, weights, hidden_size=8)


OTHERS: tuple[Form, ...] = (
    _recurrent("LSTM", 4),
    _recurrent("GRU", 3),
    _recurrent("RNN", 1),
    qdq("Attention", _HEADS, _HEADS, _HEADS, opset=23),
    qdq("RotaryEmbedding", _HEADS, Real((1, 4, 4), 0, 1), Real((1, 4, 4), 0, 1), opset=23),
    qdq("com.microsoft.MultiHeadAttention", _TOKENS, _TOKENS, _TOKENS, num_heads=2),
    qdq("NonMaxSuppression", Input((1, 8, 4)), Input((1, 1, 8)), Stored([4]), cast=True, closes_with="int64"),
    qdq("NonZero", Input((4, 16)), cast=True, closes_with="int64"),
    qdq("Det", Input((2, 4, 4))),
    qdq("DFT", Input((1, 16, 1)), axis=1, opset=19),
)

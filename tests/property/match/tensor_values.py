"""Values of the operations that rules of tensors know, in numpy: nothing here is the project's.

Terms of whole numbers are exact; those of an LSTM are near.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Value = Any
"""An array, a tuple of whole numbers, or nested pairs that end with (): a list of arrays."""


def numbers(word: str) -> tuple[int, ...] | None:
    """The list that a word such as `[1,2]` is."""
    return tuple(int(one) for one in word[1:-1].split(",") if one) if word.startswith("[") else None


def value(operation: str, operands: Sequence[Value], leaves: Mapping[str, np.ndarray]) -> Value:
    if operation in leaves:
        return leaves[operation]
    said = numbers(operation)
    return OPERATIONS[operation](*operands) if said is None else said


def are_same(a: Value, b: Value) -> bool:
    if isinstance(a, np.ndarray):
        if not isinstance(b, np.ndarray) or a.shape != b.shape:
            return False
        return np.array_equal(a, b) if a.dtype == b.dtype == np.int64 else np.allclose(a, b, rtol=1e-9)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return all(are_same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def padded(x: np.ndarray, pads: tuple[int, ...]) -> np.ndarray:
    count = len(pads) // 2
    return np.pad(x, [(0, 0)] * (x.ndim - count) + [(pads[i], pads[i + count]) for i in range(count)])


def conv(x: np.ndarray, w: np.ndarray, strides: tuple, pads: tuple, groups: tuple) -> np.ndarray:
    """Each output by itself."""
    x = padded(x, pads)
    sizes = [(x.shape[2 + i] - w.shape[2 + i]) // step + 1 for i, step in enumerate(strides)]
    result = np.zeros((x.shape[0], w.shape[0], *sizes), x.dtype)
    of_group, outputs = w.shape[1], w.shape[0] // groups[0]
    for at in np.ndindex(result.shape):
        image, output, *place = at
        channels = slice(output // outputs * of_group, (output // outputs + 1) * of_group)
        box = [slice(p * step, p * step + size) for p, step, size in zip(place, strides, w.shape[2:], strict=True)]
        result[at] = (x[(image, channels, *box)] * w[output]).sum()
    return result


def windows(x: np.ndarray, sizes: tuple, strides: tuple) -> np.ndarray:
    first = x.ndim - len(sizes)
    places = [range(0, x.shape[first + i] - size + 1, strides[i]) for i, size in enumerate(sizes)]
    result = np.zeros((*x.shape[:first], *map(len, places), *sizes), x.dtype)
    for at in np.ndindex(*map(len, places)):
        box = [slice(places[i][k], places[i][k] + sizes[i]) for i, k in enumerate(at)]
        result[(..., *at, *[slice(None)] * len(sizes))] = x[(..., *box)]
    return result


def dot(count: tuple, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    n = count[0]
    result = np.zeros((*a.shape[: a.ndim - n], *b.shape[: b.ndim - n]), a.dtype)
    for i in np.ndindex(*a.shape[: a.ndim - n]):
        for j in np.ndindex(*b.shape[: b.ndim - n]):
            result[(*i, *j)] = (a[i] * b[j]).sum()
    return result


def flat(x: np.ndarray, count: tuple) -> tuple[int, int]:
    first = x.ndim - count[0]
    return int(np.prod(x.shape[:first], dtype=int)), int(np.prod(x.shape[first:], dtype=int))


def bias_add(x: np.ndarray, b: np.ndarray, axis: tuple) -> np.ndarray:
    return x + b.reshape([-1 if i == axis[0] else 1 for i in range(x.ndim)])


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def cell(gates: np.ndarray, before: np.ndarray) -> np.ndarray:
    taken, kept, new, _ = np.split(gates, 4, axis=1)
    return sigmoid(kept) * before + sigmoid(taken) * np.tanh(new)


def hidden(gates: np.ndarray, before: np.ndarray) -> np.ndarray:
    return sigmoid(np.split(gates, 4, axis=1)[3]) * np.tanh(cell(gates, before))


def gates_of(  # noqa: PLR0917
    x: np.ndarray, h: np.ndarray, wx: np.ndarray, wh: np.ndarray, bx: np.ndarray, bh: np.ndarray
) -> np.ndarray:
    return x @ wx.T + h @ wh.T + bx + bh


def unrolled(of: Value) -> list[np.ndarray]:
    result = []
    while of != ():
        first, of = of
        result.append(first)
    return result


def rolled(of: Sequence[np.ndarray]) -> Value:
    result: Value = ()
    for one in reversed(of):
        result = (one, result)
    return result


def steps(xs: Value, h: np.ndarray, c: np.ndarray, weights: tuple) -> Value:
    states = []
    for x in unrolled(xs):
        gates = gates_of(x, h, *weights)
        h, c = hidden(gates, c), cell(gates, c)
        states.append(h)
    return rolled(states)


def part(x: np.ndarray, at: tuple) -> np.ndarray:
    return np.split(x, at[1], axis=at[0])[at[2]]


def parts(x: np.ndarray, at: tuple, shape: tuple) -> Value:
    return rolled([part(x, (at[0], at[1], i)).reshape(shape) for i in range(at[2], at[1])])


def lstm(x: np.ndarray, h: np.ndarray, c: np.ndarray, *weights: np.ndarray) -> np.ndarray:
    return np.stack(unrolled(steps(rolled(list(x)), h, c, weights)))


OPERATIONS: Mapping[str, Callable[..., Value]] = {
    "conv": conv, "dense": lambda x, w: x @ w.T, "bias_add": bias_add, "add": np.add, "mul": np.multiply,
    "sub": np.subtract, "relu": lambda x: np.maximum(x, 0), "sigmoid": sigmoid, "tanh": np.tanh,
    "reshape": lambda x, shape: x.reshape(shape), "transpose": lambda x, order: x.transpose(order), "pad": padded,
    "zeros": lambda shape: np.zeros(shape, np.int64), "windows": windows, "dot": dot,
    "reduce_max": lambda n, x: x.max(axis=tuple(range(x.ndim - n[0], x.ndim))),
    "part": part, "join": lambda axis, a, b: np.concatenate([a, b], axis[0]),
    "shape": lambda x: x.shape, "flat": flat, "tail": lambda w: w.shape[1:], "ahead": lambda a, b: a + b,
    "outer": lambda a, b, n: a.shape[: a.ndim - n[0]] + b.shape[: b.ndim - n[0]], "count": lambda of: (len(of),),
    "without": lambda of, at: of[: at[0]] + of[at[0] + 1 :],
    "second_last": lambda w: (0, w.ndim - 1, *range(1, w.ndim - 1)),
    "lstm_gates": gates_of, "lstm_cell": cell, "lstm_hidden": hidden, "lstm_weights": lambda *weights: weights,
    "lstm_steps": steps, "lstm": lstm, "cons": lambda first, rest: (first, rest), "nil": lambda: (),
    "stack": lambda of: np.stack(unrolled(of)), "parts": parts,
}  # fmt: skip

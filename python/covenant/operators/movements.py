"""Catalogue of operators that move elements, or keep them unchanged."""

from __future__ import annotations

from functools import partial

from covenant.operators.forms import Form, qdq
from covenant.operators.little_model import Input, Real, Stored

__all__ = ["MOVEMENTS"]

_ROWS = Input((4, 16))
_IMAGE = Input((1, 16, 4, 4))
_FLOAT = 1


_moved = partial(qdq, keeps=True)


def _resize(mode: str, sizes: tuple[int, int], about: str) -> Form:
    return _moved("Resize", _IMAGE, None, None, Stored([1, 16, *sizes]), about=about, mode=mode)


MOVEMENTS: tuple[Form, ...] = (
    _moved("Reshape", _IMAGE, Stored([1, 256])),
    _moved("Flatten", _IMAGE),
    _moved("Squeeze", Input((1, 16, 1, 4)), Stored([2])),
    _moved("Unsqueeze", _ROWS, Stored([0])),
    _moved("Identity", _ROWS),
    _moved("Dropout", _ROWS),
    _moved("Cast", _ROWS, about="to f32", to=_FLOAT),
    _moved("Transpose", _IMAGE, perm=[0, 2, 3, 1]),
    _moved("DepthToSpace", _IMAGE, blocksize=2),
    _moved("SpaceToDepth", _IMAGE, blocksize=2),
    _moved("Slice", _ROWS, Stored([0]), Stored([8]), Stored([1])),
    _moved("Slice", _ROWS, Stored([-1]), Stored([-17]), Stored([1]), Stored([-1]), about="steps back"),
    _moved("Split", _ROWS, outputs=2, quantized=2, axis=1, num_outputs=2),
    _moved("Gather", _ROWS, Stored([2, 0, 3]), axis=0),
    _moved("Gather", _ROWS, Stored(1), about="one index", axis=1),
    _moved("GatherND", _ROWS, Stored([[1, 2], [3, 4]])),
    _moved("GatherElements", _ROWS, Stored([[0, 1, 2, 3]] * 4), axis=1),
    _moved("ScatterND", _ROWS, Stored([[1], [2]]), Real((2, 16))),
    _moved("ScatterElements", _ROWS, Stored([[0, 1]] * 4), Real((4, 2)), axis=1),
    _moved("Concat", _ROWS, _ROWS, axis=1),
    _moved("Pad", _IMAGE, Stored([0, 0, 1, 1, 0, 0, 1, 1]), about="zeros"),
    _moved("Pad", _IMAGE, Stored([0, 0, 1, 1, 0, 0, 1, 1]), Real((), 1, 1), about="another number"),
    _moved("Pad", _IMAGE, Stored([0, 0, 1, 1, 0, 0, 1, 1]), about="reflect", mode="reflect"),
    _moved("Pad", _IMAGE, Stored([0, 0, 1, 1, 0, 0, 1, 1]), about="edge", mode="edge"),
    _resize("nearest", (8, 8), "nearest, twice the size"),
    _resize("nearest", (6, 6), "nearest, 3/2 of the size"),
    _resize("linear", (8, 8), "linear, twice the size"),
    _resize("linear", (6, 6), "linear, 3/2 of the size"),
    _resize("cubic", (8, 8), "cubic"),
    _moved("Expand", Input((1, 16)), Stored([4, 16])),
    _moved("Tile", _ROWS, Stored([2, 1])),
    _moved("Trilu", _ROWS, upper=0),
    _moved("ReverseSequence", _ROWS, Stored([2, 3, 4, 1] * 4)),
    _moved("Compress", _ROWS, Stored([True, False, True, True], "bool"), axis=0),
    _moved("CenterCropPad", _IMAGE, Stored([2, 2]), axes=[2, 3]),
    _moved("Col2Im", Input((1, 16, 4)), Stored([4, 4]), Stored([2, 2])),
    _moved("GridSample", _IMAGE, Real((1, 4, 4, 2), -1, 1)),
)

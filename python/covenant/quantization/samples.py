"""Calibration data: runs of a model, from a file or from arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.program.inputs import read_arrays

__all__ = ["Arrays", "samples_of"]

Arrays = Mapping[str, np.ndarray]


def samples_of(model: Any, calibrate: str | os.PathLike[str] | Arrays) -> list[dict[str, np.ndarray]]:
    """One dictionary for each run of an `onnx.ModelProto`.

    Raises:
        CovenantError: QNT0003, no array for an input; CLI0002, the file cannot be read.
    """
    from onnx import helper  # noqa: PLC0415

    where = "" if isinstance(calibrate, Mapping) else os.fspath(calibrate)
    arrays = calibrate if isinstance(calibrate, Mapping) else read_arrays(calibrate)
    split = {}
    for entry in model.graph.input:
        kind = entry.type.tensor_type
        shape = tuple(one.dim_value for one in kind.shape.dim)
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        only = len(model.graph.input) == len(arrays) == 1
        array = next(iter(arrays.values())) if only else arrays.get(entry.name)
        fits = array is not None and array.ndim == len(shape) and array.shape[1:] == shape[1:]
        if not fits or array.shape[0] == 0 or array.shape[0] % shape[0] != 0:
            described = "nothing" if array is None else f"{array.dtype}{list(array.shape)}"
            raise CovenantError(
                Diagnostic(
                    "QNT0003", "the calibration data have no array for this input", where, subject=entry.name,
                    offending=described, allowed=(f"{dtype}{list(shape)}, the first axis any multiple",),
                    fix="save one array for each input, named like it: numpy.savez(path, x=images)",
                )
            )  # fmt: skip
        split[entry.name] = np.split(np.ascontiguousarray(array.astype(dtype)), array.shape[0] // shape[0])
    count = min(len(parts) for parts in split.values())
    return [{name: parts[sample] for name, parts in split.items()} for sample in range(count)]

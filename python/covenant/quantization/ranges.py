"""Checks that ranges are usable: samples and scales are finite, and steps smaller than values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.model.editable_model import EditableModel
from covenant.onnx_runtime.sessions import Style, session
from covenant.quantization.bias_correction import with_outputs
from covenant.quantization.calibration import Range, Samples
from covenant.quantization.clamps import Activation, activations

__all__ = ["SwallowedTensor", "beside_zeros", "check_ranges", "check_samples", "check_scales", "swallowed_tensors"]

_JOINING = frozenset({"Add", "Concat", "Max", "Min", "Sub"})
"""Operators whose operands are told apart by their scales alone: they mean the same kind of number."""
_MOST = 0.9
"""Share of a tensor's different values that a few levels may have in common."""
_LEVELS = 3
"""Number of fullest levels among the 2^b; fewer for fewer than 5 bits."""
_SAMPLES, _ELEMENTS = 4, 2**14
"""Runs, and elements of a tensor in each, that are looked at: evenly over all."""
_FEWEST = 16
"""Different values of a tensor about which something is said."""


@dataclass(frozen=True)
class SwallowedTensor:
    """A quantised tensor whose step is too large for most of its values: they share a few levels in every sample."""

    name: str
    """Name of the tensor in the float model."""
    step: float
    """Scale of the tensor."""
    share: float
    """Share of its different values that the fullest levels hold together, in the sample where that is least."""
    levels: int
    """Number of those fullest levels."""
    least: float
    greatest: float
    """Greatest value in the samples; `least` and this are the range that the step comes from."""


def check_samples(samples: Samples, where: str) -> None:
    """Raises QNT0012 if a sample holds NaN or an infinity."""
    for place, sample in enumerate(samples):
        for name, array in sample.items():
            if array.dtype.kind != "f" or np.isfinite(array).all():
                continue
            wrong = array[~np.isfinite(array)]
            raise CovenantError(
                Diagnostic(
                    "QNT0012", "a sample of the calibration data holds numbers that are not finite", where,
                    subject=f"{name}, sample {place}",
                    offending=f"{wrong.size} of {array.size} elements, as {wrong[0]}", allowed=("finite numbers",),
                    fix="leave the sample out, or write a large finite number: a mask of -1e4 does the same",
                )
            )  # fmt: skip


def beside_zeros(model: EditableModel, ranges: Mapping[str, Range]) -> dict[str, Range]:
    """Ranges of tensors that are 0 in all samples: the widest of those that they are added to or compared with.

    A tensor of zeros says nothing of its scale. That of ONNX Runtime's quantiser, 1, can be so far from the others that
    a sum in fixed point loses the digits of its other operand.
    """
    found: dict[str, Range] = {}
    for node in model.nodes:
        if node.op_type not in _JOINING:
            continue
        known = [name for name in (*node.input, *node.output) if name in ranges]
        zeros = [name for name in known if not any(ranges[name])]
        others = [ranges[name] for name in known if any(ranges[name])]
        if zeros and others:
            found |= dict.fromkeys(zeros, max(others, key=lambda both: float(both[1]) - float(both[0])))
    return found


def check_ranges(ranges: Mapping[str, Range], path: str | os.PathLike[str]) -> None:
    """Raises QNT0015 if no scale can be taken from the range of a tensor."""
    for name, (low, high) in ranges.items():
        with np.errstate(all="ignore"):
            if not np.isfinite(np.float32(high) - np.float32(low)):
                raise _not_finite(name, f"{low} to {high}", path)


def check_scales(model: EditableModel, path: str | os.PathLike[str]) -> None:
    """Raises QNT0015 if a scale of a quantised model is not positive and finite."""
    for node in model.nodes:
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear"):
            continue
        scale = model.constant(node.input[1])
        if scale is not None and not (np.isfinite(scale).all() and (scale > 0).all()):
            wrong = scale[~(np.isfinite(scale) & (scale > 0))]
            raise _not_finite(node.input[1].removesuffix("_scale"), f"scale {wrong.reshape(-1)[0]}", path)


def _not_finite(name: str, offending: str, path: str | os.PathLike[str]) -> CovenantError:
    return CovenantError(
        Diagnostic(
            "QNT0015", "no finite scale holds the values of this tensor", os.fspath(path), subject=name,
            offending=offending, allowed=("a range whose ends are finite numbers of f32, as is their difference",),
            fix="clamp the tensor in the float model (Clip, Max), or keep its nodes in float: --keep-float NODE",
        )
    )  # fmt: skip


def swallowed_tensors(
    in_float: Any, quantized: EditableModel, bits: Mapping[str, int], samples: Samples
) -> tuple[SwallowedTensor, ...]:
    """Tensors whose step is so large that most of their different values share a few levels.

    One far value is enough for that: an additive mask, a channel of another size. Values that are equal count once: a
    tensor that is mostly zeros loses nothing.

    Args:
        in_float: the `onnx.ModelProto` that was quantised.
        quantized: in QDQ style.
        bits: of each quantised tensor, by its name in the float model.
        samples: as the models take them.
    """
    known = {value for node in in_float.graph.node for value in node.output}
    found: dict[str, Activation] = {one.name: one for one in activations(quantized) if one.name in known}
    names = sorted(found)
    if not names:
        return ()
    running = session(with_outputs(in_float, names).SerializeToString(), Style.QOPERATOR)
    taken = {entry.name for entry in running.get_inputs()}
    own = {name: bits.get(name, found[name].width) for name in names}
    shares, ends = dict.fromkeys(names, 1.0), dict.fromkeys(names, (np.inf, -np.inf))
    for sample in samples[:: -(-len(samples) // _SAMPLES)]:
        fed = {name: array for name, array in sample.items() if name in taken}
        for name, array in zip(names, running.run(names, fed), strict=True):
            if array.size and array.dtype.kind == "f":
                looked_at = np.unique(array.reshape(-1)[:: -(-array.size // _ELEMENTS)])
                shares[name] = min(shares[name], _share(np.float64(looked_at), found[name], own[name]))
                ends[name] = min(ends[name][0], float(array.min())), max(ends[name][1], float(array.max()))
    return tuple(
        SwallowedTensor(name, float(found[name].scale), shares[name], _levels(own[name]), *ends[name])
        for name in names
        if shares[name] >= _MOST and np.isfinite(ends[name]).all()
    )


def _levels(bits: int) -> int:
    return max(1, min(_LEVELS, 2 ** (bits - 3)))


def _share(values: np.ndarray, activation: Activation, bits: int) -> float:
    """Share of different values that the fullest levels hold; 0 if there are too few."""
    if values.size < _FEWEST:
        return 0.0
    least = activation.highest(0)
    stored = np.clip(np.rint(values / activation.scale) + int(activation.zero), least, activation.highest(bits))
    _, counts = np.unique(stored, return_counts=True)
    return float(np.sort(counts)[-_levels(bits) :].sum() / values.size)

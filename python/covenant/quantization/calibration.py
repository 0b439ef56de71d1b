"""Ranges of activations from calibration data, by ONNX Runtime's calibrators and by the least squared error."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from covenant.errors import CovenantError
from covenant.onnx_runtime.sessions import Style, session
from covenant.quantization.bits import BYTE
from covenant.quantization.reading import refused

__all__ = ["Range", "Samples", "calibrated", "squared_error", "steps_of"]

Range = tuple[np.float32, np.float32]
"""Least and greatest value that is to be represented."""
Samples = Sequence[Mapping[str, np.ndarray]]
"""Inputs of a model, run by run."""

_QUANTISED_BINS = 128  # of ONNX Runtime's entropy calibrator, at 8 bits and more
_BINS = 2048
_PARTS = 2  # of a bin of a histogram, in which its elements are taken to lie
_COARSE, _FINE = 16, 1024  # of a least and a greatest value: fractions that are tried


def calibrated(
    path: str | os.PathLike[str], model: bytes, samples: Samples, *, operators: Sequence[str], method: str,
    bits: Mapping[str, int], told: Callable[[int], None], check: Callable[[Mapping[str, Range]], None],
) -> dict[str, Range]:  # fmt: skip
    """The range of each activation, by its name.

    Args:
        path: of the model, for diagnostics.
        model: in float.
        samples: as the model takes them.
        operators: types of nodes whose tensors are looked at.
        method: one of METHODS.
        bits: of each tensor; 8 of others. Entropy and squared error depend on them.
        told: how many samples have been looked at.
        check: raises if no scale can be taken from the ends of a tensor, by its name.

    Raises:
        CovenantError: QNT0004, ONNX Runtime refuses the model.
    """
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():  # they print
        warnings.simplefilter("ignore", RuntimeWarning)  # of tensors that hold NaN alone: `check` says which
        try:
            calibrator = _fed(model, operators, method, samples, told=told, check=check)
        except CovenantError:
            raise
        except Exception as error:  # theirs have no base of their own
            raise refused(path, error) from error
        if method == "minmax":
            found = _ends(calibrator)
        elif method == "percentile":
            found = calibrator.collector.compute_percentile()
        else:
            collector, found = calibrator.collector, {}
            for name, histogram in collector.histogram_dict.items():
                own = bits.get(name, BYTE)
                bins = max(2, _QUANTISED_BINS >> max(0, BYTE - own))
                entropy = method == "entropy"
                found[name] = (
                    collector.get_entropy_threshold(histogram, bins) if entropy else _least_error(histogram, own)
                )
    return {name: (_number(one[0]), _number(one[1])) for name, one in found.items()}


def _fed(
    model: bytes, operators: Sequence[str], method: str, samples: Samples, *, told: Callable[[int], None],
    check: Callable[[Mapping[str, Range]], None],
) -> Any:  # fmt: skip
    """One of ONNX Runtime's calibrators, which has seen all samples."""
    from onnxruntime.quantization import CalibrationMethod  # noqa: PLC0415
    from onnxruntime.quantization.calibrate import create_calibrator  # noqa: PLC0415

    histograms = {
        "entropy": (CalibrationMethod.Entropy, {}),
        "percentile": (CalibrationMethod.Percentile, {"symmetric": False, "num_bins": _BINS}),
        "mse": (CalibrationMethod.Percentile, {"symmetric": False, "num_bins": _BINS}),
    }
    with tempfile.TemporaryDirectory() as folder:
        given, augmented = Path(folder) / "float.onnx", str(Path(folder) / "augmented.onnx")
        given.write_bytes(model)

        def fed(kind: CalibrationMethod, options: dict[str, Any], ranges: Any = None) -> Any:
            calibrator = create_calibrator(given, list(operators), augmented, kind, extra_options=options)
            # One thread, so that every number of cores gives the same floats.
            calibrator.infer_session = _Normal(session(Path(augmented).read_bytes(), Style.QOPERATOR))
            for done, sample in enumerate(samples):  # one by one: they keep every tensor of all that they are given
                told(done)
                calibrator.collect_data(_Once(sample))
                if ranges is not None and done == 0:
                    _widen(calibrator.collector, ranges)
                    calibrator.collect_data(_Once(sample))
            return calibrator

        in_all = fed(CalibrationMethod.MinMax, {})
        check(_ends(in_all))
        return fed(*histograms[method], in_all.compute_data()) if method in histograms else in_all


def _ends(calibrator: Any) -> dict[str, Range]:
    """Least and greatest value of each tensor."""
    data = calibrator.compute_data()
    ranges = {name: data[name].range_value for name in data.keys()}  # noqa: SIM118 (theirs is no mapping)
    return {name: (_number(low), _number(high)) for name, (low, high) in ranges.items()}


def _widen(collector: Any, ranges: Any) -> None:
    """Empty histograms over all that will be seen: else they grow by bins as narrow as those of the first sample."""
    for name, (counts, *_) in collector.histogram_dict.items():
        low, high = (np.asarray(one).reshape(-1)[0] for one in ranges[name].range_value)
        most = np.array(max(abs(low), abs(high)), dtype=np.asarray(low).dtype)
        _, edges = np.histogram([], len(counts), range=(-most, most))
        collector.histogram_dict[name] = (np.zeros_like(counts), edges, low, high, most)


def _number(array: Any) -> np.float32:
    return np.float32(np.asarray(array).reshape(-1)[0])


class _Normal:
    """A session whose results are 0 where a tensor has no number that f32 holds with all its digits.

    No scale is that small (`steps_of`), and bins of a histogram would not differ.
    """

    def __init__(self, given: Any) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        return getattr(self._given, name)

    def run(self, *arguments: Any) -> list[Any]:
        """Runs the session, with tiny arrays replaced by zeros."""
        return [np.zeros_like(one) if _is_tiny(one) else one for one in self._given.run(*arguments)]


def _is_tiny(array: Any) -> bool:
    is_real = isinstance(array, np.ndarray) and array.dtype.kind == "f" and array.size > 0
    return is_real and bool(np.abs(array).max() < np.finfo(np.float32).tiny)


class _Once:
    """One sample, as ONNX Runtime's calibrators read data."""

    def __init__(self, sample: Mapping[str, np.ndarray]) -> None:
        self._left: list[Mapping[str, np.ndarray]] = [sample]

    def get_next(self) -> Mapping[str, np.ndarray] | None:
        """The sample, then None."""
        return self._left.pop() if self._left else None

    def __len__(self) -> int:
        return len(self._left)


def steps_of(low: float, high: float, bits: int) -> tuple[np.float32, int]:
    """Scale of an asymmetric range, and its zero point above the least of 2^bits levels.

    Zero is always represented, so that padding is exact.
    """
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    scale = np.float32((high - low) / (2**bits - 1))
    if scale < np.finfo(np.float32).tiny:
        return np.float32(1), 0
    return scale, round(-low / float(scale))


def squared_error(points: np.ndarray, counts: np.ndarray, low: np.ndarray, high: np.ndarray, bits: int) -> np.ndarray:
    """The sum of squared errors that quantising elements within ranges makes.

    Args:
        points: f64[P], values.
        counts: f64[P], how many elements have each of them.
        low: f64[R], least values of ranges, at most 0.
        high: f64[R], greatest ones, at least 0.
        bits: of a level.

    Returns:
        f64[R].
    """
    levels = 2**bits - 1
    scale = np.maximum((high - low) / levels, np.finfo(np.float32).tiny)[:, None]
    zero = np.rint(-low[:, None] / scale)
    stored = np.clip(np.rint(points[None] / scale) + zero, 0, levels)
    return np.square((stored - zero) * scale - points[None]) @ counts


def _least_error(histogram: tuple[Any, ...], bits: int) -> Range:
    """The range with the least squared error over a histogram.

    Nagel et al., "A White Paper on Neural Network Quantization", section 3.1 (mean squared error). First every pair of
    coarse fractions of what was seen is tried, then the best is moved by finer ones, until no move is better.
    """
    counts, edges, least, greatest = histogram[:4]
    width = (np.float64(edges[-1]) - np.float64(edges[0])) / len(counts)
    filled = np.flatnonzero(counts)
    within = (np.arange(_PARTS) + 0.5) / _PARTS * width
    points = (np.float64(edges[0]) + filled[:, None] * width + within).reshape(-1)
    weights = np.repeat(counts[filled] / _PARTS, _PARTS)
    lowest, highest = min(float(least), 0.0), max(float(greatest), 0.0)
    points = np.clip(points, least, greatest)

    def errors(pairs: np.ndarray) -> np.ndarray:
        return squared_error(points, weights, pairs[:, 0] * lowest, pairs[:, 1] * highest, bits)

    one = np.arange(1, _COARSE + 1) / _COARSE
    pairs = np.stack(np.meshgrid(one if lowest else [1.0], one if highest else [1.0], indexing="ij"), -1).reshape(-1, 2)
    found = np.concatenate([errors(part) for part in np.array_split(pairs, -(-len(pairs) // _COARSE))])
    best, error, move = pairs[found.argmin()], found.min(), 0.5 / _COARSE
    while move >= 1 / _FINE:
        near = best + move * np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)])
        near = near[(near > 0).all(1) & (near <= 1).all(1)]
        around = errors(near)
        if around.min() < error:
            best, error = near[around.argmin()], around.min()
        else:
            move /= 2
    return np.float32(best[0] * lowest), np.float32(best[1] * highest)

"""Metrics that turn outputs into one figure: those of the SDK, and functions in files of the user."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from covenant.choices import METRICS
from covenant.errors import CovenantError
from covenant.evaluation.errors import unknown, user_error
from covenant.evaluation.hits import CONFIDENCE, Hits, Interval
from covenant.evaluation.ranks import RANKS, right_rows
from covenant.files import read_whole
from covenant.quantization.layer_errors import ratio_in_decibel

__all__ = [
    "MOST_DECIBEL",
    "NEEDS_FLOAT",
    "NEEDS_NO_LABELS",
    "Rating",
    "check_metric",
    "digest_of",
    "figure",
    "gain_of",
    "parts_of",
    "rating",
    "shown",
    "shown_gain",
]

NEEDS_FLOAT = frozenset({"sqnr"})
NEEDS_NO_LABELS = frozenset({"sqnr"})
MOST_DECIBEL = 200.0
"""Value of sqnr where nothing differs."""
Outputs = Sequence[np.ndarray]


def parts_of(metric: str) -> tuple[str, str]:
    """The path and the function of a metric in a file (`metrics.py:characters`); of others no path, and the name."""
    path, _, function = metric.rpartition(":")
    return path, function


def check_metric(metric: str) -> None:
    """Whether it is one of METRICS, or FILE.py:FUNCTION.

    Raises:
        CovenantError: ACC0002, it is neither.
    """
    path, function = parts_of(metric) if isinstance(metric, str) else ("", "")
    if metric not in METRICS and not (path.endswith(".py") and function.isidentifier()):
        raise unknown("ACC0002", "there is no such metric", "metric", str(metric), (*METRICS, "FILE.py:FUNCTION"))


def digest_of(metric: str) -> str:
    """SHA-256 of the source of a metric in a file; empty of others.

    Raises:
        CovenantError: ACC0009, the file cannot be read, or has no such function.
    """
    path = parts_of(metric)[0]
    if not path:
        return ""
    content = _source_of(metric)
    _function(metric, content)
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Rating:
    """Figure of a metric for the outputs of all images, and the rows that it counts."""

    figure: float
    """A finite number."""
    hits: Hits | None
    """Rows that are right, of which the figure is the share; None of a metric that is no share of rows."""


def figure(metric: str, outputs: Outputs, labels: np.ndarray, in_float: Outputs | None = None) -> float:
    """The figure of `rating`, which says more of what it takes and raises."""
    return rating(metric, outputs, labels, in_float).figure


def rating(metric: str, outputs: Outputs, labels: np.ndarray, in_float: Outputs | None = None) -> Rating:
    """Rates the outputs of all images by a metric.

    Args:
        metric: as `check_metric` takes it.
        outputs: of each image the output that the metric is about.
        labels: one for each row of them; of a function in a file, as the data have them.
        in_float: the same of the float model, where the metric NEEDS_FLOAT.

    Raises:
        CovenantError: ACC0004, there are not as many labels as rows; ACC0009, a function of the user's fails; ACC0010,
            the metric does not suit the output.
    """
    if metric in RANKS:
        right = right_rows(np.asarray(outputs), labels, metric)
        return Rating(float(np.mean(right)), Hits.of(right))
    if metric in NEEDS_FLOAT:
        return Rating(_sqnr(outputs, () if in_float is None else in_float), None)
    function = _function(metric, _source_of(metric))
    try:
        returned = function([_read_only(one) for one in outputs], _read_only(labels))
        value = np.asarray(returned)
    except (Exception, SystemExit) as error:  # whatever a function of theirs raises
        raise _no_metric(metric, f"{type(error).__name__}: {error}") from error
    if value.ndim or value.dtype.kind not in "iufb" or not np.isfinite(value):
        raise _no_metric(metric, f"it returns {returned!r:.60}, which is no finite number")
    return Rating(float(value), None)


def shown(metric: str, value: float, interval: Interval | None = None) -> str:
    """A figure for people: a share in per cent, a ratio in decibel, what a function in a file returns as it is.

    A share is shown with its interval, if that is given.
    """
    if metric in RANKS:
        return f"{value:.2%}" + (f" [{interval[0]:.1%}, {interval[1]:.1%}]" if interval else "")
    return f"{value:.2f} dB" if metric == "sqnr" else f"{value:.6g}"


def gain_of(metric: str) -> tuple[float, str]:
    """Factor of a difference of two figures for people, and its unit then; empty if it has none."""
    if metric in RANKS:
        return 100.0, "percentage points"
    return 1.0, "dB" if metric == "sqnr" else ""


def shown_gain(metric: str, gain: float, p_value: float | None = None) -> str:
    """A difference of two figures for people, with its sign, in the unit of `gain_of`; `tied` if none is shown."""
    times, unit = gain_of(metric)
    tied = " (tied)" if p_value is not None and p_value >= 1 - CONFIDENCE and gain else ""
    return (f"{times * gain:+.2f}" if unit else f"{gain:+.4g}") + tied


def _sqnr(outputs: Outputs, in_float: Outputs) -> float:
    signal = noise = 0.0
    for one, other in zip(outputs, in_float, strict=True):
        if one.shape != other.shape or one.dtype.kind != "f" or other.dtype.kind != "f":
            raise user_error("ACC0010", "the output is not what the float model makes, in real numbers", "sqnr",
                             offending=f"{one.dtype}{list(one.shape)}",
                             allowed=(f"{other.dtype}{list(other.shape)}" if other.dtype.kind == "f" else "float32",),
                             fix="name another output, or another metric")  # fmt: skip
        signal += float(np.square(np.float64(other)).sum())
        noise += float(np.square(np.float64(one) - np.float64(other)).sum())
    if not np.isfinite(signal + noise):
        raise user_error("ACC0010", "the output has elements that are no finite numbers", "sqnr",
                         offending="inf or nan", fix="name another output, or another metric")  # fmt: skip
    return min(MOST_DECIBEL, ratio_in_decibel(signal, noise))


def _source_of(metric: str) -> bytes:
    try:
        return read_whole(parts_of(metric)[0])
    except CovenantError as error:
        raise _no_metric(metric, error.diagnostic.offending) from error


@lru_cache(maxsize=8)
def _function(metric: str, content: bytes) -> Callable[..., Any]:
    """Function of a file of this content. It sees installed packages but no file beside it: its text identifies it."""
    path, name = parts_of(metric)
    spec = importlib.util.spec_from_file_location(f"covenant_metric_{hashlib.sha256(content).hexdigest()[:16]}", path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    try:
        exec(compile(content, path, "exec"), module.__dict__)  # noqa: S102 (the user's own)
    except (Exception, SystemExit) as error:  # whatever a file of theirs raises
        raise _no_metric(metric, f"{type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if not callable(found):
        raise _no_metric(metric, "no such function")
    return found


def _read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view, so that a function of the user cannot change what is compared later."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def _no_metric(metric: str, why: str) -> CovenantError:
    return user_error("ACC0009", "a metric in a file cannot be computed", "metric", offending=f"{metric}: {why}",
                      allowed=("def NAME(outputs, labels): return a number",),
                      fix="outputs are a list of arrays, one for each image; copy what is to be changed")  # fmt: skip

"""How outputs become one figure: metrics that come with the SDK, and functions in files of the user's."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from covenant.errors import CovenantError
from covenant.evaluation.metrics import METRICS as RANKS
from covenant.evaluation.metrics import rows_of
from covenant.files import read_whole
from covenant.quantization.layer_errors import ratio_in_decibel
from covenant.study.mistakes import mistake, unknown

__all__ = [
    "METRICS",
    "MOST_DECIBEL",
    "NEEDS_FLOAT",
    "NEEDS_NO_LABELS",
    "check_metric",
    "digest_of",
    "figure",
    "parts_of",
]

METRICS = (*RANKS, "sqnr")
"""top1, top5: the share of rows of which the label is among so many largest elements. sqnr: of the output beside the
float model's, the signal to quantisation noise ratio in decibel."""
NEEDS_FLOAT = frozenset({"sqnr"})
NEEDS_NO_LABELS = frozenset({"sqnr"})
MOST_DECIBEL = 200.0
"""Of sqnr, where nothing differs."""
Outputs = Sequence[np.ndarray]


def parts_of(metric: str) -> tuple[str, str]:
    """The path and the function of a metric in a file (`metrics.py:characters`); of others no path, and the name."""
    path, _, function = metric.rpartition(":")
    return path, function


def check_metric(metric: str) -> None:
    """Whether it is one of METRICS, or FILE.py:FUNCTION.

    Raises:
        CovenantError: STU0006, it is neither.
    """
    path, function = parts_of(metric)
    if (path and not (path.endswith(".py") and function.isidentifier())) or (not path and function not in METRICS):
        raise unknown("STU0006", "there is no such metric", "metric", metric, (*METRICS, "FILE.py:FUNCTION"))


def digest_of(metric: str) -> str:
    """SHA-256 of the source of a metric in a file; empty of others.

    Raises:
        CovenantError: STU0020, the file cannot be read, or has no such function.
    """
    path, function = parts_of(metric)
    if not path:
        return ""
    try:
        content = read_whole(path)
    except CovenantError as error:
        raise _no_metric(metric, error.diagnostic.offending) from error
    _function(path, function, hashlib.sha256(content).hexdigest())
    return hashlib.sha256(content).hexdigest()


def figure(metric: str, outputs: Outputs, labels: np.ndarray, in_float: Outputs | None = None) -> float:
    """What a metric makes of the outputs of all images.

    Args:
        metric: as `check_metric` takes it.
        outputs: of each image the output that the metric is about.
        labels: one for each row of them; of a function in a file, as the data have them.
        in_float: the same of the float model, where the metric NEEDS_FLOAT.

    Raises:
        CovenantError: STU0010, there are not as many labels as rows; STU0020, a function of the user's fails.
    """
    path, name = parts_of(metric)
    if path:
        return _own(metric, outputs, labels)
    if name == "sqnr":
        return _sqnr(outputs, in_float or [])
    rows = rows_of(np.stack(outputs))
    if len(rows) != len(labels):
        raise mistake("STU0010", "there is not one label for each row of the output", "labels",
                      offending=f"{len(labels)} labels", allowed=(f"{len(rows)} labels",),
                      fix="save as many labels as the outputs of all images have rows")  # fmt: skip
    if labels.min() < 0 or labels.max() >= rows.shape[1]:
        raise mistake("STU0010", "a label is no place of a row of the output", "labels",
                      offending=f"{labels.min()}..{labels.max()}", allowed=(f"0..{rows.shape[1] - 1}",),
                      fix="number what the model tells apart from 0 on")  # fmt: skip
    return float(np.mean(RANKS[name](rows, labels)))


def _sqnr(outputs: Outputs, in_float: Outputs) -> float:
    signal = sum(float(np.square(np.float64(one)).sum()) for one in in_float)
    noise = sum(
        float(np.square(np.float64(one) - np.float64(other)).sum())
        for one, other in zip(outputs, in_float, strict=True)
    )
    return min(MOST_DECIBEL, ratio_in_decibel(signal, noise))


def _own(metric: str, outputs: Outputs, labels: np.ndarray) -> float:
    path, name = parts_of(metric)
    function = _function(path, name, hashlib.sha256(read_whole(path)).hexdigest())
    try:
        return float(function(list(outputs), labels))
    except Exception as error:  # whatever a function of theirs raises
        raise _no_metric(metric, f"{type(error).__name__}: {error}") from error


@lru_cache(maxsize=8)
def _function(path: str, name: str, digest: str) -> Callable[..., Any]:
    """Of the file as it is now. It sees installed packages, and no file beside it: it counts by its own text."""
    spec = importlib.util.spec_from_file_location(f"covenant_metric_{digest[:16]}", path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    try:
        exec(compile(Path(path).read_bytes(), path, "exec"), module.__dict__)  # noqa: S102 (the user's own)
    except Exception as error:  # whatever a file of theirs raises
        raise _no_metric(f"{path}:{name}", f"{type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if not callable(found):
        raise _no_metric(f"{path}:{name}", "no such function")
    return found


def _no_metric(metric: str, why: str) -> CovenantError:
    return mistake("STU0020", "a metric of the study's own cannot be computed", "metric", offending=f"{metric}: {why}",
                   allowed=("def NAME(outputs, labels): return a number",),
                   fix="outputs are a list of arrays, one for each image")  # fmt: skip

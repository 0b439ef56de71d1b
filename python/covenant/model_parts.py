"""A model as the compiler takes it.

Constants are computed, lookups stand in the place of islands of float operators, and its ends are for the host.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from covenant.equivalents import (
    with_closing_products,
    with_each_computed,
    with_equivalents,
    with_pads,
    with_selections,
)
from covenant.errors import CovenantError
from covenant.folding import folded
from covenant.model_ends import split_ends
from covenant.refusals import true_reason
from covenant.rewrite.function_bodies import with_bodies
from covenant.rewrite.idle import without_idle
from covenant.rewrite.initializers import with_initializers
from covenant.rewrite.transposed_convolutions import with_transposed_convolutions
from covenant.rewrite.zero_points import with_zero_points
from covenant.tables import has_tables, replaced

__all__ = ["ModelParts", "parts_of", "with_parts"]

Made = TypeVar("Made")


@dataclass(frozen=True)
class ModelParts:
    """What is made of a model before it is compiled."""

    content: bytes = b""
    """The ONNX model that the compiler reads; empty: as it stands in its file."""
    takes: tuple[str, ...] = ()
    """Names of its inputs."""
    start: bytes = b""
    """What the host computes before it (`covenant.model_ends`); empty: nothing."""
    end: bytes = b""
    """What the host computes after it; empty: nothing."""


def with_parts(model: str | os.PathLike[str], run: Callable[[ModelParts], Made]) -> Made:
    """What `run` makes of a model, in parts if it does not take it whole.

    The model as it stands comes first: what the compiler knows is not taken apart.

    Raises:
        CovenantError: `run` fails on the model with another code than those of the front end (ONXnnnn), or on its
            parts, too; ONX0021: the table of an island cannot be made; ONX0025 to ONX0028: what keeps the whole model
            from being taken (`covenant.refusals`).
    """
    path = Path(model)
    try:
        return run(ModelParts())
    except CovenantError as error:
        if not error.code.startswith("ONX") or not path.is_file():
            raise
        parts = parts_of(path)
        if not parts.content:
            raise _better(path, error) from error
    try:
        return run(parts)
    except CovenantError as error:
        raise _better(path, error) from error


def _better(path: Path, error: CovenantError) -> CovenantError:
    return true_reason(path, error) if error.code.startswith("ONX") else error


def parts_of(path: Path) -> ModelParts:
    """Of a file that the compiler does not take as it stands; empty if there is nothing to take apart."""
    return _parts_of(path, *_state(path))


def _state(path: Path) -> tuple[int, int]:
    state = path.stat()
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=4)
def _parts_of(path: Path, _modified_ns: int, _size_bytes: int) -> ModelParts:
    """Of a file in one state; empty if there is nothing to take apart."""
    try:
        import onnx  # noqa: PLC0415  (import costs; a model without islands does not pay)

        model = onnx.load(str(path))
    except Exception:  # noqa: BLE001  (parsers raise what they like: the compiler has said what is wrong)
        return ModelParts()
    whole = without_idle(folded(with_zero_points(with_initializers(with_bodies(model)))))
    ends = split_ends(with_closing_products(with_pads(with_selections(with_each_computed(whole)))))
    core = with_equivalents(with_transposed_convolutions(ends.core))
    if core is model and not has_tables(model):
        return ModelParts()
    takes = tuple(entry.name for entry in core.graph.input)
    return ModelParts(replaced(core).SerializeToString(), takes, ends.start, ends.end)

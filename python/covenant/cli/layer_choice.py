"""Chooses the layers of a benchmark that a command takes."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Protocol, TypeVar

from covenant.errors import CovenantError, Diagnostic

__all__ = ["chosen_layers"]


class Named(Protocol):
    """A layer of any benchmark."""

    @property
    def name(self) -> str:
        """Name by which the layer is chosen."""


Layer = TypeVar("Layer", bound=Named)


def chosen_layers(layers: Sequence[Layer], patterns: Sequence[str] | None) -> list[Layer]:
    """Layers of these names, `*` standing for any characters, in the order of the benchmark; all if none is named.

    Raises:
        CovenantError: GEN0040, there is none of a name.
    """
    for pattern in patterns or ():
        if not any(fnmatchcase(layer.name, pattern) for layer in layers):
            raise CovenantError(
                Diagnostic("GEN0040", "there is no such benchmark layer", "command line", offending=pattern,
                           allowed=tuple(layer.name for layer in layers), fix="choose one of these")
            )  # fmt: skip
    return [layer for layer in layers if not patterns or any(fnmatchcase(layer.name, one) for one in patterns)]

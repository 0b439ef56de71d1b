"""Names in place of paths: a table says the same wherever files and caches lie."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from covenant.study.points import Point
from covenant.study.quantized import place_of

__all__ = ["names_of_files", "without_paths"]


def without_paths(text: str, point: Point) -> str:
    """A text about a point with the names of its files instead of their paths: its model has that of the table.

    A float model lies in a cache once it is quantised, and on a computer of a cluster every file in a temporary folder.
    """
    content = point.model
    names = {path: PurePath(path).name for path in (*content.files, point.memory, point.machine) if os.sep in path}
    names |= {content.model: content.title, os.fspath(place_of(content)): content.name}
    spelt = {form: name for path, name in names.items() for form in (path, str(Path(path).resolve()))}
    for path in sorted(spelt, key=len, reverse=True):
        text = text.replace(path, spelt[path])
    return text


def names_of_files(specs: Iterable[str]) -> Mapping[str, str]:
    """Names of machines or memories in a table: of those that are paths the ends by which they differ.

    Example:
        >>> names_of_files(["genesys:8x8", "/a/b/own.acg", "/a/c/own.acg", "/a/c/other.acg"])["/a/c/own.acg"]
        'c/own.acg'
    """
    every = dict.fromkeys(specs)
    parts = {spec: Path(spec).parts for spec in every if os.sep in spec}
    names = {spec: spec for spec in every}
    for spec, own in parts.items():
        others = [other for name, other in parts.items() if name != spec]
        length = next((n for n in range(1, len(own)) if all(one[-n:] != own[-n:] for one in others)), len(own))
        names[spec] = str(PurePath(*own[-length:]))
    return names

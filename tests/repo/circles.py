"""Graphs of includes and imports, and their circles. `python circles.py` prints those of files and of folders.

A graph maps a file (its path from the root of the repository) to the files that it includes or imports.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

from sources import ROOT, name_of, tracked

Graph = Mapping[str, Collection[str]]

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
PYTHON = ROOT / "python"
# The doors of the package: they open to all of its rooms, and no room opens to them.
DOORS = {"covenant/__init__.py", "covenant/__init__.pyi", "covenant/__main__.py"}


def circles(graph: Graph) -> list[list[str]]:
    """Groups of nodes that reach each other, and nodes that need themselves; each group and the list in order."""
    left = {node: set(needed) for node, needed in graph.items()}
    while ends := [node for node, needed in left.items() if left.keys().isdisjoint(needed)]:
        for node in ends:  # it needs none of those that are left: no circle goes through it
            del left[node]
    reached = {node: _reached(node, left) for node in left}
    groups = {tuple(other for other in sorted(reached[node]) if node in reached[other]) for node in left}
    return sorted(list(group) for group in groups if group)


def _reached(start: str, graph: Graph) -> set[str]:
    """Nodes of the graph to which a way of one step or more leads."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = {node for node in graph[waiting.pop()] if node in graph} - found
        found |= new
        waiting.extend(new)
    return found


def folders(graph: Graph) -> dict[str, set[str]]:
    """The same between folders; what stays within one does not count, and what the doors need does not."""
    found: dict[str, set[str]] = {}
    for file, needed in graph.items():
        if file in DOORS:
            continue
        here = str(PurePosixPath(file).parent)
        found.setdefault(here, set()).update({str(PurePosixPath(other).parent) for other in needed} - {here})
    return found


def include_graph() -> dict[str, set[str]]:
    """Includes of all C++ files. Generated headers, which are not in the repository, are left out."""
    return {name_of(path): set(_included(path)) for path in tracked("*.h", "*.cpp")}


def _included(path: Path) -> Iterator[str]:
    for included in INCLUDE.findall(path.read_text()):
        beside = path.parent / included
        if (ROOT / included).is_file():
            yield included
        elif beside.is_file():
            yield name_of(beside.resolve())


def import_graph(package: Path = PYTHON / "covenant") -> dict[str, set[str]]:
    """Imports of all modules of a package: those of modules, of functions and of `if TYPE_CHECKING` alike.

    Imports of a package by its own modules do not count, though Python loads the package first: every package would be
    one circle.
    """
    base = package.parent
    files = {_module(path, base): path for path in sorted([*package.rglob("*.py"), *package.rglob("*.pyi")])}
    names = {module: path.relative_to(base).as_posix() for module, path in files.items()}
    return {
        names[module]: {names[needed] for needed in _imported(module, path, files.keys())}
        for module, path in files.items()
    }


def _module(path: Path, base: Path) -> str:
    parts = path.relative_to(base).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(module: str, path: Path, known: Collection[str]) -> Iterator[str]:
    """The module a.b for `from a import b` if there is one, else a."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            origin = _origin(module, path, node)
            wanted = {inner if (inner := f"{origin}.{alias.name}") in known else origin for alias in node.names}
            yield from wanted & set(known)


def _origin(module: str, path: Path, node: ast.ImportFrom) -> str:
    """The whole name of the module that is imported from."""
    if not node.level:
        return node.module or ""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    kept = package[: len(package) - node.level + 1]
    return ".".join([*kept, *filter(None, [node.module])])


def main() -> int:
    """Prints them; 1 if files have any."""
    graphs = {"includes": include_graph(), "imports": import_graph()}
    for what, graph in graphs.items():
        for of, found in (("files", circles(graph)), ("folders", circles(folders(graph)))):
            print(f"{what}: {len(found)} circles of {of}")
            for group in found:
                print("  " + " <-> ".join(group))
    return 1 if any(circles(graph) for graph in graphs.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

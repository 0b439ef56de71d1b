"""No file depends on itself, directly or through others, by includes of C++ or imports of Python."""

from __future__ import annotations

import pytest
from circles import DOORS, circles, folders, import_graph, include_graph


def test_no_circles_of_includes():
    graph = include_graph()
    assert sum(map(len, graph.values())) > 1000
    assert circles(graph) == []


def test_no_circles_of_imports():
    graph = import_graph()
    assert sum(map(len, graph.values())) > 100
    assert circles(graph) == []


def test_no_circles_of_folders_in_cpp():
    assert circles(folders(include_graph())) == []


def test_no_circles_of_folders_in_python():
    assert circles(folders(import_graph())) == []


def test_nothing_imports_the_doors():
    """A module that imports the package from within needs all of it."""
    assert [file for file, needed in import_graph().items() if DOORS & needed and file not in DOORS] == []


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b", "c"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"a"}}, [["a"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}}, [["a", "b", "c"], ["d", "e"]]),
        ({"a": {"b"}, "b": {"a", "c"}, "c": {"b"}}, [["a", "b", "c"]]),
        ({"r": {"x", "y"}, "x": {"z"}, "y": {"z"}, "z": {"y"}}, [["y", "z"]]),
    ],
)
def test_circles_are_found(graph, expected):
    assert circles(graph) == expected


def test_circles_of_folders_are_found():
    graph = {"a/x": {"b/y"}, "b/y": set(), "b/z": {"a/w"}, "a/w": {"a/x"}}
    assert circles(graph) == []
    assert circles(folders(graph)) == [["a", "b"]]


HIDDEN = {
    "module": "from package.one import x",
    "submodule": "from package import one",
    "plain": "import package.one",
    "relative": "from .one import x",
    "relative submodule": "from . import one",
    "function": "def f():\n    from package.one import x\n",
    "type checking": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package.one import x\n",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_a_hidden_import_is_seen(text, tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from package.two import y\n")
    (package / "one.py").write_text("from package.two import y\nx = 1\n")
    (package / "two.py").write_text(text)
    assert circles(import_graph(package)) == [["package/one.py", "package/two.py"]]

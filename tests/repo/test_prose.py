"""Prose in plain English: comments begin with the thing or the verb, and no text speaks of nobody or whoever."""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize

from sources import name_of, tracked

VAGUE = re.compile(r"\b(?:nobody|somebody|whoever)\b", re.IGNORECASE)
BEGINNING = re.compile(r"(?:Of|What|Whose|Who|That)\b")
PYTHON = tracked("*.py")
HARDWARE = tracked("*.h", "*.cpp", "*.sv")
# A comment on a line of its own, outside of strings.
COMMENT = re.compile(r"^\s*//+ (?P<text>.*)$")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings(path) -> list[str]:
    """Docstrings of a module, its classes and its functions."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, DOCUMENTED)]
    return [text for node in nodes if (text := ast.get_docstring(node))]


def comments(path) -> list[str]:
    """Comments of a module."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def test_docstrings_begin_with_the_thing_or_the_verb():
    found = [
        f"{name_of(path)}: {text.splitlines()[0]}"
        for path in PYTHON
        for text in docstrings(path)
        if BEGINNING.match(text)
    ]
    assert found == []


def first_lines(path) -> list[str]:
    """First lines of the comments that stand on lines of their own in C++ or SystemVerilog."""
    matches = [COMMENT.match(line) for line in ["", *path.read_text().splitlines()]]
    return [now["text"] for before, now in itertools.pairwise(matches) if now and not before]


def test_comments_begin_with_the_thing_or_the_verb():
    found = [f"{name_of(path)}: {text}" for path in HARDWARE for text in first_lines(path) if BEGINNING.match(text)]
    assert found == []


def test_modules_say_what_they_are():
    assert [name_of(path) for path in PYTHON if ast.get_docstring(ast.parse(path.read_text())) is None] == []


def test_texts_name_the_actor():
    in_python = [(path, text) for path in PYTHON for text in [*docstrings(path), *comments(path)]]
    others = [(path, line) for path in [*tracked("*.md"), *HARDWARE] for line in path.read_text().splitlines()]
    found = [f"{name_of(path)}: {text}" for path, text in in_python + others if VAGUE.search(text)]
    assert [text for text in found if not text.startswith("tests/repo/test_prose.py:")] == []

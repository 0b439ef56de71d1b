"""Parsed arguments stay in the files that add the options: what a command does takes a request."""

from __future__ import annotations

import ast

import pytest
from sources import name_of, tracked

ADDING = {"add_argument", "add_command"}


def called(tree: ast.Module) -> set[str]:
    """Names of all functions and methods that are called."""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {getattr(function, "attr", None) or getattr(function, "id", "") for function in functions}


def names_argparse(tree: ast.Module) -> bool:
    """Whether the module `argparse` is imported, whole or a name of it."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias.name for node in imports for alias in node.names] + [getattr(node, "module", "") for node in imports]
    return "argparse" in names


def reads_without_adding(text: str) -> bool:
    """Whether a file handles parsed arguments that another one has the options of."""
    tree = ast.parse(text)
    return names_argparse(tree) and not called(tree) & ADDING


def test_only_files_that_add_options_see_parsed_arguments():
    files = [path for path in tracked("*.py") if name_of(path).startswith("python/covenant/")]
    assert len(files) > 100
    assert [name_of(path) for path in files if reads_without_adding(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import argparse\ndef work(arguments: argparse.Namespace): ...", True),
        ("from argparse import Namespace\ndef work(arguments: Namespace): ...", True),
        ("import argparse\ndef add(parser): parser.add_argument('x')", False),
        ("import argparse\ndef add(commands): add_command(commands, 'x', '')", False),
        ("def work(request): ...", False),
    ],
)
def test_files_that_see_them_are_found(text, expected):
    assert reads_without_adding(text) is expected

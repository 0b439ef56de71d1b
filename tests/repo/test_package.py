"""The shape of the Python package."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest
from sources import ROOT

import covenant
from covenant import _core

TYPES = ast.parse((ROOT / "python/covenant/__init__.pyi").read_text())
STUB = ast.parse((ROOT / "python/covenant/_core.pyi").read_text())


def public(names) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def members(body: list[ast.stmt]) -> set[str]:
    functions = {item.name for item in body if isinstance(item, ast.FunctionDef | ast.ClassDef)}
    return functions | {item.target.id for item in body if isinstance(item, ast.AnnAssign)}


def test_the_stub_names_what_the_core_has():
    assert members(STUB.body) == public(vars(_core))


@pytest.mark.parametrize(
    "cls", [item for item in STUB.body if isinstance(item, ast.ClassDef)], ids=lambda cls: cls.name
)
def test_the_stub_names_what_a_class_has(cls):
    assert public(members(cls.body)) == public(vars(getattr(_core, cls.name)))


def test_types_are_known_of_all_that_is_exported():
    imported = {alias.name for node in TYPES.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported | {"__version__"} == set(covenant.__all__)
    assert set(covenant.__all__) <= set(dir(covenant))


def test_a_name_that_is_none_is_none():
    with pytest.raises(AttributeError, match="has no attribute 'compil'"):
        _ = covenant.compil


@pytest.mark.parametrize("name", covenant.__all__)
def test_everything_public_is_documented(name):
    thing = getattr(covenant, name)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        assert inspect.getdoc(thing), name
        for member, value in vars(thing).items():
            described = inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)
            if described and not member.startswith("_"):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_the_reference_names_everything_public():
    page = (ROOT / "docs/reference/python.md").read_text()
    hidden = {"__version__", "BACKENDS", "Block", "Diagnostic"}
    assert [name for name in covenant.__all__ if name not in hidden and f"`{name}" not in page] == []


def test_importing_does_no_work():
    """No heavy packages, no files, no output: the oracle loads ONNX Runtime only when it is asked."""
    code = "import sys, covenant; print(sorted({'onnx', 'onnxruntime', 'matplotlib', 'torch'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert done.stderr == ""


@pytest.mark.parametrize("order", ["covenant, onnx, onnxruntime", "onnxruntime, onnx, covenant"])
def test_the_core_lives_with_other_copies_of_protobuf(order):
    """Whichever comes first, each reads models with its own."""
    code = f"""
import {order}
model = {str(ROOT / "examples/01_digits/digits_qdq.onnx")!r}
program = covenant.compile(model, "genesys")
assert len(onnx.load(model).graph.node) > 10
onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
assert covenant.compile(model, "genesys") == program
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_long_calls_release_the_interpreter():
    """Threads that compile do not stop each other: what they give is what one gives."""
    from concurrent.futures import ThreadPoolExecutor

    model = ROOT / "examples/01_digits/digits_qdq.onnx"
    alone = covenant.compile(model, "genesys")
    with ThreadPoolExecutor(4) as pool:
        assert all(program == alone for program in pool.map(lambda _: covenant.compile(model, "genesys"), range(8)))

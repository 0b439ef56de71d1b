"""The Dockerfile installs what the package needs, and what follows it without Docker knows all that it says."""

from __future__ import annotations

import re

import pytest
from dockerfile import ROOT, Instruction, context, debian_packages, instructions

FILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
BUILT_WITHOUT = {"ccache", "libgtest-dev"}
"""Packages of `./dev` that only building again, and tests, need."""


def needed() -> set[str]:
    """Packages that `./dev` installs for building."""
    found = re.search(r"readonly libraries=\(([^)]*)\)", (ROOT / "dev").read_text(encoding="utf-8"))
    assert found
    return set(found[1].split()) - BUILT_WITHOUT


def test_it_installs_what_the_package_is_built_with():
    packages = debian_packages(instructions(FILE))
    assert needed() <= packages
    assert {"g++", "cmake", "make", "verilator", "yosys", "python3-dev", "python3-venv"} <= packages


def test_the_guide_names_the_same_packages():
    text = (ROOT / "docs/guide/install.md").read_text(encoding="utf-8")
    assert needed() <= set(text.split())


def test_it_copies_sources_and_nothing_that_is_built():
    names = [str(path) for path in context()]
    assert {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "python/covenant/__init__.py"} <= set(names)
    assert [name for name in names if name.startswith(("build/", ".git/")) or name.endswith(".so")] == []
    assert all((ROOT / name).is_file() for name in names)


def test_lines_are_joined_and_comments_left_out():
    steps = instructions("# first\nFROM debian:12\nRUN a \\\n # no\n && b\n\nENV PATH=/x:$PATH\n")
    assert steps == [
        Instruction("FROM", "debian:12"), Instruction("RUN", "a && b"), Instruction("ENV", "PATH=/x:$PATH"),
    ]  # fmt: skip


def test_what_has_no_rule_is_refused():
    with pytest.raises(ValueError, match="no rule for 'ADD x y'"):
        instructions("ADD x y")


def test_the_first_and_the_last_instruction():
    steps = instructions(FILE)
    assert steps[0] == Instruction("FROM", "debian:12")
    assert steps[-1] == Instruction("ENTRYPOINT", '["covenant"]')

"""Builds the package again with mutants in its extension and its Python sources, and runs a suite on it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection
from pathlib import Path

from mutants import FOLDER, ROOT, Mutant, rewrite
from relink import Relinker

EXTENSION = "_core"
ACTIVE = '''"""Which mutant is active in this process: COVENANT_MUTANT, 0 for none."""

import os

NUMBER = int(os.environ.get("COVENANT_MUTANT", "0"))
'''
PROGRAM = """#!/bin/sh
PYTHONPATH={package}:{suite}:{soak} exec {python} {suite}/unfused.py "$@"
"""


def unfused_program(relinker: Relinker, sources: Collection[str], mutants: list[Mutant]) -> Path:
    """A program that runs suite/unfused.py on a copy of the package.

    Args:
        relinker: has compiled the sources.
        sources: names of the C++ that the extension takes mutants from.
        mutants: of Python sources.
    """
    package = relinker.output / "package"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(
        ROOT / "python/covenant", package / "covenant", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    extension = relinker.link(EXTENSION, sources)
    shutil.copy2(extension, package / "covenant" / relinker.made_name(EXTENSION))
    for name in {mutant.file for mutant in mutants}:
        text = rewrite((ROOT / name).read_text(encoding="utf-8"), [one for one in mutants if one.file == name])
        (package / Path(name).relative_to("python")).write_text(text, encoding="utf-8")
    (package / "active_mutant.py").write_text(ACTIVE, encoding="utf-8")
    program = relinker.output / "programs/unfused"
    suite, soak = FOLDER / "suite", ROOT / "tests/soak"
    program.write_text(PROGRAM.format(package=package, suite=suite, soak=soak, python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    return program

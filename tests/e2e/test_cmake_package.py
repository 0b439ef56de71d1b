"""The package for C++ programs, used as its users do: installed into a folder, found by projects of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from digits import model_of

import covenant

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    """Where the package is installed."""
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--build", BUILD, "--target", "covenant_package")
    run("cmake", "--install", BUILD, "--prefix", folder, "--component", "development")
    return folder


def built(project: Path, prefix: Path, folder: Path) -> Path:
    """The folder in which the project is built."""
    run("cmake", "-S", project, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder)
    return folder


def test_the_package_names_no_place_of_the_checkout(prefix):
    files = sorted(prefix.rglob("*.cmake"))
    assert len(files) >= 4
    assert [file.name for file in files if str(ROOT) in file.read_text()] == []


def test_a_platform_of_memories_and_a_router(prefix, tmp_path):
    folder = built(ROOT / "examples/03_platform", prefix, tmp_path)
    expected = (ROOT / "examples/03_platform/README.md").read_text().split("```text\n")[1].split("```")[0]
    assert run(folder / "traffic") == expected


def test_a_model_is_compiled_and_run(prefix, tmp_path):
    """As the Python package does it. The project asks for C++17."""
    folder = built(ROOT / "tests/e2e/package/digits", prefix, tmp_path)
    model = str(model_of("qdq"))
    program = covenant.compile(model, covenant.Machine("genesys", preset="8x8"))
    cycles = covenant.run(program, np.zeros((1, 1, 8, 8), np.float32)).cycles
    assert run(folder / "digits", model) == f"{cycles} cycles\n"

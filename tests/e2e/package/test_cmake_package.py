"""The package for C++ programs, used as its users do: installed into a folder, found by projects of their own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from digits import model_of

import covenant

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build/release"
EXAMPLE = ROOT / "examples/03_platform"


def run(*command: object, cwd: Path | None = None) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    """Folder in which the package is installed."""
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


@pytest.fixture(scope="module")
def platform(prefix, tmp_path_factory) -> Path:
    """Folder in which the example is built, with the models and images that it reads."""
    folder = built(EXAMPLE, prefix, tmp_path_factory.mktemp("platform"))
    run(sys.executable, EXAMPLE / "prepare.py", folder)
    return folder


def listing(page: Path, after: str) -> str:
    """The first listing of a page after these words."""
    return page.read_text().split(after, 1)[1].split("```text\n", 1)[1].split("```", 1)[0]


def test_a_platform_of_memories_and_a_router(platform):
    assert run(platform / "traffic") == listing(EXAMPLE / "README.md", "# A device among others")


def test_two_accelerators_on_one_memory(platform, tmp_path):
    """The program checks outputs, times and beats itself; its page shows what it prints, and the picture."""
    printed = run(platform / "two_accelerators", platform, cwd=tmp_path)
    assert printed == listing(ROOT / "docs/guide/platform.md", "<!-- two accelerators")
    picture = tmp_path / "platform.svg"
    run(sys.executable, EXAMPLE / "picture.py", tmp_path / "timeline.json", picture)
    assert picture.read_text() == (ROOT / "docs/guide/platform.svg").read_text()


def test_a_core_beside_an_accelerator(platform, tmp_path):
    """The last layers on a machine that issues packets, whose caches fetch lines from the same DRAM."""
    printed = run(platform / "two_accelerators", platform, "ddr4_2400", "hvx", cwd=tmp_path)
    assert printed == listing(ROOT / "docs/guide/platform.md", "<!-- a core")


@pytest.mark.parametrize("memory", ["fixed", "lpddr4_3200"])
def test_a_core_on_other_memories(platform, tmp_path, memory):
    assert f"hvx, memory {memory}" in run(platform / "two_accelerators", platform, memory, "hvx", cwd=tmp_path)


@pytest.mark.skipif(shutil.which("verilator") is None, reason="no verilator")
def test_one_of_two_accelerators_in_rtl(platform, tmp_path):
    (BUILD / "rtl_models").mkdir(exist_ok=True)
    (tmp_path / "rtl").symlink_to(BUILD / "rtl_models")
    printed = run(platform / "two_accelerators", platform, "ddr4_2400", "--rtl", cwd=tmp_path)
    assert printed.startswith("8 images on genesys:16x16 (RTL) and genesys:32x32")
    assert printed.endswith(listing(ROOT / "docs/guide/platform.md", "<!-- one of them in RTL"))


@pytest.mark.parametrize("memory", ["fixed", "lpddr4_3200", "ddr5_4800", "hbm2"])
def test_two_accelerators_on_other_memories(platform, tmp_path, memory):
    assert f"memory {memory}" in run(platform / "two_accelerators", platform, memory, cwd=tmp_path)
    run(sys.executable, EXAMPLE / "picture.py", tmp_path / "timeline.json", tmp_path / "platform.png")


def test_a_machine_that_commands_drive(prefix, tmp_path):
    folder = built(ROOT / "examples/10_commands", prefix, tmp_path / "commands")
    assert "all products are right" in run(folder / "platform", ROOT / "examples/10_commands/dot.acg")


def test_a_memory_that_there_is_not(platform):
    done = subprocess.run(
        [platform / "two_accelerators", platform, "ddr9"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "MEM" in done.stderr


def test_a_model_is_compiled_and_run(prefix, tmp_path):
    """The C++ program compiles and runs a model as the Python package does. Its project asks for C++17."""
    folder = built(ROOT / "tests/e2e/package/digits", prefix, tmp_path)
    model = str(model_of("qdq"))
    program = covenant.compile(model, covenant.Machine("genesys", preset="8x8"))
    cycles = covenant.run(program, np.zeros((1, 1, 8, 8), np.float32)).cycles
    assert run(folder / "digits", model) == f"{cycles} cycles\n"

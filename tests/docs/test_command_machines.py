"""The page on machines that commands drive: its machine, its commands and its Python give what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/command-machines.md").read_text()


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def test_the_machine_is_the_example() -> None:
    assert block("acg") == (ROOT / "examples/10_commands/dot.acg").read_text()


def test_the_machine_has_60_lines_at_most() -> None:
    assert len(block("acg").splitlines()) <= 60


def test_the_commands_give_what_the_page_says(folder: Path) -> None:
    words = f'covenant() {{ {sys.executable} -m covenant "$@"; }}\n'
    done = subprocess.run(["bash", "-ec", words + block("sh")], cwd=folder, capture_output=True, text=True, check=True)
    assert "8002" in done.stdout
    (folder / "few.txt").write_text("\n".join((folder / "dot.txt").read_text().splitlines()[:4]) + "\nW 0x10 1\nQ\n")
    words += "covenant replay few.txt -m examples/10_commands/dot.acg"
    failed = subprocess.run(["bash", "-ec", words], cwd=folder, capture_output=True, text=True, check=False)
    assert failed.returncode == 2
    assert "error[BEH0033]" in failed.stderr


def test_lines_of_assembly_are_those_of_the_commands(folder: Path) -> None:
    words = f'covenant() {{ {sys.executable} -m covenant "$@"; }}\n' + block("sh")
    words += "covenant disasm dot.txt -m examples/10_commands/dot.acg"
    done = subprocess.run(["bash", "-ec", words], cwd=folder, capture_output=True, text=True, check=True)
    assert "\nset_shift by=2\n" in done.stdout


def test_the_python_gives_what_numpy_does(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", block("python")], cwd=folder, capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"\d+ cycles\n", done.stdout)

"""Files generated from the description of the registers are as committed, and say what the description says."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def generate(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", root / "rtl/registers/generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_files_are_as_committed(generate, root: Path):
    changed = [name for name, text in generate.generated().items() if (root / name).read_text() != text]
    assert changed == [], "./dev registers writes them"


def test_check_names_what_differs(generate, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(generate, "generated", lambda: {"a.txt": "new"})
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    assert (generate.main(["--check"]), capsys.readouterr().out) == (1, "a.txt\n")
    assert not (tmp_path / "a.txt").exists()
    assert generate.main([]) == 0
    assert (generate.main(["--check"]), capsys.readouterr().out) == (0, "a.txt\n")


def test_every_register_and_field_is_described(generate):
    registers = list(generate.compiled().registers())
    assert len(registers) > 20
    fields = [field for register in registers for field in register.fields()]
    assert [node.get_path() for node in (*registers, *fields) if not node.get_property("desc")] == []


def test_registers_stand_side_by_side(generate):
    """And halves of a number beside each other, the low one first."""
    registers = list(generate.compiled().registers())
    assert [register.address_offset for register in registers] == [4 * k for k in range(len(registers))]
    names = [register.inst_name for register in registers]
    lows = [name.removesuffix("_low") for name in names if name.endswith("_low")]
    assert lows == [name.removesuffix("_high") for name in names if name.endswith("_high")]


def test_constants_say_what_the_description_says(generate, root: Path):
    text = (root / "acg/registers/registers.h").read_text()
    written = dict(re.findall(r"constexpr uint32_t k(\w+) = (0x[0-9A-F]+);", text))
    for register in generate.compiled().registers():
        assert int(written[generate.camel(register.inst_name)], 16) == register.address_offset


def test_the_c_header_is_clean(root: Path):
    """The header compiles as C and as C++ with the project's warnings on."""
    header = root / "rtl/registers/covenant_registers.h"
    flags = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]
    for language in ("c", "c++"):
        compiler = "cc" if language == "c" else "c++"
        if shutil.which(compiler) is None:
            pytest.fail(f"no {compiler} on the path")
        source = f'#include "{header}"\nunsigned f(covenant_t* c) {{ return c->status & COVENANT__STATUS__BUSY_bm; }}\n'
        command = [compiler, *flags, "-x", language, "-"]
        done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

"""Other compilers' kernels: built, run on the core and in QEMU, exact."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from covenant import CovenantError, Machine
from covenant.peers import KERNELS, Toolchain, measure, toolchains


def _kernel(name):
    return next(kernel for kernel in KERNELS if kernel.name == name)


@pytest.mark.parametrize("name", ["conv", "requantise", "pool"])
def test_clang_code_runs_on_the_core_as_in_qemu(name):
    (debian, *_) = toolchains()
    rows = measure(_kernel(name), debian, Machine("hvx"))
    assert [row.form for row in rows] == [form.what for form in _kernel(name).forms]
    for row in rows:
        assert row.identical
        assert row.packets == row.emulated_packets
        assert row.cycles >= 2 * row.packets  # a packet every second cycle


def test_our_code_stands_beside_it(covenant_command):
    done = covenant_command("bench", "peers", "-m", "hvx", "--kernel", "conv", "--json")
    report = done.object
    assert done.code == 0
    assert report["right"]
    for row in report["rows"]:
        assert row["ours_cycles"] >= 2 * row["ours_packets"] > 0
        assert row["ours"] == "ResNet50/CONV2: i8 * i8 -> i32"


def test_without_a_compiler(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(CovenantError) as error:
        toolchains()
    assert error.value.code == "CLI0022"
    assert error.value.diagnostic.fix == "apt-get install clang-14 lld-14, or pip install ziglang==0.17.1"


def test_a_compiler_that_fails():
    broken = Toolchain("broken", ("false",), ("false",))
    with pytest.raises(CovenantError) as error:
        broken.compile(Path("kernel.c"), Path("kernel.o"))
    assert error.value.code == "CLI0023"
    assert error.value.diagnostic.offending == "exit code 1"

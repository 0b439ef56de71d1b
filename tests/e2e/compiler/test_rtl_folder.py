"""`covenant rtl` writes folders that need nothing else; random machines run in lock step."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from digits import DIGITS, model_of

import covenant
from covenant import _core
from covenant.program.rtl_folder import write_files

ROOT = DIGITS.parents[1]
SMALL = ("-m", "genesys", "--set", "M=3", "--set", "N=4")
needs_verilator = pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")
is_full = os.environ.get("COVENANT_FULL") is not None


def make(folder: Path, *targets: str) -> subprocess.CompletedProcess[str]:
    """Runs make with nothing of ours in the environment."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = ["make", "-C", str(folder), *targets]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@needs_verilator
def test_folder_lints(covenant_command, tmp_path):
    done = covenant_command("rtl", *SMALL, "-o", tmp_path / "out", "--json")
    assert done.code == 0
    folder = tmp_path / "out"
    written = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert done.object["files"] == written
    assert {"README.md", "Makefile", "covenant_top.sv", "test/before.hex"} <= set(written)
    linted = make(folder, "lint")
    assert linted.returncode == 0, linted.stdout + linted.stderr


@needs_verilator
def test_folder_of_any_names_lints(covenant_command, tmp_path):
    """Words of the generator, of SystemVerilog and of Verilator, and names equal but for case."""
    names = {
        "IBUF": "FETCH",
        "WBUF": "Fetch",
        "OBUF": "__status__",
        "SA": "module",
        "DRAM": "verilator",
        "VMEM1": "V" * 300,
    }
    for part in ("genesys.acg", "genesys_words.acg"):
        text = (ROOT / "acg/machines" / part).read_text()
        (tmp_path / part).write_text(re.sub(r"\w+", lambda word: names.get(word[0], word[0]), text))
    folder = tmp_path / "out"
    assert covenant_command("rtl", "-m", tmp_path / "genesys.acg", *SMALL[2:], "-o", folder).code == 0
    linted = make(folder, "lint")
    assert linted.returncode == 0, linted.stdout + linted.stderr


def small_machines() -> list[dict[str, int]]:
    """The corners of small machines; with COVENANT_FULL=1 all that lie between them."""
    sizes = [
        {"bits": bits, "N": columns, "M": rows}
        for bits in (4, 8, 16)
        for columns in (1, 2, 3, 5)
        for rows in (1, 2, 3, 16)
        if bits * columns % 8 == 0 and bits * rows % 8 == 0
    ]
    corners = [size for size in sizes if (size["N"], size["M"]) in {(1, 1), (1, 3), (5, 3), (2, 2)}]
    edges = [{"bits": 16, "N": 1, "M": 2, "axi": axi} for axi in (8, 24, 1024)]
    return (sizes if is_full else corners) + edges


@needs_verilator
@pytest.mark.parametrize("size", small_machines(), ids=str)
def test_small_machines_lint(size, tmp_path):
    write_files(covenant.rtl_files(covenant.Machine("genesys", **size)), tmp_path / "out")
    command = ["verilator", "--lint-only", "-Wall", "--top-module", "covenant_top", "-f", "covenant.f"]
    linted = subprocess.run(command, cwd=tmp_path / "out", capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout + linted.stderr


@needs_verilator
@pytest.mark.skipif(not is_full, reason="COVENANT_FULL=1 builds a model")
def test_folder_tests_itself(covenant_command, tmp_path):
    folder = tmp_path / "out"
    assert covenant_command("rtl", *SMALL, "-o", folder, "--model", model_of("qdq")).code == 0
    done = make(folder, "lint", "test")
    assert done.returncode == 0, done.stdout + done.stderr
    image = folder / "test" / "after.hex"
    text = image.read_text().splitlines()
    place = next(k for k, line in enumerate(text) if line and not line.startswith("@"))
    first, *others = text[place].split()
    text[place] = " ".join([f"{int(first, 16) ^ 1:02x}", *others])
    image.write_text("\n".join(text) + "\n")
    assert make(folder, "test").returncode != 0, "one bit of what is expected makes it fail"


def test_equal_machines_give_equal_files():
    machine = covenant.Machine("genesys", M=3, N=4)
    assert covenant.rtl_files(machine) == covenant.rtl_files(machine)
    program = covenant.compile(model_of("qdq"), machine)
    image = {"image": np.zeros((1, 1, 8, 8), np.float32)}
    named = covenant.rtl_files(machine, program, image)
    assert "digits_qdq.onnx" in named["test/run.txt"]


def test_folders_of_others_are_left_alone(covenant_command, tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    done = covenant_command("rtl", *SMALL, "-o", tmp_path, "--json")
    assert (done.code, done.object["error"]["code"]) == (2, "CLI0011")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    assert covenant_command("rtl", *SMALL, "-o", "/proc/nowhere/out").code == 2
    folder = tmp_path / "out"
    write_files({"covenant_top.sv": "old", "old.sv": "old"}, folder)
    assert covenant_command("rtl", *SMALL, "-o", folder).code == 0
    assert not (folder / "old.sv").exists()


def test_machines_without_rtl_are_refused(covenant_command, tmp_path):
    done = covenant_command("rtl", "-m", "hvx", "-o", tmp_path / "out", "--json")
    assert (done.code, done.object["error"]["code"]) == (2, "RTL0008")
    assert not (tmp_path / "out").exists()


def test_models_are_compiled_for_the_machine(covenant_command, tmp_path):
    done = covenant_command("rtl", *SMALL, "-o", tmp_path / "out", "--model", "x.cprog")
    assert (done.code, "CLI0008" in done.error) == (2, True)


def test_random_machines_are_those_of_their_seed():
    one, other = _core.random_machine(7, 0), _core.random_machine(7, 1)
    assert one[0] == _core.random_machine(7, 0)[0]
    assert one[0] != other[0]


def test_broken_machines_are_refused(covenant_command, tmp_path):
    rules = _core.breaking_rules()
    command = ("cosim", "--broken-machines", len(rules), "--seed", 3, "--output", tmp_path)
    done = covenant_command(*command, "--json")
    assert done.code == 0, done.error
    found = done.object
    assert found["refused"] == found["machines"] == sum(found["codes"].values()) == len(rules)
    assert set(found["fates"]) == {"read", "compiled"}
    assert [rule["rule"] for rule in found["rules"]] == rules
    assert found["escapes"] == [] == list(tmp_path.iterdir())


def test_a_machine_that_is_whole_escapes(covenant_command, tmp_path, monkeypatch):
    whole = _core.random_machine(5, 0)[0].encode()
    monkeypatch.setattr(_core, "broken_machine", lambda seed, index: ("cut short", whole))
    done = covenant_command("cosim", "--broken-machines", 1, "--output", tmp_path, "--json")
    assert done.code == 1
    (escape,) = done.object["escapes"]
    assert (escape["rule"], escape["fate"]) == ("cut short", "accepted")
    assert (tmp_path / "broken_0_0.acg").read_bytes() == whole


@needs_verilator
def test_random_machine_in_lock_step(covenant_command, tmp_path):
    command = ("cosim", "--random-machines", 1, "--random-layers", 5, "--seed", 32, "--rtl-quick", "--output", tmp_path)
    done = covenant_command(*command, "--json")
    assert done.code == 0, done.error
    found = done.object
    assert (found["machines"], found["layers"], found["differences"], found["failures"]) == (1, 5, 0, [])
    (run,) = found["runs"]
    assert run["cycles"] == found["cycles"] > 0
    assert (len(run["pair"]), found["pairs"]) == (2, 1)
    assert {"two SIMD arrays", "weights in a memory apart", "words in a memory apart"} <= set(run["features"])
    assert found["features"]["two SIMD arrays"] == {"machines": 1, "layers": 5, "refused": run["refused"]}
    assert sum(found["refusals"].values()) == found["refused"]
    assert 0 < run["on_both"] == found["on_both"] < 5
    assert found["identical"] is True
    assert list(tmp_path.iterdir()) == []


@needs_verilator
@pytest.mark.skipif(not is_full, reason="COVENANT_FULL=1 builds two models")
def test_random_machines_in_processes(covenant_command, tmp_path):
    command = ("cosim", "--random-machines", 2, "--first-machine", 1, "--random-layers", 20, "--seed", 7, "--rtl-quick")
    done = covenant_command(*command, "--output", tmp_path)
    assert done.code == 0, done.error
    assert "2 machines (0 with two arrays of a unit), 40 layers (0 on both, " in done.out
    assert "0 differences; seed 7" in done.out


@needs_verilator
def test_a_random_difference_leaves_what_reproduces_it(covenant_command, tmp_path, monkeypatch):
    """The cache is given the library of another machine: the first layer differs, or does not run."""
    cache = tmp_path / "cache"
    build = covenant.Build(quick=True)
    right = Path(covenant.VerilatedModel(covenant.Machine._wrap(_core.random_machine(7, 0)[1]), build).folder)
    wrong = Path(covenant.VerilatedModel(covenant.Machine("genesys", M=3, N=4), build).folder)
    shutil.copytree(wrong, cache / right.name)
    monkeypatch.chdir(tmp_path)
    command = ("cosim", "--random-machines", 1, "--random-layers", 5, "--seed", 7, "--rtl-quick", "--rtl-cache", cache)
    done = covenant_command(*command, "--json")
    assert done.code == 1
    (failure,) = done.object["failures"]
    assert sorted(Path(name).suffix for name in failure["files"]) == [".acg", ".cprog", ".npz"]
    acg, program, inputs = failure["files"]
    assert str(covenant.Machine(acg)) == str(covenant.Program.load(program).machine)
    assert f"cosim {program} --input {inputs}" in failure["reproduce"]
    assert failure["first"]["engine"]
    again = covenant_command("cosim", program, "--input", inputs, "--rtl-quick", "--rtl-cache", cache, "--json")
    assert again.code == 1
    assert again.object["first"]["fields"] == failure["first"]["fields"]


def test_random_machines_take_no_model(covenant_command):
    done = covenant_command("cosim", model_of("qdq"), "--random-machines", 1)
    assert (done.code, "CLI0008" in done.error) == (2, True)

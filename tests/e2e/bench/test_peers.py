"""Kernels that other compilers have built run on the core and in QEMU, and are exact."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest
from expectation import expected_here

from covenant import CovenantError, Machine
from covenant.bench.peers import KERNELS, TVM_MISSING, Toolchain, measure, models, toolchains, tvm_of
from covenant.bench.peers.ours import ours_of, without_prefetch


def _kernel(name):
    return next(kernel for kernel in KERNELS if kernel.name == name)


def _variants(forms):
    return [(form.what, prefetch) for form in forms for prefetch in ((False, True) if form.can_prefetch else (False,))]


@pytest.mark.parametrize("name", [kernel.name for kernel in KERNELS if kernel.name != "gemm"])
def test_clang_code_runs_on_the_core_as_in_qemu(name):
    (debian, *_) = toolchains()
    rows = measure(_kernel(name), [debian], Machine("hvx"))
    assert [(row.form, row.prefetch) for row in rows] == _variants(_kernel(name).forms)
    for row in rows:
        assert row.identical
        assert row.packets == row.emulated_packets
        assert row.cycles >= 2 * row.packets  # a packet every second cycle
        assert row.ours_identical


@pytest.mark.parametrize("name", ["average_pool", "gemv"])
def test_with_prefetch_both_take_fewer_cycles(name):
    (debian, *_) = toolchains()
    rows = measure(_kernel(name), [debian], Machine("hvx"))
    for without, prefetching in zip(rows[::2], rows[1::2], strict=True):
        assert (without.form, without.prefetch, prefetching.prefetch) == (prefetching.form, False, True)
        assert prefetching.cycles < without.cycles
        assert prefetching.ours_cycles < without.ours_cycles


def test_without_the_instruction_our_compiler_writes_no_prefetch():
    whole = Machine("hvx")
    without = without_prefetch(whole)
    assert "l2fetch" not in without.isa_manual()
    assert len(whole.to_dict()["mnemonics"]) == len(without.to_dict()["mnemonics"]) + 1
    assert ours_of(_kernel("pool"), without) == ours_of(_kernel("pool"), whole, prefetch=False)


@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if kernel.tvm_forms], ids=lambda kernel: kernel.name)
def test_code_of_tvm_runs_on_the_core_as_in_qemu(kernel):
    tvm = tvm_of(toolchains()[0])
    if tvm is None:
        pytest.skip(TVM_MISSING)
    rows = measure(kernel, [tvm], Machine("hvx"))
    assert [(row.form, row.prefetch) for row in rows] == _variants(kernel.tvm_forms)
    for row in rows:
        assert row.peer == "TVM 0.27"
        assert row.identical
        assert row.packets == row.emulated_packets


@pytest.mark.parametrize("python", ["/no/such/python", "false"])
def test_without_tvm_the_others_are_compared(covenant_command, monkeypatch, python):
    monkeypatch.setenv("COVENANT_TVM", python)
    done = covenant_command("bench", "peers", "-m", "hvx", "--kernel", "pool", "--json")
    assert done.code == 0
    assert done.object["missing"] == [TVM_MISSING]
    assert all(row["peer"].startswith("clang") for row in done.object["rows"])


def test_exact_is_what_each_form_computes():
    forms = {form.name: form for kernel in KERNELS for form in kernel.tvm_forms}
    signed, once = forms["gemm_signed"].expected, forms["requantise_once"].expected
    ones = np.ones((384, 1024), np.uint8)
    assert (signed(ones, np.full((32, 256, 32, 4), 255, np.uint8)) == -1024).all()
    # 22 becomes 0.49; rounded twice, by the multiplier and by the shift, it would become 1.
    numbers = np.array([1518500224, 5, 7], np.int32)
    assert once(np.array([22, 23, 24, -400, 20000]), numbers).tolist() == [7, 8, 8, 0, 255]


@pytest.mark.parametrize("name", ["depthwise", "pointwise", "gemv", "average_pool", "add"])
def test_layers_are_what_onnx_runtime_computes(name, tmp_path):
    """Scaling rounds twice on the machine and once in ONNX Runtime: bytes are a step apart at most."""
    kernel = _kernel(name)
    inputs = kernel.inputs()
    model = getattr(models, name)(inputs, kernel.expected(*inputs))
    path = tmp_path / "layer.onnx"
    path.write_bytes(model.content)
    (outputs,) = expected_here(path, [model.feeds]).outputs
    steps = np.abs(outputs["y"].astype(int) - model.y.astype(int))
    assert steps.max() <= 1
    assert np.unique(model.y).size > 200  # not saturated


def test_our_code_stands_beside_it(covenant_command):
    done = covenant_command("bench", "peers", "-m", "hvx", "--kernel", "conv", "--json")
    report = done.object
    assert done.code == 0
    assert report["right"]
    for row in report["rows"]:
        assert row["ours_cycles"] >= 2 * row["ours_packets"] > 0
        assert row["ours_identical"]


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


@pytest.fixture(scope="module")
def script():
    """The command that writes the page."""
    path = Path(__file__).resolve().parents[2] / "perf/peers/peers.py"
    spec = importlib.util.spec_from_file_location("bench_peers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _row(kernel, peer, packets, cycles, *, prefetch=True):
    counts = {"packets": packets, "cycles": cycles, "ours_packets": 100, "ours_cycles": 200}
    return {"kernel": kernel, "peer": peer, "form": "words", "prefetch": prefetch, **counts}


def test_the_summary_says_where_ours_is_not_the_best(script):
    rows = [
        _row("gemm", "clang-14", 90, 190, prefetch=False), _row("gemm", "clang-14", 101, 300),
        _row("gemm", "TVM 0.27", 120, 250), _row("add", "clang-14", 99, 200),
    ]  # fmt: skip
    *_, gemm, add, _, said = script.summary({"rows": rows, "missing": []}).splitlines()
    assert gemm == "| gemm | 101 (clang-14, words) | 100 | ours | 250 (TVM 0.27, words) | 200 | ours |"
    assert add == "| add | 99 (clang-14, words) | 100 | peer | 200 (clang-14, words) | 200 | equal |"
    assert said == (
        "Of these 2 kernels ours takes the fewest packets in all but 1: add (100 against 99); the fewest cycles in all "
        "but 1: add (200 against 200)."
    )


def _rows_of_page(script):
    """Rows of which the table of all figures was made."""
    text = script.PAGE.read_text(encoding="utf-8").partition(script.ALL)[2].partition("<!-- end -->")[0]
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")][2:]
    ours, rows = {}, []
    for kernel, who, form, *numbers in ([cell.strip() for cell in line] for line in lines):
        figures = [int(number.replace(",", "")) if number else None for number in numbers]
        for prefetch, counts in ((False, figures[:2]), (True, figures[2:])):
            if who == "ours":
                ours[kernel, prefetch] = counts
            elif None not in counts:
                both = (*counts, *ours[kernel, prefetch])
                named = dict(zip(("packets", "cycles", "ours_packets", "ours_cycles"), both, strict=True))
                rows.append({"kernel": kernel, "peer": who, "form": form, "prefetch": prefetch, **named})
    return rows


def test_the_page_and_the_readme_claim_what_the_table_bears(script):
    rows = _rows_of_page(script)
    assert [kernel.name for kernel in KERNELS] == list(script.by_kernel(rows))
    said = script.summary({"rows": rows, "missing": []})
    assert said in script.PAGE.read_text(encoding="utf-8")
    best = [line.split("|")[1].strip() for line in said.splitlines() if line.split("|")[4:5] == [" ours "]]
    assert best == ["gemm", "conv", "conv_i8", "requantise", "pool"]
    readme = (script.ROOT / "README.md").read_text(encoding="utf-8")
    assert "For a\nmatrix product, a 3x3 convolution, requantising and a max pool they take fewer packets" in readme

"""The device's AXI masters before memories and a host of cocotbext-axi.

Other people's host and memories, with all pauses and errors that the protocol allows; the assertions of all modules
are on.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from covenant.cli import main

MACHINE = ("genesys", "--set", "M=4", "--set", "N=4", "--set", "axi=64")
BEAT_BYTES = 8
LEAST_BURSTS = 500
PORT = re.compile(r"^  (input|output) +logic (\[\d+:0\] )?(\w+?)(_n?[io])?,?$", re.MULTILINE)


def bench(top: str) -> tuple[str, list[str]]:
    """A top whose signals have the names that cocotbext-axi knows; its masters, `read:` or `write:` each.

    They are no ports: Verilator 5.006 would overwrite what is written to those of the top.
    """
    ports, connections, masters = [], [], []
    for direction, bits, name, end in PORT.findall(top):
        plain = name + "_n" * end.startswith("_n")
        ports.append(f"  logic {bits}{plain};  // {direction}")
        connections.append(f"    .{name}{end}({plain})")
        for kind, channel, answer in (("read", "ar", "r"), ("write", "aw", "b")):
            if name.endswith(f"_{channel}valid") and name.startswith("m_axi_"):
                prefix = name.removesuffix(f"{channel}valid")
                ports.append(f"  logic [0:0] {prefix}{channel}id = '0, {prefix}{answer}id;")
                masters.append(f"{kind}:{prefix.removeprefix('m_axi_').removesuffix('_')}")
    text = "module axi_bench;\n" + "\n".join(ports) + "\n"
    return text + "  covenant_axi_top u_device (\n" + ",\n".join(connections) + "\n  );\nendmodule\n", masters


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The RTL of a small machine, and a network with what it computes."""
    made = tmp_path_factory.mktemp("axi") / "rtl"
    model = root / "examples" / "01_digits" / "digits_qdq.onnx"
    assert main(["rtl", "-m", *MACHINE, "-o", str(made), "--model", str(model)]) == 0
    return made


def run(folder: Path, runs: int) -> dict[str, int]:
    """Builds the device with its bench and runs all tests of axi_bench; how many bursts each master has asked for."""
    from cocotb.runner import get_runner

    top = (folder / "covenant_axi_top.sv").read_text()
    text, masters = bench(top)
    (folder / "axi_bench.sv").write_text(text)
    listed = [line for name in ("covenant.f", "covenant_axi.f") for line in (folder / name).read_text().splitlines()]
    sources = dict.fromkeys(folder / line for line in listed if line.endswith(".sv"))
    faults = dict(re.findall(r"memory_fault\[(\d+)\]\) memory_address = (\w+)_fault_address", top))
    runner = get_runner("verilator")
    build = folder / "build"
    runner.build(
        verilog_sources=[*sources, folder / "axi_bench.sv"],
        hdl_toplevel="axi_bench",
        build_dir=build,
        build_args=["--assert", "--unroll-stmts", "1000000", "-Wno-lint", "-Wno-fatal", "-O3", "-CFLAGS", "-O1"],
    )
    runner.test(
        hdl_toplevel="axi_bench",
        test_module="axi_bench",
        build_dir=build,
        test_dir=folder,
        extra_env={
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
            "COVENANT_AXI_TEST": str(folder / "test"),
            "COVENANT_AXI_PORTS": " ".join(masters),
            "COVENANT_AXI_FAULT_BITS": " ".join(f"{name}={bit}" for bit, name in faults.items()),
            "COVENANT_AXI_BEAT_BYTES": str(BEAT_BYTES),
            "COVENANT_AXI_COUNTS": str(folder / "counts.txt"),
            "COVENANT_AXI_RUNS": str(runs),
            "COVENANT_AXI_SEED": os.environ.get("COVENANT_SEED", "1"),
        },
    )
    counts = (folder / "counts.txt").read_text()
    return {name: int(count) for name, count in (line.split() for line in counts.splitlines())}


@pytest.mark.filterwarnings("ignore:Python runners:UserWarning")
@pytest.mark.skipif(shutil.which("verilator") is None, reason="no verilator")
def test_masters_are_good_citizens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKEFLAGS", "-j2")
    counts = run(folder, runs=3)
    busy = [name for name, count in counts.items() if count >= LEAST_BURSTS]
    assert set(busy) >= {"fetch", "dram_to_ibuf", "dram_to_wbuf", "dram_to_vmem1", "vmem2_to_dram"}, counts

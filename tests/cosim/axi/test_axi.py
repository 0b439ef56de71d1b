"""The device's AXI masters work with cocotbext-axi's memories and host.

Other people's host and channels, with all pauses, orders and errors that the protocol allows; the assertions of all
modules are on. Programs are random layers that the compiler takes, and rows of bytes that move over every port.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from covenant import Machine, _core
from covenant.choices import AxiMasters
from covenant.errors import CovenantError
from covenant.program.rtl_folder import write_files

SETTINGS = {"M": 4, "N": 4, "axi": 64, "axi_weight": 32, "axi_bias": 16}
ON_A_BUS = ("IBUF", "WBUF", "VMEM1")
"""Memories whose edges share a bus of the machine."""
BEAT_BYTES = 8
"""The most of any port."""
FULL = os.environ.get("COVENANT_FULL") == "1"
LEAST_BURSTS = 500
"""Fewest bursts that each port must carry."""
LEAST_SWITCHES = 200
"""Fewest answers of one id that must come between those of another."""
LONGEST_PROGRAM = 4_000
"""Cycles of the simulator that the longest program may take."""
PROGRAMS = 40 if FULL else 14
TRAFFIC = 10 if FULL else 5
"""Programs that only move rows of bytes (traffic.cpp): over ports that no compiled program asks, too."""
PORT = re.compile(r"^  (input|output) +logic (\[\d+:0\] )?(\w+?)(_n?[io])?,?$", re.MULTILINE)
SERVED = re.compile(
    r"covenant_axi_(read|write) #\([^;]*?\) u_(\w+)_master \([^;]*?\.a[rw]valid_o\((\w+?)(?:\[(\d+)\+:1\])?\)"
)


def served(top: str) -> list[tuple[str, str, int, str]]:
    """The ports of the machine: direction, prefix of its master, id, name."""
    ports = []
    for kind, name, signal, ident in SERVED.findall(top):
        prefix = re.sub(r"_each_a[rw]valid$|_a[rw]valid_o$", "", signal)
        ports.append((kind, prefix, int(ident or 0), name))
    return ports


def bench(top: str) -> str:
    """A top whose signals have the names that cocotbext-axi knows; masters of one port get ids, of one bit.

    They are no ports: Verilator 5.006 would overwrite what is written to those of the top.
    """
    ports, connections = [], []
    for direction, bits, name, end in PORT.findall(top):
        plain = name + "_n" * end.startswith("_n")
        ports.append(f"  logic {bits}{plain};  // {direction}")
        connections.append(f"    .{name}{end}({plain})")
        for channel, answer in (("ar", "r"), ("aw", "b")):
            if name.endswith(f"_{channel}valid") and name.startswith("m_axi") and f"{name[:-5]}id_o" not in top:
                prefix = name.removesuffix(f"{channel}valid")
                ports.append(f"  logic [0:0] {prefix}{channel}id = '0, {prefix}{answer}id;")
    text = "module axi_bench;\n" + "\n".join(ports) + "\n"
    return text + "  covenant_axi_top u_device (\n" + ",\n".join(connections) + "\n  );\nendmodule\n"


@pytest.fixture(scope="module")
def machine(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A small one with beats of three widths, and a bus that three edges share."""
    text = (root / "acg" / "machines" / "genesys.acg").read_text()
    for memory in ON_A_BUS:
        text, count = re.subn(rf"(edge DRAM <?->\s+{memory}\s+\{{)", r"\1 bus = north;", text)
        assert count == 1
    path = tmp_path_factory.mktemp("machine") / "small.acg"
    path.write_text(text)
    return Machine(str(path), **SETTINGS)


def write_program(files: dict[str, str], folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in ("before.hex", "after.hex", "run.txt"):
        (folder / name).write_text(files[f"test/{name}"])
    return folder


def write_layers(machine: _core.Machine, seed: int, folder: Path) -> list[Path]:
    """Random layers."""
    folders: list[Path] = []
    index = 0
    while len(folders) < PROGRAMS:
        try:
            _, program, inputs = _core.random_program(machine, seed, index)
            files = _core.rtl_files(machine, program, inputs, "port")
        except CovenantError:  # the compiler does not take all
            continue
        finally:
            index += 1
        lines = (line.split() for line in files["test/run.txt"].splitlines())
        if int({words[0]: words[1] for words in lines}["cycles"]) <= LONGEST_PROGRAM:
            folders.append(write_program(files, folder / f"layer_{index}"))
    return folders


@pytest.fixture(scope="module")
def programs(machine: Machine, root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Folders of programs, with what they must leave behind."""
    seed = int(os.environ.get("COVENANT_SEED", "1"))
    print(f"seed {seed}")
    folder = tmp_path_factory.mktemp("programs")
    (folder / "machine.json").write_text(machine.to_json())
    tool = root / "build/release/tests/cosim/axi/axi_traffic"
    subprocess.run([tool, folder / "machine.json", folder / "traffic", str(TRAFFIC), str(seed)], check=True)
    layers = write_layers(machine._core, seed, folder)
    return [*layers, *sorted((folder / "traffic").iterdir())]


def run(folder: Path, programs: list[Path]) -> dict[str, int]:
    """Builds the device with its bench and runs all tests of axi_bench; how many bursts each port has asked for."""
    from cocotb.runner import get_runner

    top = (folder / "covenant_axi_top.sv").read_text()
    (folder / "axi_bench.sv").write_text(bench(top))
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
            "COVENANT_AXI_TESTS": os.pathsep.join(map(str, programs)),
            "COVENANT_AXI_PORTS": " ".join(":".join(map(str, port)) for port in served(top)),
            "COVENANT_AXI_FAULT_BITS": " ".join(f"{name}={bit}" for bit, name in faults.items()),
            "COVENANT_AXI_BEAT_BYTES": str(BEAT_BYTES),
            "COVENANT_AXI_COUNTS": str(folder / "counts.txt"),
            "COVENANT_AXI_RUNS": "1",
            "COVENANT_AXI_ABORTS": str(20 if FULL else 3),
            "COVENANT_AXI_SEED": os.environ.get("COVENANT_SEED", "1"),
        },
    )
    counts = (folder / "counts.txt").read_text()
    return {name: int(count) for name, count in (line.split() for line in counts.splitlines())}


@pytest.mark.filterwarnings("ignore:Python runners:UserWarning")
@pytest.mark.skipif(shutil.which("verilator") is None, reason="no verilator")
@pytest.mark.parametrize("sharing", get_args(AxiMasters))
def test_masters_are_good_citizens(
    sharing: AxiMasters,
    machine: Machine,
    programs: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MAKEFLAGS", "-j2")
    write_files(_core.rtl_files(machine._core, None, {}, sharing), tmp_path / "rtl")
    counts = run(tmp_path / "rtl", programs)
    switches = counts.pop("switches")
    print(counts, switches)
    assert {name for name, count in counts.items() if count < LEAST_BURSTS} == set(), counts
    assert switches >= LEAST_SWITCHES if sharing != "port" else switches == 0

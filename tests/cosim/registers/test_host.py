"""The registers behave under cocotb's AXI4-Lite masters: protocol and values are checked by code that is not ours."""

from __future__ import annotations

import os
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

SOURCES = ("covenant_registers_pkg", "covenant_registers", "covenant_control", "covenant_host")
HASH = 0x0123456789ABCDEF
BENCH = Path(__file__).parent


@pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")
@pytest.mark.filterwarnings("ignore")  # of cocotb's runner
@pytest.mark.timeout(120)
def test_random_hosts(root: Path, tmp_path: Path, monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    from cocotb.runner import get_runner

    monkeypatch.setenv("COVENANT_RDL", str(root / "rtl/registers/covenant.rdl"))
    runner = get_runner("verilator")
    runner.build(
        verilog_sources=[
            root / "rtl/lint/waivers.vlt",
            *(root / f"rtl/src/device/{name}.sv" for name in SOURCES),
            BENCH / "host_top.sv",
        ],
        hdl_toplevel="host_top",
        parameters={"NumFaults": 12, "Alignment": 8, "MachineHash": f"64'h{HASH:016X}"},
        build_args=["--assert"],
        build_dir=tmp_path,
        always=True,
    )
    results = runner.test(hdl_toplevel="host_top", test_module="host_bench", test_dir=tmp_path)
    cases = list(ET.parse(results).iter("testcase"))
    assert [case.get("name") for case in cases if len(case)] == [], "seed " + os.environ.get("COVENANT_SEED", "1")
    assert len(cases) == 3

"""Machines with several off-chip memories run the digits: every output byte equals ONNX Runtime's."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from digits import model_of

import covenant
from covenant.verify.comparison import compare

MACHINES = Path(__file__).resolve().parents[3] / "acg" / "machines"
MEMORY = "  memory {} {{ kind = offchip; depth = 1M; latency = {}; }}\n"
APART = {
    "weights": {"FLASH": ("WBUF", "BBUF")},
    "words": {"ROM": ("IMEM",)},
    "weights and words": {"FLASH": ("WBUF", "BBUF", "IMEM")},
    "each": {"FLASH": ("WBUF", "BBUF"), "ROM": ("IMEM",)},
    "activations": {"HBM": ("IBUF", "VMEM1", "VMEM2", "OBUF")},
    "lanes": {"SIDE": ("VMEM2",)},
}


def machine_with(apart: str, folder: Path) -> covenant.Machine:
    """GeneSys with the memories of one entry of `APART` in the place of DRAM before their neighbours."""
    text, words = ((MACHINES / name).read_text() for name in ("genesys.acg", "genesys_words.acg"))
    for latency, (memory, neighbours) in enumerate(APART[apart].items(), start=17):
        text = text.replace("  memory IMEM ", MEMORY.format(memory, latency) + "  memory IMEM ", 1)
        for neighbour in neighbours:
            text, loads = re.subn(rf"edge DRAM (<?->) {neighbour}\b", rf"edge {memory} \1 {neighbour}", text)
            text, stores = re.subn(rf"edge {neighbour} -> DRAM\b", f"edge {neighbour} -> {memory}", text)
            assert loads + stores == 1
            words = words.replace(f"DRAM->{neighbour}", f"{memory}->{neighbour}")
            words = words.replace(f"{neighbour}->DRAM", f"{neighbour}->{memory}")
    (folder / "genesys_words.acg").write_text(words)
    (folder / "apart.acg").write_text(text)
    return covenant.Machine(str(folder / "apart.acg"))


@pytest.mark.parametrize("backend", ["systemc", "interpret"])
@pytest.mark.parametrize("apart", APART)
def test_digits(apart, backend, images, expected, tmp_path):
    program = covenant.compile(model_of("qdq"), machine_with(apart, tmp_path))
    program.save(tmp_path / "digits.cprog")
    program = covenant.Program.load(tmp_path / "digits.cprog")
    ours = [covenant.run(program, image[None], backend=backend).outputs for image in images[:10]]
    assert compare(ours, expected["qdq"][:10]).identical


@pytest.mark.parametrize("apart", APART)
def test_each_is_a_dram_of_its_own(apart, images, tmp_path):
    program = covenant.compile(model_of("qdq"), machine_with(apart, tmp_path))
    fixed = covenant.run(program, images[:1])
    result = covenant.run(program, images[:1], memory="lpddr4_3200", trace=True)
    assert compare([result.outputs], [fixed.outputs]).identical
    assert result.cycles >= fixed.cycles
    counted = result.memory
    names = [one.memory for one in counted.each]
    assert names == ["DRAM", *APART[apart]]
    for figure in ("reads", "writes", "bytes_read", "bytes_written", "row_hits", "row_misses", "row_conflicts",
                   "activations", "refreshes", "busy_picoseconds"):  # fmt: skip
        assert getattr(counted, figure) == sum(getattr(one, figure) for one in counted.each)
    assert any(one.writes for one in counted.each)
    assert counted.bandwidth_bytes_per_second <= sum(one.bandwidth_bytes_per_second for one in counted.each)
    groups = {event["pid"]: event["args"]["name"] for event in json.loads(result.trace_json)["traceEvents"]
              if event["name"] == "process_name"}  # fmt: skip
    assert groups == {2 + index: f"{name} (lpddr4_3200)" for index, name in enumerate(names)}


@pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")
@pytest.mark.parametrize("memory", ["fixed", "ddr4_2400"])
def test_lock_step(memory, covenant_command, tmp_path):
    machine_with("each", tmp_path)
    small = ("--set", "M=3", "--set", "N=4", "--rtl-quick")
    done = covenant_command(
        "cosim", model_of("qdq"), "-m", tmp_path / "apart.acg", *small, "--memory", memory, "--json"
    )
    assert done.code == 0
    assert (done.object["differences"], done.object["identical"]) == (0, True)

"""Area proxy: cells of known modules, composition against whole synthesis, and no module synthesised twice."""

from __future__ import annotations

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

import covenant
from covenant.area import BIT_AREA, CellLibrary, area_of, units
from covenant.area.composition import blocks_of
from covenant.area.instances import Instance, instances_of
from covenant.area.store import AreaCache
from covenant.area.synthesis import Synthesiser
from covenant.area.workers import Workers
from covenant.area.yosys import blackbox, elaborate, map_module, module_texts, with_parameters

ROOT = Path(__file__).resolve().parents[3]
FULL = pytest.mark.skipif(os.environ.get("COVENANT_FULL") is None, reason="COVENANT_FULL=1 synthesises whole machines")
COUNTED = """module covenant_counted #(
  parameter int unsigned Bits = 2,  // of the register
  parameter int unsigned Entries = 4
) (
  input  logic            clk_i,
  input  logic [Bits-1:0] data_i,
  input  logic [1:0]      place_i,
  input  logic            write_i,
  output logic [Bits-1:0] data_o,
  output logic [Bits-1:0] inverse_o
);
  logic [Bits-1:0] memory [Entries];
  always_ff @(posedge clk_i) begin
    data_o <= data_i;
    if (write_i) memory[place_i] <= data_i;
  end
  assign inverse_o = ~memory[place_i];
endmodule
"""


CALLING = """module covenant_calling #(
  parameter int unsigned Calls = 12
) (
  input  logic [Calls*4-1:0] data_i,
  output logic [Calls*4-1:0] data_o
);
  function automatic logic [3:0] after(input logic [3:0] x);
    after = x + 4'd1;
  endfunction
  always_comb for (int unsigned i = 0; i < Calls; i++) data_o[i*4 +: 4] = after(data_i[i*4 +: 4]);
endmodule
"""


def modules(*names: str) -> dict[str, str]:
    """Sources of the RTL that need no package."""
    found = {path.stem: path for path in (ROOT / "rtl/src").rglob("*.sv")}
    return {f"{name}.sv": found[name].read_text() for name in names}


def um2(blocks) -> float:
    return sum(block.um2 for block in blocks)


@pytest.fixture(scope="module")
def library() -> CellLibrary:
    return CellLibrary.load()


@pytest.mark.parametrize("bits", [3, 8])
def test_registers_gates_and_memories_are_what_is_written(library, tmp_path, bits):
    """A register of so many bits, as many inverters, and a memory that stays one."""
    (tmp_path / "covenant_counted.sv").write_text(with_parameters(COUNTED, {"Bits": str(bits)}))
    elaborate(tmp_path, "covenant_counted")
    (text,) = module_texts(tmp_path).values()
    mapped = map_module(tmp_path, text, library)
    assert mapped.cells["DFFPOSX1"] == bits
    assert sum(count for cell, count in mapped.cells.items() if cell.startswith("INVX")) == bits
    assert mapped.memory_bits == bits * 4
    assert mapped.delay_ps > 0
    assert sum(library.areas[cell] * count for cell, count in mapped.cells.items()) >= bits * (96 + 16)


def test_a_module_is_the_same_beside_whatever_else_there_is(tmp_path):
    """Yosys numbers what it makes over all that it reads, and sorts by names that have these numbers."""
    before = COUNTED.replace("covenant_counted", "covenant_before")
    held = CALLING.replace("endmodule", "  covenant_before u_before (.clk_i(data_i[0]));\nendmodule")
    texts = []
    for others in range(12):
        folder = tmp_path / str(others)
        folder.mkdir()
        (folder / "covenant_before.sv").write_text(before)
        (folder / "covenant_calling.sv").write_text(held)
        for other in range(others):
            (folder / f"covenant_a{other}.sv").write_text(COUNTED.replace("covenant_counted", f"covenant_a{other}"))
        elaborate(folder, "covenant_calling")
        texts.append(module_texts(folder))
    assert [beside for beside, text in enumerate(texts) if text != texts[0]] == []
    assert "module \\covenant_before\n" in texts[0]["\\covenant_calling"]


def test_after_a_failure_no_run_begins():
    workers, begun = Workers(), []

    def call(number: int) -> int:
        with workers.turn():
            begun.append(number)
            time.sleep(0.05)
            if number == 1:
                raise ValueError("the first failure")
            return number

    with pytest.raises(ValueError, match="the first failure"):
        workers.results([partial(call, number) for number in range(200)])
    assert 1 in begun
    assert len(begun) < 100
    assert Workers().results([partial(int, text) for text in "321"]) == [3, 2, 1]


def test_parameters_are_set_in_the_text():
    text = with_parameters(COUNTED, {"Bits": "{1'b0, 4'd9}", "Entries": "16"})
    assert "parameter int unsigned Bits = {1'b0, 4'd9},  // of the register" in text
    assert "parameter int unsigned Entries = 16\n" in text


def test_a_box_has_ports_and_nothing_in_it():
    box = blackbox(COUNTED)
    assert box.startswith("(* blackbox *)\nmodule covenant_counted")
    assert "inverse_o" in box
    assert "always_ff" not in box


def test_what_is_kept_is_not_synthesised_again(library, tmp_path):
    sources = modules("covenant_pointer", "covenant_queue")
    first = Synthesiser(sources, library, AreaCache(tmp_path))
    blocks = first.blocks("covenant_queue", {})
    assert first.cache.made > 0
    again = Synthesiser(sources, library, AreaCache(tmp_path))
    assert again.blocks("covenant_queue", {}) == blocks
    assert again.cache.made == 0
    other = Synthesiser(sources | {"covenant_pointer.sv": ""}, library, AreaCache(tmp_path))
    other.blocks("covenant_queue", {})
    assert other.cache.made > 0


def test_one_of_several_threads_makes_a_result(tmp_path):
    cache, calls, begun = AreaCache(tmp_path), [], threading.Barrier(4)

    def make():
        calls.append("made")
        time.sleep(0.05)  # the others have asked by then
        return 3

    def ask(_):
        begun.wait()
        return cache.get("content", make)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [3] * 4
    assert (len(calls), cache.made) == (1, 1)


def test_half_a_result_is_none(tmp_path):
    cache = AreaCache(tmp_path)
    cache.keep("content", {"um2": 3})
    (path,) = tmp_path.glob("*/*.json")
    path.write_text('{"um2')
    assert cache.find("content") is None
    assert cache.get("content", lambda: 4) == 4
    assert AreaCache(tmp_path).find("content") == 4


@pytest.fixture(scope="module")
def small_arrays(tmp_path_factory) -> Path:
    """Folder of results that several tests compose larger arrays from."""
    return tmp_path_factory.mktemp("arrays")


@pytest.mark.parametrize(("rows", "columns"), [(8, 4), (4, 8), (8, 8)])
def test_an_array_is_composed_as_it_is_synthesised_whole(library, small_arrays, monkeypatch, rows, columns):
    """From arrays of 2x2, 2x4, 4x2 and 4x4, and beside itself: within 3 %."""
    monkeypatch.setattr(units, "SMALL", 2)
    monkeypatch.setattr(units, "LARGE", 4)
    synthesiser = Synthesiser(modules("covenant_systolic_grid", "covenant_delay"), library, AreaCache(small_arrays))
    given = {"Rows": rows, "Columns": columns, "UnitBytes": rows * columns,
             "WeightUnits": 2**20 // (rows * columns), "WriteBytes": 2}  # fmt: skip
    sizes = {name: str(value) for name, value in given.items()}
    whole = um2(synthesiser.blocks("covenant_systolic_grid", sizes))
    composed = um2(units._systolic_grid(Instance("covenant_systolic_array", "u_sa", sizes), synthesiser))
    assert composed == pytest.approx(whole, rel=0.03)


def test_a_memory_takes_more_for_wider_ports(library, tmp_path):
    synthesiser = Synthesiser(modules("covenant_scratchpad"), library, AreaCache(tmp_path))

    def area(reads: int, writes: int) -> float:
        ports = {"DataBytes": "1", "ReadsOf": f"{{16'd{reads}}}", "WritesOf": f"{{16'd{writes}}}"}
        return um2(blocks_of(Instance("covenant_scratchpad", "u_ibuf", ports), synthesiser))

    assert area(8, 16) < area(16, 16) < area(16, 32)
    assert area(8, 8) == area(8, 8)


def test_instances_of_a_top_are_read():
    top = covenant.rtl_files("genesys:8x8")["covenant_top.sv"]
    found = {one.name: one for one in instances_of(top)}
    assert found["u_sa"].number("Rows") == 8
    assert found["u_vmem1"].numbers("ReadsOf")[-2:] == [8, 8]
    assert len([one for one in found.values() if one.module == "covenant_dma"]) == 8
    assert top.count("\n  ) u_") <= len(found)


def test_tools_that_are_not_there(library, tmp_path, monkeypatch):
    monkeypatch.setenv("COVENANT_LIBERTY", str(tmp_path / "none.lib"))
    with pytest.raises(covenant.CovenantError) as caught:
        CellLibrary.load()
    assert caught.value.code == "ARE0001"
    (tmp_path / "empty.lib").write_text("library(x) { }")
    with pytest.raises(covenant.CovenantError) as caught:
        CellLibrary.load(tmp_path / "empty.lib")
    assert caught.value.code == "ARE0002"
    (tmp_path / "covenant_counted.sv").write_text(COUNTED.replace("always_ff", "always_never"))
    with pytest.raises(covenant.CovenantError) as caught:
        elaborate(tmp_path, "covenant_counted")
    assert caught.value.code == "ARE0004"
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(covenant.CovenantError) as caught:
        elaborate(tmp_path, "covenant_counted")
    assert caught.value.code == "ARE0003"


@FULL
@pytest.mark.timeout(1800)
def test_a_machine_takes_more_for_more_of_anything(tmp_path, capsys):
    """And the same on every run; a second run synthesises nothing."""
    start = {"M": 4, "N": 4}
    area = area_of(covenant.Machine("genesys", **start), cache=tmp_path)
    assert area.synthesised > 0
    again = area_of(covenant.Machine("genesys", **start), cache=tmp_path)
    assert again.synthesised == 0
    assert again.to_dict() == area.to_dict()
    for more in ({"M": 8}, {"N": 8}, {"axi": 256}, {"weight_depth": 1024}):
        assert area_of(covenant.Machine("genesys", **start | more), cache=tmp_path).um2 > area.um2, more
    bits = sum(memory.bits for memory in area.memories)
    assert area.memory_um2 == pytest.approx(bits * BIT_AREA)
    from covenant.cli import main

    assert main(["area", "-m", "genesys", "--set", "M=4", "--set", "N=4", "--cache", str(tmp_path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["um2"], report["synthesised"]) == (area.um2, 0)

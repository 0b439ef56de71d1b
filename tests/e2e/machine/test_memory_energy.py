"""Energy by what a model of off-chip memory did: by hand from data sheets, sources, what precedes them; cores."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from digits import model_of

import covenant
from covenant.energy import EnergyTable, energy_of, memory_energy, read_reference_table
from covenant.program.inputs import random_feeds

ROOT = Path(__file__).resolve().parents[3]
FIGURES = tomllib.loads((ROOT / "python/covenant/energy/memories.toml").read_text())
DRAMS = tuple(name for name in covenant.memories() if name != covenant.FIXED_MEMORY)
KEYS = ("activations", "refreshes", "bytes_read", "bytes_written")


@pytest.fixture(scope="module")
def ran() -> covenant.Result:
    """A run whose statistics other tests change."""
    program = covenant.compile(model_of("qdq"), "genesys")
    return covenant.run(program, random_feeds(program, 1, 3)[0], values=False, memory="ddr4_2400")


def counting(ran: covenant.Result, memory: str, **counts: int) -> covenant.Result:
    """The run as if its memory had been of this model, and had counted this."""
    one = dict(ran.stats["memory"]["each"][0]) | dict.fromkeys(KEYS, 0) | counts
    other = replace(ran)
    vars(other)["stats"] = ran.stats | {"memory": ran.stats["memory"] | {"model": memory, "each": [one]}}
    return other


def of_dram(result: covenant.Result, table: EnergyTable | None = None) -> dict[str, tuple[int, float, str]]:
    """Count, pJ of all, and source of each event of the memory."""
    return {
        part.event: (part.count, part.picojoules, part.source)
        for part in energy_of(result, table).parts if part.component == "DRAM"
    }  # fmt: skip


def test_a_small_trace_of_ddr4_by_hand(ran):
    """Three rows opened, ten accesses read, two written, one refresh; eight devices of 1.2 V and 2.5 V.

    A row: of IDD0 = 48 mA in 46.648 ns (tRC) goes off the standby of closed banks, 34 mA, and (43 - 34) / 16 mA for the
    open one in 32.487 ns (tRAS): 14 * 46.648 - 0.5625 * 32.487 = 634.798 pC of 1.2 V.
    """
    row = 8 * 1.2 * 634.798  # 6,094.06 pJ
    # 64 lines for eight bits of 0.4165 ns: half of the time 1.2 V over 34.286 + 48 ohms.
    lines = 64 * 8 * 0.5 * 1.44 / 82.286 * 0.4165e3
    read = 8 * 1.2 * (135 - 43) * 3.332 + lines
    write = 8 * 1.2 * (123 - 43) * 3.332 + lines
    refresh = 8 * (1.2 * (250 - 43) + 2.5 * (28 - 3)) * 349.86
    found = of_dram(counting(ran, "ddr4_2400", activations=3, refreshes=1, bytes_read=640, bytes_written=128))
    assert found["activate"] == (3, pytest.approx(3 * row, rel=1e-5), "defaults")
    assert found["read"] == (640, pytest.approx(10 * read, rel=1e-5), "defaults")
    assert found["write"] == (128, pytest.approx(2 * write, rel=1e-5), "defaults")
    assert found["refresh"] == (1, pytest.approx(refresh, rel=1e-5), "defaults")
    assert sum(pj for _, pj, _ in found.values()) == pytest.approx(18_282 + 48_087 + 8_850 + 870_172, rel=1e-4)


def test_a_small_trace_of_hbm2_by_hand(ran):
    """Rows of 909 pJ; 3.48 pJ a bit, read or written; a refresh is 16 banks of 16,384 / 8,192 rows."""
    found = of_dram(counting(ran, "hbm2", activations=5, refreshes=2, bytes_read=64, bytes_written=32))
    assert {event: round(pj, 3) for event, (_, pj, _) in found.items()} == {
        "activate": 4545.0, "refresh": 2 * 32 * 909.0, "read": 512 * 3.48, "write": 256 * 3.48,
    }  # fmt: skip


def test_a_bit_of_the_others_by_hand():
    """LPDDR4: half of a die's currents in 5 ns, of 256 bits. DDR5: four devices, 512 bits in 3.328 ns."""
    lpddr4, ddr5 = memory_energy("lpddr4_3200"), memory_energy("ddr5_4800")
    assert lpddr4.read == pytest.approx(0.5 * 1.1 * ((275 - 30) + (150 - 0.75)) * 5)
    assert lpddr4.write == pytest.approx(0.5 * 1.1 * ((210 - 30) + (55 - 0.75)) * 5)
    assert lpddr4.refresh == pytest.approx(0.5 * (1.8 * (10 - 2.25) + 1.1 * (90 - 30)) * 280)
    assert lpddr4.activate == pytest.approx(
        0.5 * (1.8 * (1.5 * 60.625 - 0.25 / 8 * 42.5) + 1.1 * (18 * 60.625 - 3 / 8 * 42.5))
    )
    assert ddr5.activate == pytest.approx(4 * 1.1 * (11 * 48.256 - 50 / 32 * 32.032))
    assert ddr5.read == pytest.approx(4 * 1.1 * 235 * 3.328 + 512 * 0.5 * 1.21 / 82.286 * 0.208e3)
    assert ddr5.refresh == pytest.approx(4 * 1.1 * 135 * 294.944)


@pytest.mark.parametrize("memory", DRAMS)
def test_each_event_adds_its_energy(ran, memory):
    """For random counts the energy is the sum of what events take, and every event more is more."""
    seed = int(np.random.SeedSequence().entropy % 2**32)
    print(f"seed {seed}")
    draw = np.random.default_rng(seed)
    each = memory_energy(memory)
    for _ in range(20):
        counts = {
            key: int(draw.integers(1, 1 << 20)) * (each.access_bytes if key.startswith("bytes") else 1) for key in KEYS
        }
        energy = energy_of(counting(ran, memory, **counts)).picojoules
        rest = energy_of(counting(ran, memory)).picojoules
        assert energy - rest == pytest.approx(
            counts["activations"] * each.activate + counts["refreshes"] * each.refresh
            + (counts["bytes_read"] * each.read + counts["bytes_written"] * each.write) / each.access_bytes
        )  # fmt: skip
        key = KEYS[draw.integers(len(KEYS))]
        assert energy_of(counting(ran, memory, **counts | {key: counts[key] + each.access_bytes})).picojoules > energy


@pytest.mark.parametrize("memory", DRAMS)
def test_what_was_counted_is_what_is_paid(memory):
    program = covenant.compile(model_of("qdq"), "genesys")
    result = covenant.run(program, random_feeds(program, 1, 3)[0], values=False, memory=memory)
    found, counted = of_dram(result), result.memory
    assert found["activate"][0] == counted.activations > 0
    assert found.get("refresh", (0,))[0] == counted.refreshes
    assert (found["read"][0], found["write"][0]) == (counted.bytes_read, counted.bytes_written)
    energy = energy_of(result)
    assert memory_energy(memory).sources.items() <= energy.sources.items()
    assert energy.by_component["DRAM"] == pytest.approx(sum(pj for _, pj, _ in found.values()))


@pytest.mark.parametrize("memory", DRAMS)
def test_figures_of_different_sources_agree(memory):
    """A refresh opens and closes the rows that one of 8,192 reaches: within a factor of four of so many activations."""
    each, model = memory_energy(memory), covenant.memory_model(memory)
    rows = model.bytes // model.channels // model.row_bytes // 8192
    assert 1 / 4 < each.refresh / (rows * each.activate) < 4
    assert 2 < each.read / (8 * each.access_bytes) < 20.3, "less than DRAM by bits, which has activations in it"
    assert 0.02 < each.activate / (8 * model.row_bytes) < 0.2


def test_every_figure_has_a_source():
    used = {"drampower"}
    for memory, figures in FIGURES.items():
        if memory == "sources":
            continue
        assert memory in DRAMS
        tables = [*(one for one in figures.values() if isinstance(one, dict)), *figures.get("rails", [])]
        assert tables
        used |= {one["source"] for one in tables}
        assert memory_energy(memory).sources.keys() <= FIGURES["sources"].keys()
    assert used == FIGURES["sources"].keys()
    assert set(FIGURES) == {*DRAMS, "sources"}


def test_the_page_has_the_figures():
    page = (ROOT / "docs/reference/energy.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\d,.]+) \| ([\d,.]+) \| ([\d.]+) \| ([\d.]+) \|", page, re.MULTILINE)
    shown = {name: tuple(float(one.replace(",", "")) for one in rest) for name, *rest in rows}
    assert shown.keys() == set(DRAMS)
    for memory, figures in shown.items():
        each = memory_energy(memory)
        bits = 8 * each.access_bytes
        assert figures == (
            round(each.activate), round(each.refresh), round(each.read / bits, 2), round(each.write / bits, 2),
        )  # fmt: skip


def test_a_file_of_parameters_has_no_figures(ran, tmp_path):
    assert memory_energy(str(tmp_path / "mine.json")) is None
    assert memory_energy(covenant.FIXED_MEMORY) is None
    counts = {"activations": 3, "refreshes": 1, "bytes_read": 640, "bytes_written": 64}
    found = of_dram(counting(ran, "mine.json", **counts))
    assert found == {
        "read": (640, pytest.approx(640 * 8 * 1300 / 64), "defaults"),
        "write": (64, pytest.approx(64 * 8 * 1300 / 64), "defaults"),
    }
    table = tmp_path / "table.yaml"
    table.write_text("ERT: {tables: [{name: DRAM, actions: [{name: activate, energy: 7}, {name: read, energy: 2}]}]}")
    for memory in ("mine.json", "ddr4_2400"):
        found = of_dram(counting(ran, memory, **counts), read_reference_table(table))
        assert found["activate"] == (3, 21, str(table))
        assert found["read"] == (640, 1280, str(table))
        assert found["write"][1] == pytest.approx(64 * 8 * 1300 / 64), "not of the model: it would count rows twice"
        assert "refresh" not in found


def test_what_the_machine_states_counts_before_the_model(tmp_path):
    text = str(covenant.Machine("genesys")).replace("memory DRAM {", "memory DRAM { read_energy = 5;", 1)
    (tmp_path / "stated.acg").write_text(text)
    program = covenant.compile(model_of("qdq"), covenant.Machine(str(tmp_path / "stated.acg")))
    result = covenant.run(program, random_feeds(program, 1, 3)[0], values=False, memory="hbm2")
    found = of_dram(result)
    assert found["read"][2] == "machine"
    assert found.keys() == {"read", "write"}


@pytest.fixture(scope="module")
def core() -> covenant.Program:
    return covenant.compile(model_of("qdq"), "hvx")


def test_bytes_of_a_core(core):
    """The digits fit the L2: what is fetched is what is read for the first time, nothing is written back."""
    (feed,) = random_feeds(core, 1, 3)
    result = covenant.run(core, feed)
    (edge,) = result.stats["offchip"]
    assert (edge["engine"], edge["operand"]) == ("DRAM->L2", "L2")
    assert edge["bytes_read"] % 128 == 0
    assert edge["bytes_read"] >= 30_000
    assert edge["bytes_written"] == edge["bytes_filled"] == 0
    for memory in DRAMS:  # each line in whole accesses
        asked = covenant.run(core, feed, memory=memory)
        assert asked.stats["offchip"] == [edge]
        assert (asked.memory.bytes_read, asked.memory.bytes_written) == (edge["bytes_read"], 0)
        for key in ("offchip", "accesses"):
            for counted in ("bytes_read", "beats", "reads", "writes"):
                whole, parts = ([one.get(counted, 0) for one in asked.stats[name]] for name in (key, f"block_{key}"))
                assert sum(parts) == sum(whole)


def test_lines_of_a_core_are_its_events(core):
    """With an L2 of 16 KiB lines are replaced: bytes are those that its events say."""
    program = covenant.compile(model_of("qdq"), covenant.Machine("hvx", l2_kib=16))
    feeds = random_feeds(program, 2, 3)
    session = covenant.Session(program)
    alone = session.run_together(feeds[:1])
    stats, events = alone.results[0].stats, alone.events
    assert stats["offchip"][0]["bytes_written"] == 128 * events["L2_WRITTEN_BACK"] > 0
    by_operand = {(one["memory"], one["operand"]): (one["reads"], one["writes"]) for one in stats["accesses"]}
    assert by_operand["L2", "load"] == (events["L2_LOADS"], 0)
    assert by_operand["L2", "store"] == (0, events["L2_STORES"])
    assert by_operand["L2", "write_back"] == (events["L2_WRITTEN_BACK"], 0)
    assert by_operand["L2", "fill"] == (0, stats["offchip"][0]["bytes_read"] // 128)
    assert by_operand["L1D", "fill"] == (0, events["L1D_LOAD_MISSES"])
    assert stats["offchip"][0]["bytes_read"] > covenant.run(core, feeds[0]).stats["offchip"][0]["bytes_read"]
    together = session.run_together(feeds)
    assert all(one.stats["offchip"] == one.stats["accesses"] == [] for one in together.results)
    with pytest.raises(covenant.CovenantError) as caught:
        energy_of(together.results[0])
    assert caught.value.code == "ENG0001"


def test_energy_of_a_core(core):
    (feed,) = random_feeds(core, 1, 3)
    result = covenant.run(core, feed)
    parts = {(part.component, part.event): part for part in energy_of(result).parts}
    macs = sum(one["macs"] for one in result.stats["blocks"])
    (products,) = (part for part in parts.values() if part.event == "multiply-accumulate")
    assert products.picojoules == pytest.approx(macs * (0.2 + 0.1))
    reads = sum(one["reads"] for one in result.stats["accesses"] if one["memory"] == "L2")
    assert parts["L2", "read"].count == reads
    assert parts["L2", "read"].picojoules_each == pytest.approx(1024 * 10 / 64), "128 banks of 8 KiB"
    assert parts["DRAM", "read"].picojoules == pytest.approx(result.stats["offchip"][0]["bytes_read"] * 8 * 1300 / 64)
    assert ("DRAM", "write") not in parts
    asked = energy_of(covenant.run(core, feed, memory="lpddr4_3200"))
    assert asked.by_component["L2"] == energy_of(result).by_component["L2"]
    assert asked.by_component["DRAM"] < energy_of(result).by_component["DRAM"]


def test_buffers_of_a_core():
    from covenant.machine import buffer_bits, scratchpad_bits

    machine = covenant.Machine("hvx", l2_kib=64, l1_kib=8).to_dict()
    assert buffer_bits(machine) == {"L2": 64 * 8192, "L1D": 8 * 8192}
    assert scratchpad_bits(machine) == {}
    array = covenant.Machine("genesys").to_dict()
    assert buffer_bits(array) == scratchpad_bits(array)
    assert all(isinstance(bits, int | np.integer) for bits in buffer_bits(array).values())

"""Models of off-chip memory, as users ask for them: same bytes, other cycles, what was counted, a picture."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from digits import model_of

import covenant
from covenant.program.inputs import random_feeds

DRAMS = tuple(name for name in covenant.memories() if name != covenant.FIXED_MEMORY)
MACHINE = ("-m", "genesys")
KEYS = {
    "model", "reads", "writes", "bytes_read", "bytes_written", "row_hits", "row_misses", "row_conflicts", "activations",
    "refreshes", "busy_picoseconds", "bandwidth_bytes_per_second", "peak_bytes_per_second", "each",
}  # fmt: skip
needs_verilator = pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")


@pytest.fixture(scope="module")
def program() -> covenant.Program:
    return covenant.compile(model_of("qdq"), "genesys")


@pytest.fixture(scope="module")
def feed(program) -> dict[str, np.ndarray]:
    return random_feeds(program, 1, 3)[0]


@pytest.fixture(scope="module")
def fixed(program, feed) -> covenant.Result:
    return covenant.run(program, feed)


@pytest.mark.parametrize("memory", DRAMS)
def test_same_bytes_in_other_cycles(program, feed, fixed, memory):
    result = covenant.run(program, feed, memory=memory)
    assert {name: array.tobytes() for name, array in result.outputs.items()} == {
        name: array.tobytes() for name, array in fixed.outputs.items()
    }
    assert result.cycles >= fixed.cycles
    assert result.cycles == covenant.run(program, feed, memory=memory, values=False).cycles
    assert result.stats["offchip"] == fixed.stats["offchip"], "what is asked for does not depend on the answers"
    for layer in result.layers:
        assert layer.compute + sum(layer.causes.values()) == layer.cycles


@pytest.mark.parametrize("memory", DRAMS)
def test_a_core_asks_for_lines(memory):
    program = covenant.compile(model_of("qdq"), "hvx")
    (feed,) = random_feeds(program, 1, 3)
    fixed = covenant.run(program, feed)
    result = covenant.run(program, feed, memory=memory, trace=True, records=True)
    assert {name: array.tobytes() for name, array in result.outputs.items()} == {
        name: array.tobytes() for name, array in fixed.outputs.items()
    }
    assert result.cycles >= fixed.cycles
    assert result.cycles == covenant.run(program, feed, memory=memory).cycles
    counted = result.memory
    assert counted.bytes_read >= 30_000, "the lines of weights and inputs"
    assert counted.reads * covenant.memory_model(memory).access_bytes == counted.bytes_read
    assert sum(layer.cycles for layer in result.layers) == result.cycles
    assert f"DRAM ({memory})" in result.trace_json


def test_a_core_waits_for_a_memory_of_less_bandwidth():
    program = covenant.compile(model_of("qdq"), "hvx")
    (feed,) = random_feeds(program, 1, 3)
    cycles = [covenant.run(program, feed, memory=memory).cycles for memory in ("fixed", "ddr4_2400", "lpddr4_3200")]
    assert cycles[0] <= cycles[1] < cycles[2]


@pytest.mark.parametrize("memory", DRAMS)
def test_what_is_counted(program, feed, fixed, memory):
    assert fixed.memory is None
    result = covenant.run(program, feed, memory=memory)
    counted, model = result.memory, covenant.memory_model(memory)
    accesses = counted.reads + counted.writes
    assert counted.row_hits + counted.row_misses + counted.row_conflicts == accesses
    assert counted.activations >= counted.row_misses + counted.row_conflicts > 0
    assert counted.bytes_read == counted.reads * model.access_bytes
    assert counted.bytes_written == counted.writes * model.access_bytes
    # Beats of a stream share accesses, but no byte moves twice without being asked for.
    assert counted.bytes_read >= sum(edge["bytes_read"] for edge in result.stats["offchip"]) / 2
    assert 0 < counted.bandwidth_bytes_per_second <= model.peak_bytes_per_second
    (one,) = counted.each
    assert (one.memory, one.reads, one.row_hits) == ("DRAM", counted.reads, counted.row_hits)


def test_the_command_says_what_was_counted(covenant_command):
    done = covenant_command("run", model_of("qdq"), *MACHINE, "--memory", "ddr4_2400", "--json")
    assert done.code == 0
    memory = done.object["memory"]
    assert memory.keys() == KEYS
    assert memory["row_hits"] > memory["row_misses"] > 0
    assert memory["refreshes"] >= 0
    assert 1e9 < memory["bandwidth_bytes_per_second"] < memory["peak_bytes_per_second"]
    assert memory["each"][0]["memory"] == "DRAM"
    assert covenant_command("run", model_of("qdq"), *MACHINE, "--json").object["memory"] is None
    text = covenant_command("run", model_of("qdq"), *MACHINE, "--memory", "ddr4_2400")
    assert "off-chip memory, ddr4_2400" in text.out
    assert f"{memory['row_hits']:,}" in text.out


def test_a_file_of_parameters(covenant_command, root, tmp_path):
    figures = json.loads((root / "offchip/parameters/ddr4_2400.json").read_text())
    figures["timing"]["CL"]["value"] += 20
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps(figures))
    cycles = [
        covenant_command("run", model_of("qdq"), *MACHINE, "--memory", memory, "--json").object["cycles"]
        for memory in ("ddr4_2400", mine)
    ]
    assert cycles[0] < cycles[1]
    (listed,) = covenant_command("memories", mine, "--json").object["memories"]
    assert (listed["name"], listed["banks"]) == (str(mine), 16)


def test_memories_are_listed(covenant_command):
    listed = covenant_command("memories", "--json").object["memories"]
    assert tuple(memory["name"] for memory in listed) == covenant.memories()
    fixed, *others = listed
    assert fixed["peak_bytes_per_second"] is None
    for memory in others:
        assert all(memory[key] for key in fixed)
    text = covenant_command("memories").out
    assert all(name in text for name in covenant.memories())


@pytest.mark.parametrize("memory", DRAMS)
def test_a_track_for_each_bank_and_each_bus(program, feed, fixed, memory):
    model = covenant.memory_model(memory)
    events = json.loads(covenant.run(program, feed, memory=memory, trace=True).trace_json)["traceEvents"]
    assert [event["args"]["name"] for event in events if event["name"] == "process_name"] == [f"DRAM ({memory})"]
    names = {
        event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name" and event["pid"] == 2
    }
    assert sum("bank" in name for name in names.values()) == model.channels * model.banks
    assert sum("bus" in name for name in names.values()) == model.channels
    moved = {"bank": 0, "bus": 0}
    ends: dict[int, float] = {}
    slices = [event for event in events if event["pid"] == 2 and event["ph"] == "X"]
    assert {event["name"] for event in slices} >= {"activate", "read", "write"}
    for event in sorted(slices, key=lambda event: (event["tid"], event["ts"])):
        assert event["ts"] >= ends.get(event["tid"], 0) - 1e-6, "one after the other"
        ends[event["tid"]] = event["ts"] + event["dur"]
        if event["name"] in ("read", "write"):
            moved["bank" if "bank" in names[event["tid"]] else "bus"] += 1
    counted = covenant.run(program, feed, memory=memory).memory
    assert moved == {"bank": counted.reads + counted.writes, "bus": counted.reads + counted.writes}
    assert not [event for event in json.loads(covenant.run(program, feed, trace=True).trace_json)["traceEvents"]
                if event["pid"] != 1]  # fmt: skip


def test_a_report_shows_it(covenant_command, tmp_path):
    done = covenant_command(
        "run", model_of("qdq"), *MACHINE, "--memory", "lpddr4_3200", "--report", tmp_path / "report", "--json"
    )
    facts = json.loads((tmp_path / "report/layers.json").read_text())
    assert facts["memory"] == done.object["memory"]
    assert facts["memory"]["model"] == "lpddr4_3200"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("run", *MACHINE, "--memory", "ddr4"), "MEM0001"),
        (("run", *MACHINE, "--memory", "no/such.json"), "MEM0002"),
        (("run", *MACHINE, "--memory", "ddr4_2400", "--backend", "interpret"), "RUN0009"),
        (("run", *MACHINE, "--memory", "ddr4_2400", "--rtl", "conv1"), "CLI0008"),
        (("run", "-m", "hvx", "--memory", "ddr4_2400", "--contexts", "2"), "SIM0091"),
        (("cosim", *MACHINE, "--memory", "ddr4"), "MEM0001"),
    ],
)
def test_mistakes(covenant_command, arguments, code):
    command, *rest = arguments
    done = covenant_command(command, model_of("qdq"), *rest, "--json")
    assert done.code == 2
    error = done.object["error"]
    assert error["code"] == code
    assert error["fix"]
    if code == "MEM0001":
        assert tuple(error["allowed"]) == covenant.memories()
    if code in ("RUN0009", "SIM0091"):
        assert "memory" in f"{error['message']} {error['offending']}"


@needs_verilator
def test_lock_step(covenant_command):
    small = (*MACHINE, "--set", "M=3", "--set", "N=4", "--rtl-quick")
    done = covenant_command("cosim", model_of("qdq"), *small, "--memory", "ddr4_2400", "--json")
    assert done.code == 0
    assert (done.object["differences"], done.object["identical"]) == (0, True)
    run = covenant_command("run", model_of("qdq"), *small, "--memory", "ddr4_2400", "--backend", "rtl", "--json")
    assert run.object["cycles"] == done.object["cycles"]
    assert run.object["memory"] == done.object["memory"]


@needs_verilator
def test_random_layers_with_all_memories(covenant_command, tmp_path):
    done = covenant_command(
        *("cosim", "--random-machines", 1, "--first-machine", 3, "--random-layers", 2, "--seed", 7, "--rtl-quick"),
        *("--memory", "all", "--output", tmp_path, "--json"),
    )
    assert done.code == 0
    found = done.object
    assert (found["layers"], found["differences"]) == (2, 0)
    assert tuple(found["memories"]) == covenant.memories()

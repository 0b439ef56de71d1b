"""Energy proxy: a tiny program by hand; precedence of machine, table and published figures; refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from onnx import TensorProto, helper

import covenant
from covenant.energy import EnergyTable, energy_of, read_reference_table

SRAM_8K = 10.0 / 64  # pJ a bit of an array of 8 KiB, Horowitz


@pytest.fixture(scope="module")
def product(tmp_path_factory) -> str:
    """One row of 4 numbers times a matrix of 4x4, in 8 bits."""
    rng = np.random.default_rng(7)
    weights = rng.integers(-50, 50, (4, 4), dtype=np.int8)
    scalars = {"s": np.float32(0.5), "z": np.int8(0), "t": np.float32(20.0)}
    constants = [helper.make_tensor("w", TensorProto.INT8, (4, 4), weights.tobytes(), raw=True)]
    for name, value in scalars.items():
        kind = TensorProto.INT8 if name == "z" else TensorProto.FLOAT
        constants.append(helper.make_tensor(name, kind, (), value.tobytes(), raw=True))
    node = helper.make_node("QLinearMatMul", ["x", "s", "z", "w", "s", "z", "t", "z"], ["y"])
    ends = [helper.make_tensor_value_info(name, TensorProto.INT8, (1, 4)) for name in ("x", "y")]
    graph = helper.make_graph([node], "product", ends[:1], ends[1:], constants)
    path = tmp_path_factory.mktemp("models") / "product.onnx"
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()
    )
    return str(path)


def run(model: str, **settings: int) -> covenant.Result:
    program = covenant.compile(model, covenant.Machine("genesys", M=4, N=4, **settings))
    return covenant.Session(program).run(np.array([[1, 2, 3, 4]], np.int8))


def by_event(energy) -> dict[tuple[str, str], object]:
    return {(part.component, part.event): part for part in energy.parts}


def test_a_product_of_one_row_by_hand(product):
    energy = energy_of(run(product))
    parts = by_event(energy)
    # One step of a 4x4 array: 16 products of 8 bits, each added to a sum of 32 bits, through 8 + 8 + 32 register bits.
    assert parts["SA", "multiply-accumulate"].count == 16
    assert parts["SA", "multiply-accumulate"].picojoules == pytest.approx(16 * (0.2 + 0.1))
    assert parts["SA", "registers"].picojoules == pytest.approx(16 * 48 * 0.0089995)
    # It reads a vector of 4 bytes from banks of 2048 * 2 bytes: the square root of the size, below 8 KiB.
    assert parts["IBUF", "read"].count == 1
    assert parts["IBUF", "read"].picojoules == pytest.approx(32 * SRAM_8K * (4096 / 8192) ** 0.5)
    assert parts["WBUF", "read"].picojoules == pytest.approx(128 * SRAM_8K * (1024 / 8192) ** 0.5)
    assert parts["OBUF", "write"].picojoules == pytest.approx(128 * SRAM_8K)
    # A requantisation a lane: to f32, a product, to an integer (5.5), zero point and two comparisons (0.3); 5 stages.
    assert parts["SIMD", "requant"].picojoules == pytest.approx(4 * (0.9 + 3.7 + 0.9 + 0.3))
    assert parts["SIMD", "requant: stages"].count == 4 * 5
    # Every byte off the chip, 1300 pJ for 64 bits.
    assert parts["DRAM", "read"].picojoules_each == pytest.approx(8 * 1300 / 64)
    assert energy.picojoules == pytest.approx(sum(part.count * part.picojoules_each for part in energy.parts))
    assert energy.picojoules == pytest.approx(sum(energy.by_component.values()))


def test_all_bytes_off_chip_are_counted(product):
    result = run(product)
    parts = by_event(energy_of(result))
    moved = result.stats["offchip"]
    assert parts["DRAM", "read"].count == sum(one["bytes_read"] for one in moved)
    assert parts["DRAM", "write"].count == sum(one["bytes_written"] for one in moved)


def test_equal_runs_have_equal_energy(product):
    first, second = (json.dumps(energy_of(run(product)).to_dict()) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("bits", "expected"), [(8, 0.2), (32, 3.1), (4, 0.2 * 15.5**-0.5), (16, 0.2 * 15.5**0.5)]
)  # fmt: skip
def test_multipliers_follow_the_published_ones(bits, expected):
    assert EnergyTable.defaults().multiply(bits, bits) == pytest.approx(expected)


@pytest.mark.parametrize(("size", "expected"), [(8192, 10), (32768, 20), (1 << 20, 100), (2048, 5), (16384, 200**0.5)])
def test_memories_follow_the_published_ones(size, expected):
    assert EnergyTable.defaults().sram(size, 64) == pytest.approx(expected)


def test_what_the_machine_states_counts_before_all(product, tmp_path):
    text = str(covenant.Machine("genesys", M=4, N=4))
    text = text.replace("memory IBUF {", "memory IBUF { read_energy = 7.5;", 1)
    path = tmp_path / "stated.acg"
    path.write_text(text)
    program = covenant.compile(product, covenant.Machine(str(path)))
    result = covenant.Session(program).run(np.zeros((1, 4), np.int8))
    table = tmp_path / "table.yaml"
    table.write_text("ERT: {tables: [{name: IBUF, actions: [{name: read, energy: 99}, {name: write, energy: 3}]}]}")
    parts = by_event(energy_of(result, read_reference_table(table)))
    assert (parts["IBUF", "read"].picojoules_each, parts["IBUF", "read"].source) == (7.5, "machine")
    assert (parts["IBUF", "write"].picojoules_each, parts["IBUF", "write"].source) == (3, str(table))


@pytest.mark.parametrize(
    "text",
    [
        "ERT:\n  version: 0.4\n  tables:\n  - name: system.chip.SA[0..255]\n    actions:\n"
        "    - name: mac\n      arguments: {}\n      energy: 1.25\n",
        "ERT:\n  version: 0.3\n  tables:\n    system.chip.SA[0..255]:\n      mac:\n"
        "      - {arguments: {gated: 1}, energy: 0.5}\n      - {arguments: {gated: 0}, energy: 1.25}\n",
    ],
)
def test_both_forms_of_accelergy_are_read(product, tmp_path, text):
    path = tmp_path / "ERT.yaml"
    path.write_text(text)
    parts = by_event(energy_of(run(product), read_reference_table(path)))
    assert parts["SA", "multiply-accumulate"].picojoules == 16 * 1.25
    assert ("SA", "registers") not in parts


@pytest.mark.parametrize(
    "text",
    [
        "a: 1", "ERT: {}", "ERT: {tables: 3}", "{", "ERT: {tables: [{name: SA, actions: [{name: mac, energy: -1}]}]}",
        "ERT: {tables: [{name: SA, actions: 4}]}", "ERT: {tables: [{name: SA, actions: [{energy: 2}]}]}",
        "ERT: {tables: [{name: a.SA, actions: []}, {name: b.SA, actions: []}]}",
    ],
)  # fmt: skip
def test_what_is_no_table(tmp_path, text):
    path = tmp_path / "ERT.yaml"
    path.write_text(text)
    with pytest.raises(covenant.CovenantError) as caught:
        read_reference_table(path)
    assert caught.value.code == "ENG0004"


def test_a_table_of_another_machine(product, tmp_path):
    path = tmp_path / "ERT.yaml"
    path.write_text("ERT: {tables: [{name: GLB, actions: [{name: read, energy: 1}]}]}")
    with pytest.raises(covenant.CovenantError) as caught:
        energy_of(run(product), read_reference_table(path))
    assert caught.value.code == "ENG0006"
    assert "IBUF" in caught.value.diagnostic.allowed


def test_a_run_that_counts_nothing(product):
    program = covenant.compile(product, covenant.Machine("genesys", M=4, N=4))
    result = covenant.Session(program, "interpret").run(np.zeros((1, 4), np.int8))
    with pytest.raises(covenant.CovenantError) as caught:
        energy_of(result)
    assert caught.value.code == "ENG0001"


def test_an_operation_without_a_figure(product):
    statistics = {
        "operations": [{"operation": "simd_array.rotate", "words": 1, "operations": 8, "in_f32": 0}],
        "accesses": [{"memory": "IBUF", "reads": 1, "writes": 0}],
    }
    result = run(product)
    vars(result)["stats"] = statistics  # as if it had been another run
    with pytest.raises(covenant.CovenantError) as caught:
        energy_of(result)
    assert caught.value.code == "ENG0003"


def test_on_the_command_line(product, tmp_path, capsys):
    from covenant.cli import main

    assert main(["run", product, "-m", "genesys:8x8", "--energy", "--json"]) == 0
    energy = json.loads(capsys.readouterr().out)["energy"]
    assert energy["picojoules"] == pytest.approx(sum(part["picojoules"] for part in energy["parts"]))
    assert main(["run", product, "-m", "genesys:8x8", "--energy"]) == 0
    assert "energy proxy" in capsys.readouterr().out
    assert main(["run", product, "-m", "genesys:8x8", "--energy-table", "x.yaml"]) == 2
    assert main(["run", product, "-m", "genesys:8x8", "--energy", "--backend", "interpret"]) == 2
    assert capsys.readouterr().err.count("CLI0008") == 2


def test_a_table_without_a_reader_of_yaml(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(covenant.CovenantError) as caught:
        read_reference_table(tmp_path / "ERT.yaml")
    assert caught.value.code == "ENG0005"

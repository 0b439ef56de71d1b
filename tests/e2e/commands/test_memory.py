"""Off-chip states in arrays of the caller's: the same bytes and cycles as through a port, for every engine."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from covenant import CommandDevice
from covenant.errors import CovenantError

ROOT = Path(__file__).resolve().parents[3]
SCALE = ROOT / "examples/10_commands/scale.acg"
ENGINES = ["evaluator", "native", "auto", "recorded"]
SIZE = 1 << 16


def scaled(engine: str, values: np.ndarray, factor: int, source: int, target: int) -> tuple[np.ndarray, int]:
    """Memory afterwards, and cycles."""
    device = CommandDevice(SCALE, engine=engine)
    memory = np.zeros(SIZE, np.int8)
    memory[source : source + values.size] = values
    device.use_memory("dram", memory)
    for name, value in (("source", source), ("target", target), ("vectors", values.size // 16), ("factor", factor)):
        device.send(f"set_{name}", value=value)
    begin = device.cycles
    device.send("start")
    device.wait()
    return memory, device.cycles - begin


@pytest.mark.parametrize("engine", ENGINES)
def test_the_machine_reads_and_writes_the_array(engine: str) -> None:
    values = np.random.default_rng(7).integers(-128, 128, 64, np.int8)
    memory, cycles = scaled(engine, values, 3, 0x100, 0x2000)
    expected = np.zeros(SIZE, np.int8)
    expected[0x100:0x140] = values
    expected[0x2000:0x2040] = np.clip(3 * values.astype(int), -128, 127)
    np.testing.assert_array_equal(memory, expected)
    assert cycles == 1 + 2 * 4 + 1  # the command, four vectors, done


@pytest.mark.parametrize("engine", ENGINES)
def test_vta_sees_what_comes_between_commands(engine: str) -> None:
    device = CommandDevice("vta", engine=engine)
    dram = np.zeros(1 << 24, np.uint8)
    device.use_memory("dram", dram)
    dram[-16:] = range(16)
    assert device.read(0x80000000 + (1 << 24) - 16) == bytes(range(16))
    device.write(0x80000000, bytes(range(16)))
    assert dram[:16].tolist() == list(range(16))


def test_the_array_lives_as_long_as_the_device() -> None:
    device = CommandDevice("vta", engine="evaluator")
    device.use_memory("dram", np.full(1 << 24, 9, np.uint8))
    gc.collect()
    assert device.read(0x80000000) == bytes([9]) * 16


def read_only(memory: np.ndarray) -> np.ndarray:
    memory.flags.writeable = False
    return memory


@pytest.mark.parametrize(
    "memory",
    [
        np.zeros(SIZE - 1, np.uint8),
        np.zeros((SIZE, 1), np.uint8),
        np.zeros(SIZE, np.int16),
        np.zeros(SIZE, bool),
        np.zeros(2 * SIZE, np.uint8)[::2],
        read_only(np.zeros(SIZE, np.uint8)),
        bytearray(SIZE),
        None,
    ],
)
def test_other_arrays_are_refused(memory: object) -> None:
    device = CommandDevice(SCALE, engine="evaluator")
    with pytest.raises(CovenantError) as error:
        device.use_memory("dram", memory)
    said = error.value.diagnostic
    assert said.code == "BEH0046"
    assert "(65536,)" in said.allowed[0]


@pytest.mark.parametrize("state", ["source", "dam", "", None, 3])
def test_other_states_are_refused(state: object) -> None:
    device = CommandDevice(SCALE, engine="evaluator")
    with pytest.raises(CovenantError) as error:
        device.use_memory(state, np.zeros(SIZE, np.uint8))
    assert (error.value.diagnostic.code, error.value.diagnostic.allowed) == ("BEH0060", ("dram",))

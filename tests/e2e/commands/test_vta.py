"""VTA from its text: the bytes of its functional simulator, tokens, cycles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from vta import BYTES, DRAM, PROGRAMS, started, stream_of, writes

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.cli import main

ROOT = Path(__file__).resolve().parents[3]
LOAD, STORE, GEMM, FINISH = 0, 1, 2, 3


def memory_word(op: int, kind: int, *, tokens: int = 0, base: int = 0, rows: int = 1) -> int:
    """A load or store of `rows` rows of one element."""
    return op | tokens << 3 | kind << 7 | base << 26 | rows << 64 | 1 << 80 | 1 << 96


def ran(words: list[int]) -> CommandDevice:
    device = CommandDevice("vta")
    zeros = [*writes(0, bytes(64)), *writes(0x1000, bytes(256))]
    replay(CommandStream((*zeros, *started(words))), device, most_cycles=10_000)
    return device


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: str(program["case"]))
def test_bytes_are_those_of_its_functional_simulator(program: dict) -> None:
    done = replay(stream_of(program), CommandDevice("vta"))
    assert done.bytes_compared == len(program["out"]) // 2 or done.bytes_compared % 16 == 0
    assert done.differing == 0


def test_there_are_16784_bytes() -> None:
    assert sum(len(program["out"]) // 2 for program in PROGRAMS) == 16784
    assert len(PROGRAMS) == 200


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("inp[src][b][k] * wgt[w][i][k]", "inp[src][b][k] * wgt[w][k][i]"),
        ("reset ? 0 : wrap(i32, acc[dst][b][i]", "reset ? 0 : wrap(i32, 0"),
        ("y < y_pad0 or", "y < y_pad1 or"),
        ("+ y * dst_out + x * dst_in", "+ y * dst_in + x * dst_out"),
        ("a << max(min(0 - b, 31), 0)", "a >> max(min(0 - b, 31), 0)"),
        ("use_imm ? imm", "use_imm ? -1 - imm"),
        ("let to = sram + y * width + x;", "let to = sram + y * x_size + x;"),
    ],
)
def test_a_wrong_machine_is_found(said: str, instead: str, tmp_path: Path) -> None:
    text = (ROOT / "acg/machines/vta.acg").read_text()
    assert said in text
    machine = tmp_path / "wrong.acg"
    machine.write_text(text.replace(said, instead))
    differing = 0
    for program in PROGRAMS:
        try:
            differing += replay(stream_of(program), CommandDevice(str(machine))).differing
        except CovenantError as error:
            assert error.diagnostic.code in ("BEH0032", "BEH0033")  # noqa: PT017 (either way it is found)
            differing += 1
    assert differing > 0


def test_tokens_order_the_modules() -> None:
    """The load waits for the token of the compute module, which gives it after its own work."""
    load = memory_word(LOAD, 2, tokens=0b0010)  # pops from the module after it
    compute = memory_word(LOAD, 0, tokens=0b0100, rows=9)  # pushes to the module before it
    finish = FINISH | 0b0001 << 3
    alone = ran([memory_word(LOAD, 2, tokens=0b1000), finish])
    ordered = ran([load | 0b1000 << 3, compute, finish])
    assert ordered.cycles - alone.cycles >= 9


@pytest.mark.parametrize(
    ("word", "waits"),
    [
        (memory_word(LOAD, 2, tokens=0b0010), "loader"),
        (memory_word(STORE, 4, tokens=0b0001), "storer"),
        (FINISH | 0b0001 << 3, "compute"),
        (FINISH | 0b0010 << 3, "compute"),
    ],
)
def test_a_token_that_nobody_gives_is_told(word: int, waits: str) -> None:
    with pytest.raises(CovenantError) as raised:
        ran([word])
    said = raised.value.diagnostic
    assert said.code == "BEH0036"
    assert f"{waits} at line" in said.offending
    assert "for an item in" in said.offending


def test_cycles_of_a_load_are_those_that_memory_moves() -> None:
    """16 bytes a cycle; a word comes from memory in one, and goes to its module and begins in one each."""
    finish = FINISH | 0b0001 << 3
    cycles = {
        (kind, rows): ran([memory_word(LOAD, kind, tokens=0b1000, base=base, rows=rows), finish]).cycles
        for kind, base in ((2, 0), (1, 16))
        for rows in (1, 0)
    }
    assert cycles[2, 1] - cycles[2, 0] == 1
    assert cycles[1, 1] - cycles[1, 0] == BYTES["wgt"] // 16


def test_the_cycle_register_counts_from_start_to_finish() -> None:
    device = ran([FINISH])
    first = int.from_bytes(device.read(0x4), "little")
    longer = ran([memory_word(LOAD, 2, tokens=0b1000), FINISH | 0b0001 << 3])
    assert int.from_bytes(longer.read(0x4), "little") > first > 0
    assert device.read(0x0)[0] == 2


@pytest.mark.parametrize(
    ("word", "code"),
    [
        (5, "BEH0030"),
        (4 | 5 << 108, "BEH0030"),
        (memory_word(LOAD, 4), "BEH0030"),
        (memory_word(LOAD, 2, base=0xFFFFFF), "BEH0032"),
        (memory_word(LOAD, 2, base=0x4000), "BEH0033"),
        (GEMM | 1 << 21 | 1 << 35 | 1 << 49, "BEH0033"),
    ],
)
def test_hostile_words_are_refused(word: int, code: str) -> None:
    with pytest.raises(CovenantError) as raised:
        ran([word])
    assert raised.value.diagnostic.code == code


def test_memory_has_the_size_that_is_set() -> None:
    device = CommandDevice("vta", dram_bytes="4K")
    device.write(DRAM + 4096 - 16, b"\1")
    with pytest.raises(CovenantError, match="BEH0030"):
        device.write(DRAM + 4096 - 15, b"\1")


def test_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "vta", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    gemm = next(one for one in said["instructions"] if one["name"] == "gemm")
    assert gemm["decode"] == "op == 2"
    assert {"name": "uop_end", "type": "u14", "at": 21} in gemm["fields"]
    memory = next(one for one in said["instructions"] if one["name"] == "write_dram")
    assert memory["decode"] == "write and address in 0x80000000..0x80fffff0"
    assert [state["elements"] for state in said["state"] if state["name"] == "acc"] == [2048 * 16]
    assert main(["show", "vta", "--set", "acc_depth=64"]) == 0
    assert "i32[64][1][16]" in capsys.readouterr().out
    assert main(["show", "vta", "--isa"]) == 0
    assert "| gemm | `op == 2` | op u3 [2:0], pop_prev u1 [3:3]," in capsys.readouterr().out
    assert main(["show", "vta", "--svg"]) == 2
    assert "error[BEH0015]" in capsys.readouterr().err

"""VTA from its text: the bytes of its functional simulator, tokens, cycles."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hls_logs import stream_of_log
from unlicensed import unlicensed
from vta import BYTES, DRAM, PROGRAMS, started, stream_of, writes

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.cli import main
from covenant.commands import HostCommand

ROOT = Path(__file__).resolve().parents[3]
LOAD, STORE, GEMM, FINISH, ALU = range(5)


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


def test_values_are_those_of_its_hls() -> None:
    """With memory ids of 2 bits: 528 values that three programs store."""
    logs = unlicensed("vta_hls_logs", "github.com/LeeOHzzZ/3la_ILA_tensor_op, vta/test_gen/vivado_test_log")
    done = [replay(stream_of_log(path), CommandDevice("vta", memory_id_bits=2)) for path in sorted(logs.iterdir())]
    assert [one.bytes_compared for one in done] == [256, 16, 256]
    assert [one.differing for one in done] == [0, 0, 0]


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("inp[src][b][k] * wgt[w][i][k]", "inp[src][b][k] * wgt[w][k][i]"),
        ("reset ? 0 : wrap(i32, acc[dst][b][i]", "reset ? 0 : wrap(i32, 0"),
        ("y < y_pad0 or", "y < y_pad1 or"),
        ("+ y * dst_out + x * dst_in", "+ y * dst_in + x * dst_out"),
        ("a << (0 - b & 31)", "a >> (0 - b & 31)"),
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
        (memory_word(STORE, 4) | 1 << 112, "BEH0030"),
        (memory_word(LOAD, 2, base=0xFFFFFF), "BEH0032"),
        (memory_word(LOAD, 2, base=0x4000), "BEH0033"),
        (GEMM | 1 << 21 | 1 << 35 | 1 << 49, "BEH0033"),
    ],
)
def test_hostile_words_are_refused(word: int, code: str) -> None:
    with pytest.raises(CovenantError) as raised:
        ran([word])
    assert raised.value.diagnostic.code == code


def older(word: int) -> int:
    """A word with a memory id of 3 bits as one with 2, or as one whose operation of the ALU has 2."""
    low, bits = (7, 51) if word & 7 in (LOAD, STORE) else (108, 20)
    moved = (word >> low & 3) | (word >> low + 3 & (1 << bits - 3) - 1) << 2
    return word & ~((1 << bits) - 1 << low) | moved << low


@pytest.mark.parametrize("program", PROGRAMS[::10], ids=lambda program: str(program["case"]))
def test_older_words_do_the_same(program: dict) -> None:
    words = [int(word, 16) for word in program["instructions"]]
    renewed = [hex(older(word)) if word & 7 in (LOAD, STORE, ALU) else hex(word) for word in words]
    done = replay(stream_of(program | {"instructions": renewed}), CommandDevice("vta", memory_id_bits=2))
    assert done.differing == 0
    assert done.cycles == replay(stream_of(program), CommandDevice("vta")).cycles


def test_older_words_have_fewer_operations() -> None:
    """Neither sums of 8 bits from memory nor products in the ALU: their bits say something else."""
    names = {
        bits: {one["name"] for one in CommandDevice("vta", memory_id_bits=bits).describe()["instructions"]}
        for bits in (2, 3)
    }
    assert names[3] - names[2] == {"load_acc8"}
    alu = next(one for one in CommandDevice("vta", memory_id_bits=2).describe()["instructions"] if one["name"] == "alu")
    assert alu["decode"] == "op == 4 and code in 0..3"


def joined(*fields: tuple[int, int]) -> int:
    """Fields as (value, bits), the lowest first."""
    word, at = 0, 0
    for value, bits in fields:
        assert value in range(1 << bits)
        word |= value << at
        at += bits
    return word


@pytest.mark.parametrize(
    ("batch", "block", "depths"),
    [
        (1, 4, (8, 8, 8, 8)),
        (2, 8, (8192, 2048, 1024, 2048)),
        (4, 32, (100, 64, 16, 30)),
        (2, 8, (1024, 64, 32, 500)),
    ],
)
def test_other_sizes_multiply_as_numpy(batch: int, block: int, depths: tuple[int, int, int, int]) -> None:
    """Three products and a shift; fields have the widths that the depths of uop, inp, wgt and acc ask for."""
    draw = np.random.default_rng(batch)
    inp, wgt = (
        draw.integers(-128, 128, (3, batch, block), np.int8),
        draw.integers(-128, 128, (2, block, block), np.int8),
    )
    acc = draw.integers(-(1 << 31), 1 << 31, (3, batch, block), np.int32)
    uop, i, w, a = ((depth - 1).bit_length() for depth in depths)
    uops = [(2, 1, 1), (0, 2, 0), (2, 0, 0)]
    packed = b"".join(joined((d, a), (s, max(a, i)), (m, w)).to_bytes(4, "little") for d, s, m in uops)
    bases = {
        0x10: packed,
        0x14: inp.tobytes(),
        0x18: wgt.tobytes(),
        0x1C: acc.tobytes(),
        0x20: bytes(3 * batch * block),
    }
    commands = []
    for number, (register, data) in enumerate(bases.items(), 1):
        commands += [HostCommand("W", register, 0x4000 * number), *writes(0x4000 * number, data)]
    loops = ((0, 1), (0, uop), (3, uop + 1), (1, 14), (1, 14))
    gap = ((0, 64 - 7 - sum(bits for _, bits in loops)),)
    words = [
        *(LOAD | kind << 7 | 1 << 64 | count << 80 | count << 96 | push << 6
          for kind, count, push in ((0, 3, 0), (3, 3, 0), (1, 2, 0), (2, 3, 1))),
        joined((GEMM, 3), (1, 4), *loops, *gap, (0, 2 * (a + i + w))),
        joined((ALU, 3), (8, 4), *loops, *gap, (0, 4 * a), (3, 3), (1, 1), (2, 16)),
        STORE | 1 << 3 | 1 << 5 | 4 << 7 | 1 << 64 | 3 << 80 | 3 << 96,
        FINISH | 1 << 4,
    ]  # fmt: skip
    settings = dict(zip(("uop_depth", "inp_depth", "wgt_depth", "acc_depth"), depths, strict=True))
    device = CommandDevice("vta", batch=batch, block=block, **settings)
    replay(CommandStream((*commands, *started(words))), device)
    total = acc.astype(np.int64)
    for d, s, m in uops:
        total[d] += inp[s].astype(np.int64) @ wgt[m].astype(np.int64).T
    total = total.astype(np.int32)
    for d, _, _ in uops:
        total[d] >>= 2
    stored = b"".join(device.read(DRAM + 0x14000 + at) for at in range(0, 3 * batch * block, 16))
    assert stored[: total.size] == total.astype(np.int8).tobytes()


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
    manual = capsys.readouterr().out
    assert "### gemm\n\n`op == 2`\n\n| field | type | bits |\n|---|---|---|\n| op | u3 | [2:0] |" in manual
    assert "\n    for u in uop_begin..uop_end - 1\n      step\n" in manual
    assert main(["show", "vta", "--svg"]) == 2
    assert "error[BEH0015]" in capsys.readouterr().err

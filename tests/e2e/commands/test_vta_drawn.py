"""VTA from its text on programs that compilers do not write, beside its functional simulator."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from vta import DRAM, DRAWN, started, stream_of, writes

from covenant import CommandDevice, CommandStream, CovenantError, replay

ROOT = Path(__file__).resolve().parents[3]
LOAD, STORE, GEMM, FINISH, ALU = range(5)
ACC, OUT = 0x4000, 0x8000
"""Places of sums and outputs in off-chip memory."""


@pytest.mark.parametrize("engine", ["evaluator", "native"])
@pytest.mark.parametrize("program", DRAWN, ids=lambda program: str(program["case"]))
def test_bytes_are_those_of_its_functional_simulator(program: dict, engine: str) -> None:
    done = replay(stream_of(program), CommandDevice("vta", engine=engine, **program["settings"]))
    assert done.bytes_compared >= len(program["out"]) // 2 > 0
    assert done.differing == 0


def test_no_program_is_missing() -> None:
    words = Counter(int(word, 16) & 7 for program in DRAWN for word in program["instructions"])
    assert words == {LOAD: 451, STORE: 373, GEMM: 75, FINISH: 72, ALU: 348}
    assert sum(len(program["out"]) // 2 for program in DRAWN) == 39_232
    assert Counter(tuple(program["settings"].values()) for program in DRAWN) == {
        (): 60,
        (2, 8, 1024, 64, 32, 512): 4,
        (1, 32, 8192, 4096, 256, 1024): 4,
        (4, 4, 4096, 256, 64, 256): 4,
    }


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("x_size == 0 ? 0 : y_pad0", "y_pad0"),
        ("x_size == 0 ? 0 : y_pad0", "x_size == 0 or y_size == 0 ? 0 : y_pad0"),
        ("x < x_pad0 or", "x < x_pad1 or"),
        ("max(y - y_pad0, 0) * x_stride", "max(y - y_pad0, 0) * x_size"),
        (": result_of(code", ": reset ? 0 : result_of(code"),
        ("wrap(i32, a * b)", "a"),
        ("code == 0 ? min(a, b)", "code == 0 ? min(a, max(b, -32767))"),
        ("word[A + S - 1:A]", "word[A + min(I, S - 1) - 1:A]"),
        ("word[A + S + W - 1:A + S]", "word[A + I + W - 1:A + I]"),
        ("src_in : u$A at 64 + 3 * A", "src_in : u$I at 64 + 2 * A + I"),
        ("base + y * x_stride + x) * batch", "base + y * x_size + x) * batch"),
        ("let from = sram + y * x_size + x;", "let from = sram + y * x_stride + x;"),
        ("wrap(u8, acc[from][b][k])", "saturate(i8, acc[from][b][k])[7:0]"),
        ("is_zero ? 0 : wrap(i8, dram[from + b * block + k])];\n                      }\n                    }",
         "is_zero ? 0 : dram[from + b * block + k]];\n                      }\n                    }"),
    ],
)  # fmt: skip
def test_a_wrong_machine_is_found(said: str, instead: str, tmp_path: Path) -> None:
    text = (ROOT / "acg/machines/vta.acg").read_text()
    assert said in text
    machine = tmp_path / "wrong.acg"
    machine.write_text(text.replace(said, instead))
    found = set()
    for program in DRAWN:
        try:
            device = CommandDevice(str(machine), engine="evaluator", **program["settings"])
            found.add(replay(stream_of(program), device).differing > 0)
        except CovenantError as error:
            found.add(error.diagnostic.code in ("BEH0032", "BEH0033"))
    assert True in found


@pytest.mark.parametrize(
    ("amount", "result"),
    [(0, -100), (8, -1), (31, -1), (32, -100), (33, -50), (-1, -200), (-32, -100), (-33, -200), (-32768, -100)],
)
def test_the_lowest_five_bits_of_a_shift_count(amount: int, result: int) -> None:
    """As in both of its hardware designs; in C++ a shift by 32 or more means nothing."""
    data = b"".join((-100).to_bytes(4, "little", signed=True) for _ in range(16))
    loops = 1 << 21 | 1 << 35 | 1 << 49
    words = [
        LOAD | 0 << 7 | 0x1000 // 4 << 26 | 1 << 64 | 1 << 80,
        LOAD | 3 << 7 | ACC // 64 << 26 | 1 << 64 | 1 << 80,
        ALU | 1 << 6 | loops | 3 << 108 | 1 << 111 | (amount & 0xFFFF) << 112,
        STORE | 1 << 3 | 1 << 5 | 4 << 7 | OUT // 16 << 26 | 1 << 64 | 1 << 80,
        FINISH | 1 << 4,
    ]
    device = CommandDevice("vta")
    replay(CommandStream((*writes(0x1000, bytes(16)), *writes(ACC, data), *started(words))), device)
    assert device.read(DRAM + OUT) == bytes([result & 0xFF]) * 16

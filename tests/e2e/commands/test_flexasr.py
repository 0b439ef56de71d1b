"""FlexASR from its text: bytes and cycles of its authors' SystemC, and the LSTM call that was published."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from unlicensed import unlicensed

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.cli import main

ROOT = Path(__file__).resolve().parents[3]
STREAMS = sorted((Path(__file__).parent / "flexasr").glob("*.json.gz"))
DRAWN = sorted((Path(__file__).parent / "flexasr_drawn").glob("*.json.gz"))
"""Streams that exercise modes, rounding, back pressure and orders of commands that drivers do not use."""
EVALUATION = "github.com/uwsampl/3la-evaluation, yi_e2e_script/test_lstm/lstm"
HIDDEN_STATES = 4480
"""Bytes of the published call's hidden states; its other reads are of the cell state."""


def cycles_of(stream: Path) -> list[int]:
    said: list[int] = json.loads(gzip.decompress(stream.read_bytes()))["cycles_start_to_interrupt"]
    return said


@pytest.mark.parametrize("engine", ["evaluator", "native"])
@pytest.mark.parametrize("stream", [*STREAMS, *DRAWN], ids=lambda stream: stream.name.partition(".")[0])
def test_bytes_and_cycles_are_those_of_its_systemc(stream: Path, engine: str) -> None:
    done = replay(CommandStream.load(stream), CommandDevice("flexasr", engine=engine))
    assert done.bytes_compared == 16 * len(done.reads) > 0
    assert done.differing == 0
    assert list(done.waited) == cycles_of(stream)


@pytest.mark.parametrize(("streams", "count", "compared"), [(STREAMS, 45, 316_480), (DRAWN, 55, 112_416)])
def test_no_stream_is_missing(streams: list[Path], count: int, compared: int) -> None:
    reads = [len(CommandStream.load(stream).reads or ()) for stream in streams]
    assert (len(reads), 16 * sum(reads)) == (count, compared)


def test_the_published_call_on_its_systemc() -> None:
    stream = unlicensed("flexasr_systemc/lstm_128x128_35.json.gz", EVALUATION)
    done = replay(CommandStream.load(stream), CommandDevice("flexasr"))
    assert (done.bytes_compared, done.differing) == (4608, 0)
    assert list(done.waited) == cycles_of(stream)


@pytest.mark.parametrize(("overflow", "hidden", "cells"), [("as_published", 0, 0), ("signed", 3246, 125)])
def test_the_published_call(overflow: str, hidden: int, cells: int, capsys: pytest.CaptureFixture[str]) -> None:
    folder = unlicensed("flexasr_published", EVALUATION)
    words = [folder / "lstm_prog_frag_in.json.gz", "-m", "flexasr", "--set", f"overflow={overflow}"]
    results = json.loads((folder / "flexasr_adpf_result.txt").read_text())
    expected = {int(address, 16): bytes.fromhex(data[2:]) for address, data in results.items()}
    status = main(["replay", *map(str, words), "--compare", str(folder / "flexasr_adpf_result.txt"), "--json"])
    said = json.loads(capsys.readouterr().out)
    differing = [
        sum(a != b for a, b in zip(bytes.fromhex(data[2:]), expected[int(address, 16)], strict=True))
        for address, data in said["reads"]
    ]
    last = HIDDEN_STATES // 16
    assert (sum(differing[:last]), sum(differing[last:])) == (hidden, cells)
    assert (said["bytes"], said["differ"]) == (4608, hidden + cells)
    assert status == (0 if hidden == 0 else 1)


@pytest.mark.parametrize(
    ("file", "said", "instead", "stream"),
    [
        ("adaptivfloat.acg", "code[6:0] == 0 ? 0", "code == 0 ? 0", "reduce_max_all_pairs"),
        ("adaptivfloat.acg", "(1 << max(cut - 1, 0)) - is_negative", "(1 << max(cut - 1, 0))", "reduce_add_all_pairs"),
        ("adaptivfloat.acg", "top + (rounded == 32) - lowest", "top - lowest", "reduce_add_all_pairs"),
        ("adaptivfloat.acg", "exponent > 7", "exponent > 6", "reduce_add_all_pairs"),
        ("piecewise.acg", "size * 819 >> 13", "size * 810 >> 13", "linear_04_sigmoid"),
        ("piecewise.acg", "(x < 0 ? -whole : whole) >> 6", "whole >> 6", "linear_05_tanh"),
        ("piecewise.acg", "inside * 2896 >> 12", "inside * 2897 >> 12", "layernorm_00"),
        ("piecewise.acg", "x * 23637 >> 14", "x * 23000 >> 14", "attention_00"),
        ("flexasr.acg", "layer[p].is_clustered ? 8 : 16", "16", "lstm_clustered_4"),
        ("flexasr.acg", "manager[p][m].zero_active and layer[p].zero_first", "layer[p].zero_first", "lstm_64x64_2"),
        ("flexasr.acg", "above << 8", "above << 7", "attention_02"),
        ("flexasr.acg", "step { cycles = 13; }", "step { cycles = 12; }", "linear_00_plain"),
        ("flexasr.acg", "let near = wrap(u2, last_lane - 1);", "let near = wrap(u2, last_lane + 1);", "crossbar_full"),
        ("flexasr.acg", "queue lane_$p : u8[17] { depth = 4; }", "queue lane_$p : u8[17] { depth = 3; }",
         "crossbar_full"),
        ("flexasr.acg", "wait receives and items(results) > 0;", "wait receives;", "results_stalled"),
        ("flexasr.acg", "setup[0].mode == 2 ? backward", "setup[0].mode == 2 ? t", "control_bi_backward_18"),
    ],
)  # fmt: skip
def test_a_wrong_machine_is_found(file: str, said: str, instead: str, stream: str, tmp_path: Path) -> None:
    for name in ("adaptivfloat.acg", "piecewise.acg", "flexasr.acg"):
        text = (ROOT / "acg/machines" / name).read_text()
        if name == file:
            assert said in text
            text = text.replace(said, instead)
        (tmp_path / name).write_text(text)
    path = next(one for one in (*STREAMS, *DRAWN) if one.name == f"{stream}.json.gz")
    try:
        done = replay(CommandStream.load(path), CommandDevice(str(tmp_path / "flexasr.acg")))
    except CovenantError as error:
        assert error.diagnostic.code in ("BEH0032", "BEH0033", "BEH0036")  # noqa: PT017 (either way it is found)
    else:
        assert done.differing > 0 or list(done.waited) != cycles_of(path)


def test_a_unit_that_runs_lets_its_registers_wait() -> None:
    """The reduction takes 3 cycles a vector and 4; a write of its registers comes after it, not into it."""
    device = CommandDevice("flexasr")
    for t in range(4):
        device.write(0x33500000 + 16 * t, bytes([17 + t] * 16))
    device.write(0x33400010, bytes([1, 0, 0, 0] * 4))
    device.write(0x33800010, bytes([1, 2, 0, 0, 0, 0, 1, 1, 4, 0, 1, 0, 0, 0, 0, 0]))
    device.write(0x33000020, bytes(16))
    begin = device.cycles
    device.write(0x33800010, bytes(16))
    assert device.cycles - begin >= 3 * 2
    device.wait(2)
    assert device.read(0x33500010) == bytes([0x23 + 1] * 16)  # codes 19 and 20: (19 + 20) / 16 is 2 * (1 + 4 / 16)


def test_a_pe_without_inputs_is_refused() -> None:
    device = CommandDevice("flexasr")
    device.write(0x34400010, bytes([1, 0, 0, 0, 1, 1] + [0] * 10))
    device.write(0x34400020, bytes(16))
    device.write(0x34000010, bytes(16))
    with pytest.raises(CovenantError, match="takes no inputs") as error:
        device.wait(100)
    assert error.value.diagnostic.code == "BEH0035"


def test_registers_have_8_bits_of_an_index() -> None:
    """As the authors' SystemC: others of its 16 bits are not looked at, and other indices read as 0."""
    device = CommandDevice("flexasr")
    told = bytes([1, 2, 0, 0, 0, 0, 1, 1, 4, 0, 1, 0, 0, 0, 0, 0])
    device.write(0x33800010, told)
    assert device.read(0x33800010) == device.read(0x33801010) == told
    assert device.read(0x33800020) == bytes(16)

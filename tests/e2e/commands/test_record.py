"""Records of machines that commands drive: counts, ranges and traces beside numbers that follow from the commands."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from vta import PROGRAMS, stream_of

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.cli import main

STREAMS = Path(__file__).parent / "flexasr"
NAMES = {
    (0, 2): "load_inp",
    (0, 1): "load_wgt",
    (0, 0): "load_uop",
    (0, 3): "load_acc",
    (2, 0): "gemm",
    (3, 0): "finish",
}
NAMES |= {(1, 4): "store", (4, 0): "alu"}


def spans_of(trace: str) -> dict[str, list[dict[str, Any]]]:
    """Spans by the name of their track."""
    events = json.loads(trace)["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    spans: dict[str, list[dict[str, Any]]] = {name: [] for name in names.values()}
    for event in events:
        if event["ph"] == "X":
            spans[names[event["tid"]]].append(event)
    return spans


@pytest.mark.parametrize("program", PROGRAMS[::40], ids=lambda program: str(program["case"]))
def test_words_are_counted(program: dict[str, Any]) -> None:
    device = CommandDevice("vta", engine="recorded")
    replay(stream_of(program), device)
    words = [int(word, 16) for word in program["instructions"]]
    expected = Counter(NAMES[word & 7, word >> 7 & 7 if word & 7 < 2 else 0] for word in words)
    counted = {one.name: one.count for one in device.record().instructions if one.name in NAMES.values()}
    assert counted == expected


def test_a_reduction_is_one_span() -> None:
    """3 cycles for each of 2,048 vectors of a quarter of all pairs of codes."""
    device = CommandDevice("flexasr", engine="recorded")
    done = replay(CommandStream.load(STREAMS / "reduce_add_all_pairs.json.gz"), device)
    assert done.differing == 0
    spans = spans_of(device.record().trace_json)
    work = max(spans["reduce"], key=lambda span: span["dur"])
    assert work["dur"] == 3 * 4096 == done.waited[0] - 4
    assert spans["norm"] == spans["core_0"] == []


def test_spans_of_a_track_do_not_overlap() -> None:
    device = CommandDevice("flexasr", engine="recorded")
    replay(CommandStream.load(STREAMS / "lstm_64x64_2.json.gz"), device)
    spans = spans_of(device.record().trace_json)
    assert {event["name"] for event in spans["act_0"] if event["cat"] == "stall"} == {"wait for an item in products_0"}
    for events in spans.values():
        for before, after in pairwise(events):
            assert before["ts"] + before["dur"] <= after["ts"]


def test_numbers_flushed_to_zero_and_saturations() -> None:
    """Sums of all pairs of codes: those that are 0 though the codes are not, and those past the largest code."""

    def image(code: int) -> int:
        size = (16 + (code & 15)) << (code >> 4 & 7) if code & 127 else 0
        return -size if code >> 7 else size

    device = CommandDevice("flexasr", engine="recorded")
    replay(CommandStream.load(STREAMS / "reduce_mean_all_pairs.json.gz"), device)
    record = device.record()
    sums = [image(a) + image(b) for a in range(256) for b in range(256)]
    encoded = next(one for one in record.functions if one.name == "encoded")
    assert encoded.count == len(sums)
    # A mean has exponent 0 from 2^5 units on; 15.75 of 16 round up to that, and of its codes the first is 0, too.
    flushed = sum(0 < abs(value) < 32.5 for value in sums)
    assert 0 < encoded.remarkable <= flushed
    images = next(one for one in record.functions if one.name == "image")
    assert (images.low, images.high, images.count) == (-3968, 3968, 2 * len(sums))


def test_saturations_are_counted(tmp_path: Path) -> None:
    machine = tmp_path / "clip.acg"
    machine.write_text("""acg clip {
  clock = 1 GHz;
  port bus { address = 8; data = 32; }
  state x : i8 = 0;
  instruction put on bus { fields { v : i16 at 0; } decode = write; update { x = saturate(i8, v); } }
  instruction get on bus { decode = read; update { reply = x; } }
}
""")
    device = CommandDevice(str(machine), engine="recorded")
    for value in (5, 127, 128, -128, -129, 3000):
        device.write(0, value.to_bytes(2, "little", signed=True))
    record = device.record()
    assert [(one.place, one.count, one.changed) for one in record.saturations] == [(f"{machine}:5:82", 6, 3)]
    (state,) = record.states
    assert (state.name, state.count, state.low, state.high, state.remarkable) == ("x", 6, -128, 127, 5)


def test_profile_and_trace_of_a_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream, trace = str(STREAMS / "reduce_max_2x16.json.gz"), tmp_path / "trace.json"
    assert main(["replay", stream, "-m", "flexasr", "--profile", "--trace", str(trace), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {"name": "start_reduce", "count": 1, "cycles": 1} in said["profile"]["instructions"]
    assert spans_of(trace.read_text())["reduce"]
    assert main(["replay", stream, "-m", "flexasr", "--profile"]) == 0
    assert "flushed to zero" in capsys.readouterr().out
    assert main(["replay", stream, "-m", "flexasr", "--profile", "--engine", "native"]) == 2
    assert "CLI0008" in capsys.readouterr().err


def test_engines_have_names() -> None:
    with pytest.raises(CovenantError) as error:
        CommandDevice("vta", engine="natif")
    assert (error.value.diagnostic.code, error.value.diagnostic.offending) == ("BEH0044", "natif")
    assert "native" in error.value.diagnostic.allowed


def test_a_record_has_to_be_asked_for() -> None:
    with pytest.raises(CovenantError) as error:
        CommandDevice("vta", engine="evaluator").record()
    assert error.value.diagnostic.code == "BEH0043"

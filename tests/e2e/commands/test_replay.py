"""Streams of commands as files, and `covenant replay`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from vta import PROGRAMS, stream_of

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.cli import main

TWO = "W 0x80000000 0x1234 # a word\n\nR 0x80000000\n"
FORMS = {
    "lines": TWO,
    "csv": "mode,address,data\nW,0x80000000,0x1234\nR,0x80000000,\n",
    "json": '{"commands": [["W", "0x80000000", "0x01234"], ["R", 2147483648]]}',
    "artifact": '{"program fragment": [{"instr_No.": 1, "addr": "0x80000000", "data": "0x1234", "mode": "W"},'
    ' {"addr": "0x80000000", "mode": "R"}]}',
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_say_the_same(form: str, tmp_path: Path) -> None:
    path = tmp_path / "stream"
    path.write_text(FORMS[form])
    packed = tmp_path / "stream.gz"
    packed.write_bytes(gzip.compress(FORMS[form].encode()))
    for one in (path, packed):
        commands = CommandStream.load(one).commands
        assert [(command.mode, command.address) for command in commands] == [("W", 1 << 31), ("R", 1 << 31)]
        assert commands[0].data == 0x1234


@pytest.mark.parametrize(
    ("text", "offending", "line"),
    [
        ("X 0 0\n", "X 0 0", 1),
        ("Q\nW 0\n", "W 0", 2),
        ("W 0 1 2 3\n", "W 0 1 2 3", 1),
        ("R\n", "R", 1),
        ("W zero 1\n", "zero", 1),
        ("W -1 1\n", "-1", 1),
        ("W 0x 1\n", "0x", 1),
        ("W 1_0 1\n", "1_0", 1),
        ("W ² 1\n", "²", 1),
        ("mode,address,data\nR,\n", "R", 2),
        pytest.param(
            'mode,address,data\nR,1,\nR,"1' + 200_000 * "0", "field larger than field limit (131072)", 3, id="field"
        ),
        pytest.param("mode,address," + 200_000 * "d", "field larger than field limit (131072)", 1, id="header"),
        ('{"commands": [["R", 1.5]]}', "1.5", 1),
        ('{"commands": [["R", true]]}', "True", 1),
        ('{"commands": [7]}', "7", 1),
        ('{"commands": 7}', "commands", 0),
        ('{"program fragment": [7]}', "7", 1),
        ('{"commands": [], "reads": [[1]]}', "[1]", 1),
        ('{"commands": [], "reads": 1}', "int", 0),
        ('{"commands": [', "", None),
    ],
)
def test_other_files_are_refused_with_the_place(text: str, offending: str, line: int | None, tmp_path: Path) -> None:
    path = tmp_path / "stream"
    path.write_text(text)
    with pytest.raises(CovenantError) as raised:
        CommandStream.load(path)
    said = raised.value.diagnostic
    assert (said.code, said.file) == ("BEH0040", str(path))
    if line is not None:
        assert (said.offending, said.line) == (offending, line)


@pytest.mark.parametrize("content", [b"\x1f\x8b", b"\x1f\x8bbroken", gzip.compress(TWO.encode())[:-9], b"W \xff"])
def test_broken_bytes_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "stream"
    path.write_bytes(content)
    with pytest.raises(CovenantError, match="BEH0040"):
        CommandStream.load(path)


def test_the_command_line_tells_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = stream_of(PROGRAMS[0])
    rows = [[one.mode, one.address, one.data] for one in stream.commands]
    path, other = tmp_path / "stream.json", tmp_path / "expected.json"
    path.write_text(json.dumps({"commands": rows, "reads": stream.reads}))
    assert main(["replay", str(path), "-m", "vta", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["commands"], said["differ"]) == (len(rows), 0)
    assert said["bytes"] == 16 * len(stream.reads)
    assert len(said["cycles_of_waits"]) == 1
    assert 0 < said["cycles_of_waits"][0] < said["cycles"]
    address, data = stream.reads[1]
    other.write_text(json.dumps({hex(address): hex(data ^ 0x101)}))
    assert main(["replay", str(path), "-m", "vta", "--compare", str(other), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["bytes"], said["differ"]) == (16, 2)
    assert main(["replay", str(path), "-m", "vta", "--compare", str(other)]) == 1
    assert "2 of 16 bytes differ" in capsys.readouterr().out


def test_expectations_of_other_reads_are_refused() -> None:
    stream = stream_of(PROGRAMS[0])
    for reads in (stream.reads[:-1], stream.reads[1:], (*stream.reads, (0, 0))):
        device = CommandDevice("vta")
        with pytest.raises(CovenantError) as raised:
            replay(CommandStream(stream.commands, reads), device)
        assert raised.value.diagnostic.code == "BEH0041"
        assert device.cycles == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["replay", "/nowhere", "-m", "vta"], "CLI0009"),
        (["replay", "{two}", "-m", "genesys"], "BEH0014"),
        (["replay", "{two}", "-m", "vta:small", "--preset", "small"], "CLI0008"),
        (["replay", "{two}", "-m", "{two}.acg:small", "--preset", "small"], "CLI0008"),
        (["show", "vta:small", "--preset", "small"], "CLI0008"),
        (["replay", "{two}", "-m", "vtaa"], "ACG0007"),
        (["replay", "{two}", "-m", "vta", "--port", "words"], "BEH0031"),
        (["replay", "{two}", "-m", "vta", "--set", "dram_bytes=1"], "ACG0013"),
        (["run", "{two}", "-m", "vta"], "BEH0015"),
        (["replay", "{wide}", "-m", "vta"], "BEH0031"),
        (["replay", "{far}", "-m", "vta"], "BEH0031"),
    ],
)
def test_mistakes_are_told(words: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {"two": TWO, "wide": f"W 0x80000000 {1 << 128}", "far": f"R {1 << 32}"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert main([word.format(**{name: tmp_path / name for name in texts}) for word in words]) == 2
    assert f"error[{code}]" in capsys.readouterr().err


def test_what_was_read_before_a_failure_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = tmp_path / "stream"
    stream.write_text(TWO + "R 0x80000001\nR 0x4\n")
    words = ["replay", str(stream), "-m", "vta"]
    assert main([*words, "--json"]) == 2
    told = capsys.readouterr()
    said = json.loads(told.out)
    assert (said["commands"], said["cycles"], said["reads"]) == (2, 2, [["0x80000000", "0x" + 28 * "0" + "1234"]])
    assert said["error"]["code"] == "BEH0033"
    assert "error[BEH0033] command 4, dram" in told.err
    assert main(words) == 2
    told = capsys.readouterr()
    assert "2 commands, 2 cycles, 1 reads" in told.out
    assert 28 * "0" + "1234" in told.out
    assert "error[BEH0033] command 4, dram" in told.err


def test_a_wait_is_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = tmp_path / "still.acg"
    machine.write_text(
        "acg still { clock = 1 GHz; port bus { address = 8; data = 8; } state x : bool = 0; interrupt = x;"
        " instruction set on bus { fields { value : bool at 0; } decode = write; update { x = value; } }"
        " process idle { step { } } }"
    )
    stream = tmp_path / "stream"
    stream.write_text("W 0 0\nQ\n")
    assert main(["replay", str(stream), "-m", str(machine), "--max-cycles", "70000"]) == 2
    assert "error[BEH0037] command 2, still" in capsys.readouterr().err


def test_show_prints_the_loops_of_instructions_as_a_tree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "vta", "--instructions"]) == 0
    tree = capsys.readouterr().out
    expected = (
        "gemm\n└─ for y in 0..iter_out - 1   (0..16382)\n   └─ for x in 0..iter_in - 1   (0..16382)\n"
        "      └─ for u in uop_begin..uop_end - 1   (0..16382)\nalu\n"
    )
    assert expected in tree
    assert main(["show", "genesys", "--instructions"]) == 2
    assert "--isa" in capsys.readouterr().err

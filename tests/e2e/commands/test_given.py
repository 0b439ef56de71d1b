"""Arguments of all kinds to what a caller of command machines has: right values, or a diagnostic with a code."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.cli import main
from covenant.commands import HostCommand, NumberFormat

DOT = Path(__file__).resolve().parents[3] / "examples/10_commands/dot.acg"
SHIFT, RESULT = 0x0, 0x30
HUGE = 10**5000
"""A number of more digits than Python writes."""
SELF: list[object] = []
SELF.append(SELF)
TWO_RECORDS = """acg two {
  port bus { address = 8; data = 32; }
  record Half { low : u8 at 0; high : u8 at 8; }
  state kept : u32 = 0;
  instruction put on bus {
    fields { a : Half at 0; b : Half at 16; place : u4 at address + 0; }
    decode = write and address in 0..15;
    update { kept = a.low | a.high << 8 | b.low << 16 | b.high << 24; }
  }
  instruction one on bus { fields { said : Half at 0; } decode = write and address == 16; update { kept = said.low; } }
  instruction get on bus { decode = read and address == 0; update { reply = kept; } }
}
"""
TWO_PORTS = """acg ports {
  port first { address = 8; data = 8; }
  port second { address = 8; data = 8; }
  state kept : u8 = 0;
  instruction put on first { fields { x : u8 at 0; } decode = write and address == 0; update { kept = x; } }
  instruction get on second { decode = read and address == 0; update { reply = kept; } }
}
"""


def device() -> CommandDevice:
    return CommandDevice(DOT, engine="evaluator")


def adaptivfloat() -> NumberFormat:
    return CommandDevice("flexasr", engine="evaluator").formats["adaptivfloat"]


def machine(text: str, folder: Path) -> Path:
    path = folder / "machine.acg"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(16)),
        bytearray(range(16)),
        memoryview(bytes(range(16))),
        np.arange(16, dtype=np.uint8),
        np.arange(16, dtype=np.int8),
        np.arange(32, dtype=np.uint8)[:16].reshape(4, 4),
        np.arange(15, -1, -1, dtype=np.uint8)[::-1],
    ],
    ids=lambda data: type(data).__name__,
)
def test_all_that_holds_bytes_is_written(data: object) -> None:
    vta = CommandDevice("vta", dram_bytes="4K")
    vta.write(np.uint64(0x80000000), data)  # type: ignore[arg-type]
    assert vta.read(0x80000000) == bytes(range(16))
    assert vta.commands([True, 0], (0x80000010, np.uint64(0x80000010)), bytes(range(16)) + bytes(16))[0:2] == (
        2,
        bytes(range(16)),
    )


def test_a_path_is_a_machine() -> None:
    assert CommandDevice(DOT).name == CommandDevice.of(DOT, {}).name == CommandDevice(str(DOT)).name == "dot"


MISTAKES: dict[str, tuple[str, Callable[[CommandDevice], object]]] = {
    "machine None": ("BEH0046", lambda _: CommandDevice(None)),
    "machine 5": ("BEH0046", lambda _: CommandDevice(5)),
    "machine no text": ("BEH0046", lambda _: CommandDevice("a\udc80")),
    "machine empty": ("ACG0007", lambda _: CommandDevice("")),
    "settings list": ("BEH0046", lambda _: CommandDevice.of("vta", [("batch", 1)])),
    "settings name": ("BEH0046", lambda _: CommandDevice.of("vta", {1: 1})),
    "settings no text": ("BEH0046", lambda _: CommandDevice.of("vta", {"batch": "\udc80"})),
    "settings huge": ("BEH0046", lambda _: CommandDevice.of("vta", {"batch": HUGE})),
    "engine list": ("BEH0044", lambda _: CommandDevice(DOT, engine=["auto"])),
    "engine array": ("BEH0044", lambda _: CommandDevice(DOT, engine=np.array(["auto", "native"]))),
    "write text": ("BEH0046", lambda d: d.write(0, "x")),
    "write list": ("BEH0046", lambda d: d.write(0, [1, 2])),
    "write number": ("BEH0046", lambda d: d.write(0, 5)),
    "write None": ("BEH0046", lambda d: d.write(0, None)),
    "write wide": ("BEH0046", lambda d: d.write(0, np.zeros(2, np.int64))),
    "write long": ("BEH0031", lambda d: d.write(0, bytes(17))),
    "address text": ("BEH0046", lambda d: d.write("0", b"")),
    "address real": ("BEH0046", lambda d: d.read(0.0)),
    "address None": ("BEH0046", lambda d: d.read(None)),
    "address negative": ("BEH0046", lambda d: d.read(-5)),
    "address huge": ("BEH0031", lambda d: d.read(HUGE)),
    "port number": ("BEH0031", lambda d: d.read(RESULT, port=5)),
    "port list": ("BEH0031", lambda d: d.read(RESULT, port=[])),
    "port empty": ("BEH0031", lambda d: d.read(RESULT, port="")),
    "wait negative": ("BEH0046", lambda d: d.wait(-1)),
    "wait real": ("BEH0046", lambda d: d.wait(1.5)),
    "wait huge": ("BEH0046", lambda d: d.wait(1 << 70)),
    "wait None": ("BEH0046", lambda d: d.wait(None)),
    "commands sizes": ("BEH0031", lambda d: d.commands([True], [0], b"x")),
    "commands negative": ("BEH0046", lambda d: d.commands([True], [-1], bytes(16))),
    "commands real": ("BEH0046", lambda d: d.commands([True], [1.5], bytes(16))),
    "commands huge": ("BEH0046", lambda d: d.commands([True], [HUGE], bytes(16))),
    "commands None": ("BEH0046", lambda d: d.commands(None, [0], bytes(16))),
    "commands number": ("BEH0046", lambda d: d.commands([True], 5, bytes(16))),
    "commands data": ("BEH0046", lambda d: d.commands([True], [0], "x" * 16)),
    "instruction number": ("BEH0042", lambda d: d.send(5)),
    "instruction list": ("BEH0042", lambda d: d.encode([])),
    "instruction None": ("BEH0042", lambda d: d.word(None)),
    "field huge": ("BEH0042", lambda d: d.send("set_shift", by=HUGE)),
    "field huge in list": ("BEH0042", lambda d: d.send("set_vector", bytes=[HUGE])),
    "field None": ("BEH0042", lambda d: d.send("set_shift", by=None)),
    "field itself": ("BEH0042", lambda d: d.send("set_vector", bytes=SELF)),
    "field itself for a number": ("BEH0042", lambda d: d.send("set_shift", by=SELF)),
    "field without end": ("BEH0042", lambda d: d.send("set_vector", bytes=itertools.repeat(1))),
    "field dict": ("BEH0042", lambda d: d.send("set_vector", bytes={1: 2})),
    "field set": ("BEH0042", lambda d: d.send("set_vector", bytes={1, 2})),
    "mode": ("BEH0046", lambda _: HostCommand("X")),
    "mode None": ("BEH0046", lambda _: HostCommand(None)),
    "mode array": ("BEH0046", lambda _: HostCommand(np.array(["R", "W"]))),
    "mode list": ("BEH0046", lambda _: HostCommand([])),
    "command address": ("BEH0046", lambda _: HostCommand("R", -1)),
    "command text": ("BEH0046", lambda _: HostCommand("R", "1")),
    "command data": ("BEH0046", lambda _: HostCommand("W", 0, -1)),
    "command bytes": ("BEH0046", lambda _: HostCommand("W", 0, b"1")),
    "stream number": ("BEH0046", lambda _: CommandStream(5)),
    "stream of pairs": ("BEH0046", lambda _: CommandStream((("R", 0),))),
    "stream reads": ("BEH0046", lambda _: CommandStream((), 5)),
    "stream read": ("BEH0046", lambda _: CommandStream((), ((1, 2, 3),))),
    "stream read text": ("BEH0046", lambda _: CommandStream((), (("1", 2),))),
    "load number": ("BEH0046", lambda _: CommandStream.load(5)),
    "load None": ("BEH0046", lambda _: CommandStream.load(None)),
    "load nothing": ("CLI0009", lambda _: CommandStream.load("")),
    "load byte 0": ("CLI0009", lambda _: CommandStream.load("a\0b")),
    "replay list": ("BEH0046", lambda d: replay([], d)),
    "replay device": ("BEH0046", lambda _: replay(CommandStream(()), None)),
    "replay port": ("BEH0031", lambda d: replay(CommandStream(()), d, port="zz")),
    "replay cycles": ("BEH0046", lambda d: replay(CommandStream(()), d, most_cycles=-4)),
    "replay progress": ("BEH0046", lambda d: replay(CommandStream(()), d, progress=5)),
    "expected negative": ("BEH0046", lambda d: replay(CommandStream(()), d, expected={RESULT: -1})),
    "expected text": ("BEH0046", lambda d: replay(CommandStream(()), d, expected={"a": 1})),
    "expected number": ("BEH0046", lambda d: replay(CommandStream(()), d, expected=5)),
    "expected triple": ("BEH0046", lambda d: replay(CommandStream(()), d, expected=[(1, 2, 3)])),
    "decode ragged": ("BEH0002", lambda _: adaptivfloat().decode([[1], [1, 2]], bias=1)),
    "decode complex": ("BEH0002", lambda _: adaptivfloat().decode([1 + 0j], bias=1)),
    "decode array of biases": ("BEH0002", lambda _: adaptivfloat().decode([1, 2], bias=[1, 2])),
    "decode nothing": ("BEH0002", lambda _: adaptivfloat().decode([], bias="x")),
    "decode huge": ("BEH0002", lambda _: adaptivfloat().decode([HUGE], bias=1)),
    "decode NaN": ("BEH0002", lambda _: adaptivfloat().decode([np.nan], bias=1)),
    "encode ragged": ("BEH0002", lambda _: adaptivfloat().encode([[1], [1, 2]], bias=1)),
    "encode complex": ("BEH0002", lambda _: adaptivfloat().encode([1j], bias=1)),
    "encode text": ("BEH0002", lambda _: adaptivfloat().encode(["a"], bias=1)),
    "encode None": ("BEH0002", lambda _: adaptivfloat().encode([None], bias=1)),
    "encode huge": ("BEH0002", lambda _: adaptivfloat().encode([HUGE], bias=1)),
}


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.filterwarnings("error")
def test_mistakes_have_a_code_and_a_fix(name: str) -> None:
    code, mistake = MISTAKES[name]
    with pytest.raises(CovenantError) as raised:
        mistake(device())
    assert raised.value.code == code
    assert raised.value.diagnostic.offending or name in ("machine empty", "load nothing")
    assert raised.value.fix
    assert len(str(raised.value)) < 1000


def test_a_wrong_mode_is_told_with_the_right_ones() -> None:
    with pytest.raises(CovenantError) as raised:
        HostCommand("X")  # type: ignore[arg-type]
    assert (raised.value.code, raised.value.allowed) == ("BEH0046", ("W", "R", "Q"))


def test_numbers_of_numpy_are_numbers() -> None:
    stream = CommandStream([HostCommand("W", np.int64(SHIFT), np.uint8(3))], None)  # type: ignore[arg-type]
    assert stream.commands == (HostCommand("W", SHIFT, 3),)
    assert replay(stream, device()).commands == 1


@pytest.mark.parametrize("command", ["replay", "asm", "disasm"])
def test_a_port_is_checked_where_no_command_needs_it(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").write_text("")
    assert main([command, str(tmp_path / "empty"), "-m", str(DOT), "--port", "zz"]) == 2
    assert "error[BEH0031]" in capsys.readouterr().err


def test_a_port_need_not_be_named_where_no_command_needs_it(tmp_path: Path) -> None:
    ports = CommandDevice(machine(TWO_PORTS, tmp_path))
    assert replay(CommandStream(()), ports).commands == 0
    assert replay(CommandStream((HostCommand("W", 0, 7),)), ports, port="first").commands == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "marked"])
@pytest.mark.parametrize(
    "form",
    ["mode,address,data\nW,0x10,3\nR,0x30,\n", "W 0x10 3\nR 0x30\n", '{"commands":\n[["W", 16, 3], ["R", 48]]}\n'],
)
def test_files_of_other_systems_say_the_same(form: str, mark: bytes, end: str, tmp_path: Path) -> None:
    (tmp_path / "stream").write_bytes(mark + form.replace("\n", end).encode())
    said = [(one.mode, one.address, one.data) for one in CommandStream.load(tmp_path / "stream").commands]
    assert said == [("W", 0x10, 3), ("R", 0x30, 0)]


def test_an_assembly_of_another_system_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "some.asm").write_bytes(b"\xef\xbb\xbfset_shift by=3\r\n")
    assert main(["asm", str(tmp_path / "some.asm"), "-m", str(DOT)]) == 0
    assert capsys.readouterr().out == "W 0x0 0x3\n"


@pytest.mark.parametrize(
    ("line", "fields", "data"),
    [
        ("put place=2 a.low=1 b.high=2", {"place": 2, "a.low": 1, "b.high": 2}, 0x0200_0001),
        ("one low=5 high=6", {"low": 5, "high": 6}, 0x0605),
        ("one said.low=5 high=6", {"said.low": 5, "high": 6}, 0x0605),
    ],
)
def test_assembly_and_calls_take_the_same_names(
    line: str, fields: dict[str, int], data: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = machine(TWO_RECORDS, tmp_path)
    (tmp_path / "some.asm").write_text(line)
    assert main(["asm", str(tmp_path / "some.asm"), "-m", str(path)]) == 0
    command = CommandDevice(path).encode(line.split(maxsplit=1)[0], **fields)
    assert command.data == data
    assert capsys.readouterr().out == f"W {command.address:#x} {data:#x}\n"


@pytest.mark.parametrize(
    ("name", "fields", "allowed"),
    [
        ("put", ["low"], ("a.low", "b.low")),
        ("put", ["c.low"], ("low", "high", "place")),
        ("one", ["low", "said.low"], ("each field once",)),
    ],
)
def test_assembly_and_calls_refuse_the_same_names(
    name: str, fields: list[str], allowed: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = machine(TWO_RECORDS, tmp_path)
    (tmp_path / "some.asm").write_text(" ".join([name, *(f"{field}=1" for field in fields)]))
    with pytest.raises(CovenantError) as raised:
        CommandDevice(path).encode(name, **dict.fromkeys(fields, 1))
    assert raised.value.code == "BEH0042"
    assert raised.value.allowed[: len(allowed)] == allowed
    assert main(["asm", str(tmp_path / "some.asm"), "-m", str(path)]) == 2
    said = capsys.readouterr().err
    assert raised.value.message in said
    assert f"allowed: {', '.join(allowed)}" in said

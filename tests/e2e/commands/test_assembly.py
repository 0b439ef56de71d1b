"""`covenant asm` and `covenant disasm` of commands: there and back, bit for bit."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from vta import PROGRAMS, stream_of

from covenant import CommandDevice, CommandStream, CovenantError, _core
from covenant.cli import main
from covenant.commands import HostCommand
from covenant.commands.assembly import assembled, assembled_words
from covenant.commands.disassembly import disassembled, disassembled_words
from covenant.commands.layout import PortLayout
from covenant.commands.listing import port_of
from covenant.commands.written_stream import stream_csv, stream_json, stream_lines

SEED = 20261129
SMALL = """acg small {
  clock = 1 GHz;
  port bus { address = 16; data = 64; }
  stream words { data = 16; }
  state x : i16 = 0;
  queue q : u8[2] { depth = 1; }
  instruction set on bus {
    fields { value : i16 at 0; parts : i4[3] at 16; tags : u4[2] at 28; row : u4 at address + 4; }
    decode = write and address in 0x100..0x1ff;
    update { x = value; }
  }
  instruction get on bus { decode = read and address == 2; update { reply = x; } }
  instruction poke on bus { fields { v : u8 at 8; } decode = address in 8..15; update { x = v; } }
  instruction put on bus { fields { w : u8[2] at 0; } decode = write and address == 4; update { push(q, w); } }
  instruction add on words { fields { op : u3 at 0; k : u4 at 3; by : i8 at 8; } decode = op == 1 and k in 5..9;
                             update { x = by; } }
  process p { let w = pop(q); execute(w, add); }
}
"""


def small(tmp_path: Path) -> CommandDevice:
    path = tmp_path / "small.acg"
    path.write_text(SMALL)
    return CommandDevice(str(path))


def plain(stream: CommandStream) -> list[tuple[str, int, int]]:
    return [(command.mode, command.address, command.data) for command in stream.commands]


def there_and_back(stream: CommandStream, port: PortLayout) -> list[str]:
    """The lines of a stream, of which assembly makes the same stream."""
    lines = [str(line) for line in disassembled(stream, port)]
    back = assembled("\n".join(lines), port)
    assert plain(back) == plain(stream)
    assert back.reads == stream.reads
    return lines


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (("W", 0x120, 0x0000_0000_3EF1_FFFE), "set value=-2 parts=1,-1,-2 tags=0x3 row=2"),
        (("W", 0x120, 0x8000_0000_0000_0000), "set row=2 .raw=0x8000000000000000"),
        (("W", 0x125, 0xA000_0000), "set tags=0xa .address=0x125"),
        (("W", 0x100, 0), "set"),
        (("R", 2, 0), "get"),
        (("R", 2, 7), "get .raw=0x7"),
        (("W", 9, 0x1203), "poke .write v=18 .address=0x9 .raw=0x3"),
        (("R", 8, 0), "poke .read"),
        (("Q", 0, 0), ".wait"),
        (("Q", 0, 1), ".raw Q 0x0 0x1"),
        (("W", 2, 7), ".raw W 0x2 0x7"),
        (("R", 0x123456, 0), ".raw R 0x123456"),
        (("R", 3, 1 << 70), ".raw R 0x3 0x400000000000000000"),
        (("W", 0x120, 1 << 64), ".raw W 0x120 0x10000000000000000"),
    ],
)
def test_a_command_is_a_line(command: tuple[str, int, int], line: str, tmp_path: Path) -> None:
    stream = CommandStream((HostCommand(*command),))
    assert there_and_back(stream, port_of(small(tmp_path), None)) == [line]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("set value=0xFF parts=0xfff row=0xF tags=1,2  # a comment", ("W", 0x1F0, 0x2_1FFF_00FF)),
        ("set .address=0x1F3 row=15", ("W", 0x1F3, 0)),
        ("\n# nothing\nget", ("R", 2, 0)),
        (".raw W 16 17", ("W", 16, 17)),
    ],
)
def test_other_ways_to_write_it(line: str, command: tuple[str, int, int], tmp_path: Path) -> None:
    assert plain(assembled(line, port_of(small(tmp_path), None))) == [command]


def test_words_of_a_stream(tmp_path: Path) -> None:
    port = port_of(small(tmp_path), "words")
    words = [0x0029, 0xFF31, 0x8029, 0x0021, 0x0001, 0xFFFF]
    lines = [str(line) for line in disassembled_words(words, port)]
    assert lines == ["add k=5", "add k=6 by=-1", "add k=5 by=-128", ".raw 0x21", ".raw 0x1", ".raw 0xffff"]
    assert assembled_words("\n".join(lines), port) == words
    every = list(range(1 << 16))
    assert assembled_words("\n".join(str(line) for line in disassembled_words(every, port)), port) == every


@pytest.mark.parametrize(
    ("text", "line", "offending", "allowed"),
    [
        ("get\nsett value=1", 2, "sett", "set"),
        ("set valu=1", 1, "valu", "value"),
        ("set value", 1, "value", "NAME=VALUE"),
        ("set value=", 1, "value=", "NAME=VALUE"),
        ("set value=one", 1, "one", "decimal digits"),
        ("set value=1_0", 1, "1_0", "decimal digits"),
        ("set value=32768", 1, "32768", "-32768 to 32767"),
        ("set value=-32769", 1, "-32769", "-32768 to 32767"),
        ("set tags=256", 1, "256", "0 to 255"),
        ("set tags=1,2,3", 1, "tags=1,2,3", "2 elements"),
        ("set tags=1,16", 1, "16", "0 to 15"),
        ("set value=1 value=2", 1, "value", "each field once"),
        ("set .raw=1", 1, "0x1", "bits of 0xfffffff000000000"),
        ("set .address=0x10000", 1, "0x10000", "0 to 65535"),
        ("set .address=0x200", 1, ".address=0x200", "address in 0x100..0x1ff"),
        ("set .address=0x120 row=3", 1, "row=3", "address in 0x100..0x1ff"),
        ("set .expect=1", 1, ".expect=1", None),
        ("poke v=1", 1, "v=1", ".read"),
        ("poke", 1, "neither", ".write"),
        ("poke .read v=1", 1, "0x100", "fields of the address"),
        ("get .expect=1\nget", 2, "2", None),
        (".wait now", 1, "now", None),
        (".raw 1", 1, "1", ".raw W ADDRESS DATA"),
        (".raw W 1", 1, "W 1", ".raw R ADDRESS"),
        (".raw X 1 2", 1, "X 1 2", ".raw R ADDRESS"),
        (".raw W 1 2 3", 1, "W 1 2 3", ".raw R ADDRESS"),
        (".raw R 1 v=2", 1, "v", ".expect"),
        (".raw R -1", 1, "-1", "0 or more"),
    ],
)
def test_a_wrong_line_is_told(text: str, line: int, offending: str, allowed: str | None, tmp_path: Path) -> None:
    with pytest.raises(CovenantError) as raised:
        assembled(text, port_of(small(tmp_path), None), "some.asm")
    said = raised.value.diagnostic
    assert (said.code, said.file, said.line, said.offending) == ("BEH0042", "some.asm", line, offending)
    assert allowed is None or allowed in said.allowed
    assert said.fix


@pytest.mark.parametrize(
    ("text", "offending"),
    [("add", "k = 0x0"), ("add k=10", "k = 0xa"), ("add k=5 op=2", "op=2"), (".raw 65536", "65536"), (".wait", ".wait"),
     ("add k=5 .raw=0x8", "0x8"), ("add k=5 .address=1", ".address"), (".raw", "")],
)  # fmt: skip
def test_a_wrong_word_is_told(text: str, offending: str, tmp_path: Path) -> None:
    with pytest.raises(CovenantError) as raised:
        assembled_words(text, port_of(small(tmp_path), "words"))
    assert (raised.value.code, raised.value.diagnostic.offending) == ("BEH0042", offending)


def drawn_machine(draw: random.Random) -> str:
    """A machine whose instructions differ in three bits of the address; the last of its eight tells which one was."""
    data, address = 8 * draw.choice([4, 8, 16, 32]), draw.randint(12, 40)
    instructions = []
    for number in draw.sample(range(7), draw.randint(1, 7)):
        fields, tests = [f"op : u3 at address + {address - 3};"], [f"op == {number}"]
        for name in "abcde"[: draw.randint(0, 5)]:
            bits, place = draw.randint(1, 20), draw.choice(["", "address + "])
            sign = draw.choice("ui")
            limit = address - 3 if place else data
            sizes = draw.choice([(), (), (2,), (1,), (2, 3)])
            elements = 1
            for size in sizes:
                elements *= size
            bits = max(min(bits, limit // elements), 1)
            fields.append(
                f"{name} : {sign}{bits}{''.join(f'[{size}]' for size in sizes)} at {place}"
                f"{draw.randint(0, limit - bits * elements)};"
            )
            if not sizes and draw.random() < 0.3:
                low, high = sorted(draw.choices(range(1 << bits), k=2))
                tests.append(f"{name} in {low}..{high}" if draw.random() < 0.5 else f"{name} == {low}")
        tests += draw.choice([["write"], ["read"], [], []])
        instructions.append(
            f"instruction i{number} on bus {{ fields {{ {' '.join(fields)} }} decode = {' and '.join(tests)};"
            f" update {{ x = {number + 1}; }} }}"
        )
    return (
        f"acg drawn {{ clock = 1 GHz; port bus {{ address = {address}; data = {data}; }} state x : u4 = 0;"
        f" instruction last on bus {{ fields {{ op : u3 at address + {address - 3}; }} decode = read and op == 7;"
        f" update {{ reply = x; }} }} {' '.join(instructions)} }}"
    )


def drawn_command(draw: random.Random, port: PortLayout) -> HostCommand:
    """A command of random bits, which half of the time an instruction takes; sparse ones, too."""
    bits = draw.getrandbits(port.top + 1) & (draw.getrandbits(port.top + 1) if draw.random() < 0.3 else -1)
    if draw.random() < 0.5:
        one = draw.choice(port.instructions)
        bits = bits & ~one.fixed | one.default
        for test in one.tests:
            bits &= ~(((1 << test.bits) - 1) << test.at)
            bits |= draw.randint(test.low, test.high) << test.at
    writes = bits >> port.top & 1
    address = bits >> port.data_bits & ((1 << port.address_bits) - 1)
    data = bits & ((1 << port.data_bits) - 1)
    return HostCommand("W" if writes else "R", address, data if writes or draw.random() < 0.2 else 0)


@pytest.mark.parametrize("seed", range(SEED, SEED + 60))
def test_drawn_machines_decode_as_they_are_disassembled(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)  # noqa: S311
    path = tmp_path / "drawn.acg"
    path.write_text(drawn_machine(draw))
    device = CommandDevice(str(path))
    port = port_of(device, None)
    stream = CommandStream(tuple(drawn_command(draw, port) for _ in range(100)))
    lines = there_and_back(stream, port)
    last = 7 << port.address_bits - 3
    for command, line in zip(stream.commands, lines, strict=True):
        try:
            if command.mode == "W":
                device.write(command.address, command.data.to_bytes(port.data_bits // 8, "little"))
            else:
                device.read(command.address)
            name = f"i{device.read(last)[0] - 1}" if command.address < last else "last"
        except CovenantError as error:
            assert error.code == "BEH0030"  # noqa: PT017 (which of the two it is, the line has to say)
            name = ".raw"
        assert line.split()[0] == name, (path.read_text(), command, line)


@pytest.mark.parametrize("machine", _core.builtin_command_machines())
def test_random_commands_of_the_machines(machine: str) -> None:
    device = CommandDevice(machine)
    names = [*(port.name for port in device.ports), *(("words",) if machine == "vta" else ())]
    for name in names:
        port = port_of(device, name)
        draw = random.Random(SEED)  # noqa: S311
        commands = tuple(drawn_command(draw, port) for _ in range(500))
        if port.is_stream:
            words = [command.data for command in commands]
            lines = [str(line) for line in disassembled_words(words, port)]
            assert assembled_words("\n".join(lines), port) == words
        else:
            lines = there_and_back(CommandStream(commands), port)
        assert len({line.split()[0] for line in lines}) > len(port.instructions) // 2


def test_programs_of_vta_keep_what_they_expect() -> None:
    port = port_of(CommandDevice("vta"), None)
    for program in PROGRAMS[::20]:
        lines = there_and_back(stream_of(program), port)
        assert not any(line.startswith(".raw") for line in lines)


@pytest.mark.parametrize("form", ["txt", "csv", "json"])
def test_files_come_back_byte_for_byte(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = stream_of(PROGRAMS[3])
    stream = CommandStream((*stream.commands, HostCommand("R", 7), HostCommand("Q", 1)), None)
    path, assembly, back = tmp_path / f"stream.{form}", tmp_path / "stream.asm", tmp_path / f"back.{form}"
    path.write_text({"txt": stream_lines, "csv": stream_csv, "json": stream_json}[form](stream))
    assert main(["disasm", str(path), "-m", "vta"]) == 0
    assembly.write_text(capsys.readouterr().out)
    assert main(["asm", str(assembly), "-m", "vta", "-o", str(back)]) == 0
    assert back.read_bytes() == path.read_bytes()


def test_what_reads_should_give_is_kept_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, assembly, back = (tmp_path / name for name in ("stream.json", "stream.asm", "back.json"))
    path.write_text(stream_json(stream_of(PROGRAMS[0])))
    assert main(["disasm", str(path), "-m", "vta"]) == 0
    assembly.write_text(capsys.readouterr().out)
    assert main(["asm", str(assembly), "-m", "vta", "-o", str(back)]) == 0
    assert back.read_bytes() == path.read_bytes()
    assert main(["asm", str(assembly), "-m", "vta", "--json"]) == 0
    printed = tmp_path / "printed.json"
    printed.write_text(capsys.readouterr().out)
    assert main(["replay", str(printed), "-m", "vta", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["bytes"] > 0, said["differ"]) == (True, 0)
    for words in ([], ["-o", str(tmp_path / "back.txt")]):
        assert main(["asm", str(assembly), "-m", "vta", *words]) == 2
        assert "error[CLI0008]" in capsys.readouterr().err


def test_words_of_vta_as_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, assembly, back = (tmp_path / name for name in ("words.bin", "words.asm", "back.bin"))
    path.write_bytes(b"".join(int(word, 16).to_bytes(16, "little") for word in PROGRAMS[0]["instructions"]))
    port = ["-m", "vta", "--port", "words"]
    assert main(["disasm", str(path), *port]) == 0
    assembly.write_text(capsys.readouterr().out)
    assert assembly.read_text().startswith("# vta, words\nload_")
    assert "\nfinish" in assembly.read_text()
    assert main(["asm", str(assembly), *port, "-o", str(back)]) == 0
    assert back.read_bytes() == path.read_bytes()
    assert main(["disasm", str(path), *port, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [said["machine"], said["port"]] == ["vta", "words"]
    assert said["listing"] == assembly.read_text().splitlines()[1:]
    assert said["commands"][-1]["mnemonic"] == "finish"
    assert main(["asm", str(assembly), *port, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [int(word, 16) for word in said["words"]] == [int(word, 16) for word in PROGRAMS[0]["instructions"]]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["asm", "{good}", "-m", "genesys"], "BEH0014"),
        (["asm", "{good}", "-m", "vta", "--port", "bas"], "BEH0031"),
        (["asm", "{wrong}", "-m", "vta"], "BEH0042"),
        (["asm", "{bytes}", "-m", "vta"], "BEH0042"),
        (["asm", "/nowhere", "-m", "vta"], "CLI0009"),
        (["asm", "{empty}", "-m", "vta", "--port", "words"], "CLI0008"),
        (["disasm", "{bytes}", "-m", "vta", "--port", "words"], "BEH0040"),
        (["disasm", "{good}", "-m", "vta"], "BEH0040"),
        (["disasm", "{good}", "-m", "vta", "--profile", "x"], "CLI0008"),
        (["disasm", "{good}", "-m", "genesys"], "CLI0008"),
        (["disasm", "{good}", "--port", "bus"], "CLI0008"),
        (["disasm", "{other}", "-m", "vta"], "BEH0041"),
    ],
)
def test_mistakes_are_told(words: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {
        "good": b"control\n", "wrong": b"controls\n", "bytes": b"\xff", "empty": b"",
        "other": b'{"commands": [["R", 1]], "reads": [[2, 3]]}',
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    assert main([word.format(**{name: tmp_path / name for name in texts}) for word in words]) == 2
    assert f"error[{code}]" in capsys.readouterr().err

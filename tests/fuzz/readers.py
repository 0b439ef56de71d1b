"""Readers of `covenant`: what takes each kind of file, and what is right about a file that is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import covenant
from covenant.commands import CommandDevice, CommandStream
from covenant.commands.assembly import assembled, assembled_words
from covenant.commands.disassembly import AssemblyLine, disassembled, disassembled_words
from covenant.commands.layout import PortLayout
from covenant.commands.listing import listing_of, port_of, text_of
from covenant.commands.written_stream import stream_object
from covenant.program import Program

Witness = Callable[[Path], str]


def _same_program(path: Path) -> str:
    """A program that is written and read again is the same."""
    program = Program.load(path)
    content = program.to_bytes()
    again = path.with_name("again.cprog")
    again.write_bytes(content)
    return "" if Program.load(again).to_bytes() == content else "a program changes when it is written"


def _same_machine(path: Path) -> str:
    """A machine survives its JSON; one that a host drives has none."""
    try:
        text = covenant.Machine(str(path)).to_json()
    except covenant.CovenantError as error:
        return "" if error.code == "BEH0015" else f"a machine is shown, and then refused by {error.code}"
    return "" if covenant.Machine.from_json(text).to_json() == text else "a machine changes when it is written"


def _port(name: str) -> PortLayout:
    return port_of(CommandDevice("vta", engine="evaluator"), name)


def _listing(lines: list[AssemblyLine]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _differ(before: object, after: object) -> str:
    return "" if before == after else "commands change when they are printed as assembly"


def _assembled_again(stream: CommandStream, port: PortLayout) -> str:
    again = assembled(_listing(disassembled(stream, port)), port)
    plain = CommandStream(stream.commands, stream.reads or None)  # a text cannot say that there is nothing to read
    return _differ(stream_object(plain), stream_object(again))


def _same_commands(path: Path) -> str:
    """Assembly makes commands whose assembly makes them again."""
    port = _port("bus")
    return _assembled_again(assembled(text_of(path), port), port)


def _same_listing(path: Path) -> str:
    """Commands of a stream come back from their assembly, with what they should read."""
    return _assembled_again(CommandStream.load(path), _port("bus"))


def _same_words(path: Path) -> str:
    """Assembly makes words whose assembly makes them again."""
    port = _port("words")
    words = assembled_words(text_of(path), port)
    return _differ(words, assembled_words(_listing(disassembled_words(words, port)), port))


def _same_bytes(path: Path) -> str:
    """Words come back from their assembly."""
    port = _port("words")
    words = assembled_words(_listing(listing_of(path, port)), port)
    return _differ(path.read_bytes(), b"".join(word.to_bytes(port.data_bits // 8, "little") for word in words))


@dataclass(frozen=True)
class Reader:
    """A kind of file with the commands that read it.

    `--compare reference` in a command is the witness of its bytes: exit code 1 says that one differs.
    """

    name: str
    reads: str
    """Words for the table."""
    form: str
    """Row of `structures.FORMS`."""
    commands: tuple[str, ...]
    """{input} is the file; {kit} the folder with what else is needed; empty: the file is the words."""
    witness: Witness | None = None
    """Asked about a file that was read; gives what is wrong."""
    stdin: bool = False
    """Whether it reads the standard input."""


_ON = "-m genesys:8x8"
_WORDS = "-m vta --port words"
_COMPARED = f"{_ON} --compare reference"
_SMALL = "{kit}/small.onnx"
READERS = (
    Reader(
        "onnx", "quantised ONNX model", "protobuf",
        (f"run {{input}} {_COMPARED}", f"run {{input}} {_COMPARED}", "compile {input} -m hvx -o o.cprog",
         f"compile {{input}} {_ON} -o o.cprog"),
    ),
    Reader(
        "float", "float ONNX model", "protobuf",
        ("quantize {input} -o o.onnx --calibrate {kit}/calibration.npz", f"compile {{input}} {_ON} -o o.cprog"),
    ),
    Reader(
        "program", "program file", "program",
        ("run {input}", "run {input} --backend interpret", "disasm {input}"), _same_program,
    ),
    Reader("parts", "program of parts", "program", ("run {input}",)),
    Reader(
        "executable", "ELF executable", "bytes",
        ("run {input} -m hvx --max-packets 20000 --stdin {kit}/stdin.bin", "disasm {input} -m hvx"),
    ),
    Reader(
        "machine", "machine (ACG text)", "text",
        ("show {input}", "show {input} --acg", f"run {_SMALL} -m {{input}} --compare reference",
         "rtl -m {input} -o rtl", f"compile {_SMALL} -m {{input}} -o o.cprog"), _same_machine,
    ),
    Reader(
        "behaviour", "machine driven by commands (ACG text)", "text",
        ("replay {kit}/commands.txt -m {input} --max-cycles 100", "show {input}", "show {input} --isa",
         "show {input} --instructions", "show {input} --json"),
    ),
    Reader("assembly", "assembly of commands", "text", ("asm {input} -m vta --json",), _same_commands),
    Reader("word-assembly", "assembly of words", "text", (f"asm {{input}} {_WORDS} --json",), _same_words),
    Reader("listed", "stream of commands, listed", "text", ("disasm {input} -m vta",), _same_listing),
    Reader("words", "words of a stream", "bytes", (f"disasm {{input}} {_WORDS}",), _same_bytes),
    Reader("commands", "stream of commands", "text", ("replay {input} -m vta --max-cycles 100",)),
    Reader("machine-json", "machine (JSON)", "json", ("show - --json", "show - --acg"), stdin=True),
    Reader("network", "network text", "text", (f"compile {{input}} {_ON} -o o.cprog",)),
    Reader("schedule", "schedule", "text", (f"run {_SMALL} {_COMPARED} --schedule {{input}}",)),
    Reader("memory", "parameters of a memory", "json", (f"run {_SMALL} {_COMPARED} --memory {{input}}",)),
    Reader(
        "energy", "energy table (YAML)", "json", (f"run {_SMALL} {_COMPARED} --energy --energy-table {{input}}",)
    ),
    Reader("study", "study (TOML)", "text", ("study {input} --limit 1 --jobs 1 --results o.sqlite --json",)),
    Reader("simdit", "hardware file (JSON)", "json", ("import-simdit {input} -o o.acg",)),
    Reader("input", "inputs (.npy, .npz)", "arrays", (f"run {_SMALL} {_COMPARED} --input {{input}}",)),
    Reader(
        "labels", "test set (.npz)", "arrays",
        (f"accuracy {{digits}} --data {{input}} {_ON} --threads 1",
         "quantize {float} -o o.onnx --calibrate {input}"),
    ),
    Reader(
        "profile", "profile of a run (JSON)", "json", (f"compile {_SMALL} -m hvx --emit asm --profile {{input}}",)
    ),
    Reader(
        "library", "codelets", "text",
        (f"run {{kit}}/sum.onnx {_ON} --library {{folder}}",
         f"compile {{kit}}/sum.onnx {_ON} --library {{folder}} --emit map"),
    ),
    Reader("settings", "values of --set", "words", ("",)),
    Reader("command", "command lines", "words", ("",)),
)  # fmt: skip
BY_NAME = {reader.name: reader for reader in READERS}

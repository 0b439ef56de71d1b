"""A compiled machine gives the bytes, cycles and errors of the evaluator; it is built once, also by two processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from vta import PROGRAMS, stream_of

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.cli import main

STREAMS = sorted((Path(__file__).parent / "flexasr").glob("*.json.gz"))
MANY_CYCLES = 1000
"""Cycles from which on compiled machines save time that can be measured."""
COUNTER = """acg counter { clock = 1 GHz; port bus { address = 8; data = 64; } state n : u32 = 0; state done : bool = 0;
  table odd : u8[4] = [1, 3, 5, 7];
  instruction start on bus { fields { to : u16 at 0; } decode = write and address == 0; update {
    done = 0;
    for i in 1..to { step { n = wrap(u32, n + sum(k in 0..3 : odd[k] * i)); } }
    done = 1; } }
  instruction get on bus { decode = read and address == 0; update { reply = n; } }
  instruction fail on bus { decode = read and address == 8; update { reply = odd[n % 8]; } }
  interrupt = done; }
"""


@pytest.fixture
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A machine that nothing has compiled yet."""
    monkeypatch.setenv("COVENANT_MACHINE_CACHE", str(tmp_path / "machines"))
    path = tmp_path / "counter.acg"
    path.write_text(COUNTER)
    return str(path)


def sums(count: int) -> int:
    return 16 * count * (count + 1) // 2


def test_programs_of_vta() -> None:
    for program in PROGRAMS[::8]:
        stream = stream_of(program)
        compiled, read = (replay(stream, CommandDevice("vta", engine=engine)) for engine in ("native", "evaluator"))
        assert compiled.engine == "native"
        assert (compiled.differing, compiled.reads, compiled.cycles) == (0, read.reads, read.cycles)


@pytest.mark.parametrize("path", STREAMS[::6], ids=lambda path: path.name.partition(".")[0])
def test_streams_of_flexasr(path: Path) -> None:
    stream = CommandStream.load(path)
    compiled, read = (replay(stream, CommandDevice("flexasr", engine=engine)) for engine in ("native", "evaluator"))
    assert (compiled.reads, compiled.waited, compiled.cycles) == (read.reads, read.waited, read.cycles)
    if read.cycles > MANY_CYCLES:  # a few commands take as long on either
        assert compiled.seconds < read.seconds


def test_a_machine_is_compiled_when_it_has_much_to_do(counter: str) -> None:
    device = CommandDevice(counter)
    device.write(0, (10).to_bytes(8, "little"))
    assert device.engine == "evaluator"
    done = [10]
    while device.engine == "evaluator" and len(done) < 100:
        done.append(60_000)
        device.write(0, done[-1].to_bytes(8, "little"))
    assert device.engine == "native"
    expected = sum(sums(count) for count in done) % (1 << 32)
    assert int.from_bytes(device.read(0), "little") == expected
    assert device.cycles == sum(done) + 2 * len(done) + 1
    assert CommandDevice(counter).engine == "native"  # it is kept


def test_errors_are_the_same(counter: str) -> None:
    said = []
    for engine in ("native", "evaluator"):
        device = CommandDevice(counter, engine=engine)
        device.write(0, (3).to_bytes(8, "little"))
        device.write(0, (1).to_bytes(8, "little"))
        values = []
        for count in (1, 2, 3):
            device.write(0, count.to_bytes(8, "little"))
            values.append(int.from_bytes(device.read(0), "little"))
        device.wait()
        with pytest.raises(CovenantError) as refused:
            device.write(16, b"")
        said.append((values, refused.value.diagnostic, device.cycles, device.read(8)))
    assert said[0] == said[1]


def test_two_processes_build_one_machine(counter: str, tmp_path: Path) -> None:
    code = (
        "import sys; from covenant import CommandDevice; device = CommandDevice(sys.argv[1], engine='native');"
        "device.write(0, (5).to_bytes(8, 'little')); print(int.from_bytes(device.read(0), 'little'))"
    )
    environment = os.environ | {"COVENANT_MACHINE_CACHE": str(tmp_path / "machines")}
    for damage in (False, True):
        for library in (tmp_path / "machines").glob("*/machine.so") if damage else ():
            os.truncate(library, 5000)  # the system would kill who loads it
        running = [
            subprocess.Popen([sys.executable, "-c", code, counter], stdout=subprocess.PIPE, env=environment)
            for _ in range(3)
        ]
        assert [one.communicate()[0].split() for one in running] == [[str(sums(5)).encode()]] * 3
        assert len([path for path in (tmp_path / "machines").iterdir() if path.suffix != ".lock"]) == 1


def test_the_command_line_names_an_engine(
    counter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = tmp_path / "stream"
    stream.write_text("W 0 7\nQ\nR 0\n")
    said = {}
    for engine in ("evaluator", "native", "auto"):
        assert main(["replay", str(stream), "-m", counter, "--engine", engine, "--json"]) == 0
        said[engine] = json.loads(capsys.readouterr().out)
        del said[engine]["seconds"]
    assert said["native"].pop("engine") == said["auto"].pop("engine") == "native"
    assert said["evaluator"].pop("engine") == "evaluator"
    assert said["native"] == said["evaluator"] == said["auto"]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["replay", str(stream), "-m", counter, "--engine", "native"]) == 2
    assert "error[BEH0050]" in capsys.readouterr().err


BEGINS_PAST_ITS_END = """acg begins { port bus { address = 8; data = 64; } state n : u8 = 0;
  instruction run on bus { fields { low : u40 at 0; } decode = write;
    update { for x in low..3 { n = wrap(u8, n + 1); } } }
  instruction get on bus { decode = read; update { reply = n; } }
}
"""
CALLS_ITSELF_WITH_ITSELF = """acg calls { port bus { address = 8; data = 64; }
  state s : u8[16]; state t : u8[16]; state x : u8 = 1; state out : u32 = 0;
  function f(a : u8) : u8 { return wrap(u8, sum(k in 0..3 : a > 3 ? s[a[3:0]] : t[(a + 1)[3:0]] + 2)); }
  instruction run on bus { fields { v : u40 at 0; } decode = write; update {
    step { for i in 0..15 { s[i] = wrap(u8, v + 3 * i); t[i] = wrap(u8, 5 * v + 7 * i); } x = v[7:0]; }
    out = sum(i in 0..2 : sum(j in 0..2 : f(f(x)))); } }
  instruction get on bus { decode = read; update { reply = out; } }
}
"""


@pytest.mark.parametrize("text", [BEGINS_PAST_ITS_END, CALLS_ITSELF_WITH_ITSELF], ids=["begins", "calls"])
@pytest.mark.parametrize("value", [0, 1, 2, 3, 4, 9, 200, 1 << 32, (1 << 40) - 1])
def test_machines_that_engines_read_otherwise(text: str, value: int, tmp_path: Path) -> None:
    """A loop that begins past its end and past 32 bits; a condition of a call within a call."""
    path = tmp_path / "machine.acg"
    path.write_text(text)
    said = []
    for engine in ("evaluator", "native"):
        device = CommandDevice(str(path), engine=engine)
        device.write(0, value.to_bytes(8, "little"))
        said.append((device.read(0), device.cycles))
    assert said[0] == said[1]


def test_long_sums_are_compiled(tmp_path: Path) -> None:
    path = tmp_path / "long.acg"
    path.write_text(f"""acg long {{ port bus {{ address = 8; data = 64; }}
  instruction get on bus {{ fields {{ x : u16 at 0; }} decode = read; update {{ reply = x{" + 1" * 900}; }} }}
}}
""")
    assert CommandDevice(str(path), engine="native").read(0) == (900).to_bytes(8, "little")


def test_work_of_calls_within_calls_counts_once(tmp_path: Path) -> None:
    """12 for each turn: at 1.3 million turns the work of a cycle is just below its limit, at 1.4 million above."""
    path = tmp_path / "works.acg"
    path.write_text(
        CALLS_ITSELF_WITH_ITSELF.replace(
            "out = sum(i in 0..2 : sum(j in 0..2 : f(f(x)))); } }",
            "out = wrap(u32, sum(i in 1..v[22:0] : sum(j in 0..0 : f(f(x))))); } }",
        )
    )
    for turns, code in ((1_300_000, ""), (1_400_000, "BEH0037")):
        for engine in ("evaluator", "native"):
            device, said = CommandDevice(str(path), engine=engine), ""
            try:
                device.write(0, turns.to_bytes(8, "little"))
            except CovenantError as error:
                said = error.diagnostic.code
            assert said == code, (turns, engine)


def test_names_of_names_are_not_written_out(tmp_path: Path) -> None:
    """90 names, each twice the one before: written out, they would be 2^90 terms."""
    doubled = " ".join(f"let b{i} = wrap(u8, b{i - 1} + b{i - 1});" for i in range(1, 91))
    path = tmp_path / "doubled.acg"
    path.write_text(f"""acg doubled {{ port bus {{ address = 8; data = 64; }} state a : u8 = 3; state s : u8[256] = 1;
  function f(b0 : u8) : u8 {{ {doubled} return wrap(u8, sum(k in 0..3 : b90 > 3 ? s[b90] : s[b5] + b90)); }}
  instruction run on bus {{ decode = write; update {{ s[a] = a; a = wrap(u8, sum(k in 0..3 : f(a) + k)); }} }}
  instruction get on bus {{ decode = read; update {{ reply = a; }} }}
}}
""")
    devices = [CommandDevice(str(path), engine=engine) for engine in ("evaluator", "native")]
    for _ in range(5):
        for device in devices:
            device.write(0, b"")
        assert devices[0].read(0) == devices[1].read(0)

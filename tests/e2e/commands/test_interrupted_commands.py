"""Ctrl-C ends a command that takes billions of cycles, and a wait; what was given before is not lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.commands import HostCommand, ReplayInterrupt
from covenant.commands.replay import ReplayError

BITS_62 = (1 << 62) - 1
TEXT = f"""acg ages {{ port bus {{ address = 8; data = 64; }} state a : u8 = 0;
  instruction steps on bus {{ decode = write and address == 0;
    update {{ for i in 0..{BITS_62} {{ step {{ a = 1; }} }} }} }}
  instruction waits on bus {{ decode = write and address == 1;
    update {{ for i in 0..{BITS_62} {{ step {{ cycles = 4000000000; }} }} }} }}
  instruction adds on bus {{ decode = write and address == 2;
    update {{ for i in 0..{BITS_62} {{ step {{ a = wrap(u8, sum(k in 0..9000000 : k % (a + 7))); }} }} }} }}
  instruction get on bus {{ decode = read and address == 0; update {{ reply = a + 5; }} }}
  instruction slow on bus {{ decode = read and address == 1;
    update {{ for i in 0..{BITS_62} {{ step {{ a = 1; }} }} reply = a; }} }}
  instruction ten on bus {{ decode = write and address == 10; update {{ step {{ cycles = 10; }} }} }}
  process idle {{ wait cycle % 2 == 3; step {{ a = 2; }} }}
  interrupt = a == 99; }}
"""
INTERRUPTED = """import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells turn it off in the background
runpy.run_module("covenant", run_name="__main__")"""
SECONDS = 60
"""Much more than an interrupt takes on a busy computer, and nothing beside what the commands take."""
ENGINES = ("evaluator", "native", "auto", "recorded")
DOES: dict[str, Callable[[CommandDevice], object]] = {
    "steps": lambda device: device.write(0, b""),
    "waits": lambda device: device.write(1, b""),
    "adds": lambda device: device.write(2, b""),
    "read": lambda device: device.read(1),
    "wait": lambda device: device.wait(BITS_62),
}


@pytest.fixture(scope="module")
def ages(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ages") / "ages.acg"
    path.write_text(TEXT)
    return str(path)


@pytest.fixture
def interrupt() -> Iterator[Callable[[], float]]:
    """Has an interrupt come in a while, and returns when."""

    def comes(*_: object) -> None:
        raise KeyboardInterrupt

    def after_a_while() -> float:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        return time.monotonic() + 0.1

    before = signal.signal(signal.SIGALRM, comes)
    yield after_a_while
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("does", DOES)
def test_a_device_is_interrupted(does: str, engine: str, ages: str, interrupt: Callable[[], float]) -> None:
    device = CommandDevice(ages, engine=engine)
    due = interrupt()
    with pytest.raises(KeyboardInterrupt):
        DOES[does](device)
    assert time.monotonic() - due < SECONDS
    if does == "wait":  # the machine goes on
        assert device.read(0)[0] == 5


@pytest.mark.parametrize("engine", ENGINES)
def test_a_replay_keeps_what_was_given(engine: str, ages: str, interrupt: Callable[[], float]) -> None:
    commands = [
        HostCommand("W", 10, 0, 1),
        HostCommand("R", 0, 0, 2),
        HostCommand("W", 0, 0, 3),
        HostCommand("R", 0, 0, 4),
    ]
    interrupt()
    with pytest.raises(ReplayInterrupt) as raised:
        replay(CommandStream(tuple(commands)), CommandDevice(ages, engine=engine))
    done = raised.value.done
    assert (done.commands, [read.data[0] for read in done.reads]) == (2, [5])


@pytest.mark.parametrize("engine", ["evaluator", "native"])
def test_the_command_line_prints_what_was_given(engine: str, ages: str, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_text("W 10 0\nR 0\nW 0 0\nR 0\n")
    CommandDevice(ages, engine=engine)  # it is compiled
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, "replay", str(stream), "-m", ages, "--engine", engine, "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(2)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    try:
        said, complaint = running.communicate(timeout=SECONDS)
    finally:
        running.kill()
    assert running.returncode == 130
    assert "Traceback" not in complaint
    assert "error" not in complaint
    assert json.loads(said)["reads"] == [["0x0", "0x0000000000000005"]]


@pytest.mark.parametrize("engine", ENGINES)
def test_cycles_of_a_command_are_bounded(engine: str, ages: str) -> None:
    commands = [HostCommand("W", 10, 0, 1), HostCommand("R", 0, 0, 2), HostCommand("W", 0, 7, 3)]
    device = CommandDevice(ages, engine=engine)
    with pytest.raises(ReplayError) as raised:
        replay(CommandStream(tuple(commands)), device, most_cycles=1000)
    said = raised.value.diagnostic
    assert (said.code, said.subject) == ("BEH0037", "command 3, ages")
    assert said.offending == "write 0x00000000 0000000000000007, 1000 cycles"
    assert "--max-cycles" in said.fix
    assert (raised.value.done.commands, device.cycles) == (2, 1011)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_command_may_take_as_many_cycles_as_it_takes(engine: str, ages: str) -> None:
    device = CommandDevice(ages, engine=engine)
    device.write(10, b"", most_cycles=10)
    with pytest.raises(CovenantError, match="BEH0037"):
        device.write(10, b"", most_cycles=9)
    assert device.cycles == 19

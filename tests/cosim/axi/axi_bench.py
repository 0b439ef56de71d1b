"""Runs inside the simulator, under cocotb: compiled programs on a device, with cocotbext-axi as its host and memories.

Memories pause every channel at random, mix the answers of ports that share a master, and answer with an error where
they are told to. The environment says what to run: COVENANT_AXI_TESTS names folders with before.hex, after.hex and
run.txt, COVENANT_AXI_RUNS says how often, COVENANT_AXI_SEED is the seed of all that is random.
"""

from __future__ import annotations

import logging
import os
import random
from collections import Counter, defaultdict
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.handle import SimHandleBase
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from mixing_memory import MixingRead, MixingWrite

CONTROL, STATUS, PROGRAM, FAULTS, FAULT_ADDRESS = 0x10, 0x14, 0x18, 0x34, 0x3C
BUSY, DONE, FAULT, ABORTED = 1, 2, 4, 8
START, STOP = 1, 2
STOPPED_BY_MEMORY = 2
BURST_BEATS = 16
LONGEST_RUN = 400_000  # cycles
ASKED: dict[tuple[Path, int], dict[str, list[int]]] = defaultdict(dict)
"""Bursts of each program (its folder, its cycles), by port: tests after the first one know where memories can fail."""


def image_of(path: Path, size: int) -> bytearray:
    """The bytes of a text of `@address` in hexadecimal and bytes."""
    image = bytearray(size)
    at = 0
    for token in path.read_text().split():
        if token.startswith("@"):
            at = int(token[1:], 16)
        else:
            image[at] = int(token, 16)
            at += 1
    return image


class Test:
    """A program with what it leaves behind."""

    def __init__(self, folder: Path) -> None:
        lines = (line.split() for line in (folder / "run.txt").read_text().splitlines())
        run = {words[0]: words[1] for words in lines}
        self.folder = folder
        self.name = run["name"]
        self.entry = int(run["entry"])
        self.cycles = int(run["cycles"])
        self.before = image_of(folder / "before.hex", int(run["bytes"]))
        self.after = image_of(folder / "after.hex", int(run["bytes"]))


class Port:
    """Memory behind one off-chip port: all ports share its bytes, and every burst at `bad` gets an error."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.bad: int | None = None
        self.bursts: list[int] = []  # addresses

    def read(self, address: int, length: int) -> bytes:
        """One beat."""
        self._refuse_bad(address, length)
        return bytes(self.device.memory[address : address + length]).ljust(length, b"\0")

    def write(self, address: int, data: bytes, strobes: int) -> None:
        """One beat."""
        self._refuse_bad(address, len(data))
        for byte, value in enumerate(data):
            if strobes >> byte & 1:
                self.device.memory[address + byte] = value

    def _refuse_bad(self, address: int, length: int) -> None:
        if address >= len(self.device.memory):  # also what is asked for past the end of a program
            raise IndexError(address)
        if self.bad is not None and address <= self.bad < address + length:
            raise ValueError(address)


class Ports:
    """Ports behind one master in one direction, by their ids."""

    def __init__(self) -> None:
        self.by_id: dict[int, Port] = {}

    def begin(self, ident: int, address: int) -> None:
        """A burst has been asked for."""
        self.by_id[ident].bursts.append(address)

    def read(self, ident: int, address: int, length: int) -> bytes:
        """One beat."""
        return self.by_id[ident].read(address, length)

    def write(self, ident: int, address: int, data: bytes, strobes: int) -> None:
        """One beat."""
        self.by_id[ident].write(address, data, strobes)


class Device:
    """The device with all that is around it."""

    def __init__(self, dut: SimHandleBase, draw: random.Random) -> None:
        self.dut = dut
        self.memory = bytearray()
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.ERROR)
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        around = {"clock": dut.clk, "reset": dut.rst_n, "reset_active_level": False}
        self.host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), **around)
        self.ports: dict[str, Port] = {}
        self.reads: list[MixingRead] = []
        masters: dict[tuple[str, str], Ports] = defaultdict(Ports)
        for entry in setting("PORTS").split():
            kind, master, ident, name = entry.split(":")
            self.ports[name] = masters[kind, master].by_id[int(ident)] = Port(self)
        for (kind, master), ports in masters.items():
            if kind == "write":
                MixingWrite(dut, master, ports, around, draw)
            else:
                self.reads.append(MixingRead(dut, master, ports, around, draw))

    async def reset(self) -> None:
        """Once, at the start."""
        self.dut.rst_n.value = 0
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst_n.value = 1
        await ClockCycles(self.dut.clk, 2)

    async def start(self, test: Test) -> None:
        """Starts a run, with memory as the program expects it."""
        self.memory = bytearray(test.before)
        await self.host.write_dword(PROGRAM, test.entry)
        await self.host.write_dword(CONTROL, START)

    async def wait(self) -> int:
        """Waits until the run has ended; returns the status."""
        for _ in range(LONGEST_RUN // 100):
            await ClockCycles(self.dut.clk, 100)
            status = await self.host.read_dword(STATUS)
            if not status & BUSY:
                return status
        raise AssertionError("the run does not end")

    async def drained(self) -> None:
        """Waits until no store of a stopped run can reach memory any more."""
        idle = self.dut.u_device.idle
        while idle.value.integer != (1 << len(idle)) - 1:
            await ClockCycles(self.dut.clk, 1)

    async def expect_good_run(self, test: Test) -> None:
        """Runs the test; fails unless it ends as it should and leaves every byte as it should be."""
        await self.start(test)
        status = await self.wait()
        assert status & (DONE | FAULT | ABORTED) == DONE, f"{test.name}: {status:#x}"
        assert self.memory == test.after, test.name


def setting(name: str) -> str:
    return os.environ[f"COVENANT_AXI_{name}"]


def tests() -> list[Test]:
    return [Test(Path(folder)) for folder in setting("TESTS").split(os.pathsep)]


async def device(dut: SimHandleBase) -> tuple[Device, random.Random]:
    draw = random.Random(int(setting("SEED")))  # noqa: S311 (a test)
    made = Device(dut, draw)
    await made.reset()
    return made, draw


@cocotb.test()
async def runs_before_memories_that_mix(dut: SimHandleBase) -> None:
    """Every byte is right, whatever waits for whatever, and the device runs again and again."""
    made, _ = await device(dut)
    counts: Counter[str] = Counter()
    for _ in range(int(setting("RUNS"))):
        for test in tests():
            await made.expect_good_run(test)
            note_bursts(made, test)
            counts.update({name: len(bursts) for name, bursts in ASKED[test.folder, test.cycles].items()})
    counts["switches"] = sum(read.switches for read in made.reads)
    Path(setting("COUNTS")).write_text("".join(f"{name} {count}\n" for name, count in counts.items()))


def note_bursts(made: Device, test: Test) -> None:
    """Records the bursts of each port within its memory, in one run of this test, the last of several."""
    for name, port in made.ports.items():
        ASKED[test.folder, test.cycles][name] = [at for at in port.bursts if at < len(made.memory)]
        port.bursts.clear()


@cocotb.test()
async def stops_where_a_memory_fails(dut: SimHandleBase) -> None:
    """An error of any port ends the run in a fault that names engine and burst; the next run knows nothing of it.

    The error is in the shortest of the programs that use the port.
    """
    made, draw = await device(dut)
    bits = dict(entry.split("=") for entry in setting("FAULT_BITS").split())
    for name in made.ports:
        users = [(cycles, folder) for (folder, cycles), asked in ASKED.items() if asked[name]]
        _, folder = min(users)
        test = Test(folder)
        bad = draw.choice(ASKED[folder, test.cycles][name])
        await expect_fault(made, test, name, bad, 1 << int(bits[name]))
        await made.expect_good_run(test)


async def expect_fault(made: Device, test: Test, name: str, bad: int, faults: int) -> None:
    """A run in which the burst of a port at `bad` fails."""
    port = made.ports[name]
    port.bad = bad
    await made.start(test)
    status = await made.wait()
    await made.drained()
    port.bad = None
    window = BURST_BEATS * int(setting("BEAT_BYTES"))
    if name == "fetch" and status & DONE:
        # Errors for requests past the end of a block do not matter.
        assert made.memory == test.after
        return
    assert status & (DONE | FAULT | ABORTED) == FAULT, f"{test.name}, {name}: {status:#x}"
    assert status >> 8 & 15 == STOPPED_BY_MEMORY
    assert await made.host.read_dword(FAULTS) == faults, name
    address = await made.host.read_dword(FAULT_ADDRESS)
    assert address // window == bad // window, f"{name} {address:#x} {bad:#x}"


@cocotb.test()
async def starts_again_while_answers_are_to_come(dut: SimHandleBase) -> None:
    """An abort in any cycle leaves nothing behind that the next run could see."""
    made, draw = await device(dut)
    for test in tests()[: int(setting("ABORTS"))]:
        await made.start(test)
        await ClockCycles(dut.clk, draw.randrange(1, 2 * test.cycles))
        await made.host.write_dword(CONTROL, STOP)
        status = await made.host.read_dword(STATUS)
        assert status & BUSY == 0
        await made.drained()
        await made.expect_good_run(test)

"""What cocotb runs on a device: its host and its memories are cocotbext-axi's, its programs compiled ones.

Memories pause every channel at random, and answer with an error where they are told to. The environment says what to
run: COVENANT_AXI_TEST is a folder with before.hex, after.hex and run.txt, COVENANT_AXI_RUNS how many runs,
COVENANT_AXI_SEED the seed of all that is random.
"""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Iterator
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.handle import SimHandleBase
from cocotb.triggers import ClockCycles
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiReadBus,
    AxiSlaveRead,
    AxiSlaveWrite,
    AxiWriteBus,
)

CONTROL, STATUS, PROGRAM, FAULTS, FAULT_ADDRESS = 0x10, 0x14, 0x18, 0x34, 0x3C
BUSY, DONE, FAULT, ABORTED = 1, 2, 4, 8
START, STOP = 1, 2
STOPPED_BY_MEMORY = 2
BURST_BEATS = 16
LONGEST_RUN = 400_000  # cycles


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
        self.entry = int(run["entry"])
        self.before = image_of(folder / "before.hex", int(run["bytes"]))
        self.after = image_of(folder / "after.hex", int(run["bytes"]))


class Port:
    """What answers one master: the bytes that all of them share, and an error for every burst at `bad`."""

    def __init__(self, memory: bytearray) -> None:
        self.memory = memory
        self.bad: int | None = None
        self.bursts: list[int] = []  # addresses

    async def read(self, address: int, length: int) -> bytes:
        """What cocotbext-axi calls for each beat of a read."""
        self._refuse_bad(address, length)
        return bytes(self.memory[address : address + length]).ljust(length, b"\0")

    async def write(self, address: int, data: bytes) -> None:
        """What it calls for those of a write."""
        self._refuse_bad(address, len(data))
        self.memory[address : address + len(data)] = data

    def _refuse_bad(self, address: int, length: int) -> None:
        if address >= len(self.memory):  # also what is asked for past the end of a program
            raise IndexError(address)
        if self.bad is not None and address <= self.bad < address + length:
            raise ValueError(address)


def pauses(draw: random.Random) -> Iterator[bool]:
    """Now quick, now slow, now and then not at all for a while."""
    while True:
        share = draw.choice([0.0, 0.0, 0.2, 0.7, 0.95])
        for _ in range(draw.randrange(1, 80)):
            yield draw.random() < share


class Device:
    """The device with all that is around it."""

    def __init__(self, dut: SimHandleBase, test: Test, draw: random.Random) -> None:
        self.dut = dut
        self.test = test
        self.memory = bytearray(test.before)
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.ERROR)
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        around = {"clock": dut.clk, "reset": dut.rst_n, "reset_active_level": False}
        self.host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), **around)
        self.ports: dict[str, Port] = {}
        for name in os.environ["COVENANT_AXI_PORTS"].split():
            kind, master = name.split(":")
            self.ports[master] = Port(self.memory)
            self._serve(f"m_axi_{master}", self.ports[master], writes=kind == "write", around=around, draw=draw)

    def _serve(self, prefix: str, port: Port, *, writes: bool, around: dict, draw: random.Random) -> None:
        if writes:
            slave = AxiSlaveWrite(AxiWriteBus.from_prefix(self.dut, prefix), target=port, **around)
            channels = [slave.aw_channel, slave.w_channel, slave.b_channel]
        else:
            slave = AxiSlaveRead(AxiReadBus.from_prefix(self.dut, prefix), target=port, **around)
            channels = [slave.ar_channel, slave.r_channel]
        for channel in channels:
            channel.set_pause_generator(pauses(random.Random(draw.random())))  # noqa: S311 (a test)
        receive = channels[0].recv

        async def counted() -> object:
            burst = await receive()
            port.bursts.append(int(burst.awaddr if writes else burst.araddr))
            return burst

        channels[0].recv = counted

    async def reset(self) -> None:
        """Once, at the start."""
        self.dut.rst_n.value = 0
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst_n.value = 1
        await ClockCycles(self.dut.clk, 2)

    async def start(self) -> None:
        """With memory as the program wants it."""
        self.memory[:] = self.test.before
        await self.host.write_dword(PROGRAM, self.test.entry)
        await self.host.write_dword(CONTROL, START)

    async def wait(self) -> int:
        """Until the run has ended; the status then."""
        for _ in range(LONGEST_RUN // 100):
            await ClockCycles(self.dut.clk, 100)
            status = await self.host.read_dword(STATUS)
            if not status & BUSY:
                return status
        raise AssertionError("the run does not end")

    async def expect_good_run(self) -> None:
        """It ends as it must, and leaves every byte as it must be."""
        await self.start()
        status = await self.wait()
        assert status & (DONE | FAULT | ABORTED) == DONE, hex(status)
        assert self.memory == self.test.after


def setting(name: str) -> str:
    return os.environ[f"COVENANT_AXI_{name}"]


async def device(dut: SimHandleBase) -> tuple[Device, random.Random]:
    draw = random.Random(int(setting("SEED")))  # noqa: S311 (a test)
    made = Device(dut, Test(Path(setting("TEST"))), draw)
    await made.reset()
    return made, draw


@cocotb.test()
async def runs_before_memories_that_pause(dut: SimHandleBase) -> None:
    """Every byte is as it must be, whoever waits for whom, and the device runs again and again."""
    made, _ = await device(dut)
    for _ in range(int(setting("RUNS"))):
        await made.expect_good_run()
    counts = {name: len(port.bursts) for name, port in made.ports.items()}
    Path(setting("COUNTS")).write_text("".join(f"{name} {count}\n" for name, count in counts.items()))


@cocotb.test()
async def stops_where_a_memory_fails(dut: SimHandleBase) -> None:
    """An error of any port ends the run in a fault that names engine and burst; the next run knows nothing of it."""
    made, draw = await device(dut)
    await made.expect_good_run()
    bits = dict(entry.split("=") for entry in setting("FAULT_BITS").split())
    asked = {name: list(port.bursts) for name, port in made.ports.items()}
    for name, bursts in asked.items():
        inside = [burst for burst in bursts if burst < len(made.memory)]
        if not inside:
            continue
        port = made.ports[name]
        port.bad = draw.choice(inside)
        await made.start()
        status = await made.wait()
        window = BURST_BEATS * int(setting("BEAT_BYTES"))
        if name == "fetch" and status & DONE:
            # An error in what is asked for past the end of a block is nobody's business.
            assert made.memory == made.test.after
        else:
            assert status & (DONE | FAULT | ABORTED) == FAULT, f"{name} {status:#x}"
            assert status >> 8 & 15 == STOPPED_BY_MEMORY
            assert await made.host.read_dword(FAULTS) == 1 << int(bits[name]), name
            address = await made.host.read_dword(FAULT_ADDRESS)
            assert address // window == port.bad // window, f"{name} {address:#x} {port.bad:#x}"
        port.bad = None
        await made.expect_good_run()


@cocotb.test()
async def starts_again_while_answers_are_to_come(dut: SimHandleBase) -> None:
    """An abort in any cycle leaves nothing behind that the next run could see."""
    made, draw = await device(dut)
    for _ in range(int(setting("RUNS"))):
        await made.start()
        await ClockCycles(dut.clk, draw.randrange(1, 6000))
        await made.host.write_dword(CONTROL, STOP)
        status = await made.host.read_dword(STATUS)
        assert status & BUSY == 0
        await made.expect_good_run()

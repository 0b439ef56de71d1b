"""Runs inside the simulator: a host reads and writes the registers, which must behave as their description says.

Addresses, accesses, masks and resets come from the SystemRDL file alone; what a start and a stop do is said by `Host`.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode

SEED = int(os.environ.get("COVENANT_SEED", "1"))
SEQUENCES = int(os.environ.get("COVENANT_SEQUENCES", "600"))
WORD = 4


def registers() -> dict[int, RegNode]:
    """Registers of the description, by their addresses."""
    compiler = RDLCompiler()
    compiler.compile_file(os.environ["COVENANT_RDL"])
    return {register.address_offset: register for register in compiler.elaborate().top.registers()}


def mask(part: FieldNode) -> int:
    """Mask of the field's bits."""
    return ((1 << part.width) - 1) << part.low


@dataclass
class Host:
    """Values that the registers should hold. `shown` sets fields that only the machine writes."""

    registers: dict[int, RegNode]
    values: dict[int, int] = field(default_factory=dict)
    busy: bool = False

    def __post_init__(self) -> None:
        for address, register in self.registers.items():
            resets = [(part, part.get_property("reset") or 0) for part in register.fields()]
            self.values[address] = sum(value << part.low for part, value in resets)

    def address(self, name: str) -> int:
        """Address of a register, by its name."""
        return next(address for address, register in self.registers.items() if register.inst_name == name)

    def can_write(self, address: int) -> bool:
        """A host writes some of its fields."""
        return address in self.registers and self.registers[address].has_sw_writable

    def is_of_the_machine(self, address: int) -> bool:
        """Whether the register changes without the host, and not by events alone."""
        register = self.registers[address]
        hardware = [part for part in register.fields() if part.is_hw_writable]
        return bool(hardware) and not any(part.get_property("intr") for part in hardware)

    def write(self, address: int, value: int, bits: int) -> None:
        """Writes the marked bits, as the host does."""
        for part in self.registers[address].fields():
            reach = mask(part) & bits
            if part.get_property("singlepulse"):
                continue
            if part.get_property("onwrite"):  # one clears
                self.values[address] &= ~(value & reach)
            elif part.is_sw_writable:
                self.values[address] = (self.values[address] & ~reach) | (value & reach)
        if address == self.address("control"):
            self.control(value & bits)

    def control(self, value: int) -> None:
        """Effects of a start and of a stop."""
        control = self.registers[self.address("control")]
        was_busy = self.busy
        if value & mask(control.get_child_by_name("stop")) and was_busy:
            self.busy = False
            self.event("aborted")
        if value & mask(control.get_child_by_name("start")):
            program = self.values[self.address("program_low")] | self.values[self.address("program_high")] << 32
            if was_busy or program >> 32 or program % 8:
                self.event("refused")
            else:
                self.busy = True

    def event(self, name: str) -> None:
        """Something has happened that stays until it is cleared."""
        address = self.address("interrupt_status")
        self.values[address] |= mask(self.registers[address].get_child_by_name(name))

    def line(self) -> bool:
        """Level of the interrupt."""
        return bool(self.values[self.address("interrupt_status")] & self.values[self.address("interrupt_enable")])


def pauses(draw: random.Random, share: float) -> Iterator[bool]:
    """Back-pressure: the channel waits in that share of the cycles."""
    while True:
        yield draw.random() < share


class Bench:
    """The device with a master, and what it should hold."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.draw = random.Random(SEED)  # noqa: S311
        self.host = Host(registers())
        self.accesses = 0

    async def start(self) -> None:
        """Out of reset, the machine at rest."""
        for name in ("block_done", "done", "fault"):
            getattr(self.dut, f"core_{name}_i").value = 0
        for name in ("memory_fault_i", "memory_address_i", "bytes_read_i", "bytes_written_i", "stalled_i"):
            getattr(self.dut, name).value = 0
        self.dut.memory_idle_i.value = 1
        self.dut.rst_ni.value = 0
        cocotb.start_soon(Clock(self.dut.clk_i, 2, "ns").start())
        await ClockCycles(self.dut.clk_i, 4)
        self.dut.rst_ni.value = 1
        await RisingEdge(self.dut.clk_i)
        # The master is not there before: it need not see the reset.
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(self.dut, "s_axil"), self.dut.clk_i)

    def press(self) -> None:
        """Draws new back-pressure from here on."""
        for channel in (
            self.master.write_if.aw_channel,
            self.master.write_if.w_channel,
            self.master.write_if.b_channel,
            self.master.read_if.ar_channel,
            self.master.read_if.r_channel,
        ):
            channel.set_pause_generator(pauses(self.draw, self.draw.choice((0, 0, 0.3, 0.8))))

    def place(self) -> int:
        """An address of a word: mostly one with a register."""
        known = list(self.host.registers)
        beyond = self.draw.randrange(known[-1] + WORD, 4096, WORD)
        return self.draw.choice(known) if self.draw.random() < 0.9 else beyond

    async def read(self, address: int) -> None:
        """A word."""
        self.accesses += 1
        answer = await self.master.read(address, WORD)
        value = int.from_bytes(answer.data, "little")
        if address not in self.host.registers:
            assert answer.resp == AxiResp.SLVERR, f"{address:#x} is read without an error"
            return
        register = self.host.registers[address]
        assert answer.resp == AxiResp.OKAY, f"{register.inst_name} cannot be read"
        there = sum(mask(part) for part in register.fields())
        assert value & ~there == 0, f"{register.inst_name} has bits that are not there: {value:#x}"
        if not self.host.is_of_the_machine(address):
            wanted = self.host.values[address]
            assert value == wanted, f"{register.inst_name} reads {value:#x}, not {wanted:#x} (seed {SEED})"

    async def write(self, address: int) -> None:
        """Writes a word, some of its bytes, or from the middle of a word on, which the device refuses."""
        self.accesses += 1
        first = self.draw.choice((0, 0, 0, 0, 0, 1, 2, 3))
        count = self.draw.choice((WORD - first, self.draw.randint(1, WORD - first)))
        data = self.draw.randbytes(count)
        if address == self.host.address("program_high") and self.draw.random() < 0.7:
            data = bytes(count)
        answer = await self.master.write(address + first, data)
        can_write = first == 0 and self.host.can_write(address)
        assert answer.resp == (AxiResp.OKAY if can_write else AxiResp.SLVERR), f"{address:#x}: {answer.resp}"
        if can_write:
            self.host.write(address, int.from_bytes(data, "little"), (1 << 8 * count) - 1)


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def resets_are_as_described(dut):
    bench = Bench(dut)
    await bench.start()
    for address in bench.host.registers:
        await bench.read(address)


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def random_sequences(dut):
    """Each of several accesses, one after the other, under back-pressure of its own."""
    bench = Bench(dut)
    await bench.start()
    for _ in range(SEQUENCES):
        bench.press()
        for _ in range(bench.draw.randint(1, 6)):
            address = bench.place()
            await (bench.write(address) if bench.draw.random() < 0.6 else bench.read(address))
        await ClockCycles(dut.clk_i, 3)
        assert bool(dut.irq_o.value) == bench.host.line()
    dut._log.info("seed %d: %d sequences, %d accesses", SEED, SEQUENCES, bench.accesses)
    assert bench.accesses > 2 * SEQUENCES


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def accesses_side_by_side(dut):
    """Reads and writes under way at once: writes take effect in their order, reads are answered in theirs."""
    bench = Bench(dut)
    await bench.start()
    low, high = bench.host.address("program_low"), bench.host.address("program_high")
    identity = bench.host.values[bench.host.address("identity")]
    for _ in range(50):
        bench.press()
        written = [(bench.draw.choice((low, high)), bench.draw.randbytes(WORD)) for _ in range(8)]
        writes = [bench.master.init_write(address, data) for address, data in written]
        reads = [bench.master.init_read(bench.draw.choice((0, 4096 - WORD)), WORD) for _ in range(8)]
        for event in (*writes, *reads):
            await event.wait()
        for event in reads:
            resp, value = event.data.resp, int.from_bytes(event.data.data, "little")
            assert (resp, value) == ((AxiResp.OKAY, identity) if event.data.address == 0 else (AxiResp.SLVERR, 0))
        for address, data in written:
            bench.host.values[address] = int.from_bytes(data, "little")
        await bench.read(low)
        await bench.read(high)

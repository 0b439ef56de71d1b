"""A memory behind cocotbext-axi's channels that mixes its answers as far as AXI4 allows.

Bursts of one id are answered in their order. Those of different ids are answered in any order, reads also beat by beat,
and writes reach the memory in any order. What is drawn comes from one generator, so a seed gives the same run.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, Protocol

import cocotb
from cocotb.handle import SimHandleBase
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBurstType, AxiReadBus, AxiResp, AxiWriteBus
from cocotbext.axi.axi_channels import AxiARSink, AxiAWSink, AxiBSource, AxiRSource, AxiWSink

PAGE = 4096


class Target(Protocol):
    """A target that answers: with bytes, or with an exception where it fails."""

    def begin(self, ident: int, address: int) -> None:
        """A burst has been asked for."""

    def read(self, ident: int, address: int, length: int) -> bytes:
        """Bytes of one beat."""

    def write(self, ident: int, address: int, data: bytes, strobes: int) -> None:
        """Writes those bytes of one beat that `strobes` marks."""


class Burst:
    """A read or write burst: addresses of its beats, as the address channel gives them."""

    def __init__(self, transaction: Any, channel: str, bus_bytes: int) -> None:
        def field(name: str) -> int:
            return int(getattr(transaction, channel + name))

        self.ident = field("id")
        self.beat_bytes = 1 << field("size")
        address, beats = field("addr"), field("len") + 1
        assert self.beat_bytes <= bus_bytes
        assert field("burst") == AxiBurstType.INCR
        assert address % self.beat_bytes == 0
        assert address % PAGE + beats * self.beat_bytes <= PAGE
        self.addresses = deque(address + beat * self.beat_bytes for beat in range(beats))
        self.data: list[tuple[int, bytes, int]] = []  # of a write: address, bytes, strobes


def pauses(draw: random.Random) -> Iterator[bool]:
    """Now quick, now slow, now and then not at all for a while."""
    while True:
        share = draw.choice([0.0, 0.0, 0.2, 0.7, 0.95])
        for _ in range(draw.randrange(1, 80)):
            yield draw.random() < share


class MixingRead:
    """The read channels of a master."""

    def __init__(self, dut: SimHandleBase, prefix: str, target: Target, around: dict[str, Any], draw: random.Random):
        bus = AxiReadBus.from_prefix(dut, prefix)
        self.clock = around["clock"]
        self.ar = AxiARSink(bus.ar, **around)
        self.r = AxiRSource(bus.r, **around)
        self.bus_bytes = len(bus.r.rdata) // 8
        self.target = target
        self.draw = draw
        self.bursts: dict[int, deque[Burst]] = defaultdict(deque)
        self.switches = 0  # answers in which another id's burst went on
        self.ar.queue_occupancy_limit = 2
        self.r.queue_occupancy_limit = 2
        for channel in (self.ar, self.r):
            channel.set_pause_generator(pauses(random.Random(draw.random())))  # noqa: S311 (a test)
        cocotb.start_soon(self._ask())
        cocotb.start_soon(self._answer())

    async def _ask(self) -> None:
        while True:
            burst = Burst(await self.ar.recv(), "ar", self.bus_bytes)
            self.target.begin(burst.ident, burst.addresses[0])
            self.bursts[burst.ident].append(burst)

    async def _answer(self) -> None:
        last, within = None, False
        while True:
            waiting = sorted(ident for ident, some in self.bursts.items() if some)
            if not waiting or self.r.full():
                await RisingEdge(self.clock)
                continue
            ident = self.draw.choice(waiting)
            self.switches += within and ident != last
            burst = self.bursts[ident][0]
            within = self._beat(burst)
            last = ident
            if not within:
                self.bursts[ident].popleft()

    def _beat(self, burst: Burst) -> bool:
        """Sends one; whether the burst goes on."""
        address = burst.addresses.popleft()
        beat = self.r._transaction_obj()
        beat.rid = burst.ident
        beat.rlast = not burst.addresses
        # Bytes beside a narrow transfer may have any value.
        lanes = bytearray(self.draw.randbytes(self.bus_bytes))
        place = address % self.bus_bytes
        try:
            lanes[place : place + burst.beat_bytes] = self.target.read(burst.ident, address, burst.beat_bytes)
            beat.rresp = AxiResp.OKAY
        except (IndexError, ValueError):
            beat.rresp = AxiResp.SLVERR
        beat.rdata = int.from_bytes(lanes, "little")
        self.r.send_nowait(beat)
        return bool(burst.addresses)


class MixingWrite:
    """The write channels of a master."""

    def __init__(self, dut: SimHandleBase, prefix: str, target: Target, around: dict[str, Any], draw: random.Random):
        bus = AxiWriteBus.from_prefix(dut, prefix)
        self.clock = around["clock"]
        self.aw = AxiAWSink(bus.aw, **around)
        self.w = AxiWSink(bus.w, **around)
        self.b = AxiBSource(bus.b, **around)
        self.bus_bytes = len(bus.w.wdata) // 8
        self.target = target
        self.draw = draw
        self.bursts: dict[int, deque[Burst]] = defaultdict(deque)
        for channel in (self.aw, self.w, self.b):
            channel.queue_occupancy_limit = 2
            channel.set_pause_generator(pauses(random.Random(draw.random())))  # noqa: S311 (a test)
        cocotb.start_soon(self._ask())
        cocotb.start_soon(self._answer())

    async def _ask(self) -> None:
        while True:
            burst = Burst(await self.aw.recv(), "aw", self.bus_bytes)
            self.target.begin(burst.ident, burst.addresses[0])
            while burst.addresses:
                w = await self.w.recv()
                address = burst.addresses.popleft()
                assert bool(int(w.wlast)) == (not burst.addresses)
                place = address % self.bus_bytes
                strobes = int(w.wstrb)
                inside = ((1 << burst.beat_bytes) - 1) << place
                assert strobes & ~inside == 0, "bytes beside a narrow transfer"
                data = int(w.wdata).to_bytes(self.bus_bytes, "little")[place : place + burst.beat_bytes]
                burst.data.append((address, data, strobes >> place))
            self.bursts[burst.ident].append(burst)

    async def _answer(self) -> None:
        while True:
            waiting = sorted(ident for ident, some in self.bursts.items() if some)
            if not waiting or self.b.full():
                await RisingEdge(self.clock)
                continue
            burst = self.bursts[self.draw.choice(waiting)].popleft()
            answer = self.b._transaction_obj()
            answer.bid = burst.ident
            answer.bresp = AxiResp.OKAY
            try:
                for address, data, strobes in burst.data:
                    self.target.write(burst.ident, address, data, strobes)
            except (IndexError, ValueError):
                answer.bresp = AxiResp.SLVERR
            self.b.send_nowait(answer)

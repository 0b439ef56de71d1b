"""Programs of VTA as streams of commands."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from covenant.commands import CommandStream, HostCommand


def _programs(name: str) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = json.loads(gzip.decompress((Path(__file__).parent / name).read_bytes()))
    return said


PROGRAMS = _programs("vta_programs.json.gz")
DRAWN = _programs("vta_drawn.json.gz")
"""Programs for what compilers do not write, some of them for other sizes of the machine."""


def bytes_of(batch: int = 1, block: int = 16, **_: int) -> dict[str, int]:
    """Bytes of an element of each memory; those of outputs have as many as those of inputs."""
    return {"inp": batch * block, "wgt": block * block, "acc": 4 * batch * block, "uop": 4}


BYTES = bytes_of()
DRAM = 0x8000_0000
WORDS = 0x10_0000
"""Place of instruction words in off-chip memory."""


def writes(at: int, data: bytes) -> list[HostCommand]:
    """Writes of bytes into off-chip memory, 16 at once."""
    return [
        HostCommand("W", DRAM + at + i, int.from_bytes(data[i : i + 16], "little")) for i in range(0, len(data), 16)
    ]


def started(words: Sequence[int]) -> list[HostCommand]:
    """Writes of a program and of the registers that start it, and a wait for its end."""
    program = writes(WORDS, b"".join(word.to_bytes(16, "little") for word in words))
    registers = [HostCommand("W", 0x8, len(words)), HostCommand("W", 0xC, WORDS), HostCommand("W", 0x0, 1)]
    return [*program, *registers, HostCommand("Q")]


def stream_of(program: dict[str, Any]) -> CommandStream:
    """A program of the functional simulator with what it stores, over what was there before if the program says it."""
    commands: list[HostCommand] = []
    sizes = bytes_of(**program.get("settings", {}))
    for name, size in sizes.items():
        commands += writes(program["bases"][name] * size, bytes.fromhex(program[name]))
    base = program["bases"]["out"] * sizes["inp"]
    commands += writes(base, bytes.fromhex(program.get("before", "")))
    commands += started([int(word, 16) for word in program["instructions"]])
    stored, base = bytes.fromhex(program["out"]), DRAM + base
    reads = tuple((base + i, int.from_bytes(stored[i : i + 16], "little")) for i in range(0, len(stored), 16))
    return CommandStream((*commands, *(HostCommand("R", address) for address, _ in reads)), reads)


def products_of(words: Sequence[int]) -> int:
    """Number of multiply-accumulates of the words that multiply, with the machine's default sizes."""
    gemms = [word for word in words if word & 7 == 2 and not word >> 7 & 1]
    turns = ((word >> 35 & 0x3FFF) * (word >> 49 & 0x3FFF) for word in gemms)
    uops = ((word >> 21 & 0x3FFF) - (word >> 8 & 0x1FFF) for word in gemms)
    return sum(256 * turn * uop for turn, uop in zip(turns, uops, strict=True))


def product_stream(rows: int, inner: int, outer: int, seed: int) -> tuple[CommandStream, int]:
    """A product of drawn matrices, rows x inner by inner x outer (16 divides both), and its multiply-accumulates.

    Its reads are the results of numpy, as 8 bits.
    """
    draw = np.random.default_rng(seed)
    left = draw.integers(-128, 128, (rows, inner), np.int8)
    right = draw.integers(-128, 128, (outer, inner), np.int8)
    blocks = right.reshape(outer // 16, 16, inner // 16, 16).swapaxes(1, 2)
    inners, outers = inner // 16, outer // 16
    uops = b"".join((i << 11 | i << 22).to_bytes(4, "little") for i in range(inners))
    places = {"uop": 0x1000, "inp": 0x10000, "wgt": 0x40000, "acc": 0x80000, "out": 0xC0000}
    data = {"uop": uops, "inp": left.tobytes(), "wgt": blocks.tobytes(), "acc": bytes(4 * rows * outer)}
    counts = {"uop": inners, "acc": rows * outers, "wgt": inners * outers, "inp": rows * inners}
    kinds = {"uop": 0, "wgt": 1, "inp": 2, "acc": 3}
    words = [
        kinds[name] << 7 | places[name] // BYTES[name] << 26 | 1 << 64 | count << 80 | count << 96
        for name, count in counts.items()
    ]
    words[-1] |= 1 << 6  # the inputs, which are loaded last, tell the module that multiplies
    loops = inners << 21 | rows << 35 | outers << 49
    steps = outers << 64 | 1 << 75 | inners << 86 | inners << 118
    out = 4 << 7 | places["out"] // 16 << 26 | 1 << 64 | rows * outers << 80 | rows * outers << 96
    words += [2 | 1 << 3 | 1 << 6 | loops | steps, 1 | 1 << 3 | 1 << 5 | out, 3 | 1 << 4]
    expected = (left.astype(np.int32) @ right.astype(np.int32).T).astype(np.int8).tobytes()
    commands = [one for name, content in data.items() for one in writes(places[name], content)]
    base = DRAM + places["out"]
    reads = tuple((base + i, int.from_bytes(expected[i : i + 16], "little")) for i in range(0, len(expected), 16))
    stream = CommandStream((*commands, *started(words), *(HostCommand("R", address) for address, _ in reads)), reads)
    return stream, products_of(words)

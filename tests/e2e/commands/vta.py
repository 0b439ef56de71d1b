"""Programs of VTA as streams of commands."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from covenant.commands import CommandStream, HostCommand

PROGRAMS: list[dict[str, Any]] = json.loads(
    gzip.decompress((Path(__file__).parent / "vta_programs.json.gz").read_bytes())
)
BYTES = {"inp": 16, "wgt": 256, "acc": 64, "uop": 4}
"""Of an element of each memory."""
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
    """A program of the functional simulator with what it stores."""
    commands: list[HostCommand] = []
    for name, size in BYTES.items():
        commands += writes(program["bases"][name] * size, bytes.fromhex(program[name]))
    commands += started([int(word, 16) for word in program["instructions"]])
    stored, base = bytes.fromhex(program["out"]), DRAM + 16 * program["bases"]["out"]
    reads = tuple((base + i, int.from_bytes(stored[i : i + 16], "little")) for i in range(0, len(stored), 16))
    return CommandStream((*commands, *(HostCommand("R", address) for address, _ in reads)), reads)

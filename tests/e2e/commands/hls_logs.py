"""Logs of VTA's co-simulation: memories, micro-operations, words, and what is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from vta import DRAM, started, writes

from covenant.commands import CommandStream, HostCommand

LINE = re.compile(
    r"\s*(?:GEMM )?(?P<name>\w+?)(?: No\.(?P<number>\d+)\s+info|\[(?P<index>\d+)\]): (?P<value>[0-9a-f]+)\s*"
)
BASES = {"uop": (0x10, 0x1000), "input_buffer": (0x14, 0x2000), "weight_buffer": (0x18, 0x4000),
         "bias_buf": (0x1C, 0x8000), "output_buf": (0x20, 0xC000)}  # fmt: skip
"""The register that holds where a memory begins, and where we put it."""
SIZES = {"uop": 4, "input_buffer": 1, "weight_buffer": 1, "bias_buf": 4, "output_buf": 1}
"""Bytes of an element; logs show some of them with more digits."""


def values_of(path: Path) -> dict[str, list[int]]:
    """Values of each memory by their places, and `instr`, the words."""
    values: dict[str, dict[int, int]] = {}
    for line in path.read_text().splitlines():
        found = LINE.fullmatch(line)
        if found:
            at = int(found["number"] or found["index"])
            values.setdefault(found["name"], {})[at] = int(found["value"], 16)
    return {name: [said[at] for at in range(len(said))] for name, said in values.items()}


def stream_of_log(path: Path) -> CommandStream:
    """A log as a stream of commands, with what is stored as its reads."""
    values = values_of(path)
    packed = {
        name: b"".join((value % 256**size).to_bytes(size, "little") for value in values[name])
        for name, size in SIZES.items()
    }

    def commands() -> Iterator[HostCommand]:
        for name, (register, base) in BASES.items():
            yield HostCommand("W", register, base)
            if name != "output_buf":
                yield from writes(base, packed[name])
        yield from started(values["instr"])

    stored, base = packed["output_buf"], DRAM + BASES["output_buf"][1]
    reads = tuple((base + i, int.from_bytes(stored[i : i + 16], "little")) for i in range(0, len(stored), 16))
    return CommandStream((*commands(), *(HostCommand("R", address) for address, _ in reads)), reads)

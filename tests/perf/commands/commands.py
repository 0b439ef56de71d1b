"""Replays every set of command vectors: bytes and cycles beside what is expected, and how fast that is.

./dev bench commands              # replays, and prints the table
./dev bench commands --write      # into docs/reference/benchmarks.md

The exit code is 1 if a byte or a cycle differs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import hlscnn
import numpy as np
import vta
from marks import write_between

from covenant import CommandDevice, CommandStream, replay

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "tests/e2e/commands"
PAGE = ROOT / "docs/reference/benchmarks.md"
BEGIN = "<!-- ./dev bench commands --write -->"
DRAWN_LAYERS = 200
MILLION = 1e6


@dataclass(frozen=True)
class Vector:
    """A stream with what is expected of it."""

    stream: CommandStream
    settings: dict[str, int | str] = field(default_factory=dict)
    cycles: tuple[int, ...] | None = None
    """Cycles of each wait, where a witness gives them."""
    macs: int = 0
    engine: str = "native"


class TimedDevice(CommandDevice):
    """A machine that counts the seconds in which it works: those until it asks for its host."""

    __slots__ = ("seconds",)

    def __init__(self, spec: str, engine: str, **settings: int | str) -> None:
        super().__init__(spec, engine=engine, **settings)
        self.seconds = 0.0

    def wait(self, *most_cycles: int) -> None:
        """Runs until the machine asks for its host."""
        begin = time.perf_counter()
        super().wait(*most_cycles)
        self.seconds += time.perf_counter() - begin


def flexasr_streams() -> Iterator[Vector]:
    """Streams of FlexASR, with bytes and cycles of its SystemC."""
    for path in sorted(VECTORS.glob("flexasr*/*.json.gz")):
        cycles = json.loads(gzip.decompress(path.read_bytes()))["cycles_start_to_interrupt"]
        yield Vector(CommandStream.load(path), cycles=tuple(cycles))


def hlscnn_layers() -> Iterator[Vector]:
    """Drawn layers of HLSCNN, with the values of numpy."""
    draw = np.random.default_rng(1)
    for _ in range(DRAWN_LAYERS):
        yield replace(_hlscnn(hlscnn.drawn_layer(draw)), engine="evaluator")  # nearly each is another machine


def hlscnn_large() -> Iterator[Vector]:
    """A layer of 32 filters of 3 x 3 on 32 channels of 16 x 16."""
    draw = np.random.default_rng(1)
    acts, weights = draw.integers(-2000, 2000, (32, 16, 16)), draw.integers(-3000, 3000, (32, 32, 3, 3))
    yield _hlscnn(hlscnn.Layer(hlscnn.Formats(), acts, weights, (1, 1), bias=700, relu=True))


def _hlscnn(layer: hlscnn.Layer) -> Vector:
    # The trigger takes a cycle more than the convolution: its start goes through a queue.
    return Vector(hlscnn.stream_of(layer), layer.formats.settings(), (layer.cycles + 1,), layer.macs)


def vta_programs() -> Iterator[Vector]:
    """Programs of VTA, with the bytes of its functional simulator."""
    for program in vta.PROGRAMS:
        words = [int(word, 16) for word in program["instructions"]]
        yield Vector(vta.stream_of(program), macs=vta.products_of(words))


def vta_drawn() -> Iterator[Vector]:
    """Programs of VTA that compilers do not write, some for other sizes, with the bytes of its functional simulator."""
    for program in vta.DRAWN:
        yield Vector(vta.stream_of(program), program["settings"])


def vta_large() -> Iterator[Vector]:
    """A product of 64 x 256 by 256 x 256 on VTA, with the values of numpy."""
    stream, macs = vta.product_stream(64, 256, 256, seed=1)
    yield Vector(stream, macs=macs)


SETS: dict[str, tuple[str, Callable[[], Iterator[Vector]], str]] = {
    "flexasr_systemc": ("flexasr", flexasr_streams, "its authors' SystemC"),
    "hlscnn_drawn": ("hlscnn", hlscnn_layers, "numpy"),
    "hlscnn_large": ("hlscnn", hlscnn_large, "numpy"),
    "vta_fsim": ("vta", vta_programs, "its functional simulator"),
    "vta_drawn": ("vta", vta_drawn, "its functional simulator"),
    "vta_large": ("vta", vta_large, "numpy"),
}
"""Machine, vectors, and whose values are expected, of each set."""


def measured(name: str) -> dict[str, Any]:
    """The row of a set."""
    machine, vectors, witness = SETS[name]
    row: dict[str, Any] = dict.fromkeys(("streams", "commands", "bytes", "differ", "cycles"), 0)
    expected: list[int] | None = []
    macs, working, seconds = 0, 0.0, 0.0
    for vector in vectors():
        device = TimedDevice(machine, vector.engine, **vector.settings)
        done = replay(vector.stream, device)
        row["streams"] += 1
        row["commands"] += done.commands
        row["bytes"] += done.bytes_compared
        row["differ"] += done.differing
        row["cycles"] += sum(done.waited)
        expected = None if vector.cycles is None or expected is None else [*expected, sum(vector.cycles)]
        macs += vector.macs
        working += device.seconds
        seconds += done.seconds
    return {"set": name, "machine": machine, "witness": witness} | row | {
        "cycles_expected": None if expected is None else sum(expected),
        "seconds": seconds,
        "seconds_working": working,
        "macs": macs or None,
        "macs_per_second": macs / working if macs else None,
    }  # fmt: skip


def is_right(row: dict[str, Any]) -> bool:
    """Whether all bytes and cycles are those that are expected."""
    return row["bytes"] > 0 and row["differ"] == 0 and row["cycles_expected"] in (None, row["cycles"])


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Table in Markdown."""
    lines = [
        "| set | machine | beside | streams | commands | bytes | differ | cycles | expected | seconds | working | "
        "M MAC/s |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        expected = "" if row["cycles_expected"] is None else f"{row['cycles_expected']:,}"
        speed = f"{row['macs_per_second'] / MILLION:,.1f}" if row["macs"] else ""
        lines.append(
            f"| {row['set']} | {row['machine']} | {row['witness']} | {row['streams']:,} | {row['commands']:,} | "
            f"{row['bytes']:,} | {row['differ']:,} | {row['cycles']:,} | {expected} | {row['seconds']:.2f} | "
            f"{row['seconds_working']:.2f} | {speed} |"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Replays and shows."""
    parser = argparse.ArgumentParser(
        prog="./dev bench commands", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", action="append", choices=SETS, help="only this one; repeatable")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    rows = [measured(name) for name in arguments.set or SETS]
    if arguments.write:
        write_between(PAGE, {BEGIN: table(rows)})
    print(json.dumps(rows, indent=1) if arguments.json else table(rows))
    return 0 if all(map(is_right, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())

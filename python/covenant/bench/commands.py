"""Sets of command vectors, replayed: bytes and cycles beside what is expected of them, and how fast that is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from covenant.commands import CommandDevice, CommandStream, ReplayError, replay
from covenant.progress import Progress, told

_MILLION = 1e6


@dataclass(frozen=True)
class Vector:
    """A stream with what is expected of it."""

    stream: CommandStream
    settings: Mapping[str, int | str] = field(default_factory=dict)
    cycles: tuple[int, ...] | None = None
    """Cycles of each wait, where a witness gives them."""
    macs: int = 0
    """Multiply-accumulates, where they are known."""
    engine: str = "native"
    name: str = ""


@dataclass(frozen=True)
class VectorSet:
    """Vectors of a machine."""

    name: str
    machine: str
    """Its name, or the path of its text."""
    witness: str
    """Whose values are expected."""
    vectors: Callable[[], Iterable[Vector]]
    missing: str = ""
    """What its vectors need and is not here: the set is left out."""


@dataclass(frozen=True)
class Driven:
    """A machine as the user wants it to run the vectors."""

    spec: str
    settings: Mapping[str, int | str] = field(default_factory=dict)
    """Those that go before the settings of vectors."""
    engine: str | None = None
    """None: what each vector says."""


class _TimedDevice(CommandDevice):
    """A machine that counts the seconds in which it works: those until it asks for its host."""

    seconds = 0.0

    def wait(self, *most_cycles: int) -> None:
        """Runs until the machine asks for its host."""
        begin = time.perf_counter()
        super().wait(*most_cycles)
        self.seconds += time.perf_counter() - begin


def measured(one: VectorSet, driven: Driven | None = None, progress: Progress | None = None) -> dict[str, Any]:
    """The row of a set: what `covenant bench commands --json` prints of it.

    Args:
        one: the set.
        driven: what runs its vectors; the set's own machine if it is left out.
        progress: told of each vector.

    Raises:
        CovenantError: the machine cannot be opened, or does not take a command: BEH0030 to BEH0037.
    """
    driven = driven or Driven(one.machine)
    row: dict[str, Any] = dict.fromkeys(("streams", "commands", "bytes", "differ", "cycles"), 0)
    expected: list[int] | None = []
    macs, working, seconds = 0, 0.0, 0.0
    for number, vector in enumerate(told(list(one.vectors()), one.name, progress), 1):
        settings = {**vector.settings, **driven.settings}
        device = _TimedDevice.of(driven.spec, settings, driven.engine or vector.engine)
        try:
            done = replay(vector.stream, device)
        except ReplayError as error:
            where = f"{one.name}, stream {vector.name or number}, {error.diagnostic.subject}"
            raise ReplayError(replace(error.diagnostic, subject=where), error.done) from None
        row["streams"] += 1
        row["commands"] += done.commands
        row["bytes"] += done.bytes_compared
        row["differ"] += done.differing
        row["cycles"] += sum(done.waited)
        expected = None if vector.cycles is None or expected is None else [*expected, sum(vector.cycles)]
        macs += vector.macs
        working += device.seconds
        seconds += done.seconds
    return {"set": one.name, "machine": one.machine, "witness": one.witness} | row | {
        "cycles_expected": None if expected is None else sum(expected),
        "seconds": seconds,
        "seconds_working": working,
        "cycles_per_second": row["cycles"] / working if working else None,
        "macs": macs or None,
        "macs_per_second": macs / working if macs and working else None,
    }  # fmt: skip


def is_right(row: Mapping[str, Any]) -> bool:
    """Whether something is compared, and all bytes and cycles of a row are those that are expected."""
    return row["bytes"] > 0 and row["differ"] == 0 and row["cycles_expected"] in (None, row["cycles"])


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Table of rows in Markdown."""
    lines = [
        "| set | machine | beside | streams | commands | bytes | differ | cycles | expected | seconds | working | "
        "M MAC/s |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        expected = "" if row["cycles_expected"] is None else f"{row['cycles_expected']:,}"
        speed = f"{row['macs_per_second'] / _MILLION:,.1f}" if row["macs_per_second"] else ""
        lines.append(
            f"| {row['set']} | {row['machine']} | {row['witness']} | {row['streams']:,} | {row['commands']:,} | "
            f"{row['bytes']:,} | {row['differ']:,} | {row['cycles']:,} | {expected} | {row['seconds']:.2f} | "
            f"{row['seconds_working']:.2f} | {speed} |"
        )
    return "\n".join(lines)

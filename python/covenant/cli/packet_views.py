"""Options about packets: which are counted, and which a trace has."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from covenant.cli.arguments import mistake
from covenant.cli.written import WrittenPath

TRACED_PACKETS = 10_000
"""Packets of a trace, unless others are asked for: as many as a viewer opens at once."""


def add_profile(parser: argparse.ArgumentParser) -> None:
    """The options that ask a run for what its packets have cost."""
    parser.add_argument("--profile", action="store_true", help="say what each packet has cost")
    parser.add_argument(
        "--save-profile", type=WrittenPath, metavar="FILE", help="write that, for `disasm` and `compile --emit asm`"
    )
    parser.add_argument(
        "--trace-packets", metavar="FIRST:LAST", type=_range,
        help=f"packets that the trace has, counted from 0 (default: the first {TRACED_PACKETS:,})",
    )  # fmt: skip


@dataclass(frozen=True)
class PacketViews:
    """Request for profiles and listings of a run's packets."""

    profile: bool
    save_profile: str | None
    trace: str | None
    trace_packets: tuple[int, int] | None

    @property
    def is_profiled(self) -> bool:
        """Whether packets are to be counted."""
        return bool(self.profile or self.save_profile)

    @property
    def traced(self) -> tuple[int, int]:
        """First and last packet of the trace."""
        return self.trace_packets or (0, TRACED_PACKETS - 1)


def packet_views(arguments: argparse.Namespace) -> PacketViews:
    """Values of the options of `add_profile`, and of `--trace`."""
    return PacketViews(arguments.profile, arguments.save_profile, arguments.trace, arguments.trace_packets)


def check_traced(views: PacketViews) -> None:
    """Raises CLI0008 for packets of no trace."""
    if views.trace_packets and not views.trace:
        raise mistake("no trace is written", "add --trace FILE, or leave out --trace-packets")


def _range(text: str) -> tuple[int, int]:
    first, _, last = text.partition(":")
    range_ = int(first), int(last)
    if not 0 <= range_[0] <= range_[1]:
        raise argparse.ArgumentTypeError("the first packet comes before the last")
    return range_

"""Costs of packets in a run, as a value and as a file."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from typing import Any

from covenant.documents import from_json
from covenant.errors import CovenantError, Diagnostic
from covenant.files import read_whole, write_whole

_OF_SHARING = ("turn", "vector_units")
STALLS = ("registers", "queue", "branches", "vector_registers", "vector_loads", *_OF_SHARING)
"""Why packets wait: docs/reference/units/vliw_core.md. The last two are of contexts that run beside others."""

ALL_PACKETS = (0, 2**64 - 1)
"""First and last of any run."""

_KEYS = ("machine", "packets", "cycles", "profile")


@dataclass(frozen=True)
class PacketProfile:
    """Cost of one packet in all of its executions."""

    address: int
    text: str
    """Text of the packet, as in a listing: `{ v2 = vxor(v1,v3); vmem(r1++#2) = v2.new }`."""
    executed: int
    """Number of executions."""
    waited: int
    """Cycles that it has held up those after it, for whatever cause; 0 of a run without cycles."""
    cycles: int
    """Cycles from where it could issue to where the next packet could, waits included; 0 for a run without cycles."""
    stalls: dict[str, int]
    """`waited` by cause, one of STALLS each: `registers`, `queue`, `branches` and `turn` are part of `cycles`, the
    others of the vector side's."""


@dataclass(frozen=True)
class RunProfile:
    """All packets of one run."""

    file: str
    """The program or executable."""
    machine: str
    packets: int
    """Packets that were executed."""
    cycles: int
    """Cycles of the machine's clock."""
    profile: tuple[PacketProfile, ...] = field(repr=False)
    """Packets that were executed, by address."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in its file."""
        return asdict(self) | {"profile": [asdict(packet) for packet in self.profile]}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as JSON.

        Raises:
            CovenantError: CLI0006, the place cannot be written.
        """
        write_whole(path, json.dumps(self.to_dict(), indent=1) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RunProfile:
        """Reads what `save` wrote, or what `covenant run --profile --json` printed.

        Raises:
            CovenantError: CLI0009, the file cannot be read; CLI0020, it is no such profile.
        """
        try:
            content = from_json(read_whole(path))
            machine, packets, cycles, profile = (content[key] for key in _KEYS)
            name = content.get("file") or content["model"]
            packets, cycles = _count(packets), _count(cycles)
            return cls(str(name), str(machine), packets, cycles, tuple(_packet(one) for one in profile))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CovenantError(
                Diagnostic(
                    "CLI0020", "this file is no profile of a run", os.fspath(path), offending=_reason(error),
                    allowed=_KEYS, fix="write one: covenant run MODEL -m hvx --save-profile FILE",
                )
            ) from error  # fmt: skip


def _packet(content: dict[str, Any]) -> PacketProfile:
    address, executed, waited, cycles = (_count(content[key]) for key in ("address", "executed", "waited", "cycles"))
    known = dict.fromkeys(_OF_SHARING, 0) | content["stalls"]  # a file may be older than these
    stalls = {cause: _count(known[cause]) for cause in STALLS}
    return PacketProfile(address, str(content["text"]), executed, waited, cycles, stalls)


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        message = f"{value!r} is no count"
        raise TypeError(message)
    return value


def _reason(error: Exception) -> str:
    return f"no {error}" if isinstance(error, KeyError) else str(error)

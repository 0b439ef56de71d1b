"""Record of what a machine that commands drive has done: how often, over which numbers, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covenant import _core


@dataclass(frozen=True)
class Executed:
    """An instruction that was executed."""

    name: str
    count: int
    cycles: int
    """Cycles of its steps."""


@dataclass(frozen=True)
class Spread:
    """Numbers that a state or a function has had."""

    name: str
    type: str
    count: int
    low: int
    high: int
    remarkable: int
    """Writes of a state that were an end of its type other than 0; results of a function that were 0 though its first
    argument was not: numbers flushed to zero."""


@dataclass(frozen=True)
class Saturation:
    """A `saturate` of the machine's text."""

    place: str
    """File, line and column."""
    count: int
    changed: int
    """How often the number did not fit."""


@dataclass(frozen=True)
class CommandRecord:
    """Counts and ranges since the device was opened, in the order of the machine's text, and a trace."""

    instructions: tuple[Executed, ...]
    states: tuple[Spread, ...]
    functions: tuple[Spread, ...]
    saturations: tuple[Saturation, ...]
    trace_json: str
    """A trace for ui.perfetto.dev, a cycle as a microsecond: the host's commands and each process have a track."""
    spans_left_out: int
    """Spans that the trace does not show, for it would be too long."""

    def to_dict(self) -> dict[str, Any]:
        """Counts and ranges, without the trace."""
        return {
            "instructions": [vars(one) for one in self.instructions],
            "states": [vars(one) for one in self.states],
            "functions": [vars(one) for one in self.functions],
            "saturations": [vars(one) for one in self.saturations],
        }


def record_of(core: _core.CommandMachine) -> CommandRecord:
    """The record that a machine has kept."""
    counts = core.counts()
    return CommandRecord(
        instructions=tuple(Executed(*one) for one in counts["instructions"]),
        states=tuple(Spread(*one) for one in counts["states"]),
        functions=tuple(Spread(*one) for one in counts["functions"]),
        saturations=tuple(
            Saturation(f"{file}:{line}:{column}", count, changed)
            for file, line, column, count, changed in counts["saturations"]
        ),
        trace_json=core.trace(),
        spans_left_out=counts["spans_left_out"],
    )

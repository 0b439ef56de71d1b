"""First difference between the RTL and the SystemC model, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class RecordBeside:
    """A retire record of one side beside a difference; the fields are those of acg/isa/retire_record.h."""

    sequence: int
    word_index: int
    issue: int
    first_port: int
    last_port: int
    retire: int
    stall: int
    digest: int
    instruction: str


@dataclass(frozen=True)
class Difference:
    """Place at which the RTL and the SystemC model first differ."""

    kind: str
    """record: fields of a command; missing: a command that one side never retires; memory: a byte of off-chip memory
    after the run; end: the cycle in which the run ends."""
    engine: str
    instruction: str
    """Disassembled."""
    layer: str
    block: int
    word_index: int
    """Within the words of the engine in this block."""
    cycle: int
    """First cycle that the two do not share."""
    fields: tuple[dict[str, str], ...]
    """`name`, and the values of both sides as text (`systemc`, `rtl`); the first is the cause of the others."""
    around_systemc: tuple[RecordBeside, ...]
    """Records of the same engine before and after."""
    around_rtl: tuple[RecordBeside, ...]
    text: str = field(repr=False)
    """All of it for people, several lines."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in the JSON of the command line."""
        return {
            "kind": self.kind,
            "engine": self.engine,
            "instruction": self.instruction,
            "layer": self.layer,
            "block": self.block,
            "word_index": self.word_index,
            "cycle": self.cycle,
            "fields": list(self.fields),
            "around_systemc": [dict(vars(record)) for record in self.around_systemc],
            "around_rtl": [dict(vars(record)) for record in self.around_rtl],
        }


def difference_of(raw: dict[str, Any] | None) -> Difference | None:
    """The difference that the core describes, if there is one."""
    if raw is None:
        return None
    around = {side: tuple(RecordBeside(**record) for record in raw[side]) for side in ("around_systemc", "around_rtl")}
    return Difference(**(raw | around | {"fields": tuple(raw["fields"])}))

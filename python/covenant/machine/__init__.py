"""Machines: Architecture Covenant Graphs with their parameters resolved, models of memories beside them, pictures."""

from covenant.machine.machine import (
    WORD_BITS,
    Machine,
    Requant,
    as_machine,
    buffer_bits,
    machines,
    scratchpad_bits,
    settings_of,
)

__all__ = [
    "WORD_BITS", "Machine", "Requant", "as_machine", "buffer_bits", "machines", "scratchpad_bits", "settings_of",
]  # fmt: skip

"""Facts of a run that its report and its JSON both state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from covenant.machine.memory_models import memory_model
from covenant.program import Program
from covenant.runtime.result import Result

__all__ = ["host_facts", "memory_facts"]


def host_facts(program: Program, results: Sequence[Result]) -> dict[str, Any] | None:
    """Work of the host before the machine and after it."""
    before, after = (list(part.operators) if part else [] for part in (program.start, program.end))
    if not before and not after:
        return None
    return {
        "operators": before + after, "before": before, "after": after,
        "seconds": sum(result.host_seconds for result in results),
    }  # fmt: skip


def memory_facts(stats: dict[str, Any]) -> dict[str, Any] | None:
    """Statistics of off-chip memories, with the most that they could have moved; None with a fixed latency."""
    memory = stats.get("memory")
    model = memory_model(memory["model"]) if memory else None
    if memory is None or model is None:
        return None
    return memory | {"peak_bytes_per_second": len(memory["each"]) * model.peak_bytes_per_second}

"""One network on one machine, in a process of its own: `python measure_network.py MACHINE MODEL` prints JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import covenant
from covenant.cost import measured
from covenant.inputs import random_feeds
from covenant.machine import Machine
from covenant.simulate import run


def measure(spec: str, model: Path) -> dict[str, object]:
    """Compiles, then counts cycles without values."""
    machine = Machine(spec)
    program, cost = measured(lambda: covenant.compile(model, machine))
    (feed,) = random_feeds(program, images=1, seed=0)
    return {
        "network": model.stem,
        "cycles": run(program, feed, values=False).cycles,
        "seconds": cost.seconds,
        "processor_seconds": cost.processor_seconds,
        "peak_bytes": cost.peak_memory_bytes,
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))

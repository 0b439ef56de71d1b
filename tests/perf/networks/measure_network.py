"""One network on one machine, in a process of its own: `python measure_network.py MACHINE MODEL` prints JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import covenant
from covenant.cost import measured
from covenant.inputs import random_feeds
from covenant.machine import Machine
from covenant.oracle import Oracle, Style, session
from covenant.probe import probe
from covenant.simulate import run

TURNS = 3


def fastest(call: Callable[[], object]) -> float:
    """Seconds of the fastest of some turns."""
    seconds = []
    for _ in range(TURNS):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def measure(spec: str, model: Path) -> dict[str, object]:
    """Compiles, counts cycles, compares with ONNX Runtime, and times the simulation beside its inference."""
    machine = Machine(spec)
    program, cost = measured(lambda: covenant.compile(model, machine))
    (feed,) = random_feeds(program, images=1, seed=0)
    result = covenant.run(program, feed)
    oracle = Oracle(model)
    expected = oracle.run(feed)
    equal = all(result.outputs[name].tobytes() == array.tobytes() for name, array in expected.items())
    theirs = session(model.read_bytes(), Style.FLOAT)  # its own defaults, one thread
    simulated = fastest(lambda: run(program, feed))
    return {
        "network": model.stem,
        "cycles": result.cycles,
        "seconds": cost.seconds,
        "processor_seconds": cost.processor_seconds,
        "peak_bytes": cost.peak_memory_bytes,
        "identical": equal if probe().of(oracle.kernels).exact else None,
        "simulate_seconds": simulated,
        "ratio_to_onnxruntime": simulated / fastest(lambda: theirs.run(None, feed)),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))

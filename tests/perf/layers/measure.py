"""Benchmark layers on one machine, each in a process of its own: `python measure.py MACHINE LAYER...` prints JSON."""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from functools import partial
from pathlib import Path

from covenant import _core
from covenant.benchmark import bound_of, compile_layer
from covenant.inputs import random_feeds
from covenant.machine import Machine
from covenant.simulate import run


def peak_bytes() -> int:
    """Memory that this process has held at most, its interpreter included."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (peak,) = [line for line in lines if line.startswith("VmHWM:")]
    return int(peak.split()[1]) * 1024


def measure(spec: str, layer: str) -> dict[str, object]:
    """Compiles (search and code), then counts cycles without values."""
    machine = Machine(spec)
    start = time.process_time()  # of the processor, which others use as well
    program = compile_layer(layer, machine)
    seconds = time.process_time() - start
    peak = peak_bytes()
    (feed,) = random_feeds(program, images=1, seed=0)
    bound = bound_of(layer, program)
    cycles = run(program, feed, values=False).cycles
    return {
        "layer": layer,
        "cycles": cycles,
        "bound": bound.cycles,
        "ratio": cycles / bound.cycles,
        "limited_by": bound.limited_by,
        "compile_seconds": seconds,
        "peak_bytes": peak,
        "searches": searches(layer, machine),
    }


def searches(layer: str, machine: Machine) -> list[dict[str, object]]:
    """Of each way to do the layer: how many tilings were looked at, and why that ended."""
    found = _core.explain_benchmark(layer, machine._core)["alternatives"]
    return [{"candidates": way["candidates"], "stop": way["stop"]} for way in found if way["possible"]]


if __name__ == "__main__":
    machine, *layers = sys.argv[1:]
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        print(json.dumps(pool.map(partial(measure, machine), layers, chunksize=1)))

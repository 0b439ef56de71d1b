"""Measures layers and models on one machine, each in its own process: `measure_layers.py MACHINE NAME...` prints JSON.

A row for each name, of a benchmark layer or of a model with layers that may be fused (`shortcut_models.MODELS`).
Seconds of compiling are the processor's, which others use as well.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import tempfile
from functools import partial
from pathlib import Path

from counted_cycles import cycles_of_program
from shortcut_models import MODELS

import covenant
from covenant import _core
from covenant.bench.cost import measured
from covenant.bench.layers import bound_of, compile_layer
from covenant.machine import Machine


def measure_layer(spec: str, layer: str) -> dict[str, object]:
    """Compiles (search and code), then counts cycles."""
    machine = Machine(spec)
    program, cost = measured(lambda: compile_layer(layer, machine))
    bound = bound_of(layer, program)
    cycles = cycles_of_program(program)
    return {
        "layer": layer,
        "cycles": cycles,
        "bound": bound.cycles,
        "ratio": cycles / bound.cycles,
        "limited_by": bound.limited_by,
        "compile_seconds": cost.processor_seconds,
        "peak_bytes": cost.peak_memory_bytes,
        "searches": searches(layer, machine),
    }


def searches(layer: str, machine: Machine) -> list[dict[str, object]]:
    """How many tilings each way to do the layer has looked at, and why its search ended."""
    found = _core.explain_benchmark(layer, machine._core)["alternatives"]
    return [{"candidates": way["candidates"], "stop": way["stop"]} for way in found if way["possible"]]


def measure_pair(spec: str, model: str) -> dict[str, object]:
    """Compiles as ever and without fusion, then counts cycles of both."""
    machine = Machine(spec)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        MODELS[model](path)
        program, cost = measured(lambda: covenant.compile(path, machine))
        apart, cost_apart = measured(lambda: covenant.compile(path, machine, fusion=False))
    return {
        "model": model,
        "fused": ["+".join(block.fused) for block in program.blocks if block.fused],
        "cycles": cycles_of_program(program),
        "cycles_apart": cycles_of_program(apart),
        "compile_seconds": cost.processor_seconds,
        "compile_seconds_apart": cost_apart.processor_seconds,
        "peak_bytes": cost.peak_memory_bytes,
    }


def measure(spec: str, name: str) -> dict[str, object]:
    return measure_pair(spec, name) if name in MODELS else measure_layer(spec, name)


if __name__ == "__main__":
    machine, *names = sys.argv[1:]
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        print(json.dumps(pool.map(partial(measure, machine), names, chunksize=1)))

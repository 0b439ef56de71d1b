"""Cycles of known layers on machines: the built-in table, DeepBench, and models with layers that may be fused."""

from __future__ import annotations

import csv
import multiprocessing
import os
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from shortcut_models import MODELS

import covenant
from covenant.bench.deepbench.layers import layers as deepbench_layers
from covenant.bench.deepbench.layers import model_of
from covenant.bench.layers import benchmark_layers, compile_layer
from covenant.program import Program
from covenant.program.inputs import random_feeds
from covenant.runtime.simulate import run

FEWEST = Path(__file__).resolve().parents[1] / "perf/cycles/fewest.csv"
MACHINES = ("dnnweaver", "genesys:03", "genesys:07", "genesys:09", "genesys:8x8", "genesys:8x24", "hvx")
DEEPBENCH = ("genesys:03", "genesys:07", "genesys:09")
"""Machines on which DeepBench is counted."""
MOST_MACS = 2 * 10**9
"""Most multiply-accumulates of its layers that are counted: larger ones take minutes and gigabytes."""


def layers_of(machine: str) -> Iterator[str]:
    """Names of all layers that are counted on a machine."""
    yield from (layer.name for layer in benchmark_layers())
    yield from MODELS
    if machine in DEEPBENCH:
        yield from (layer.name for layer in deepbench_layers() if layer.macs <= MOST_MACS)


def cycles_of(name: str, machine: str) -> int:
    """Cycles of one run of a layer or model."""
    return cycles_of_program(_program(name, machine))


def cycles_of_program(program: Program) -> int:
    """Cycles of one run, counted without values."""
    (feed,) = random_feeds(program, images=1, seed=0)
    return run(program, feed, values=False).cycles


def _program(name: str, machine: str) -> Program:
    if any(layer.name == name for layer in benchmark_layers()):
        return compile_layer(name, machine)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        if name in MODELS:
            MODELS[name](path)
        else:
            layer = next(layer for layer in deepbench_layers() if layer.name == name)
            path.write_bytes(model_of(layer).SerializeToString())
        return covenant.compile(path, machine)


def fewest() -> dict[tuple[str, str], int]:
    """Fewest cycles so far, by machine and layer."""
    with FEWEST.open(newline="") as file:
        return {(row["machine"], row["layer"]): int(row["cycles"]) for row in csv.DictReader(file)}


def counted(machine: str, names: Sequence[str]) -> dict[tuple[str, str], int]:
    """Cycles on one machine, by machine and layer, on all processors."""
    with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        cycles = pool.map(partial(cycles_of, machine=machine), names, chunksize=1)
    return {(machine, name): count for name, count in zip(names, cycles, strict=True)}

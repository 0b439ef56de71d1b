"""Packets per second on one executable: our model of the core, with cycles and without, and QEMU, which has none."""

from __future__ import annotations

import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import covenant
from covenant.bench.layers import compile_layer
from covenant.runtime.executable import ExecutableRun, run_executable

LEAST_PACKETS = 10e6
LEAST_RATIO = 1.0
RUNS = 5


def measure_packets(machine: str, layer: str, rows: int) -> dict[str, Any]:
    """One row: medians of runs that take turns, in processor time, on random bytes.

    Args:
        machine: one that issues packets.
        layer: of the benchmark table.
        rows: of its output, at most.
    """
    core = covenant.Machine(machine)
    program = compile_layer(layer, core, crop={"m": rows})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "layer.elf")
        program.save(path)
        given = path.with_suffix(".bin")  # one read of a pipe would not give all of it
        given.write_bytes(_noise(program))
        with_cycles, values, in_qemu = [], [], []
        for _ in range(RUNS):
            timed, seconds = _on_core(path, core, given, cycles=True)
            with_cycles.append(seconds)
            run, seconds = _on_core(path, core, given, cycles=False)
            values.append(seconds)
            output, seconds = _in_qemu(path, given)
            in_qemu.append(seconds)
    rates = [timed.packets / statistics.median(seconds) for seconds in (with_cycles, values, in_qemu)]
    same = timed.output == run.output == output and timed.packets == run.packets
    return {
        "machine": machine,
        "layer": layer,
        "packets": timed.packets,
        "packets_per_second": round(rates[0]),
        "packets_per_second_without_cycles": round(rates[1]),
        "qemu_packets_per_second": round(rates[2]),
        "ratio": round(rates[0] / rates[2], 2),
        "same": same,
        "good": same and rates[0] >= LEAST_PACKETS and rates[0] >= LEAST_RATIO * rates[2],
    }


def _noise(program: covenant.Program) -> bytes:
    sizes = [segment["size"] for segment in program._core.segments if segment["kind"] == "input"]
    return np.random.default_rng(1).integers(0, 256, sum(sizes), np.uint8).tobytes()


def _on_core(path: Path, core: covenant.Machine, given: Path, *, cycles: bool) -> tuple[ExecutableRun, float]:
    content = given.read_bytes()
    begin = time.process_time()
    run = run_executable(path, core, cycles=cycles, standard_input=content)
    return run, time.process_time() - begin


def _in_qemu(path: Path, given: Path) -> tuple[bytes, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with given.open("rb") as file:
        done = subprocess.run(["qemu-hexagon", "-cpu", "v67", path], stdin=file, stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

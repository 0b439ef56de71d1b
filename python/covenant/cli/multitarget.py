"""Work of `covenant bench multitarget`: measures layers on the processor and on each machine."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from covenant.bench.baseline import Baseline
from covenant.bench.layers import BenchmarkLayer, benchmark_layers, compile_layer, exact_sums
from covenant.cli.arguments import mistake
from covenant.cli.layer_choice import chosen_layers
from covenant.cli.output import Output
from covenant.machine import Machine
from covenant.machine.units import multiplier_shape, multiplying
from covenant.program.inputs import random_feeds
from covenant.report.chart import SERIES, Bars, check_chart_file, write_chart
from covenant.runtime.simulate import run


@dataclass(frozen=True)
class MultitargetRequest:
    """Layers and machines to compare, and a library on the processor."""

    machines: tuple[str, ...]
    layers: tuple[str, ...]
    """Names; () stands for all."""
    baseline: str
    threads: int
    repeats: int
    picture: str | None


def measure(request: MultitargetRequest, output: Output) -> int:
    """Times each layer on the processor and simulates it on each machine; exit code 1 if a machine's byte differs."""
    layers = chosen_layers(benchmark_layers(), request.layers)
    if request.picture:
        check_chart_file(request.picture)
    machines = {spec: Machine(spec) for spec in dict.fromkeys(request.machines)}
    if request.picture and len(machines) > len(SERIES):
        raise mistake(f"a picture has room for {len(SERIES)} machines", "leave out some of them, or the picture")
    baseline = Baseline(request.baseline, request.threads)
    rows = [
        row
        for layer in output.progress(layers, f"{len(machines)} machines and {baseline.library}")
        for row in _rows(layer, machines, baseline, request.repeats)
    ]
    means = {spec: _mean(row["speedup"] for row in rows if row["machine"] == spec) for spec in machines}
    identical = all(row["identical"] for row in rows)
    if request.picture:
        write_chart(_bars(rows, machines, means, baseline), request.picture)
    if output.json:
        output.object(
            {
                "baseline": {
                    "name": baseline.name, "library": baseline.library, "version": baseline.version,
                    "element": baseline.element, "processor": baseline.processor, "threads": baseline.threads,
                    "repeats": request.repeats,
                },
                "machines": [
                    {"machine": spec, "parameters": machine.parameters, "clock_hertz": _clock(machine),
                     "geometric_mean": means[spec]}
                    for spec, machine in machines.items()
                ],
                "rows": rows,
                "identical": identical,
                "picture": request.picture,
            }
        )  # fmt: skip
    else:
        _print(rows, means, baseline, output)
    return 0 if identical else 1


def _rows(
    layer: BenchmarkLayer, machines: dict[str, Machine], baseline: Baseline, repeats: int
) -> Iterable[dict[str, Any]]:
    programs = {spec: compile_layer(layer.name, machine) for spec, machine in machines.items()}
    (feed,) = random_feeds(next(iter(programs.values())), images=1, seed=0)
    (x,) = feed.values()
    exact = exact_sums(layer, x).tobytes()
    timing = baseline.measure(layer, x, repeats)
    for spec, program in programs.items():
        result = run(program, feed)
        (y,) = result.outputs.values()
        seconds = result.cycles / _clock(machines[spec])
        yield {
            "layer": layer.name,
            "machine": spec,
            "cycles": result.cycles,
            "seconds": seconds,
            "baseline_seconds": timing.seconds,
            "speedup": timing.seconds / seconds,
            "identical": y.tobytes() == exact,
            "baseline_identical": timing.identical,
            "baseline_copies": timing.copies,
        }


def _clock(machine: Machine) -> float:
    return float(machine.to_dict()["clock_hertz"])


def _mean(ratios: Iterable[float]) -> float:
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))


def _described(spec: str, machine: Machine) -> str:
    """Spec of a machine with the size of its array and its clock."""
    arrays = multiplying(machine.to_dict())
    sizes = "".join(f"{'×'.join(map(str, multiplier_shape(array)))}, " for array in arrays)
    return f"{spec} ({sizes}{_clock(machine) / 1e9:g} GHz)"


def _conditions(baseline: Baseline) -> str:
    threads = "1 thread" if baseline.threads == 1 else f"{baseline.threads} threads"
    return f"{baseline.library} {baseline.version}, {baseline.element}, {threads} on {baseline.processor}"


def _bars(
    rows: list[dict[str, Any]], machines: dict[str, Machine], means: dict[str, float], baseline: Baseline
) -> Bars:
    return Bars(
        title="Speedup over a processor, layer by layer",
        subtitle=f"1× = {_conditions(baseline)}   ·   machines: simulated cycles at their clock",
        unit="speedup (higher is better)",
        groups=[*dict.fromkeys(row["layer"] for row in rows), "geometric mean"],
        series={
            _described(spec, machine): [*(row["speedup"] for row in rows if row["machine"] == spec), means[spec]]
            for spec, machine in machines.items()
        },
    )


def _print(rows: list[dict[str, Any]], means: dict[str, float], baseline: Baseline, output: Output) -> None:
    by_layer = {row["layer"]: row["baseline_seconds"] * 1e6 for row in rows}
    lines = [
        [layer, seconds, *(row["speedup"] for row in rows if row["layer"] == layer)]
        for layer, seconds in by_layer.items()
    ]
    output.table("speedup over the processor", ("layer", "processor us", *means), lines)
    output.line("geometric means: " + ", ".join(f"{spec} {mean:.3g}" for spec, mean in means.items()))
    output.line(f"processor: {_conditions(baseline)}")
    wrong = [f"{row['layer']} on {row['machine']}" for row in rows if not row["identical"]]
    output.line(f"bytes differ: {', '.join(wrong)}" if wrong else "every byte of every machine equals the exact sums")
    odd = dict.fromkeys(row["layer"] for row in rows if not row["baseline_identical"])
    if odd:
        output.line(f"the processor's sums differ from the exact ones: {', '.join(odd)}")

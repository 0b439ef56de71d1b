"""`covenant bench multitarget`: several machines against this computer's processor, on layers of published networks.

Figure 13 of Kinzer et al., "Restoring the Broken Covenant Between Compilers and Deep Learning Accelerators".
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from typing import Any

from covenant.bench.baseline import Baseline
from covenant.bench.layers import BenchmarkLayer, compile_layer, exact_sums
from covenant.choices import BASELINES
from covenant.cli.arguments import add_json
from covenant.cli.output import Output
from covenant.cli.source import mistake, positive
from covenant.machine import Machine
from covenant.machine.units import multiplier_shape, multiplying
from covenant.program.inputs import random_feeds
from covenant.report.chart import SERIES, Bars, check_chart_file, write_chart
from covenant.runtime.simulate import run

EXAMPLES = """  covenant bench multitarget
  covenant bench multitarget --picture speedup.svg
  covenant bench multitarget -m dnnweaver -m genesys:07 --threads 2 --json
  covenant bench multitarget -m my.acg --layer ResNet50/CONV2 --baseline onnxruntime-f32"""

MACHINES = ("dnnweaver", "genesys:03", "genesys:07", "genesys:09", "genesys:14")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that `bench table2` does not have."""
    parser.add_argument(
        "-m", "--machine", action="append", metavar="MACHINE",
        help=f"machine, MACHINE:PRESET, or path of an .acg file; repeatable (default: {', '.join(MACHINES)})",
    )  # fmt: skip
    parser.add_argument(
        "--baseline", choices=tuple(BASELINES), default="onnxruntime",
        help="what computes the layers on the processor (default: onnxruntime, in int8)",
    )  # fmt: skip
    parser.add_argument("--threads", type=positive, default=1, metavar="N", help="of the baseline (default: 1)")
    parser.add_argument(
        "--repeats", type=positive, default=11, metavar="N",
        help="timed calls for each layer, of which the median counts (default: 11)",
    )  # fmt: skip
    parser.add_argument("--picture", metavar="FILE", help="draw the figure: .svg or .png")
    add_json(parser)


def measure(arguments: argparse.Namespace, layers: list[BenchmarkLayer], output: Output) -> int:
    """Times each layer on the processor and simulates it on each machine; exit code 1 if a machine's byte differs."""
    if arguments.picture:
        check_chart_file(arguments.picture)
    machines = {spec: Machine(spec) for spec in dict.fromkeys(arguments.machine or MACHINES)}
    if arguments.picture and len(machines) > len(SERIES):
        raise mistake(f"a picture has room for {len(SERIES)} machines", "leave out some of them, or the picture")
    baseline = Baseline(arguments.baseline, arguments.threads)
    rows = [
        row
        for layer in output.progress(layers, f"{len(machines)} machines and {baseline.library}")
        for row in _rows(layer, machines, baseline, arguments.repeats)
    ]
    means = {spec: _mean(row["speedup"] for row in rows if row["machine"] == spec) for spec in machines}
    identical = all(row["identical"] for row in rows)
    if arguments.picture:
        write_chart(_bars(rows, machines, means, baseline), arguments.picture)
    if output.json:
        output.object(
            {
                "baseline": {
                    "name": baseline.name, "library": baseline.library, "version": baseline.version,
                    "element": baseline.element, "processor": baseline.processor, "threads": baseline.threads,
                    "repeats": arguments.repeats,
                },
                "machines": [
                    {"machine": spec, "parameters": machine.parameters, "clock_hertz": _clock(machine),
                     "geometric_mean": means[spec]}
                    for spec, machine in machines.items()
                ],
                "rows": rows,
                "identical": identical,
                "picture": arguments.picture,
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

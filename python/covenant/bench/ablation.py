"""Measures what each optimisation of code for packets gains, one after the other, on layers of the benchmark table.

Figure 12 of Kinzer et al., "Restoring the Broken Covenant Between Compilers and Deep Learning Accelerators".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory

from covenant.bench.layers import BenchmarkLayer, compile_layer, cropped_layer, exact_sums
from covenant.compiler.optimisations import Optimisations
from covenant.machine import Machine
from covenant.program import Program
from covenant.program.inputs import random_feeds
from covenant.runtime.simulate import run

__all__ = ["FACTORS", "Step", "ablation_of", "crop_to"]

FACTORS = tuple(field.name for field in fields(Optimisations))
"""Optimisations in the order in which they are added: each step has those before it too."""

LOOPS = {"heads": "g", "m": "n", "output_rows": "oh"}
"""Loops of the codelets, by the size that they run over."""

MOST_MACS = 160_000_000
"""Most multiply-accumulates of a layer that is simulated whole in scalar code; of a larger layer a part is."""


@dataclass(frozen=True)
class Step:
    """One layer with the first optimisations alone."""

    cycles: int
    """Cycles of the whole layer."""
    packets: int
    """Packets of the whole layer."""
    cropped: dict[str, int]
    """Sizes to which a layer too long to simulate was cut; empty: the whole layer was simulated."""
    scale: float
    """Factor from the simulated cycles and packets to those of the layer."""
    identical: bool
    """Whether every simulated byte equals that of the exact sums."""


def ablation_of(layer: BenchmarkLayer, machine: Machine) -> dict[str, Step]:
    """Steps by name: "none", then each optimisation with all those before it.

    Raises:
        CovenantError: the machine has no such optimisations (GEN0060); and as `compile_layer`.
    """
    counts = range(len(FACTORS) + 1)
    return {("none", *FACTORS)[count]: _step(layer, machine, count) for count in counts}


def crop_to(layer: BenchmarkLayer, macs: int) -> dict[str, int]:
    """Sizes that leave about as many multiply-accumulates: fewer heads, then fewer rows; the loops within stay."""
    if layer.macs <= macs:
        return {}
    if layer.kind == "conv":
        rows = layer.sizes["output"][1]
        return {"output_rows": max(1, rows * macs // layer.macs)}
    heads, rows = layer.sizes["heads"], layer.sizes["m"]
    of_one_head = layer.macs // heads
    crop = {"heads": max(1, macs // of_one_head)} if heads > 1 else {}
    return crop if of_one_head <= macs or rows == 1 else crop | {"m": max(1, rows * macs // of_one_head)}


def _step(layer: BenchmarkLayer, machine: Machine, count: int) -> Step:
    optimisations = Optimisations(**{name: at < count for at, name in enumerate(FACTORS)})
    crop = {} if optimisations.vectorise else crop_to(layer, MOST_MACS)
    part = cropped_layer(layer.name, crop)
    program = _compiled(layer, machine, optimisations, crop)
    (feed,) = random_feeds(program, images=1, seed=0)
    result = run(program, feed)
    (x,), (y,) = feed.values(), result.outputs.values()
    scale = _outputs(layer) / _outputs(part)
    return Step(
        cycles=round(result.cycles * scale),
        packets=round((result.packets or 0) * scale),
        cropped=crop,
        scale=scale,
        identical=y.tobytes() == exact_sums(part, x).tobytes(),
    )


def _compiled(layer: BenchmarkLayer, machine: Machine, optimisations: Optimisations, crop: dict[str, int]) -> Program:
    """A part of a layer has its loops in the order of the whole one."""
    program = compile_layer(layer.name, machine, optimisations=optimisations)
    if not crop:
        return program
    gone = {LOOPS[size] for size, most in crop.items() if most == 1}
    lowering, order = re.findall(r"^  (lowering .*;|order .*;)$", program.schedule or "", re.MULTILINE)
    loops = [loop for loop in re.findall(r"\w+", order)[1:] if loop not in gone]
    with TemporaryDirectory() as folder:
        path = Path(folder, "order.schedule")
        path.write_text(f'layer "{layer.name}" {{ {lowering} order {", ".join(loops)}; }}\n')
        return compile_layer(layer.name, machine, path, optimisations=optimisations, crop=crop)


def _outputs(layer: BenchmarkLayer) -> int:
    sizes = layer.sizes
    return math.prod(sizes["output"]) if layer.kind == "conv" else sizes["heads"] * sizes["m"] * sizes["n"]

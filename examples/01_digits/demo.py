"""The digits models, quantised in both styles, on a machine: every output byte compared with what it should be.

    ./dev demo
    ./dev exec python examples/01_digits/demo.py --machine genesys:8x8 --images 10

The expected outputs come from ONNX Runtime where its kernels are exact on this processor, else from the exact reference
operators. Prints which, accuracy, how many images are equal bit for bit, where the cycles of every layer go, and how
fast the simulation is; writes a trace to be opened at https://ui.perfetto.dev. Exit code 1 if one byte differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

import covenant
from covenant import oracle
from covenant.oracle.probe import probe
from covenant.verify.comparison import Comparison, compare
from covenant.verify.expected import expected_outputs, source_here

FOLDER = Path(__file__).resolve().parent
STYLES = ("qoperator", "qdq")

Outputs = Sequence[dict[str, np.ndarray]]


@dataclass(frozen=True)
class Study:
    """One model on the machine, and as it should be."""

    comparison: Comparison
    source: str
    expected_accuracy: float
    accuracy: float
    first: covenant.Result
    """Run of the first image, with its trace."""
    cycles: int
    """Cycles of all images together."""
    seconds: float
    """Wall-clock time of all simulations."""


def accuracy(outputs: Outputs, labels: np.ndarray) -> float:
    """Share of images whose largest logit is that of the right digit."""
    guesses = [int(next(iter(output.values())).argmax()) for output in outputs]
    return float(np.mean(np.equal(guesses, labels)))


def study(style: str, machine: covenant.Machine, images: np.ndarray, labels: np.ndarray, bar: Progress) -> Study:
    """Compiles, simulates every image, and compares."""
    model = FOLDER / f"digits_{style}.onnx"
    program = covenant.compile(model, machine)
    start = time.perf_counter()
    results = [
        covenant.run(program, image[None], trace=index == 0)
        for index, image in enumerate(bar.track(images, description=f"simulating {model.name}"))
    ]
    seconds = time.perf_counter() - start
    ours = [result.outputs for result in results]
    expected = expected_outputs(model, [{"image": image[None]} for image in images], source_here(model))
    return Study(
        compare(ours, expected.outputs),
        expected.description["settings"],
        accuracy(expected.outputs, labels),
        accuracy(ours, labels),
        results[0],
        sum(result.cycles for result in results),
        seconds,
    )


def show(style: str, found: Study) -> None:
    """Prints what `tests/docs` compares with the README."""
    comparison = found.comparison
    print(f"\ndigits_{style}.onnx")
    print(f"  expected outputs: from {found.source}")
    print(f"  accuracy in int8: expected {found.expected_accuracy:.4f}, machine {found.accuracy:.4f}")
    print(f"  images equal to the expected outputs in every byte: {comparison.equal_images} of {comparison.images}")
    print(f"  {'layer':<22} {'operation':<22} {'cycles':>9} {'compute':>9} {'stalls':>9} {'utilisation':>12}")
    for layer in found.first.layers:
        print(
            f"  {layer.name:<22} {layer.operation:<22} {layer.cycles:>9,} {layer.compute:>9,} {layer.stalls:>9,} "
            f"{layer.utilisation:>11.1%}"
        )
    print(f"  total cycles of one image: {found.first.cycles:,}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the study; 1 if a byte differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--machine", default="genesys:16x16", help="default: %(default)s")
    parser.add_argument("--images", type=int, help="only the first N images (default: all)")
    parser.add_argument("--trace", type=Path, default=FOLDER.parents[1] / "build" / "digits_trace.json")
    arguments = parser.parse_args(argv)

    with np.load(FOLDER / "digits_test.npz") as split:
        images, labels = split["images"][: arguments.images], split["labels"][: arguments.images]
    machine = covenant.Machine(arguments.machine)
    floats = [oracle.run(FOLDER / "digits_float.onnx", {"image": image[None]}) for image in images]
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        found = {style: study(style, machine, images, labels, bar) for style in STYLES}

    print(f"{len(images)} test images on {arguments.machine}")
    print(f"accuracy in float: {accuracy(floats, labels):.4f}")
    for style, one in found.items():
        show(style, one)
    print(f"\nprobe: {probe().text}")
    arguments.trace.parent.mkdir(parents=True, exist_ok=True)
    found["qdq"].first.save_trace(arguments.trace)
    cycles, seconds = sum(one.cycles for one in found.values()), sum(one.seconds for one in found.values())
    print(f"\nsimulated {cycles:,} cycles in {seconds:.1f} s: {cycles / seconds:,.0f} cycles per second")
    print(f"trace: {arguments.trace} (open it at https://ui.perfetto.dev)")
    return 0 if all(one.comparison.identical for one in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Table of architectures beyond the zoo: cycles beside their bounds, and outputs beside ONNX Runtime's.

./dev bench architectures             # measures what build/architectures.json has not yet, and prints the table
./dev bench architectures --write     # into docs/reference/architectures.md

Each is in the shape of its paper, with fewer layers and smaller images, weights drawn from a seed, quantised by ONNX
Runtime itself (QDQ, i8, weights with a scale for each channel).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from math import exp, log
from pathlib import Path
from typing import Any

import classifiers
import image_makers
import numpy as np
import onnx
import token_networks
from architecture_layers import Made
from marks import write_between
from measured_networks import measured
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/architectures.md"
BEGIN = "<!-- ./dev bench architectures --write -->"
MACHINES = ("genesys:03", "genesys:07", "genesys:09")
SEED = 1
IMAGES = 4
"""Random inputs that the quantiser sees."""

ARCHITECTURES: tuple[Callable[[], Made], ...] = (
    classifiers.keyword_spotting,
    classifiers.image_classification,
    classifiers.visual_wake_words,
    classifiers.anomaly_detection,
    classifiers.inverted_residuals,
    classifiers.shuffled_units,
    classifiers.ghost_bottlenecks,
    classifiers.grouped_residuals,
    classifiers.plain_kernels,
    classifiers.mixed_patches,
    classifiers.pooled_tokens,
    image_makers.u_net,
    image_makers.super_resolution,
    image_makers.sub_pixels,
    image_makers.restoration,
    image_makers.style_transfer,
    image_makers.generator,
    image_makers.dilated_pyramid,
    image_makers.detector,
    image_makers.denoiser,
    token_networks.vision_transformer,
    token_networks.shifted_windows,
    token_networks.mobile_transformer,
    token_networks.mixed_tokens,
    token_networks.decoding_step,
    token_networks.temporal_convolutions,
    token_networks.gated_sequences,
    token_networks.points,
)


class _Inputs(CalibrationDataReader):
    """A few random inputs for the quantiser."""

    def __init__(self, model: onnx.ModelProto) -> None:
        random = np.random.default_rng(SEED)
        shapes = {one.name: [size.dim_value for size in one.type.tensor_type.shape.dim] for one in model.graph.input}
        images = [{name: random.normal(size=shape) for name, shape in shapes.items()} for _ in range(IMAGES)]
        self._rest: Iterator[dict[str, np.ndarray]] = iter(
            [{name: value.astype(np.float32) for name, value in image.items()} for image in images]
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self._rest, None)


def write(made: Callable[[], Made], path: Path) -> None:
    """The network, quantised."""
    network, outputs = made()
    model = network.model(outputs)
    with tempfile.TemporaryDirectory() as scratch:
        whole, simple = Path(scratch) / "float.onnx", Path(scratch) / "simple.onnx"
        onnx.save(model, whole)
        quant_pre_process(str(whole), str(simple), skip_symbolic_shape=True)
        quantize_static(
            simple,
            path,
            _Inputs(model),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QInt8,
            weight_type=QuantType.QInt8,
        )


def models(names: Sequence[str]) -> list[str]:
    """Paths of the chosen ones, made first where they are not there; of all if none is chosen."""
    folder = ROOT / "build/architectures"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for made in ARCHITECTURES:
        path = folder / f"{made.__name__}.onnx"
        if names and made.__name__ not in names:
            continue
        if not path.exists():
            write(made, path)
        paths.append(str(path))
    return paths


def outputs_of(rows: Sequence[dict[str, Any]]) -> str:
    """How outputs on all machines compare with ONNX Runtime's."""
    if not all(row["identical"] or row["within_a_step"] for row in rows):
        return "**no**"
    return "every byte" if all(row["identical"] for row in rows) else "each layer within a step"


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each architecture, with its cycles on each machine and these over the bound."""
    machines = list(dict.fromkeys(row["machine"] for row in rows))
    lines = [
        f"| architecture | {' | '.join(machines)} | outputs |",
        f"|---|{'---:|' * len(machines)}---|",
    ]
    for model in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == model]
        cells = [f"{row['cycles']:,} ({row['ratio']:.2f})" for row in own]
        lines.append(f"| {model} | {' | '.join(cells)} | {outputs_of(own)} |")
    means = [exp(np.mean([log(row["ratio"]) for row in rows if row["machine"] == machine])) for machine in machines]
    lines.append(f"| geometric mean over the bound | {' | '.join(f'{mean:.2f}' for mean in means)} | |")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and shows; 1 if outputs are not what they should be."""
    parser = argparse.ArgumentParser(
        prog="./dev bench architectures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", action="append", help=f"repeatable (default: {', '.join(MACHINES)})")
    parser.add_argument(
        "--architecture",
        action="append",
        choices=[made.__name__ for made in ARCHITECTURES],
        metavar="NAME",
        help="repeatable (default: all)",
    )
    parser.add_argument("--figures", type=Path, default=ROOT / "build/architectures.json", help="kept between runs")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    arguments = parser.parse_args(argv)
    code, rows = measured(models(arguments.architecture or ()), arguments.machine or MACHINES, arguments.figures)
    if code not in (0, 1):
        return code
    if arguments.write:
        write_between(PAGE, {BEGIN: "\n".join(table(rows))})
    print(json.dumps(rows, indent=1) if arguments.json else "\n".join(table(rows)))
    return code


if __name__ == "__main__":
    sys.exit(main())

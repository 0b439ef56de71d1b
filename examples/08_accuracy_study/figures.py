"""Writes the tables and the picture of docs/guide/accuracy-study.md from the results of the study.

    ./dev exec python examples/08_accuracy_study/figures.py             # from figures.csv
    ./dev exec python examples/08_accuracy_study/figures.py --measure   # computes what is missing, and figures.csv anew

`--measure` needs the data that prepare.py writes. The page is written whole or not at all.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from covenant.evaluation import wilson_interval
from covenant.files import write_whole
from covenant.study import Study, StudyRow

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/guide/accuracy-study.md"
PICTURE = PAGE.with_suffix(".svg")
KEPT = HERE / "figures.csv"
RESULTS = ROOT / "build/accuracy/study.sqlite"
STUDIES = ("study.toml", "mixed.toml")
END = "<!-- end -->"
BITS = (8, 6, 5, 4, 3)
SHARES = ("digits", "angles", "speech")
"""Networks whose accuracy is a share of the images that are right: it has an interval."""


@dataclass(frozen=True)
class Figure:
    """One network, quantised in one way; shares from 0 to 1."""

    network: str
    weight_bits: str
    """A number, or patterns of names."""
    activation_bits: str
    granularity: str
    method: str
    equalize: bool
    bias_correction: bool
    images: int
    in_float: float
    onnxruntime: float
    machine: float
    equal_images: int
    mean_layer_error: float
    largest_layer_error: float

    @property
    def lost(self) -> float:
        """Share of the float network's accuracy that the machine loses."""
        return (self.in_float - self.machine) / self.in_float

    @property
    def on_machine(self) -> str:
        """Accuracy on the machine with its interval, for people."""
        return self._shown(self.machine)

    @property
    def as_float(self) -> str:
        """The same of the float network."""
        return self._shown(self.in_float)

    def _shown(self, share: float) -> str:
        if self.network not in SHARES:
            return f"{share:.1%}"
        low, high = wilson_interval(round(share * self.images), self.images)
        return f"{share:.1%} [{100 * low:.0f}, {100 * high:.0f}]"

    @property
    def cell(self) -> str:
        """Accuracy on the machine, and the mean error of a layer in brackets."""
        return f"{self.on_machine} ({self.mean_layer_error:.1%})"

    @property
    def way(self) -> str:
        """Description of the quantisation, for people."""
        words = [f"weights {self.weight_bits}", f"activations {self.activation_bits}", f"a {self.granularity}"]
        words += [self.method] if self.method != "minmax" else []
        words += ["equalised"] if self.equalize else []
        words += ["biases corrected"] if self.bias_correction else []
        return ", ".join(words)


def figure_of(row: StudyRow) -> Figure:
    """The figure of a study row that is done."""
    ways = {name: row.numerics[name] for name in Figure.__dataclass_fields__ if name in row.numerics}
    ways |= {name: str(row.numerics[name]) for name in ("weight_bits", "activation_bits")}
    return Figure(
        network=row.model, **ways, images=row.images or 0, in_float=row.float_accuracy or 0,
        onnxruntime=row.onnxruntime_accuracy or 0, machine=row.accuracy or 0, equal_images=row.equal_images or 0,
        mean_layer_error=row.mean_layer_error or 0, largest_layer_error=row.largest_layer_error or 0,
    )  # fmt: skip


def kept() -> list[Figure]:
    """Figures read from figures.csv."""
    kinds = {"int": int, "float": float, "bool": lambda text: text == "True", "str": str}
    with KEPT.open(encoding="utf-8") as file:
        return [
            Figure(**{one.name: kinds[str(one.type)](row[one.name]) for one in fields(Figure)})
            for row in csv.DictReader(file)
        ]


def text_of(figures: Sequence[Figure]) -> str:
    """Text of figures.csv."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [one.name for one in fields(Figure)], lineterminator="\n")
    writer.writeheader()
    for one in figures:
        writer.writerow(
            {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in asdict(one).items()}
        )
    return text.getvalue()


def chosen(figures: Sequence[Figure], **ways: object) -> list[Figure]:
    """Figures quantised in these ways; choices that are not named are the plain ones."""
    plain = {"weight_bits": 8, "activation_bits": 8, "granularity": "channel", "method": "minmax", "equalize": False,
             "bias_correction": False}  # fmt: skip
    wanted = plain | ways
    wanted |= {name: str(wanted[name]) for name in ("weight_bits", "activation_bits")}
    return [one for one in figures if all(getattr(one, name) == value for name, value in wanted.items())]


def weights_table(figures: Sequence[Figure]) -> str:
    """Table of accuracy with few bits of weights, and of how far layers are from float."""
    lines = ["| network | in float | weights | " + " | ".join(f"{bits} bits" for bits in BITS) + " |",
             "|---|---|---|" + "---|" * len(BITS)]  # fmt: skip
    for network in dict.fromkeys(one.network for one in figures):
        for granularity in ("tensor", "channel"):
            row = [
                next(iter(chosen(figures, network=network, weight_bits=bits, granularity=granularity)), None)
                for bits in BITS
            ]
            cells = " | ".join("" if one is None else one.cell for one in row)
            first = next(one for one in figures if one.network == network)
            lines.append(f"| {network} | {first.as_float} | a scale a {granularity} | {cells} |")
    return "\n".join(lines)


def remedies_table(figures: Sequence[Figure]) -> str:
    """Table of what helps weights of 4 bits."""
    ways = {
        "a tensor": {"granularity": "tensor"},
        "a tensor, equalised": {"granularity": "tensor", "equalize": True},
        "a channel": {},
        "a channel, mse": {"method": "mse"},
        "a channel, biases corrected": {"bias_correction": True},
        "a channel, mse, biases corrected": {"method": "mse", "bias_correction": True},
    }
    networks = list(dict.fromkeys(one.network for one in figures))
    lines = ["| weights of 4 bits, a scale for | " + " | ".join(networks) + " |", "|---|" + "---|" * len(networks)]
    for name, way in ways.items():
        found = [next(iter(chosen(figures, network=one, weight_bits=4, **way)), None) for one in networks]
        cells = " | ".join("" if one is None else one.cell for one in found)
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def activations_table(figures: Sequence[Figure]) -> str:
    """Table of accuracy with few bits of activations."""
    bits = (8, 6, 4)
    lines = [
        "| network | in float | " + " | ".join(f"{one} bits" for one in bits) + " |",
        "|---|---|" + "---|" * len(bits),
    ]
    for network in dict.fromkeys(one.network for one in figures):
        row = [next(iter(chosen(figures, network=network, activation_bits=one)), None) for one in bits]
        cells = " | ".join("" if one is None else one.cell for one in row)
        first = next(one for one in figures if one.network == network)
        lines.append(f"| {network} | {first.as_float} | {cells} |")
    return "\n".join(lines)


def extremes_table(figures: Sequence[Figure]) -> str:
    """The nearest to float by their layers that lose a quarter or more; the furthest from it that lose 2 % at most."""
    near = sorted((one for one in figures if one.lost > 0.25), key=lambda one: one.mean_layer_error)
    far = sorted((one for one in figures if one.lost < 0.02), key=lambda one: -one.mean_layer_error)
    lines = [
        "| network | how | mean error of a layer | largest | in float | on the machine |", "|---|---|---|---|---|---|",
        *(
            f"| {one.network} | {one.way} | {one.mean_layer_error:.1%} | {one.largest_layer_error:.1%} "
            f"| {one.as_float} | {one.on_machine} |"
            for one in [*near[:4], *far[:4]]
        ),
    ]  # fmt: skip
    return "\n".join(lines)


def ranks(figures: Sequence[Figure]) -> str:
    """How well layer errors rank what is lost: Spearman's coefficient."""

    def rank(some: Sequence[Figure]) -> float:
        return float(spearmanr([one.mean_layer_error for one in some], [one.lost for one in some]).statistic)

    networks = list(dict.fromkeys(one.network for one in figures))
    lines = ["| ways to quantise | Spearman's rank correlation of mean layer error and loss |", "|---|---|"]
    lines += [f"| of {name} | {rank([one for one in figures if one.network == name]):.2f} |" for name in networks]
    return "\n".join([*lines, f"| of all of them | {rank(figures):.2f} |"])


def summary(figures: Sequence[Figure]) -> str:
    """How much was run."""
    images, equal = sum(one.images for one in figures), sum(one.equal_images for one in figures)
    return (
        f"{len(figures)} quantised models on `genesys:09`, {images:,} runs; of {equal:,} every output byte is that of "
        "ONNX Runtime."
    )


def draw(figures: Sequence[Figure], path: Path) -> None:
    """Left: what is lost against the mean error of layers. Right: against bits of weights."""
    import matplotlib  # noqa: PLC0415  (import costs)

    matplotlib.rcParams["svg.hashsalt"] = "accuracy"  # equal figures give equal bytes
    from matplotlib.figure import Figure as Drawing  # noqa: PLC0415

    drawing = Drawing(figsize=(12, 4.8), layout="constrained")
    left, right = drawing.subplots(1, 2)
    networks = list(dict.fromkeys(one.network for one in figures))
    for place, network in enumerate(networks):
        colour, own = f"C{place}", [one for one in figures if one.network == network]
        left.scatter([one.mean_layer_error for one in own], [max(0, 1 - one.lost) for one in own], s=26, color=colour,
                     label=network, alpha=0.8)  # fmt: skip
        for granularity, style in (("channel", "-"), ("tensor", ":")):
            line = [chosen(own, weight_bits=bits, granularity=granularity) for bits in BITS]
            some = [(bits, found[0]) for bits, found in zip(BITS, line, strict=True) if found]
            right.plot([bits for bits, _ in some], [max(0, 1 - one.lost) for _, one in some], style, color=colour,
                       marker="o", markersize=4)  # fmt: skip
    left.set_xscale("log")
    left.set_xlabel("mean relative error of a layer by itself")
    left.set_ylabel("kept of what the network can do in float")
    left.legend()
    right.set_xlabel("bits of weights; solid: a scale a channel, dotted: a scale a tensor")
    right.invert_xaxis()
    right.set_xticks(BITS)
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.set_ylim(-0.03, 1.05)
    drawing.savefig(path, metadata={"Date": None})


def mixed_table(figures: Sequence[Figure]) -> str:
    """Table of what more bits for some layers give."""
    lines = ["| weights of 8 bits | minmax | mse, biases corrected |", "|---|---|---|"]
    both = ({"method": "minmax"}, {"method": "mse", "bias_correction": True})
    mixed = list(dict.fromkeys(one.weight_bits for one in figures if "=" in one.weight_bits))
    near = mixed.pop()  # the last of mixed.toml
    for bits in ("4", *mixed, near, "8"):
        count = bits.count("=8")
        what = f"the {count} layers {'nearest to' if bits == near else 'furthest from'} float"
        what = {"4": "none", "8": "all"}.get(bits, what)
        found = [next(iter(chosen(figures, network="characters", weight_bits=bits, **way)), None) for way in both]
        cells = " | ".join("" if one is None else one.cell for one in found)
        lines.append(f"| {what} | {cells} |")
    return "\n".join(lines)


def page_of(figures: Sequence[Figure], text: str) -> str:
    """The page with its tables anew."""
    plain = [one for one in figures if "=" not in one.weight_bits]
    parts = {
        "summary": summary, "weights": weights_table, "extremes": extremes_table, "ranks": ranks,
        "remedies": remedies_table, "activations": activations_table, "mixed": mixed_table,
    }  # fmt: skip
    for name, make in parts.items():
        before, mark, rest = text.partition(f"<!-- figures: {name} -->")
        if not mark:
            raise ValueError(f"the page has no mark for {name}")
        table = make(figures if name in ("summary", "mixed") else plain)
        text = f"{before}{mark}\n\n{table}\n\n{END}{rest.partition(END)[2]}"
    return text


def measured() -> list[Figure]:
    """All points of both studies; Raises RuntimeError if one has failed."""
    found = []
    for name in STUDIES:
        result = Study.load(HERE / name).run(RESULTS)
        if result.failed:
            raise RuntimeError("\n".join(row.text for row in result.rows if row.code))
        found += [figure_of(row) for row in result.rows]
    return found


def main() -> None:
    """Writes the page and the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="run the study first")
    if parser.parse_args().measure:
        write_whole(KEPT, text_of(measured()))
    figures = kept()
    write_whole(PAGE, page_of(figures, PAGE.read_text(encoding="utf-8")))
    draw([one for one in figures if "=" not in one.weight_bits], PICTURE)
    assert np.isfinite([one.mean_layer_error for one in figures]).all()  # noqa: S101


if __name__ == "__main__":
    main()

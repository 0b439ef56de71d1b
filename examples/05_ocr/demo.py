"""Reads pages of text on a simulated accelerator: turned upright, found, turned again, read.

    ./dev exec python examples/05_ocr/demo.py
    ./dev exec python examples/05_ocr/demo.py -m dnnweaver --pages 4 --lines 20

Four trained networks (PP-LCNet, PP-OCR) run three ways on the same rendered pictures: in float, in int8 by ONNX
Runtime, and on the machine, whose every output byte is compared with ONNX Runtime's. Prints accuracies; writes a page
with the pictures. Exit code 1 if one byte differs. It needs the package index, from which the networks come.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import networks
import numpy as np
import pages
import picture_page
import reading
from networks import NAMES, WAYS, Network
from PIL import Image
from rich.console import Console
from rich.progress import Progress

import covenant
from covenant.errors import CovenantError

FOLDER = Path(__file__).resolve().parents[2] / "build" / "ocr"
_TEST_SEED = 200


@dataclass(frozen=True)
class Reading:
    """Results for one page."""

    upright: Image.Image
    quarter_turns: int
    boxes: list[reading.Box]
    texts: list[str]


@dataclass(frozen=True)
class Figures:
    """Figures for one way of running the networks; shares from 0 to 1."""

    pages_upright: float
    lines_upright: float
    characters: float
    """Share of characters read right on rendered lines: 1 less the edit distance over the number of characters."""
    whole_lines: float
    page_characters: float
    """The same for whole pages, which are found and read."""


@dataclass(frozen=True)
class Reader:
    """The four networks, run one way."""

    built: dict[str, Network]
    way: str
    characters: list[str]

    def quarter_turns(self, page: Image.Image) -> int:
        """Quarter turns by which the page is rotated, clockwise."""
        return int(self.built["turn"](self.way, reading.page_to_turn(page)).argmax())

    def is_upside_down(self, line: Image.Image) -> bool:
        """Whether it has to be turned before it is read."""
        return bool(self.built["judge"](self.way, reading.to_read(line, networks.WIDTH_TO_JUDGE)).argmax())

    def text(self, line: Image.Image) -> str:
        """Text of an upright line."""
        scores = self.built["read"](self.way, reading.to_read(line, networks.WIDTH_TO_READ))
        return reading.text_of(scores, self.characters)

    def page(self, page: Image.Image) -> Reading:
        """All of it."""
        turns = self.quarter_turns(page)
        upright = page.rotate(90 * turns, expand=True)
        found = reading.boxes(self.built["find"](self.way, reading.page_to_find(upright)), upright)
        texts = []
        for box in found:
            line = upright.crop(box)
            texts.append(self.text(line.rotate(180) if self.is_upside_down(line) else line))
        return Reading(upright, turns, found, texts)


def read_lines(reader: Reader, lines: Sequence[pages.Line], step: Callable[[], None]) -> tuple[float, float, float]:
    """Shares of lines whose way up is seen, of characters read and of lines read whole."""
    seen = wrong = whole = 0
    for line in lines:
        seen += reader.is_upside_down(line.image) == line.is_upside_down
        text = reader.text(line.image.rotate(180) if line.is_upside_down else line.image)
        wrong += reading.edit_distance(text, line.text)
        whole += text == line.text
        step()
    characters = sum(len(line.text) for line in lines)
    return seen / len(lines), 1 - wrong / characters, whole / len(lines)


def figures(reader: Reader, some: Sequence[pages.Page], lines: Sequence[pages.Line],
            step: Callable[[], None]) -> tuple[Figures, list[Reading]]:  # fmt: skip
    """Figures of pages and lines, and what was made of each page."""
    made = []
    for page in some:
        made.append(reader.page(page.image))
        step()
    wrong = sum(
        reading.edit_distance("\n".join(one.texts), "\n".join(page.lines)) for one, page in zip(made, some, strict=True)
    )
    characters = sum(len("\n".join(page.lines)) for page in some)
    upright = np.mean([one.quarter_turns == page.quarter_turns for one, page in zip(made, some, strict=True)])
    seen, read, whole = read_lines(reader, lines, step)
    return Figures(float(upright), seen, read, whole, 1 - wrong / characters), made


def show(found: dict[str, Figures], built: dict[str, Network], arguments: argparse.Namespace) -> None:
    """Prints the tables."""
    print(f"{arguments.pages} pages and {arguments.lines} lines on {arguments.machine}\n")
    rows = [("pages turned upright", "pages_upright"), ("lines seen upside down or not", "lines_upright"),
            ("characters of lines", "characters"), ("whole lines", "whole_lines"),
            ("characters of pages", "page_characters")]  # fmt: skip
    print(f"  {'':<30}" + "".join(f"{way:>18}" for way in WAYS))
    for text, key in rows:
        print(f"  {text:<30}" + "".join(f"{getattr(found[way], key):>18.2%}" for way in WAYS))
    print(f"\n  {'network':<28} {'cycles':>12} {'runs':>6} {'every byte equal':>18} {'ms a run':>9}")
    for network in built.values():
        print(
            f"  {networks.model_of(network.name):<28} {network.cycles:>12,} {network.runs:>6} {network.equal:>18} "
            f"{1000 * network.seconds / network.runs:>9.0f}"
        )


def study(
    arguments: argparse.Namespace, some: Sequence[pages.Page], bar: Progress
) -> tuple[dict[str, Figures], dict[str, Network], list[Reading]]:
    """Builds the networks, and runs them in every way."""
    machine = covenant.Machine(arguments.machine)
    arguments.output.mkdir(parents=True, exist_ok=True)
    built = {}
    for name in NAMES:
        task = bar.add_task(networks.model_of(name), total=None)
        built[name] = Network.build(
            name, machine, arguments.output,
            lambda what, done, total, task=task, name=name: bar.update(
                task, description=f"{networks.model_of(name)}: {what}", completed=done, total=total
            ),
        )  # fmt: skip
        bar.remove_task(task)
    lines = list(islice(pages.lines(_TEST_SEED), arguments.lines))
    found, made, characters = {}, [], networks.characters()
    for way in WAYS:
        task = bar.add_task(f"reading: {way}", total=len(some) + len(lines))
        reader = Reader(built, way, characters)
        found[way], made = figures(reader, some, lines, lambda task=task: bar.advance(task))
    return found, built, made


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the study; 1 if a byte differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--machine", default="genesys:09", help="default: %(default)s")
    parser.add_argument("--pages", type=int, default=12, help="default: %(default)s")
    parser.add_argument("--lines", type=int, default=60, help="beside those of the pages; default: %(default)s")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="folder; default: build/ocr")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    arguments = parser.parse_args(argv)
    console = Console(stderr=True)
    some = list(islice(pages.pages(_TEST_SEED), arguments.pages))
    try:
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            found, built, made = study(arguments, some, bar)
    except CovenantError as error:
        print(error, file=sys.stderr)
        return 2
    page = arguments.output / "index.html"
    picture_page.write(page, some, made, found, arguments.machine)
    if arguments.json:
        runs = {name: {"cycles": one.cycles, "runs": one.runs, "equal": one.equal} for name, one in built.items()}
        print(json.dumps({"figures": {way: asdict(one) for way, one in found.items()}, "networks": runs}, indent=1))
    else:
        show(found, built, arguments)
        print(f"\npage: {page}")
    return 0 if all(one.runs == one.equal for one in built.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

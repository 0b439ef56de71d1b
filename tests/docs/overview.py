"""The picture at the top of the README, docs/overview.svg: one description of a machine, and what is made of it.

./dev exec python tests/docs/overview.py      # draws it again
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import covenant
from covenant.machine.picture import COMPUTE, FONT, MEMORY, layers, links

PICTURE = Path(__file__).resolve().parents[2] / "docs/overview.svg"
MACHINE = "genesys"

WIDTH, HEIGHT = 960, 330
PLAIN = ("#f4f4f4", "#777")
MADE = ("#fdf0d5", "#b7791f")
BLACK, GREEN = "#444", "#35853a"


class Box(NamedTuple):
    """A rectangle: its upper left corner and its size in pixels."""

    x: float
    y: float
    width: float
    height: float


FILE = Box(10, 10, 420, 310)
COMPILER = Box(500, 10, 220, 70)
MODEL = Box(500, 130, 220, 70)
RTL = Box(500, 250, 220, 70)
ONNX = Box(810, 10, 140, 70)
ORACLE = Box(810, 130, 140, 70)


def text(x: float, y: float, words: str, extra: str = "") -> str:
    """A line of text, centred at x."""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle"{extra}>{words}</text>'


def rectangle(box: Box, colours: tuple[str, str]) -> str:
    """A box, filled and framed."""
    return (
        f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="6" '
        f'fill="{colours[0]}" stroke="{colours[1]}" stroke-width="1.5"/>'
    )


def titled(box: Box, colours: tuple[str, str], title: str, *lines: str) -> list[str]:
    """A box with a title and lines below it."""
    middle = box.x + box.width / 2
    top = box.y + box.height / 2 - 8 * len(lines) + 5
    return [
        rectangle(box, colours),
        text(middle, top, title, ' font-size="14" font-weight="bold"'),
        *(text(middle, top + 17 * (index + 1), line) for index, line in enumerate(lines)),
    ]


def arrow(x1: float, y1: float, x2: float, y2: float, colour: str = BLACK, *, both: bool = False) -> str:
    """A line with a tip at its end, or at both ends."""
    tip = f"url(#tip-{colour[1:]})"
    start = f' marker-start="{tip}"' if both else ""
    return (
        f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="{colour}" stroke-width="1.5" '
        f'marker-end="{tip}"{start}/>'
    )


def graph_of_the_machine(inside: Box) -> list[str]:
    """The machine's graph: memories and compute nodes by name, layers by distance from off-chip memory."""
    graph = covenant.Machine(MACHINE).to_dict()
    rows = layers(graph)
    boxes = {
        name: Box(inside.x + inside.width * (place + 0.5) / len(row) - 26,
                  inside.y + inside.height * (level + 0.5) / len(rows) - 13, 52, 26)
        for level, row in enumerate(rows)
        for place, name in enumerate(row)
    }  # fmt: skip
    parts = []
    for link in links(graph):
        start, end = boxes[link.start], boxes[link.end]
        up = end.y < start.y
        y1, y2 = (start.y, end.y + 26) if up else (start.y + 26, end.y)
        parts.append(arrow(start.x + 26, y1, end.x + 26, y2, both=link.both))
    colours = {node["name"]: MEMORY for node in graph["memories"]} | {
        node["name"]: COMPUTE for node in graph["computes"]
    }
    for name, box in boxes.items():
        parts += [rectangle(box, colours[name]), text(box.x + 26, box.y + 17, name, ' font-size="11"')]
    return parts


def picture() -> str:
    """The whole picture as SVG."""
    tips = "".join(
        f'<marker id="tip-{colour[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker>'
        for colour in (BLACK, GREEN)
    )
    right = FILE.x + FILE.width
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="{FONT}" font-size="12">',
        "<title>One description of a machine gives a compiler, a SystemC model and RTL, which are compared</title>",
        f"<defs>{tips}</defs>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        rectangle(FILE, PLAIN),
        text(FILE.x + FILE.width / 2, 34, f"{MACHINE}.acg", ' font-size="14" font-weight="bold"'),
        text(FILE.x + FILE.width / 2, 52, "memories, compute units, edges, instruction words"),
        *graph_of_the_machine(Box(FILE.x + 4, 60, FILE.width - 8, 256)),
        *(arrow(right, box.y + box.height / 2, box.x, box.y + box.height / 2) for box in (COMPILER, MODEL, RTL)),
        *titled(COMPILER, MADE, "Compiler", "ONNX to instruction words"),
        *titled(MODEL, MADE, "SystemC model", "executes the words,", "cycle by cycle"),
        *titled(RTL, MADE, "RTL", "SystemVerilog of the machine,", "run by Verilator"),
        *titled(ONNX, PLAIN, "model.onnx", "quantised"),
        *titled(ORACLE, PLAIN, "ONNX Runtime", "pinned"),
        arrow(ONNX.x, 45, COMPILER.x + COMPILER.width, 45),
        arrow(880, 80, 880, ORACLE.y),
        arrow(610, 80, 610, MODEL.y),
        text(648, 109, "program"),
        arrow(ORACLE.x, 165, MODEL.x + MODEL.width, 165, GREEN, both=True),
        text(765, 156, "equal bytes", f' fill="{GREEN}" font-weight="bold"'),
        arrow(610, 200, 610, RTL.y, GREEN, both=True),
        text(744, 229, "equal commands, cycles and bytes", f' fill="{GREEN}" font-weight="bold"'),
    ]
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture())

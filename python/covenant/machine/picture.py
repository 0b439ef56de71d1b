"""Pictures of machines: memories blue, compute nodes green, capacities and bandwidths as labels.

The look is that of Figure 10 of Kinzer et al., "Restoring the Broken Covenant Between Compilers and Deep Learning
Accelerators". `to_svg` lays the graph out itself: layers by distance from off-chip memory, so that it needs no other
program and gives the same file everywhere; `to_dot` is for those who prefer Graphviz.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

Graph = dict[str, Any]

MEMORY = ("#d6e6f8", "#2f6db3")
COMPUTE = ("#d8f0d8", "#35853a")
FONT = "DejaVu Sans, Verdana, sans-serif"

# Pixels.
LINE = 15
PADDING = 10
GAP = 34
LAYER_GAP = 92
MARGIN = 24
LETTER = 6.9
BOLD = 1.15  # of names, which are bold
SWEEPS = 12


@dataclass(frozen=True)
class Link:
    """Edges between two nodes, both directions drawn as one line."""

    start: str
    end: str
    both: bool
    label: str


def size_text(count: int) -> str:
    """A number of bytes in the largest unit that divides it.

    Example:
        >>> size_text(28672), size_text(28673), size_text(4 * 1024**3)
        ('28 KiB', '28,673 B', '4 GiB')
    """
    for unit, name in ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit:,} {name}"
    return f"{count:,} B"


def memory_lines(memory: dict[str, Any]) -> list[str]:
    """Shape of one buffer (bits x banks x depth) and what it holds."""
    buffer = memory["data_width"] * memory["banks"] * memory["depth"]
    buffers = f"{memory['buffers']} x " if memory["buffers"] > 1 else ""
    capacity = size_text(buffer // 8) if buffer % 8 == 0 else f"{buffer:,} bits"
    return [f"{memory['data_width']} b x {memory['banks']:,} x {memory['depth']:,}", buffers + capacity]


def compute_lines(compute: dict[str, Any]) -> list[str]:
    """Unit kind with its sizes, then the names of its capabilities."""
    sizes = [f"{name} {value}" for name, value in compute["attributes"].items() if isinstance(value, int)]
    lines = [compute["unit"], *([", ".join(sizes)] if sizes else [])]
    names = list(dict.fromkeys(capability["name"] for capability in compute["capabilities"]))
    row = ""
    for name in names:
        if row and len(row) + len(name) > 26:
            lines.append(row)
            row = ""
        row += (" " if row else "") + name
    return lines + ([row] if row else [])


def links(graph: Graph) -> list[Link]:
    """Edges as lines, in the order in which they are declared."""
    bandwidths = {(edge["from"], edge["to"]): edge["bandwidth"] for edge in graph["edges"]}
    result = []
    for (start, end), bandwidth in bandwidths.items():
        back = bandwidths.get((end, start))
        if back == bandwidth and (end, start) in list(bandwidths)[: list(bandwidths).index((start, end))]:
            continue
        result.append(Link(start, end, back == bandwidth, f"{bandwidth} b" if bandwidth else ""))
    return result


def to_dot(graph: Graph) -> str:
    """The graph in the language of Graphviz."""
    lines = [f'digraph "{graph["name"]}" {{', '  node [shape=box, style=filled, fontname="sans-serif"];']
    for nodes, texts, (fill, stroke) in (
        (graph["memories"], memory_lines, MEMORY),
        (graph["computes"], compute_lines, COMPUTE),
    ):
        for node in nodes:
            label = "\\n".join([node["name"], *texts(node)])
            lines.append(f'  "{node["name"]}" [label="{label}", fillcolor="{fill}", color="{stroke}"];')
    for link in links(graph):
        both = ", dir=both" if link.both else ""
        lines.append(f'  "{link.start}" -> "{link.end}" [label="{link.label}"{both}];')
    return "\n".join([*lines, "}", ""])


def layers(graph: Graph) -> list[list[str]]:
    """Nodes by their distance from off-chip memory, whatever the edges' directions; few crossings within a layer."""
    names = [node["name"] for node in graph["memories"] + graph["computes"]]
    near: dict[str, list[str]] = {name: [] for name in names}
    for edge in graph["edges"]:
        near[edge["from"]].append(edge["to"])
        near[edge["to"]].append(edge["from"])
    outermost = [memory["name"] for memory in graph["memories"] if memory["kind"] == "offchip"] or names[:1]
    depth = dict.fromkeys(outermost, 0)
    for starts in [outermost, *([name] for name in names)]:
        for start in starts:
            depth.setdefault(start, 0)
        queue = deque(starts)
        while queue:
            here = queue.popleft()
            for other in near[here]:
                if other not in depth:
                    depth[other] = depth[here] + 1
                    queue.append(other)
    rows = [[name for name in names if depth[name] == level] for level in range(max(depth.values(), default=0) + 1)]
    return _untangled(rows, near)


def _untangled(rows: list[list[str]], near: dict[str, list[str]]) -> list[list[str]]:
    """Sorts each layer by the mean place of its neighbours, to and fro."""
    for sweep in range(SWEEPS):
        for level in range(len(rows)) if sweep % 2 == 0 else reversed(range(len(rows))):
            place = {name: (index + 0.5) / len(row) for row in rows for index, name in enumerate(row)}
            others = [row for index, row in enumerate(rows) if index != level]
            known = {name for row in others for name in row}

            def mean(name: str, known: set[str] = known, place: dict[str, float] = place) -> float:
                places = [place[other] for other in near[name] if other in known]
                return sum(places) / len(places) if places else place[name]

            rows[level] = sorted(rows[level], key=mean)
    return rows


@dataclass(frozen=True)
class Box:
    """A node on the page: its centre and size in pixels."""

    x: float
    y: float
    width: float
    height: float


def _text(x: float, y: float, text: str, extra: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle"{extra}>{escape(text)}</text>'


def _border(box: Box, toward: Box, shift: float) -> tuple[float, float]:
    """Point at which a line from the box to another leaves it."""
    if box.y == toward.y:
        side = 1 if toward.x > box.x else -1
        return box.x + side * box.width / 2, box.y
    side = 1 if toward.y > box.y else -1
    return box.x + shift, box.y + side * box.height / 2


def _boxes(graph: Graph) -> tuple[dict[str, Box], dict[str, list[str]], float, float]:
    texts = {node["name"]: [node["name"], *memory_lines(node)] for node in graph["memories"]}
    texts |= {node["name"]: [node["name"], *compute_lines(node)] for node in graph["computes"]}
    widths = {
        name: max(len(name) * BOLD, *(len(line) for line in lines)) * LETTER + 2 * PADDING
        for name, lines in texts.items()
    }
    heights = {name: len(lines) * LINE + 2 * PADDING for name, lines in texts.items()}
    rows = layers(graph)
    spans = [sum(widths[name] for name in row) + GAP * (len(row) - 1) for row in rows]
    page = max(spans, default=0) + 2 * MARGIN
    boxes = {}
    y = float(MARGIN) + 24
    for row, span in zip(rows, spans, strict=True):
        tallest = max(heights[name] for name in row)
        x = (page - span) / 2
        for name in row:
            boxes[name] = Box(x + widths[name] / 2, y + tallest / 2, widths[name], heights[name])
            x += widths[name] + GAP
        y += tallest + LAYER_GAP
    return boxes, texts, page, y - LAYER_GAP + MARGIN


def _ports(graph: Graph, boxes: dict[str, Box]) -> dict[tuple[str, str], float]:
    """Lines that leave one side of a box leave it side by side, in the order of where they go."""
    sides: dict[tuple[str, bool], list[str]] = {}
    for link in links(graph):
        for here, there in ((link.start, link.end), (link.end, link.start)):
            if boxes[here].y != boxes[there].y:
                side = sides.setdefault((here, boxes[there].y > boxes[here].y), [])
                if there not in side:
                    side.append(there)
    shifts = {}
    for (here, _), ends in sides.items():
        ends.sort(key=lambda name: boxes[name].x)
        for index, there in enumerate(ends):
            shifts[here, there] = ((index + 0.5) / len(ends) - 0.5) * boxes[here].width * 0.8
    return shifts


def to_svg(graph: Graph) -> str:
    """The graph as an SVG picture; the same graph gives the same text."""
    boxes, texts, width, height = _boxes(graph)
    shifts = _ports(graph, boxes)
    colours = {node["name"]: MEMORY for node in graph["memories"]}
    colours |= {node["name"]: COMPUTE for node in graph["computes"]}
    title = graph["name"] + (f":{graph['preset']}" if graph["preset"] else "")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" font-size="11">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="#444"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        _text(width / 2, MARGIN, title, ' font-size="15" font-weight="bold"'),
    ]
    labels = []
    for number, link in enumerate(links(graph)):
        start, end = boxes[link.start], boxes[link.end]
        x1, y1 = _border(start, end, shifts.get((link.start, link.end), 0))
        x2, y2 = _border(end, start, shifts.get((link.end, link.start), 0))
        both = ' marker-start="url(#tip)"' if link.both else ""
        parts.append(
            f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#444" '
            f'marker-end="url(#tip)"{both}/>'
        )
        if link.label:
            along = 0.42 + 0.16 * (number % 2)
            labels.append((x1 + (x2 - x1) * along, y1 + (y2 - y1) * along, link.label))
    for x, y, label in labels:
        wide = len(label) * LETTER
        parts.append(f'<rect x="{x - wide / 2:.0f}" y="{y - 8:.0f}" width="{wide:.0f}" height="15" fill="white"/>')
        parts.append(_text(x, y + 4, label, ' fill="#444"'))
    for name, box in boxes.items():
        fill, stroke = colours[name]
        left, top = box.x - box.width / 2, box.y - box.height / 2
        parts.append(
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="6" '
            f'fill="{fill}" stroke="{stroke}" stroke-width="1.5"/>'
        )
        for index, line in enumerate(texts[name]):
            bold = ' font-weight="bold"' if index == 0 else ""
            parts.append(_text(box.x, top + PADDING + LINE * (index + 0.75), line, bold))
    return "\n".join([*parts, "</svg>", ""])

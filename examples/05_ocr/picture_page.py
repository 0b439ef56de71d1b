"""Writes a page with pictures: what the machine was shown, what it found, what it read."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

__all__ = ["write"]

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>@@title@@</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { padding: .25rem .9rem; text-align: right; border-bottom: 1px solid #8886; }
th:first-child, td:first-child { text-align: left; }
.page { display: grid; grid-template-columns: 1fr 1fr 1.2fr; gap: 1rem; margin: 1.5rem 0; align-items: start; }
.page img { width: 100%; border: 1px solid #8886; }
.page pre { margin: 0; font-size: 15px; line-height: 1.9; white-space: pre-wrap; }
ins, del { text-decoration: none; border-radius: .2em; }
ins { background: #d9483b55; }
del { background: #2f80ed55; }
@media (max-width: 40rem) { .page { grid-template-columns: 1fr; } }
</style>
</head>
<body>
<h1>@@title@@</h1>
"""


def write(path: Path, pages: Sequence[Any], readings: Sequence[Any], figures: Mapping[str, Any], machine: str) -> None:
    """One file that needs no network.

    Args:
        path: where it goes.
        pages: what was shown.
        readings: what the machine made of each.
        figures: by way of running the networks.
        machine: its name.
    """
    parts = [_HEAD.replace("@@title@@", html.escape(f"Pages read on {machine}")), _table(figures)]
    parts.append(
        "<p>As scanned; turned upright, with the lines that were found; what was read. "
        "<ins>Read, and not there</ins>; <del>there, and not read</del>.</p>\n"
    )
    for page, reading in zip(pages, readings, strict=True):
        texts = _compared("\n".join(page.lines), "\n".join(reading.texts))
        parts.append(
            f'<div class="page">{_picture(page.image, "as scanned")}'
            f"{_picture(_framed(reading.upright, reading.boxes), 'upright')}<pre>{texts}</pre></div>\n"
        )
    path.write_text("".join(parts) + "</body>\n</html>\n", encoding="utf-8")


def _table(figures: Mapping[str, Any]) -> str:
    names = [field.name for field in fields(next(iter(figures.values())))]
    head = "".join(f"<th>{html.escape(way)}</th>" for way in figures)
    rows = "".join(
        f"<tr><td>{name.replace('_', ' ')}</td>"
        + "".join(f"<td>{getattr(one, name):.2%}</td>" for one in figures.values())
        + "</tr>\n"
        for name in names
    )
    return f"<table>\n<tr><th></th>{head}</tr>\n{rows}</table>\n"


def _framed(image: Image.Image, boxes: Sequence[tuple[int, int, int, int]]) -> Image.Image:
    framed = image.copy()
    canvas = ImageDraw.Draw(framed)
    for left, top, right, bottom in boxes:
        canvas.rectangle((left, top, right - 1, bottom - 1), outline=(217, 72, 59), width=2)
    return framed


def _picture(image: Image.Image, text: str) -> str:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return f'<img alt="{text}" src="data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}">'


def _compared(expected: str, read: str) -> str:
    parts = []
    for kind, a, b, c, d in SequenceMatcher(None, expected, read, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(html.escape(expected[a:b]))
            continue
        for tag, text in (("del", expected[a:b]), ("ins", read[c:d])):
            if text:
                parts.append(f"<{tag}>{html.escape(text)}</{tag}>")
    return "".join(parts)

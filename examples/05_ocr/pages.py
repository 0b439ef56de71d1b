"""Renders lines and pages of text as a scanner might give them: faces, sizes, colours, blur and noise from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

__all__ = ["Line", "Page", "lines", "pages"]

_LICENCE = Path(__file__).resolve().parents[2] / "LICENSE"  # English words
_SIDE = 400  # of a page


@dataclass(frozen=True)
class Line:
    """One line of text."""

    image: Image.Image
    """RGB."""
    text: str
    is_upside_down: bool


@dataclass(frozen=True)
class Page:
    """Lines of text, one below the other."""

    image: Image.Image
    """RGB."""
    lines: tuple[str, ...]
    """Texts from top to bottom of the page when it is upright."""
    quarter_turns: int
    """Quarter turns by which the page is rotated, clockwise."""


def lines(seed: int) -> Iterator[Line]:
    """Lines without end, every other one upside down; equal seeds give equal lines."""
    draw = random.Random(seed)  # noqa: S311  (pictures)
    while True:
        for is_upside_down in (False, True):
            image, text = _line(draw)
            yield Line(image.rotate(180) if is_upside_down else image, text, is_upside_down)


def pages(seed: int) -> Iterator[Page]:
    """Pages without end, turned each way in turn; equal seeds give equal pages."""
    draw = random.Random(seed)  # noqa: S311  (pictures)
    while True:
        for quarter_turns in range(4):
            image, texts = _page(draw)
            yield Page(image.rotate(-90 * quarter_turns, expand=True), texts, quarter_turns)


@cache
def _words() -> tuple[str, ...]:
    return tuple(word for word in _LICENCE.read_text().split() if 1 < len(word) < 12)


@cache
def _faces() -> tuple[Path, ...]:
    """Typefaces that come with Matplotlib, so that every computer renders the same."""
    return tuple(sorted((Path(matplotlib.get_data_path()) / "fonts/ttf").glob("DejaVuS*.ttf")))


def _face(draw: random.Random, size: int) -> ImageFont.FreeTypeFont:
    readable = [face for face in _faces() if "Display" not in face.name]
    return ImageFont.truetype(draw.choice(readable), size)


def _text(draw: random.Random, characters: int) -> str:
    """Words and numbers, of at most so many characters."""
    text = ""
    while True:
        numbers = (str(draw.randint(0, 99999)), f"{draw.randint(0, 999)}.{draw.randint(0, 99):02}")
        word = draw.choice(_words()) if draw.random() < 0.75 else draw.choice(numbers)
        longer = f"{text} {word}".strip()
        if len(longer) > characters:
            return text or word[:characters]
        text = longer


def _colour(draw: random.Random, lowest: int, highest: int) -> tuple[int, int, int]:
    red, green, blue = (draw.randint(lowest, highest) for _ in range(3))
    return red, green, blue


def _line(draw: random.Random) -> tuple[Image.Image, str]:
    """Dark on bright or bright on dark; three in ten are skewed, blurred and small."""
    text, face = _text(draw, draw.randint(8, 20)), _face(draw, draw.randint(24, 40))
    left, top, right, bottom = (round(place) for place in face.getbbox(text))
    margin = draw.randint(2, 8)
    paper, ink = _colour(draw, 190, 255), _colour(draw, 0, 90)
    if draw.random() < 0.15:
        paper, ink = ink, paper
    image = Image.new("RGB", (right - left + 2 * margin, bottom - top + 2 * margin), paper)
    ImageDraw.Draw(image).text((margin - left, margin - top), text, font=face, fill=ink)
    if draw.random() < 0.3:
        image = image.rotate(draw.uniform(-2, 2), fillcolor=paper, resample=Image.Resampling.BILINEAR)
        image = image.filter(ImageFilter.GaussianBlur(draw.uniform(0.3, 1.2)))
        share = draw.uniform(0.5, 0.8)
        size = (round(image.width * share), round(image.height * share))
        image = image.resize(size, Image.Resampling.BILINEAR)
    return _noisy(draw, image, 12), text


def _page(draw: random.Random) -> tuple[Image.Image, tuple[str, ...]]:
    image = Image.new("RGB", (_SIDE, _SIDE), _colour(draw, 200, 255))
    canvas, face = ImageDraw.Draw(image), _face(draw, draw.randint(24, 32))
    texts, top = [], draw.randint(15, 40)
    while top < _SIDE - 45:
        text = _text(draw, draw.randint(8, 16))
        canvas.text((draw.randint(12, 40), top), text, font=face, fill=_colour(draw, 0, 100))
        texts.append(text)
        top += round(face.size * draw.uniform(1.5, 2.2))
    return _noisy(draw, image, 8), tuple(texts)


def _noisy(draw: random.Random, image: Image.Image, most: float) -> Image.Image:
    """Adds noise with a deviation of up to `most` grey levels."""
    pixels = np.asarray(image, np.float32)
    noise = np.random.default_rng(draw.getrandbits(32)).normal(0, draw.uniform(0, most), pixels.shape)
    return Image.fromarray((pixels + noise).clip(0, 255).astype(np.uint8))

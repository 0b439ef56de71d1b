"""Converts pictures into the inputs of the networks, and their outputs into boxes and words."""

from __future__ import annotations

import numpy as np
from PIL import Image
from scipy import ndimage

__all__ = ["Box", "boxes", "edit_distance", "page_to_find", "page_to_turn", "text_of", "to_read"]

Box = tuple[int, int, int, int]
"""Left, top, right, bottom, in pixels of a picture."""

_SIDE_TO_TURN, _SIDE_TO_FIND = 224, 320
_MEAN, _DEVIATION = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])  # of ImageNet
_TEXT, _SURE = 0.3, 0.5  # DBNet's thresholds of a pixel and of a box
_GROWTH = 1.6  # DBNet finds the cores of words: how far a box grows, as a share of area over circumference


def page_to_turn(page: Image.Image) -> np.ndarray:
    """[1,3,224,224], for the network that says which way up a page is."""
    pixels = _pixels(page, (_SIDE_TO_TURN, _SIDE_TO_TURN))
    return _planes((pixels - _MEAN) / _DEVIATION)


def page_to_find(page: Image.Image) -> np.ndarray:
    """[1,3,320,320], for the network that finds text."""
    return _planes(_pixels(page, (_SIDE_TO_FIND, _SIDE_TO_FIND)) * 2 - 1)


def to_read(line: Image.Image, width: int) -> np.ndarray:
    """[1,3,48,width]: 48 rows high, what remains at the right is grey."""
    height = 48
    filled = min(width, max(1, round(line.width * height / line.height)))
    planes = np.zeros((1, 3, height, width), np.float32)
    planes[..., :filled] = _planes(_pixels(line, (filled, height)) * 2 - 1)
    return planes


def boxes(found: np.ndarray, page: Image.Image) -> list[Box]:
    """Boxes of the lines that were found, from top to bottom.

    Follows Liao et al., "Real-time Scene Text Detection with Differentiable Binarization" (section 3.4), for text that
    runs from left to right.

    Args:
        found: [1,1,H,W], of each pixel the probability that it is text.
        page: what was looked at.
    """
    probability = found[0, 0]
    labels, count = ndimage.label(probability > _TEXT)
    sure = ndimage.mean(probability, labels, range(1, count + 1))
    x, y = page.width / probability.shape[1], page.height / probability.shape[0]
    result = []
    for place, mean in zip(ndimage.find_objects(labels), np.atleast_1d(sure), strict=True):
        rows, columns = place
        height, width = rows.stop - rows.start, columns.stop - columns.start
        if mean < _SURE or min(height, width) < 3:
            continue
        growth = _GROWTH * height * width / (2 * (height + width))
        result.append(
            (
                max(0, round((columns.start - growth) * x)), max(0, round((rows.start - growth) * y)),
                min(page.width, round((columns.stop + growth) * x)), min(page.height, round((rows.stop + growth) * y)),
            )
        )  # fmt: skip
    return sorted(_joined(result), key=lambda box: box[1])


def text_of(scores: np.ndarray, characters: list[str]) -> str:
    """The best path of Graves et al., "Connectionist Temporal Classification" (section 3.2).

    Args:
        scores: [1,T,characters + 1], the first of them the blank.
        characters: in the order of the scores.
    """
    path = scores[0].argmax(-1)
    kept = [now for before, now in zip((0, *path), path, strict=False) if now not in (0, before)]
    return "".join(characters[place - 1] for place in kept).strip()


def edit_distance(a: str, b: str) -> int:
    """Levenshtein's: characters put in, left out or exchanged."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


def _joined(found: list[Box]) -> list[Box]:
    """Words that stand side by side are a line."""
    result: list[Box] = []
    for box in sorted(found):
        for place, line in enumerate(result):
            overlap = min(line[3], box[3]) - max(line[1], box[1])
            if overlap > 0.5 * min(line[3] - line[1], box[3] - box[1]):
                result[place] = (line[0], min(line[1], box[1]), max(line[2], box[2]), max(line[3], box[3]))
                break
        else:
            result.append(box)
    return result


def _pixels(image: Image.Image, size: tuple[int, int]) -> np.ndarray:
    """[H,W,3], blue first, from 0 to 1."""
    resized = image.resize(size, Image.Resampling.BILINEAR)
    return np.asarray(resized, np.float32)[:, :, ::-1] / np.float32(255)


def _planes(pixels: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32)

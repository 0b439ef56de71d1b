"""Metrics of the study: characters read, and frames in which speech is recognised."""

from __future__ import annotations

import numpy as np

THRESHOLD = 0.5
"""Least probability of speech that counts as a yes."""


def characters(outputs: list[np.ndarray], labels: np.ndarray) -> float:
    """1 less the edit distance over the number of characters, 0 at least.

    Args:
        outputs: of each line [1,T,C], scores; the first of the C is the blank, the last a space, which does not count.
        labels: [lines,L], the places of the characters among the C, then zeros.
    """
    wrong = count = 0
    for scores, label in zip(outputs, labels, strict=True):
        wanted = [int(place) for place in label if place]
        wrong += _edit_distance(_best_path(scores[0]), wanted)
        count += len(wanted)
    return max(0.0, 1 - wrong / count)


def frames(outputs: list[np.ndarray], labels: np.ndarray) -> float:
    """Share of frames for which the network tells right whether there is speech.

    Args:
        outputs: of each frame one probability.
        labels: [frames], 1 of speech, else 0.
    """
    heard = np.array([float(one.reshape(-1)[0]) > THRESHOLD for one in outputs])
    return float(np.mean(heard == labels.astype(bool)))


def _best_path(scores: np.ndarray) -> list[int]:
    """Graves et al., "Connectionist Temporal Classification" (section 3.2)."""
    path, space = scores.argmax(-1), scores.shape[-1] - 1
    return [int(now) for before, now in zip((0, *path), path, strict=False) if now not in (0, space, before)]


def _edit_distance(a: list[int], b: list[int]) -> int:
    """Levenshtein's: characters put in, left out or exchanged."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]

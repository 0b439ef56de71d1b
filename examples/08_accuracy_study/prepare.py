"""Writes what the study measures on: pictures and sound to calibrate on, others to test on, and what is right of them.

    ./dev exec python examples/08_accuracy_study/prepare.py
    ./dev exec python examples/08_accuracy_study/prepare.py --images 20 -o build/accuracy_small

Equal seeds give equal files. Lines and pages are rendered as in `05_ocr`, sound is synthesised as in
`06_voice_activity`; the networks come from the package index, once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples" / name) for name in ("05_ocr", "06_voice_activity")]

import pages  # noqa: E402  (of the examples beside this one)
import reading  # noqa: E402
import speech  # noqa: E402

from covenant import oracle, zoo  # noqa: E402

FOLDER = ROOT / "build" / "accuracy"
WIDTH_TO_READ, WIDTH_TO_JUDGE = 320, 192
_CALIBRATION_SEED, _TEST_SEED = 100, 200
_KNOWN = 6904  # characters of the recogniser; what follows in its list is none
_FRAME, _CONTEXT = 512, 64
Arrays = dict[str, np.ndarray]


def digits(count: int, _seed: int) -> Arrays:
    """The test split from its start; to calibrate on, from its end."""
    data = np.load(ROOT / "examples/01_digits/digits_test.npz")
    part = slice(count) if _seed == _TEST_SEED else slice(-count, None)
    return {"image": data["images"][part], "labels": data["labels"][part]}


def upside_down(count: int, seed: int) -> Arrays:
    """Lines, every other one upside down."""
    some = list(islice(pages.lines(seed), count))
    return {
        "x": np.concatenate([reading.to_read(line.image, WIDTH_TO_JUDGE) for line in some]),
        "labels": np.array([int(line.is_upside_down) for line in some]),
    }


def read(count: int, seed: int) -> Arrays:
    """Upright lines; the places of their characters in the recogniser's list, spaces left out."""
    known = zoo.get_file("ppocrv6_tiny_recogniser", "characters").read_text(encoding="utf-8").split("\n")[:_KNOWN]
    places = {character: place for place, character in enumerate(known, start=1)}
    some = list(islice((line for line in pages.lines(seed) if not line.is_upside_down), count))
    labels = np.zeros((count, max(len(line.text) for line in some)), np.int64)
    for row, line in zip(labels, some, strict=True):
        wanted = [places[one] for one in line.text if one in places]
        row[: len(wanted)] = wanted
    return {"x": np.concatenate([reading.to_read(line.image, WIDTH_TO_READ) for line in some]), "labels": labels}


def heard(count: int, seed: int) -> Arrays:
    """Frames of speech in noise, drawn from clips, each with the state that the float network has reached there."""
    in_float = oracle.oracle_of(zoo.get_float("silero_vad"))
    found: list[tuple[np.ndarray, np.ndarray, int]] = []
    for clip in islice(speech.clips(seed), 4):
        state, before = np.zeros((2, 1, 128), np.float32), np.zeros(_CONTEXT, np.float32)
        for start in range(0, len(clip.sound) - _FRAME, _FRAME):
            frame = clip.sound[start : start + _FRAME]
            taken = np.concatenate([before, frame])[None]
            found.append((taken, state, int(clip.is_speech[start : start + _FRAME].mean() > 0.5)))
            _, state = in_float.run({"input": taken, "state": state}).values()
            before = frame[-_CONTEXT:]
    picked = np.random.default_rng(seed).permutation(len(found))[:count]
    taken, states, labels = zip(*(found[place] for place in picked), strict=True)
    return {"input": np.concatenate(taken), "state": np.concatenate(states), "labels": np.array(labels)}


SETS: dict[str, tuple[Callable[[int, int], Arrays], int, int]] = {
    "digits": (digits, 60, 300),
    "angle": (upside_down, 16, 120),
    "recogniser": (read, 12, 50),
    "voice": (heard, 60, 400),
}
"""The function that makes each data set, and how many samples are for calibration and for the test, by name."""


def main() -> None:
    """Writes `NAME_calibrate.npz` and `NAME_test.npz` of each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, help="of each set, at most, to calibrate and to test on")
    parser.add_argument("--set", action="append", choices=SETS, dest="sets", help="only these; repeatable")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="folder; default: build/accuracy")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.sets or SETS:
        make, *counts = SETS[name]
        for what, count, seed in zip(("calibrate", "test"), counts, (_CALIBRATION_SEED, _TEST_SEED), strict=True):
            arrays = make(min(count, arguments.images or count), seed)
            np.savez(arguments.output / f"{name}_{what}.npz", **arrays)
            print(f"{name}_{what}.npz: {len(arrays['labels'])}")


if __name__ == "__main__":
    main()

"""Draws what two_accelerators has written: who runs when, who moves how much, and how busy the DRAM's bus is.

./dev exec python examples/03_platform/picture.py timeline.json platform.svg
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot

mpl.use("Agg")
mpl.rcParams |= {"svg.hashsalt": "platform", "svg.fonttype": "none"}  # the same bytes on every run

PATH_BYTES_PER_NS = 64
STEP_NS = 250
COLORS = {"first": "tab:blue", "second": "tab:orange", "host": "tab:grey"}


class Slice(NamedTuple):
    """Something that a track was busy with, in nanoseconds."""

    start: float
    duration: float
    name: str


def tracks_of(trace: dict) -> dict[str, list[Slice]]:
    """The slices of each track, by its name."""
    names, slices = {}, {}
    for event in trace["traceEvents"]:
        track = (event["pid"], event.get("tid"))
        if event["name"] == "thread_name":
            names[track] = event["args"]["name"]
        elif event["ph"] == "X":
            slices.setdefault(track, []).append(Slice(event["ts"], event["dur"], event["name"]))
    return {names[track]: found for track, found in slices.items()}


def busy(slices: list[Slice], edges: np.ndarray) -> np.ndarray:
    """The part of each step in which one of the slices is under way."""
    starts = np.array([one.start for one in slices])
    ends = starts + np.array([one.duration for one in slices])
    overlaps = np.minimum(ends[:, None], edges[1:]) - np.maximum(starts[:, None], edges[:-1])
    return np.maximum(overlaps, 0).sum(axis=0) / np.diff(edges)


def draw(trace: dict, path: Path) -> None:
    """Writes the picture."""
    tracks = tracks_of(trace)
    end = max(one.start + one.duration for name in ("first", "second") for one in tracks[name])
    edges = np.arange(0, end + STEP_NS, STEP_NS)
    figure, (when, moved, bus) = pyplot.subplots(3, 1, sharex=True, figsize=(10, 6), constrained_layout=True)
    for row, name in enumerate(("second", "first")):
        for one in tracks[name]:
            when.barh(row, one.duration, left=one.start, color=COLORS[name], edgecolor="white")
            when.text(one.start + one.duration / 2, row, one.name.removeprefix("image "), ha="center", va="center")
    when.set_yticks([0, 1], ["second", "first"])
    when.set_title("image that each accelerator has")
    by_name = [[one for one in tracks["path"] if one.name == name] for name in COLORS]
    rates = [busy(slices, edges) * PATH_BYTES_PER_NS for slices in by_name]
    moved.stackplot(edges[:-1], rates, labels=list(COLORS), colors=list(COLORS.values()), step="post")
    moved.legend(loc="upper right")
    moved.set_title("path to the DRAM: GB/s that were granted, in whole beats")
    buses = [slices for name, slices in tracks.items() if name.endswith(" bus")]
    if buses:
        bus.fill_between(edges[:-1], sum(busy(slices, edges) for slices in buses) / len(buses), step="post")
    bus.set_ylim(0, 1)
    bus.set_title("part of the time in which data is on the DRAM's bus")
    bus.set_xlabel("nanoseconds")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Draws the timeline that the command line names into a picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("timeline", type=Path)
    parser.add_argument("picture", type=Path)
    arguments = parser.parse_args()
    draw(json.loads(arguments.timeline.read_text()), arguments.picture)


if __name__ == "__main__":
    main()

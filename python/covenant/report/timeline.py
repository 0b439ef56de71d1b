"""Timeline of the engines, reduced to few enough pieces for a page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

PIECES = 6000
"""Up to so many are shown as they are; of more, each engine's time is cut into BINS."""
BINS = 1200
SHADES = 20
"""Steps in which the share of a bin is shown."""


@dataclass(frozen=True)
class Piece:
    """A stretch of one engine's time."""

    track: str
    start: int
    end: int
    """First cycle after it."""
    state: str
    """"works" or "waits"."""
    low: float
    high: float
    """high - low: the share of these cycles that the engine is in this state; 0..1. Work lies below, waiting on it."""
    label: str

    def to_row(self) -> list[Any]:
        """The row in the form that the page takes."""
        return [self.track, self.start, self.end, self.state, self.low, self.high, self.label]


def tracks_of(trace_json: str) -> list[dict[str, Any]]:
    """Slices of a trace with the name of their track, in its order; that of the layers is not among them."""
    events = json.loads(trace_json)["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    return [event | {"track": names[event["tid"]]} for event in events if event["ph"] == "X"]


def timeline(trace_json: str, cycles: int) -> list[Piece]:
    """Pieces of all engines, in the order of the tracks."""
    slices = [event for event in tracks_of(trace_json) if event["track"] != "layers"]
    if len(slices) <= PIECES:
        return [
            Piece(event["track"], event["ts"], event["ts"] + event["dur"], _state(event), 0.0, 1.0, event["name"])
            for event in slices
        ]
    made: list[Piece] = []
    for track in dict.fromkeys(event["track"] for event in slices):
        made += _binned(track, [event for event in slices if event["track"] == track], cycles)
    return made


def _state(event: dict[str, Any]) -> str:
    return "waits" if event["cat"] == "stall" else "works"


def _binned(track: str, slices: list[dict[str, Any]], cycles: int) -> list[Piece]:
    """How much of each bin the engine works and waits; neighbours that look the same are one piece."""
    width = -(-cycles // BINS)
    works, waits = (
        _shares([event for event in slices if _state(event) == state], width, cycles) for state in ("works", "waits")
    )
    pieces: list[Piece] = []
    for state, lows, shares in (("works", [0.0] * len(works), works), ("waits", works, waits)):
        first = len(pieces)
        for index, (low, share) in enumerate(zip(lows, shares, strict=True)):
            start, end, high = index * width, min((index + 1) * width, cycles), min(low + share, 1.0)
            if not share:
                continue
            last = pieces[-1] if len(pieces) > first else None
            if last and (last.end, last.low, last.high) == (start, low, high):
                start = pieces.pop().start
            pieces.append(Piece(track, start, end, state, low, high, f"{state} {share:.0%} of these cycles"))
    return pieces


def _shares(slices: list[dict[str, Any]], width: int, cycles: int) -> list[float]:
    """Share of each bin that the slices fill, in steps."""
    filled = [0] * (-(-cycles // width))
    for event in slices:
        start, end = event["ts"], event["ts"] + event["dur"]
        for index in range(start // width, min(-(-end // width), len(filled))):
            filled[index] += min(end, (index + 1) * width) - max(start, index * width)
    return [round(SHADES * amount / width) / SHADES for amount in filled]

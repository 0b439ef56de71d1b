"""Statements of Rieber, Acosta and Fröning about their Figure 8 (section 7), beside the figures measured here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from covenant.bench.embedding.search import SearchEffort

__all__ = ["Statement", "statements_of"]


@dataclass(frozen=True)
class Statement:
    """One statement."""

    text: str
    holds: bool
    figure: str
    """Figures that decided it."""


Nodes = dict[tuple[str, int, str], int]


def statements_of(efforts: Iterable[SearchEffort]) -> tuple[Statement, ...]:
    """Those for which all figures are there; of equal `sums`."""
    nodes = {(one.layout, one.channels, one.strategy): one.nodes for one in efforts}
    channels = sorted({channels for _, channels, _ in nodes})
    found = []
    for decide in (_layouts_differ, _low_at_first, _assets_lower, _bounds_end_growth, _both_are_stable):
        try:
            found.append(decide(nodes, channels))
        except KeyError:
            continue
    return tuple(found)


def _layouts_differ(nodes: Nodes, channels: list[int]) -> Statement:
    least = min(nodes["NCHW", c, "none"] / nodes["HWNC", c, "none"] for c in channels)
    return Statement("without strategies, NCHW needs several times the nodes of HWNC: at least four times", least >= 4,
                     f"at least {least:.2f} times")  # fmt: skip


def _low_at_first(nodes: Nodes, channels: list[int]) -> Statement:
    """HWNC finds its solution almost at once at 16 and 32 channels; then it grows like the others."""
    low, high = nodes["HWNC", 16, "none"], nodes["HWNC", 32, "none"]
    growth = nodes["HWNC", 64, "none"] / high
    is_low = max(low, high) < 2 * min(nodes["HWNC", c, "AB"] for c in channels)
    return Statement(
        "HWNC has a very low effort at 16 and 32 channels, and grows beyond", is_low and growth > 2,
        f"{low:,}, {high:,}, and {growth:.2f} times as many at 64",
    )  # fmt: skip


def _assets_lower(nodes: Nodes, channels: list[int]) -> Statement:
    gains = [nodes[layout, c, "none"] / nodes[layout, c, "A"] for layout in ("NCHW", "HWNC") for c in channels]
    return Statement("A lowers the effort of both layouts at every size", min(gains) > 1,
                     f"{min(gains):,.1f} to {max(gains):,.1f} times fewer nodes")  # fmt: skip


def _bounds_end_growth(nodes: Nodes, _: list[int]) -> Statement:
    ratios = [nodes[layout, 512, "B"] / nodes[layout, 64, "B"] for layout in ("NCHW", "HWNC")]
    return Statement("under B the effort at 512 channels is that at 64, within a tenth",
                     all(abs(ratio - 1) <= 0.1 for ratio in ratios),
                     ", ".join(f"{ratio:.3f} times" for ratio in ratios))  # fmt: skip


def _both_are_stable(nodes: Nodes, channels: list[int]) -> Statement:
    most = max(abs(nodes["NCHW", c, "AB"] - nodes["HWNC", c, "AB"]) for c in channels)
    return Statement("under AB the layouts differ by at most 2 nodes", most <= 2, f"by at most {most}")

"""Search effort of the scalar solver: Figure 8 of Rieber, Acosta and Fröning (section 7)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CHANNELS", "LAYOUTS", "STRATEGIES", "SUMS", "SearchEffort", "search_effort"]

CHANNELS = (16, 32, 64, 128, 256, 512)
"""Channels of the input, and as many of the output."""
LAYOUTS = ("NCHW", "NHWC", "HWNC")
"""Orders of the axes; the last one is traversed fastest."""
STRATEGIES = ("none", "A", "B", "AB")
"""None; A, a portfolio of orders of the axes (Equation 12); B, bounds of domains (Equation 11); both."""
SUMS = ("instances", "elements")
"""Values of variables of sums: the instance set (Definition 4.2), or elements of the output."""
PIXELS = 14
"""Rows and columns of the result. The paper does not give sizes; these are of ResNet-50's layers of 256 channels."""
TAPS = 3
MOST_NODES = 10**9
"""A budget that no search of the figure comes near."""


@dataclass(frozen=True)
class SearchEffort:
    """Nodes until the first strict embedding of GEMM of 1x16x16 in a convolution."""

    layout: str
    channels: int
    strategy: str
    sums: str
    nodes: int
    """Nodes of the search tree that were expanded, the root included; of a portfolio those of all its searches."""
    fails: int
    """Nodes of which propagation left nothing."""
    depth: int
    """Most values chosen at once."""
    assets: int
    """Searches of the portfolio; 1 without one."""
    found: bool
    """Whether there is an embedding."""
    complete: bool
    """Whether it is proved that there is none."""


def search_effort(
    layout: str, channels: int, strategy: str, *, sums: str = "instances", pixels: int = PIXELS, taps: int = TAPS
) -> SearchEffort:
    """Searches one convolution; the same nodes on every run.

    Args:
        layout: one of LAYOUTS, or another order of N, C, H and W.
        channels: of the input, and as many of the output.
        strategy: one of STRATEGIES.
        sums: one of SUMS.
        pixels: rows and columns of the result.
        taps: rows and columns of the window, with stride 1.

    Example:
        >>> search_effort("HWNC", 16, "none", sums="elements").nodes
        29
    """
    from covenant import _core  # noqa: PLC0415  (import costs; a command's --help does not pay)

    measured = _core.search_convolution(
        channels, pixels, taps, layout, strategy, sums_are_instances=sums == "instances", most_nodes=MOST_NODES
    )
    return SearchEffort(layout=layout, channels=channels, strategy=strategy, sums=sums, **measured)

"""Optimisations of code; each can be disabled to measure its gain."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Optimisations:
    """Optimisations of code for machines that issue packets; other machines refuse to leave one out (GEN0060).

    Example:
        >>> Optimisations(unroll=False).left_out()
        ['unroll']
    """

    vectorise: bool = True
    """Nodes that work on vectors are used; else code is scalar: sums of products are all that it can do."""
    pack: bool = True
    """Several instructions share a packet."""
    unroll: bool = True
    """Loops are written out and jammed; else every loop turns, over the smallest tiles."""
    pipeline: bool = True
    """Trips of the innermost loops overlap."""

    def left_out(self) -> list[str]:
        """Names of those that are false."""
        return [field.name for field in fields(self) if not getattr(self, field.name)]


ALL = Optimisations()
"""All optimisations, with none left out."""

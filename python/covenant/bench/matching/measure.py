"""Table 1 of Huang, Lyubomirsky et al.: invocations by exact and by flexible matching, beside those published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covenant.commands import CommandDevice
from covenant.matching import NetworkTerms, match_terms

__all__ = ["PUBLISHED", "measured"]

PUBLISHED: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "efficientnet": {"flexasr": (0, 35), "hlscnn": (35, 35), "vta": (0, 35)},
    "lstm_language_model": {"flexasr": (1, 2), "hlscnn": (0, 0), "vta": (36, 36)},
    "mobilenet_v2": {"flexasr": (0, 41), "hlscnn": (40, 40), "vta": (1, 41)},
    "resmlp": {"flexasr": (0, 38), "hlscnn": (0, 0), "vta": (38, 38)},
    "resnet_20": {"flexasr": (1, 22), "hlscnn": (21, 21), "vta": (2, 22)},
    "transformer": {"flexasr": (0, 66), "hlscnn": (0, 0), "vta": (66, 66)},
}
"""Invocations by exact and by flexible matching: Huang, Lyubomirsky et al., Table 1.

Two numbers are other than theirs, as all rules are applied to all networks and an invocation is counted once: flexible
matching finds the LSTM of the language model and its linear layer (the paper, with the rule of the LSTM alone: 1), and
the one linear layer of ResNet-20 is one invocation (the paper counts its two operators).
"""


def measured(network: str, terms: NetworkTerms, machine: str) -> dict[str, Any]:
    """The row of a network and a machine: what `covenant bench matching --json` prints of them.

    Additions of biases are counted where operators stand as they are written, and not beside their products where all
    equal ways to write them are known: every product has a bias then, if of zeros.
    """
    device = CommandDevice(machine, engine="evaluator")
    exact = match_terms(terms, device, flexible=False)
    flexible = match_terms(terms, device)
    published = PUBLISHED.get(network, {}).get(machine)
    return {
        "network": network, "machine": machine, "exact": sum(exact.intrinsics.values()),
        "flexible": sum(count for name, count in flexible.intrinsics.items() if name != "bias_add"),
        "expected": None if published is None else list(published), "intrinsics": dict(flexible.intrinsics),
        "stores": flexible.stores, "loads": flexible.loads, "moved": flexible.moved,
        "seconds": round(exact.seconds + flexible.seconds, 3), "nodes": flexible.nodes,
        "iterations": flexible.iterations, "stop": flexible.stop, "cost": flexible.cost,
        "at_least": flexible.at_least,
    }  # fmt: skip

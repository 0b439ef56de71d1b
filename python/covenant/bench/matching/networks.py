"""The networks by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import onnx

from covenant.bench.matching.attention import transformer
from covenant.bench.matching.convolutions import efficientnet, mobilenet_v2, resnet_20
from covenant.bench.matching.perceptrons import resmlp
from covenant.bench.matching.recurrences import lstm_language_model, lstm_layer

__all__ = ["BUILDERS", "NETWORKS", "network"]

NETWORKS = ("efficientnet", "lstm_language_model", "mobilenet_v2", "resmlp", "resnet_20", "transformer")
"""Columns of Table 1 of the paper, in its order."""

BUILDERS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    "efficientnet": efficientnet,
    "lstm_language_model": lstm_language_model,
    "lstm_layer": lstm_layer,
    "mobilenet_v2": mobilenet_v2,
    "resmlp": resmlp,
    "resnet_20": resnet_20,
    "transformer": transformer,
}
"""Those of the networks, and of the LSTM alone."""


def network(name: str) -> onnx.ModelProto:
    """A network; the same bytes each time.

    Args:
        name: one of `BUILDERS`.

    Raises:
        ValueError: there is none of this name.
    """
    if name not in BUILDERS:
        message = f"no network {name!r}: {', '.join(BUILDERS)}"
        raise ValueError(message)
    return BUILDERS[name]()

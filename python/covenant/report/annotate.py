"""Annotates a copy of the model with the cost of each node's layer, for display in Netron."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from covenant.model.loading import loaded_model
from covenant.report.layers import ReportLayer

PREFIX = "covenant."
_METADATA_IR = 10
"""The first version of ONNX in which nodes have metadata."""


def annotated(model: Path, layers: Sequence[ReportLayer]) -> bytes:
    """The model with metadata and a doc_string at every node that a layer is named after.

    Nodes that are fused into one layer all say what this layer has cost as a whole. The model computes the same.
    """
    proto = loaded_model(model)
    proto.ir_version = max(proto.ir_version, _METADATA_IR)
    by_node = {node: layer for layer in layers for node in layer.nodes}
    for node in proto.graph.node:
        layer = by_node.get(node.name)
        if layer is None:
            continue
        facts = _facts(layer)
        text = ", ".join(f"{key}: {value}" for key, value in facts.items())
        node.doc_string = f"{node.doc_string}\n{text}" if node.doc_string else text
        for key, value in facts.items():
            entry = node.metadata_props.add()
            entry.key, entry.value = PREFIX + key, value
    return proto.SerializeToString(deterministic=True)


def _facts(layer: ReportLayer) -> dict[str, str]:
    facts: dict[str, Any] = {
        "layer": layer.name,
        "cycles": layer.cycles,
        "compute": layer.compute,
        "stalls": sum(layer.stalls.values()),
        "bound": layer.bound,
        "utilisation": f"{layer.utilisation:.1%}",
        "bytes_read": layer.bytes_read,
        "bytes_written": layer.bytes_written,
        "tile": layer.tile,
    }
    return {key: str(value) for key, value in facts.items() if value is not None}

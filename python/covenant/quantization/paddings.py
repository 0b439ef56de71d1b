"""Float rewrites of a Pad by the lowest float, which exporters put before a MaxPool."""

from __future__ import annotations

from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.onnx_runtime.sessions import Style, session
from covenant.quantization.bias_correction import with_outputs
from covenant.quantization.calibration import Samples

__all__ = ["pads_into_pools", "with_lowest_pads_held"]

_LOWEST = float(np.finfo(np.float16).min)
"""At most so much: the lowest float of some type, or -inf."""


def pads_into_pools(model: EditableModel) -> int:
    """Pad by -inf before a MaxPool alone: the pool's own, which pads with the same."""
    replacements: dict[str, list[Any]] = {}
    for node in model.nodes:
        pads = _lowest_pads(model, node)
        pool = model.reader(node.output[0]) if pads is not None else None
        if pads is None or pool is None or pool.op_type != "MaxPool" or pads[:2].any() or pads.min() < 0:
            continue
        attributes = attributes_of(pool)
        kernel = attributes["kernel_shape"]
        own = np.array(attributes.pop("pads", [0] * 2 * len(kernel))).reshape(2, -1)
        whole = own + pads[2:].T
        is_plain = attributes.pop("auto_pad", b"NOTSET") == b"NOTSET" and not attributes.get("ceil_mode", 0)
        if not is_plain or len(pool.output) > 1 or (whole >= np.array(kernel)).any():
            continue
        replacements[node.output[0]] = []
        attributes["pads"] = whole.reshape(-1).tolist()
        made = made_node("MaxPool", [node.input[0]], pool.output[0], pool.name, **attributes)
        replacements[pool.output[0]] = [made]
    model.replace(replacements)
    return len(replacements) // 2


def with_lowest_pads_held(model: EditableModel, samples: Samples) -> None:
    """Makes other Pads by such a number pad by the least value that the tensor has had on the samples."""
    nodes = [node for node in model.nodes if _lowest_pads(model, node) is not None]
    if not nodes:
        return
    names = list(dict.fromkeys(node.input[0] for node in nodes))
    made = [name for name in names if model.maker(name) is not None]
    running = session(with_outputs(model.model, made).SerializeToString(), Style.QOPERATOR) if made else None
    least = dict.fromkeys(names, np.inf)
    for sample in samples:
        arrays = dict(sample)
        if running is not None:
            fed = {entry.name: sample[entry.name] for entry in running.get_inputs()}
            arrays |= dict(zip(made, running.run(made, fed), strict=True))
        for name in names:
            finite = arrays[name][arrays[name] > _LOWEST]
            least[name] = min(least[name], float(finite.min(initial=np.inf)))
    for node in nodes:
        if np.isfinite(least[node.input[0]]):
            node.input[2] = model.add_constant(np.float32(least[node.input[0]]), node.output[0])
    model.replace({})


def _lowest_pads(model: EditableModel, node: Any) -> np.ndarray | None:
    """[dimensions, 2] of a Pad by the lowest float; None of other nodes."""
    shape = model.shape(node.input[0]) if node.op_type == "Pad" and len(node.input) > 2 else None
    pads, value = (model.constant(node.input[1]), model.constant(node.input[2])) if shape else (None, None)
    mode = attributes_of(node).get("mode", b"constant")
    if shape is None or pads is None or value is None or mode != b"constant" or value.size != 1:
        return None
    if value.dtype != np.float32 or float(value.reshape(-1)[0]) > _LOWEST:
        return None
    axes = model.constant(node.input[3]) if len(node.input) > 3 and node.input[3] else np.arange(len(shape))
    if axes is None:
        return None
    whole = np.zeros((len(shape), 2), np.int64)
    whole[axes % len(shape)] = pads.reshape(2, -1).T
    return whole

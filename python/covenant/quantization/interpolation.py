"""Float rewrites of operators that make larger images into convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.editable_model import EditableModel, attributes_of, made_node
from covenant.oracle import Style, session

__all__ = ["linear_resizes_into_convolutions", "transposed_into_convolutions"]


@dataclass(frozen=True)
class _Blocks:
    """A Conv whose channels are blocks of pixels of a larger image, which is then cut."""

    weights: np.ndarray
    bias: np.ndarray | None
    block: Sequence[int]
    """Rows and columns that each pixel becomes."""
    sizes: Sequence[int]
    """Of the result."""
    pads: Sequence[int] = (0, 0, 0, 0)
    first: Sequence[int] = (0, 0)
    """Rows and columns that are cut off before the result."""
    group: int = 1
    """1: channels are [rows, columns, channel]; of several groups [channel, rows, columns]."""


def transposed_into_convolutions(model: EditableModel) -> int:
    """ConvTranspose: a Conv makes what falls between pixels as channels, which become blocks of the larger image."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "ConvTranspose" else None
        weights = model.constant(node.input[1]) if shape is not None and len(shape) == 4 else None
        blocks = None if shape is None or weights is None else _transposed(model, node, shape, weights)
        if shape is not None and blocks is not None:
            replacements[node.output[0]] = _nodes(model, node, node.input[0], shape, blocks)
    model.replace(replacements)
    return len(replacements)


def _transposed(model: EditableModel, node: Any, shape: Sequence[int], weights: np.ndarray) -> _Blocks | None:
    attributes = attributes_of(node)
    strides, pads = attributes.get("strides", [1, 1]), attributes.get("pads", [0, 0, 0, 0])
    more, kernel = attributes.get("output_padding", [0, 0]), weights.shape[2:]
    is_plain = (
        attributes.get("group", 1) == 1 and set(attributes.get("dilations", [1])) == {1}
        and attributes.get("auto_pad", b"NOTSET") == b"NOTSET" and "output_shape" not in attributes
    )  # fmt: skip
    has_bias = len(node.input) > 2 and node.input[2]
    bias = model.constant(node.input[2]) if has_bias else np.zeros(weights.shape[1], np.float32)
    if not is_plain or bias is None:
        return None
    sizes = [(shape[2 + i] - 1) * strides[i] + kernel[i] + more[i] - pads[i] - pads[2 + i] for i in (0, 1)]
    taps = [-(-kernel[i] // strides[i]) for i in (0, 1)]  # pixels that meet in one
    # Tap m of phase r is element r + m * stride of the kernel; the latest pixel comes first there.
    whole = np.zeros((*weights.shape[:2], taps[0] * strides[0], taps[1] * strides[1]), np.float32)
    whole[:, :, : kernel[0], : kernel[1]] = weights
    phases = whole.reshape(*weights.shape[:2], taps[0], strides[0], taps[1], strides[1])[:, :, ::-1, :, ::-1, :]
    ends = [max(0, -(-(pads[i] + sizes[i]) // strides[i]) - shape[2 + i]) for i in (0, 1)]
    return _Blocks(
        weights=phases.transpose(3, 5, 1, 0, 2, 4).reshape(-1, shape[1], *taps),
        bias=np.tile(bias, strides[0] * strides[1]),
        block=strides,
        sizes=sizes,
        pads=[taps[0] - 1, taps[1] - 1, *ends],
        first=pads[:2],
    )


def linear_resizes_into_convolutions(model: EditableModel) -> int:
    """Resize by whole factors, linear between the centres of pixels: repeated edges, a depthwise Conv, blocks."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "Resize" else None
        larger = model.shape(node.output[0]) if shape is not None and len(shape) == 4 else None
        factors = None if shape is None or larger is None else _factors(attributes_of(node), shape, larger)
        if shape is None or larger is None or factors is None:
            continue
        plane = np.einsum("pi,qj->pqij", *map(_between, factors)).reshape(-1, 1, 3, 3)
        edges = f"{node.output[0]}/edges"
        pads = model.add_constant(np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64), node.output[0])
        blocks = _Blocks(
            weights=np.tile(plane, (shape[1], 1, 1, 1)).astype(np.float32), bias=None, block=factors, sizes=larger[2:],
            group=shape[1],
        )  # fmt: skip
        replacements[node.output[0]] = [
            made_node("Pad", [node.input[0], pads], edges, f"{node.name}/edges", mode="edge"),
            *_nodes(model, node, edges, [*shape[:2], shape[2] + 2, shape[3] + 2], blocks),
        ]
    model.replace(replacements)
    return len(replacements)


def resizes_into_products(model: EditableModel) -> int:
    """Resize that weighs neighbours, of any sizes: rows and columns are products with what it makes of an identity."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "Resize" else None
        larger = model.shape(node.output[0]) if shape is not None and len(shape) == 4 else None
        mode = attributes_of(node).get("mode", b"nearest")
        if shape is None or larger is None or mode == b"nearest" or tuple(larger[:2]) != tuple(shape[:2]):
            continue
        output, name, value, made = node.output[0], node.name, node.input[0], []
        steps = [(axis, turn) for axis, turn in ((3, "columns"), (2, "rows")) if larger[axis] != shape[axis]]
        for place, (axis, what) in enumerate(steps, start=1):
            matrix = _resized_identity(model, node, axis, shape[axis])
            last = output if place == len(steps) else f"{output}/{what}"
            weights = model.add_constant(matrix, output)
            if axis == 3:
                made.append(made_node("MatMul", [value, weights], last, f"{name}/{what}"))
            else:
                turned, product, order = f"{output}/turned", f"{output}/product", [0, 1, 3, 2]
                made += [
                    made_node("Transpose", [value], turned, f"{name}/turned", perm=order),
                    made_node("MatMul", [turned, weights], product, f"{name}/{what}"),
                    made_node("Transpose", [product], last, f"{name}/back", perm=order),
                ]
            value = last
        if made:
            replacements[output] = made
    model.replace(replacements)
    return len(replacements)


def _resized_identity(model: EditableModel, node: Any, axis: int, size: int) -> np.ndarray:
    """[size, larger]: what ONNX Runtime makes of each element along one axis alone."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    constants, inputs = [], ["x"]
    for place, value in enumerate(node.input[1:], start=1):
        given = model.constant(value) if value and place > 1 else None
        if given is not None and given.size == 4:
            alone = np.ones(4, given.dtype) if given.dtype == np.float32 else np.array([size, 1, 1, size], given.dtype)
            alone[3] = given[axis]
            constants.append(numpy_helper.from_array(alone, f"given{place}"))
            inputs.append(f"given{place}")
        else:
            inputs.append("")
    single = helper.make_node("Resize", inputs, ["y"])
    single.attribute.extend(node.attribute)
    graph = helper.make_graph(
        [single], "identity", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [size, 1, 1, size])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], constants,
    )  # fmt: skip
    whole = helper.make_model(graph, opset_imports=model.model.opset_import, ir_version=8)
    (made,) = session(whole.SerializeToString(), Style.FLOAT).run(
        None, {"x": np.eye(size, dtype=np.float32).reshape(size, 1, 1, size)}
    )
    return made.reshape(size, -1)


def _factors(attributes: dict[str, Any], shape: Sequence[int], larger: Sequence[int]) -> list[int] | None:
    """By which rows and columns grow; None if that is nothing that blocks can do."""
    place = attributes.get("coordinate_transformation_mode", b"half_pixel")
    is_linear = attributes.get("mode", b"nearest") == b"linear" and not attributes.get("antialias", 0)
    if not is_linear or place not in (b"half_pixel", b"pytorch_half_pixel") or tuple(larger[:2]) != tuple(shape[:2]):
        return None
    factors = [larger[d] // shape[d] for d in (2, 3)]
    is_whole = all(1 < larger[d] == shape[d] * factor for d, factor in zip((2, 3), factors, strict=True))
    return factors if is_whole else None


def _between(factor: int) -> np.ndarray:
    """[factor, 3]: what a pixel and its two neighbours give to each of the pixels that it becomes."""
    at = (np.arange(factor) + 0.5) / factor - 0.5
    return np.stack([np.maximum(0, -at), 1 - np.abs(at), np.maximum(0, at)], axis=1)


def _nodes(model: EditableModel, node: Any, source: str, shape: Sequence[int], blocks: _Blocks) -> list[Any]:
    """In the place of `node`; `shape` is that of the source."""
    output, name = node.output[0], node.name
    inputs = [source, model.add_constant(blocks.weights, output)]
    inputs += [] if blocks.bias is None else [model.add_constant(blocks.bias, output)]
    kernel, pads = blocks.weights.shape[2:], blocks.pads
    rows, columns = (shape[2 + i] + pads[i] + pads[2 + i] - kernel[i] + 1 for i in (0, 1))
    channels = len(blocks.weights) // (blocks.block[0] * blocks.block[1])
    if blocks.group > 1:
        apart, order = [channels, *blocks.block], [0, 1, 4, 2, 5, 3]
    else:
        apart, order = [*blocks.block, channels], [0, 3, 4, 1, 5, 2]
    whole = [shape[0], channels, rows * blocks.block[0], columns * blocks.block[1]]
    is_cut = any(blocks.first) or list(blocks.sizes) != whole[2:]
    image = f"{output}/image" if is_cut else output

    def constant(numbers: Sequence[int]) -> str:
        return model.add_constant(np.array(numbers, np.int64), output)

    window = {"pads": list(pads), "kernel_shape": kernel, "group": blocks.group}
    parts = constant([shape[0], *apart, rows, columns])
    made = [
        made_node("Conv", inputs, f"{output}/channels", name, **window),
        made_node("Reshape", [f"{output}/channels", parts], f"{output}/blocks", f"{name}/blocks"),
        made_node("Transpose", [f"{output}/blocks"], f"{output}/turned", f"{name}/turned", perm=order),
        made_node("Reshape", [f"{output}/turned", constant(whole)], image, f"{name}/image"),
    ]
    if is_cut:
        ends = [start + size for start, size in zip(blocks.first, blocks.sizes, strict=True)]
        cut = [image, constant(blocks.first), constant(ends), constant([2, 3])]
        made.append(made_node("Slice", cut, output, f"{name}/cut"))
    return made

"""Float rewrites of operators that make larger images into convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.onnx_runtime.sessions import Style, session
from covenant.rewrite.contractions.pixel_blocks import linear_growth
from covenant.rewrite.contractions.transposed_windows import window_of

__all__ = ["linear_resizes_into_convolutions", "transposed_into_convolutions"]


def transposed_into_convolutions(model: EditableModel) -> int:
    """ConvTranspose: a Conv makes what falls between pixels as channels, which become blocks of the larger image."""
    replacements = {}
    for node in model.nodes:
        weights = model.constant(node.input[1]) if node.op_type == "ConvTranspose" else None
        window = None if weights is None else window_of(model, node, weights.shape)
        has_bias = len(node.input) > 2 and bool(node.input[2])
        bias = model.constant(node.input[2]) if has_bias else None
        if weights is None or window is None or (has_bias and bias is None):
            continue
        phases = window.phases(weights, np.zeros(weights.shape[1], weights.dtype))
        operands = [phases] if bias is None else [phases, window.of_blocks(bias)]
        names = [model.add_constant(one, node.output[0]) for one in operands]
        replacements[node.output[0]] = window.nodes(model, node, node.input[0], phases, names)
    model.replace(replacements)
    return len(replacements)


def linear_resizes_into_convolutions(model: EditableModel) -> int:
    """Resize by whole factors, linear between the centres of pixels: repeated edges, a depthwise Conv, blocks."""
    replacements = {}
    for node in model.nodes:
        growth = linear_growth(model, node)
        if growth is not None:
            weights = model.add_constant(growth.blocks.weights, node.output[0])
            replacements[node.output[0]] = growth.nodes(model, node, node.input[0], weights)
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

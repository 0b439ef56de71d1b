"""Models with layers that may be fused: an addition after a convolution, as in published networks, and the digits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/01_digits"


@dataclass(frozen=True)
class Shortcut:
    """The last convolution of a residual block (stride 1, image as large as before), and the addition after it."""

    inputs: int
    outputs: int
    kernel: int
    size: int
    """Rows, and columns, of the image."""

    def write(self, path: Path) -> None:
        """The two as an int8 ONNX model; weights random but always the same."""
        random = np.random.default_rng(0)
        weights = random.integers(-127, 128, (self.outputs, self.inputs, self.kernel, self.kernel)).astype(np.int8)
        constants = {
            "scale": np.float32(0.05),
            "zero": np.int8(0),
            "weights": weights,
            "weight_scales": random.uniform(0.001, 0.004, self.outputs).astype(np.float32),
            "weight_zeros": np.zeros(self.outputs, np.int8),
            "bias": random.integers(-500, 500, self.outputs).astype(np.int32),
        }
        quantized = ["scale", "zero"]
        conv = helper.make_node(
            "QLinearConv", ["x", *quantized, "weights", "weight_scales", "weight_zeros", *quantized, "bias"], ["sums"],
            "conv", kernel_shape=[self.kernel] * 2, pads=[self.kernel // 2] * 4,
        )  # fmt: skip
        add = helper.make_node(
            "QLinearAdd", ["sums", *quantized, "shortcut", *quantized, *quantized], ["y"], "add",
            domain="com.microsoft",
        )  # fmt: skip
        shapes = {name: [1, self.outputs, self.size, self.size] for name in ("shortcut", "y")}
        shapes["x"] = [1, self.inputs, self.size, self.size]
        values = {name: helper.make_tensor_value_info(name, TensorProto.INT8, shape) for name, shape in shapes.items()}
        graph = helper.make_graph(
            [conv, add], "shortcut", [values["x"], values["shortcut"]], [values["y"]],
            [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
        )  # fmt: skip
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), str(path))


def _example(name: str) -> Callable[[Path], object]:
    return lambda path: path.write_bytes((EXAMPLES / name).read_bytes())


MODELS: dict[str, Callable[[Path], object]] = {
    "ResNet18/BLOCK1": Shortcut(64, 64, 3, 56).write,
    "ResNet50/BLOCK1": Shortcut(64, 256, 1, 56).write,
    "ResNet50/BLOCK16": Shortcut(512, 2048, 1, 7).write,
    "MobileNetV2/BLOCK3": Shortcut(144, 24, 1, 56).write,
    "digits_qdq": _example("digits_qdq.onnx"),
    "digits_qoperator": _example("digits_qoperator.onnx"),
}
"""Functions that write each model into a file, by name."""

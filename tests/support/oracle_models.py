"""Builds random models of one or a few quantised operators, and runs the C++ reference on them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
MICROSOFT = {
    "QGemm", "QLinearAdd", "QLinearConcat", "QLinearMul", "QLinearGlobalAveragePool", "QLinearSigmoid",
    "QLinearLeakyRelu", "QLinearWhere",
}  # fmt: skip


def element_type(dtype: Any) -> int:
    """The ONNX element type of a NumPy dtype."""
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


@dataclass
class ModelBuilder:
    """Collects nodes and constants; constants are given as arrays, computed values by name."""

    inputs: dict[str, np.ndarray] = field(default_factory=dict)
    """Graph inputs: name -> an array of their dtype and shape."""
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def add(self, operator: str, *operands: Any, **attributes: Any) -> str:
        """Appends a node; the name of its output."""
        names = []
        for operand in operands:
            if isinstance(operand, str):
                names.append(operand)
            else:
                names.append(f"constant{len(self.constants)}")
                self.constants.append(numpy_helper.from_array(np.asarray(operand), names[-1]))
        output = f"value{len(self.nodes)}"
        domain = "com.microsoft" if operator in MICROSOFT else ""
        self.nodes.append(
            helper.make_node(operator, names, [output], f"node{len(self.nodes)}", domain=domain, **attributes)
        )
        return output

    def model(self, outputs: dict[str, Any]) -> Any:
        """The model with these outputs: name -> dtype."""
        graph = helper.make_graph(
            self.nodes,
            "random",
            [helper.make_tensor_value_info(n, element_type(a.dtype), a.shape) for n, a in self.inputs.items()],
            [helper.make_tensor_value_info(n, element_type(dtype), None) for n, dtype in outputs.items()],
            self.constants,
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def reference(model: Any, runs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """All values of a model, computed by the reference operators.

    Args:
        model: `onnx.ModelProto`
        runs: per input, the runs stacked along a first axis
    """
    binary = Path(os.environ.get("COVENANT_EVALUATE", ROOT / "build/release/compiler/reference/covenant_evaluate"))
    assert binary.is_file(), f"{binary} is missing: build the target covenant_evaluate (./dev test does)"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        onnx.save(model, str(folder / "model.onnx"))
        inputs = []
        for number, (key, array) in enumerate(runs.items()):
            np.save(folder / f"input{number}.npy", np.ascontiguousarray(array))
            inputs.append(f"{key}={folder}/input{number}.npy")
        output = folder / "output"
        output.mkdir()
        done = subprocess.run(
            [str(binary), str(folder / "model.onnx"), str(output), *inputs], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        names = (output / "names.txt").read_text().splitlines()
        return {key: np.load(output / f"{number}.npy") for number, key in enumerate(names)}

"""Benchmark layers on ONNX Runtime's processor kernels.

In int8 as MatMulInteger and ConvInteger with one side of each product unsigned, as processors multiply bytes best (VNNI
wants it so; signed by signed took 6 to 40 times as long where it was tried): bytes 128 higher, and a zero point of 128
that says so. The sums stay the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from covenant.bench.baseline.task import Task
from covenant.onnx_runtime.sessions import check_version


def version() -> str:
    """Version of ONNX Runtime.

    Raises:
        OracleError: it is not the pinned one.
        ImportError: it or onnx cannot be loaded.
    """
    found = check_version()
    import onnx  # noqa: F401, PLC0415 (import costs; a program that never measures does not pay)
    import onnxruntime  # noqa: F401, PLC0415

    return found


def prepare(task: Task) -> tuple[Callable[[], None], Callable[[], np.ndarray]]:
    """A call that computes the task, and its sums: int32 or float32, in the task's output shape."""
    import onnxruntime  # noqa: PLC0415

    x, constants = _operands(task)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = task.threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(_model(task, x, constants), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    held = onnxruntime.OrtValue.ortvalue_from_numpy(x)
    sums = np.int32 if task.element == "int8" else np.float32
    outputs = [
        onnxruntime.OrtValue.ortvalue_from_shape_and_type(task.output_shape, sums, "cpu") for _ in range(task.copies)
    ]
    for copy, output in enumerate(outputs):
        binding.bind_ortvalue_input(f"x{copy}", held)
        binding.bind_ortvalue_output(f"y{copy}", output)
    return lambda: session.run_with_iobinding(binding), outputs[0].numpy


def _operands(task: Task) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The input, and the operator's other operands by name in their order."""
    if task.element == "float32":
        return task.inputs.astype(np.float32), {"w": task.weights.astype(np.float32)}
    raised = np.uint8(128)
    if task.is_gemm:
        return _raised(task.inputs), {"w": task.weights, "x_zero": raised}
    return task.inputs, {"w": _raised(task.weights), "x_zero": np.int8(0), "w_zero": raised}


def _raised(array: np.ndarray) -> np.ndarray:
    """uint8, each value 128 higher."""
    return (array.astype(np.int16) + 128).astype(np.uint8)


def _model(task: Task, x: np.ndarray, constants: dict[str, np.ndarray]) -> bytes:
    """The layer's operator, `copies` times side by side; each with an input of its own, or they would be one."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    operator = ("MatMul" if task.is_gemm else "Conv") + ("Integer" if task.element == "int8" else "")
    attributes: dict[str, Any] = {}
    if not task.is_gemm:
        before, after = task.pads
        attributes = {"strides": [task.layer.sizes["stride"]] * 2, "pads": [before, before, after, after]}
    copies = range(task.copies)
    nodes = [helper.make_node(operator, [f"x{copy}", *constants], [f"y{copy}"], **attributes) for copy in copies]
    element = helper.np_dtype_to_tensor_dtype(x.dtype)
    sums = TensorProto.INT32 if task.element == "int8" else TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "layer",
        [helper.make_tensor_value_info(f"x{copy}", element, x.shape) for copy in copies],
        [helper.make_tensor_value_info(f"y{copy}", sums, task.output_shape) for copy in copies],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString()

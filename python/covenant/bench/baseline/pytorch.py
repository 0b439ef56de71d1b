"""Benchmark layers on PyTorch, in float32: it has no public operators from int8 to sums of 32 bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from covenant.bench.baseline.task import Task


def version() -> str:
    """Version of PyTorch.

    Raises:
        ImportError: it cannot be loaded.
    """
    import torch  # noqa: PLC0415 (an optional package, and a slow one to import)

    return str(torch.__version__)


def prepare(task: Task) -> tuple[Callable[[], None], Callable[[], np.ndarray]]:
    """A call that computes the task, and its sums: float32, in the task's output shape. Sets PyTorch's threads."""
    import torch  # noqa: PLC0415

    torch.set_num_threads(task.threads)
    x = torch.from_numpy(task.inputs.astype(np.float32))
    w = torch.from_numpy(task.weights.astype(np.float32))
    product = torch.empty(task.output_shape)

    def once() -> torch.Tensor:
        if task.is_gemm:
            return torch.matmul(x, w, out=product)
        return torch.nn.functional.conv2d(x, w, stride=task.layer.sizes["stride"], padding=task.layer.sizes["pad"])

    def call() -> None:
        with torch.inference_mode():
            for _ in range(task.copies):
                once()

    def sums() -> np.ndarray:
        with torch.inference_mode():
            return once().numpy()

    return call, sums

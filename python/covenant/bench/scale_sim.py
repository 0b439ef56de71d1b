"""Cycles of products and convolutions on a systolic array by SCALE-Sim's formula: an estimate to compare with.

Its version 3 (Raj et al., "SCALE-Sim v3: A modular cycle-accurate systolic accelerator simulator for end-to-end system
analysis") counts, for operands that lie in its memories, a pass for each tile of the array, and no cycle for what is
not a product. Cycles of loading the first tiles are not among them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic

__all__ = ["Dataflow", "Product", "estimated_cycles", "products_of"]


_WEIGHTS = {"Conv": 1, "QLinearConv": 3, "Gemm": 1, "MatMul": 1, "QLinearMatMul": 3, "QGemm": 3}
"""Operators that are products, and which input their weights are."""


class Dataflow(Enum):
    """Operand that stays in the cells of the array."""

    OUTPUT_STATIONARY = "os"
    WEIGHT_STATIONARY = "ws"


@dataclass(frozen=True)
class Product:
    """A matrix product [rows, inner] by [inner, columns], or the one that a convolution is."""

    layer: str
    rows: int
    """Rows of the result; for a convolution, its pixels."""
    inner: int
    """Elements of a window."""
    columns: int
    """Output channels."""

    @property
    def macs(self) -> int:
        """Multiply-accumulates."""
        return self.rows * self.inner * self.columns


def estimated_cycles(product: Product, rows: int, columns: int, dataflow: Dataflow) -> int:
    """Cycles of a product on an array of so many rows and columns.

    Example:
        >>> estimated_cycles(Product("", 256, 256, 256), 16, 16, Dataflow.OUTPUT_STATIONARY)
        73215
        >>> estimated_cycles(Product("", 256, 256, 256), 16, 16, Dataflow.WEIGHT_STATIONARY)
        77311
    """
    if dataflow is Dataflow.OUTPUT_STATIONARY:
        passes = -(-product.rows // rows) * -(-product.columns // columns)
        return passes * (rows + columns + product.inner - 2) - 1
    passes = -(-product.inner // rows) * -(-product.columns // columns)
    return passes * (2 * rows + columns + product.rows - 2) - 1


def products_of(model: str | os.PathLike[str]) -> tuple[Product, ...]:
    """The convolutions and products by constants of an ONNX model, float or quantised, in its order; one image.

    Groups of a convolution are products one after the other, all of one size: they stand as one of all their columns.

    Raises:
        CovenantError: CLI0019, the shape of one is not known.
    """
    import onnx  # noqa: PLC0415  (import costs; who does not estimate does not pay)

    whole = onnx.shape_inference.infer_shapes(onnx.load(str(model)))
    shapes = {
        entry.name: [one.dim_value for one in entry.type.tensor_type.shape.dim]
        for entry in (*whole.graph.input, *whole.graph.value_info, *whole.graph.output)
    }
    shapes |= {tensor.name: list(tensor.dims) for tensor in whole.graph.initializer}
    return tuple(_product(node, shapes) for node in whole.graph.node if node.op_type in _WEIGHTS)


def _product(node: Any, shapes: dict[str, list[int]]) -> Product:
    result, weights = shapes.get(node.output[0]), shapes.get(node.input[_WEIGHTS[node.op_type]])
    if not result or not weights or 0 in result:
        raise CovenantError(
            Diagnostic("CLI0019", "the shape of a product is not known without compiling the model",
                       subject=node.name or node.output[0], offending=node.op_type,
                       fix="give a model of fixed shapes, in float or in QDQ style")
        )  # fmt: skip
    if node.op_type.endswith("Conv"):
        return Product(node.name, result[0] * int(np.prod(result[2:])), int(np.prod(weights[1:])), weights[0])
    columns = result[-1]
    return Product(node.name, int(np.prod(result[:-1])), int(np.prod(weights)) // columns, columns)

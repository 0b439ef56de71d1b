"""Named layers of published networks, by which compilers and machines are measured: programs and their exact sums."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant import _core
from covenant.compiler.optimisations import ALL, Optimisations
from covenant.compiler.schedule_file import schedule_text
from covenant.machine import Machine, as_machine
from covenant.program import Program


@dataclass(frozen=True)
class BenchmarkLayer:
    """One row of the table; inputs and weights are int8, outputs int32."""

    name: str
    """For example "ResNet50/CONV1"."""
    kind: str
    """gemm or conv."""
    macs: int
    """Multiply-accumulates; padding does not count."""
    sizes: Mapping[str, Any]
    """gemm: heads, m, k, n. conv: batch, input and output [channels, rows, columns], kernel, stride, pad."""
    note: str
    """Remark about the sizes, or empty."""


def benchmark_layers() -> tuple[BenchmarkLayer, ...]:
    """All rows, in the order of the table.

    Example:
        >>> benchmark_layers()[0].name
        'BERT-LG/GEMM1'
    """
    return tuple(_layer(raw) for raw in _core.benchmark_layers())


def cropped_layer(name: str, crop: Mapping[str, int]) -> BenchmarkLayer:
    """A row with fewer heads, rows or outputs; what is left has the values that it has in the whole layer's place.

    Args:
        name: of a row.
        crop: the most of heads, m, output_rows and output_columns that is left.
    """
    return _layer(_core.cropped_layer(name, dict(crop)))


def compile_layer(
    name: str,
    machine: Machine | str,
    schedule: str | os.PathLike[str] | None = None,
    *,
    optimisations: Optimisations = ALL,
    crop: Mapping[str, int] | None = None,
) -> Program:
    """The program of one layer, weights random but always the same.

    Args:
        name: of a row.
        machine: a Machine, or the spec of one ("genesys:8x8").
        schedule: as for `covenant.compile`; it may hold schedules of other rows too.
        optimisations: as for `covenant.compile`.
        crop: as for `cropped_layer`.

    Raises:
        CovenantError: there is no such layer (GEN0040), it does not fit the machine (codes CDLnnnn, GENnnnn), or the
            schedule does not suit it (CLI0009, SCHnnnn).
    """
    options = {"without": optimisations.left_out(), "crop": dict(crop or {}), **schedule_text(schedule)}
    return Program(*_core.compile_layer(name, as_machine(machine)._core, **options))


def emit_layer(
    name: str,
    machine: Machine | str,
    after: str,
    schedule: str | os.PathLike[str] | None = None,
    *,
    optimisations: Optimisations = ALL,
) -> str:
    """The compiler's intermediate form of a layer after a pass, as text.

    Raises:
        CovenantError: as `compile_layer`; or there is no such pass (lists them).
    """
    options = {"without": optimisations.left_out(), **schedule_text(schedule)}
    return _core.emit_layer(name, as_machine(machine)._core, after, **options)


@dataclass(frozen=True)
class Bound:
    """Cycles that no schedule of a layer can beat (compiler/benchmarks/bound.h)."""

    cycles: int
    """busiest + fixed."""
    busiest: int
    """Cycles for which the most loaded of array, lanes and edges has work."""
    fixed: int
    """Fetch, one read, one pass and one write, which nothing overlaps."""
    limited_by: str
    """compute, lanes, an edge like DRAM->WBUF, the name of a bus that edges share, or fixed."""


def bound_of(name: str, program: Program) -> Bound:
    """The bound of a layer on the machine of its program.

    Raises:
        CovenantError: there is no such layer (GEN0040).
    """
    words = sum(block.words for block in program.blocks)
    return Bound(**_core.benchmark_bound(name, program.machine._core, words))


def exact_sums(layer: BenchmarkLayer, x: np.ndarray) -> np.ndarray:
    """The int32 outputs of a layer, by products of f64 matrices, which are exact for its sizes.

    Args:
        layer: the layer.
        x: int8, [heads*m, k] or [batch, channels, rows, columns].
    """
    weights = weights_of(layer).astype(np.float64)
    return (_conv if layer.kind == "conv" else _gemm)(layer.sizes, weights, x.astype(np.float64)).astype(np.int32)


def weights_of(layer: BenchmarkLayer) -> np.ndarray:
    """The weights of a layer: int8, [heads, k, n] or [outputs, inputs, rows, columns]."""
    sizes = layer.sizes
    if layer.kind == "gemm":
        shape = (sizes["heads"], sizes["k"], sizes["n"])
    else:
        shape = (sizes["output"][0], sizes["input"][0], sizes["kernel"], sizes["kernel"])
    weights = np.frombuffer(_core.benchmark_weights(layer.name), np.int8)
    return weights[: math.prod(shape)].reshape(shape)  # of a layer with fewer heads, those of the first ones


def _gemm(sizes: Mapping[str, Any], weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    heads, m, k, n = sizes["heads"], sizes["m"], sizes["k"], sizes["n"]
    return np.matmul(x.reshape(heads, m, k), weights).reshape(heads * m, n)


def _conv(sizes: Mapping[str, Any], weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    (channels, rows, columns), (outputs, out_rows, out_columns) = sizes["input"], sizes["output"]
    kernel, stride, pad = sizes["kernel"], sizes["stride"], sizes["pad"]
    span_rows, span_columns = (out_rows - 1) * stride + kernel, (out_columns - 1) * stride + kernel
    padded = np.zeros((x.shape[0], channels, max(span_rows, pad + rows), max(span_columns, pad + columns)))
    padded[:, :, pad : pad + rows, pad : pad + columns] = x
    result = np.zeros((x.shape[0], outputs, out_rows, out_columns))
    for row in range(kernel):
        for column in range(kernel):
            part = padded[:, :, row : row + (out_rows - 1) * stride + 1 : stride]
            part = part[..., column : column + (out_columns - 1) * stride + 1 : stride]
            result += np.einsum("oc,nchw->nohw", weights[:, :, row, column], part, optimize=True)
    return result


def _layer(raw: dict[str, Any]) -> BenchmarkLayer:
    own = ("name", "kind", "macs", "note")
    return BenchmarkLayer(**{key: raw[key] for key in own}, sizes={k: v for k, v in raw.items() if k not in own})

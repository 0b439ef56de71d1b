"""Splits a model into parts for the compiler and for the host, and rewrites them for each.

Constants are folded, lookups replace float subgraphs, and the host gets the ends of the model.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from covenant.compiler.layer_refusals import of_layer
from covenant.compiler.refusals import true_reason
from covenant.errors import CovenantError, Diagnostic, InternalError
from covenant.machine import WORD_BITS, Machine
from covenant.model.constant_nodes import with_initializers
from covenant.model.ends import host_nodes, split_ends
from covenant.model.folding import folded
from covenant.model.function_bodies import BODIES, with_bodies
from covenant.model.idle_operators import without_idle
from covenant.model.loading import has_operands
from covenant.model.scalar_scales import with_scalar_scales
from covenant.model.zero_points import with_zero_points
from covenant.onnx_runtime.validity import is_refused
from covenant.rewrite.elementwise.tables import has_tables, replaced
from covenant.rewrite.equivalents import with_equivalents, with_whole_equivalents
from covenant.rewrite.reductions.mean_variances import is_between_stored

__all__ = ["ModelParts", "parts_of", "with_parts"]

Made = TypeVar("Made")
_MOST_BYTES = 2**31 - 2**24
"""Most bytes of a model with its data: a protobuf has less than 2 GiB."""
_ROWS = frozenset({"GroupNormalization", "MeanVarianceNormalization", "RotaryEmbedding"})
"""Operators whose bodies are not taken between stored tensors: a machine has each as layers of its own."""


@dataclass(frozen=True)
class ModelParts:
    """Parts of a model for the compiler and for the host."""

    content: bytes = b""
    """The ONNX model that the compiler reads; empty: its file, unchanged."""
    takes: tuple[str, ...] = ()
    """Names of its inputs."""
    start: bytes = b""
    """Part that the host computes before it (`covenant.model.ends`); empty: nothing."""
    end: bytes = b""
    """Part that the host computes after it; empty: nothing."""


def with_parts(
    model: str | os.PathLike[str], run: Callable[[ModelParts], Made], machine: Machine | None = None
) -> Made:
    """Result of `run` for a model, in parts if it does not take it whole.

    The model is tried as it is first, and split only if the compiler refuses it. The parts have the same bytes for
    every machine; for one that scales sums of 32 bits in f32 they may have fewer layers.

    Raises:
        CovenantError: `run` fails on the model with another code than those of the front end (ONXnnnn), or on its
            parts, too; ONX0021: the table of a float subgraph cannot be made; ONX0025 to ONX0028: what keeps the whole
            model from being taken (`covenant.compiler.refusals`).
    """
    path = Path(model)
    try:
        return run(ModelParts())
    except CovenantError as error:
        if not path.is_file():
            raise
        if not error.code.startswith("ONX"):
            raise _better(path, error) from error
        with _unless_no_model(path, error):
            parts = parts_of(path, scales_in_f32=_scales_in_f32(machine))
        if not parts.content:
            raise _better(path, error) from error
    try:
        return run(parts)
    except CovenantError as error:
        with _unless_no_model(path, error):
            plain = parts_of(path)
        if plain.content == parts.content:
            raise _better(path, error) from error
    try:
        return run(plain)  # a machine without the layers that would be fewer
    except CovenantError as error:
        raise _better(path, error) from error


def _better(path: Path, error: CovenantError) -> CovenantError:
    with _unless_no_model(path, error):
        return true_reason(path, error) if error.code.startswith("ONX") else of_layer(path, error)


@contextmanager
def _unless_no_model(path: Path, error: CovenantError) -> Iterator[None]:
    """Raises the compiler's diagnostic in the place of a failure, if ONNX Runtime does not load the model either.

    What reads a model here takes its nodes to be what ONNX says of them. In a model that ONNX Runtime loads they are,
    and a failure is a mistake of ours.
    """
    try:
        yield
    except (CovenantError, InternalError):
        raise
    except Exception as failure:
        if not is_refused(path):
            raise
        raise error from failure


def _scales_in_f32(machine: Machine | None) -> bool:
    if machine is None or machine.fixed_point or machine.saturates:
        return False
    return machine.accumulator_bits == WORD_BITS


def parts_of(path: Path, *, scales_in_f32: bool = False) -> ModelParts:
    """Parts of a file that the compiler does not take whole; empty if it cannot be split.

    Args:
        path: the model.
        scales_in_f32: for machines that scale sums of 32 bits in f32 alone.
    """
    return _parts_of(path, *_state(path), scales_in_f32=scales_in_f32)


def _state(path: Path) -> tuple[int, int]:
    state = path.stat()
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=4)
def _parts_of(path: Path, _modified_ns: int, _size_bytes: int, *, scales_in_f32: bool) -> ModelParts:
    """Parts of a file in one state; empty if it cannot be split.

    Rewrites that make constants come first, because all that follow ask for them; then operators that do nothing are
    removed, because they separate nodes that belong together. Layers get one reader each before the model is split, so
    that the host's part reads nothing that the machine quantises. Only the machine's part is rewritten into operators
    that it has.
    """
    model, is_apart = _loaded(path)
    if model is None or not _is_sorted(model.graph) or not has_operands(model):
        return ModelParts()
    named = with_scalar_scales(with_zero_points(with_initializers(_expanded(model))))
    ends = split_ends(with_whole_equivalents(without_idle(folded(named))))
    core = with_equivalents(ends.core, scales_in_f32=scales_in_f32)
    if core is model and not has_tables(model) and not is_apart:
        return ModelParts()
    takes = tuple(entry.name for entry in core.graph.input)
    return ModelParts(replaced(core).SerializeToString(), takes, ends.start, ends.end)


def _is_sorted(graph: Any) -> bool:
    """Whether nodes read only what is made before them; the front end names what is not."""
    known = {"", *(entry.name for entry in graph.input), *(tensor.name for tensor in graph.initializer)}
    known |= {tensor.values.name for tensor in graph.sparse_initializer}
    for node in graph.node:
        if not known.issuperset(node.input):
            return False
        known.update(node.output)
    return True


def _expanded(model: Any) -> Any:
    """The model with the bodies of functions and operators, but for those that the host alone has: it knows these."""
    whole = with_bodies(model, ())
    wanted = [node for node in whole.graph.node if node.op_type in BODIES]
    hosted = {value for node in host_nodes(whole) for value in node.output} if wanted else set()
    left = [node for node in wanted if node.output[0] not in hosted]
    apart = {node.op_type for node in left if node.op_type not in _ROWS or not is_between_stored(whole, node)}
    return with_bodies(whole, apart)


def _loaded(path: Path) -> tuple[Any | None, bool]:
    """The model with all its data, if it can be read, and whether some of that lies in other files.

    Raises:
        CovenantError: ONX0003, it is too large.
    """
    try:
        import onnx  # noqa: PLC0415  (import costs; a model without subgraphs does not pay)
        from onnx import external_data_helper  # noqa: PLC0415

        model = onnx.load(str(path), load_external_data=False)
        apart = [tensor for tensor in model.graph.initializer if tensor.data_location == onnx.TensorProto.EXTERNAL]
        apart += [entry.t for node in model.graph.node for entry in node.attribute if entry.t.external_data]
    except Exception:  # noqa: BLE001  (parsers raise what they like: the compiler has said what is wrong)
        return None, False
    size = sum(math.prod(tensor.dims) * _bytes_of(tensor.data_type) for tensor in apart)
    if size > _MOST_BYTES:
        raise CovenantError(
            Diagnostic("ONX0003", "the data in other files is more than one model can hold", str(path),
                       offending=f"{size:,} bytes", allowed=(f"{_MOST_BYTES:,} bytes",),
                       fix="quantise the weights to fewer bits, or compile the network in parts")
        )  # fmt: skip
    try:
        external_data_helper.load_external_data_for_model(model, str(path.parent))
    except Exception:  # noqa: BLE001  (a file that is missing or too short: the compiler has said that there is one)
        return None, False
    return model, bool(apart)


def _bytes_of(element: int) -> int:
    """Bytes of one element."""
    from onnx import helper  # noqa: PLC0415

    return int(helper.tensor_dtype_to_np_dtype(element).itemsize)

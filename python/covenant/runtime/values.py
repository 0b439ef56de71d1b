"""Values of a model on whole sets of images, computed on all cores: those of every machine of the same numerics.

Cycles do not depend on values: a test set needs its cycles once, and its values for every image. Kernels that are
planned once for a model (`compiler/values`) compute the values, which are the bytes of the exact reference operators.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant import _core
from covenant.compiler.model_parts import ModelParts, with_parts
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine, Requant
from covenant.program.host import HostPart, finished, host_part, started
from covenant.program.inputs import Feed
from covenant.program.tensor import Tensor, real_tensor
from covenant.progress import Progress

__all__ = ["MadeValue", "Stacks", "Values", "images_of", "stacked"]

Stacks = Mapping[str, np.ndarray]
"""Arrays by name, of all images: [images, *shape]."""
_CHUNK_BYTES = 64 * 1024**2
_CHUNK_SECONDS = 0.5


@dataclass(frozen=True)
class MadeValue:
    """A tensor that a node of the normalised model makes."""

    name: str
    node: str
    """Name of the node."""
    operation: str
    """Operation of the node: "conv"."""
    dtype: np.dtype
    """Type of the stored elements."""
    shape: tuple[int, ...]
    scale: float | None
    """real = (stored - zero_point) * scale; None of a real tensor."""
    zero_point: int


class Values:
    """A model, planned once to be computed on any number of images.

    Args:
        model: path of an .onnx file, int8, in QOperator or QDQ style.
        requant: how sums are scaled, as `Machine.requant` says.
        threads: images at a time; None: one for each core.
        simd: one of `_core.simd_names()`; None: the widest instructions that this processor has.
        exact: use the reference operators alone: slow, for comparison.
        accumulators: the machine whose systolic arrays make the sums; None: in 32 bits.

    Attributes:
        inputs: inputs of one image, as the model declares them.
        outputs: names of the outputs, in the model's order.
        made: tensors that its nodes compute, in order, without those of the host.
        exact_nodes: nodes that have no kernel: the reference operators compute them.

    Raises:
        CovenantError: the model is not one that the reference operators know (codes ONXnnnn), or has elements that the
            machine of the accumulators does not have (NET0030).
    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        requant: Requant = "fp32",
        threads: int | None = None,
        simd: str | None = None,
        exact: bool = False,
        accumulators: Machine | None = None,
    ) -> None:
        core = accumulators._core if accumulators else None

        def made(parts: ModelParts) -> tuple[_core.ValuesPlan, ModelParts]:
            return _core.ValuesPlan(os.fspath(model), parts.content, requant, simd or "", exact, core), parts

        self._plan, self._parts = with_parts(model, made)
        self._threads = threads or os.cpu_count() or 1
        self._end = host_part(self._parts.end) if self._parts.end else None
        self.inputs = _inputs(self._plan, host_part(self._parts.start) if self._parts.start else None)
        self.outputs = tuple(self._end.names if self._end else (one["name"] for one in self._plan.outputs))
        self.made = tuple(_made(one) for one in self._plan.made)
        self.exact_nodes = tuple(self._plan.exact_nodes)

    def run(self, inputs: Stacks, *, progress: Progress | None = None) -> dict[str, np.ndarray]:
        """The model's outputs.

        Args:
            inputs: an array of all images for each of `self.inputs`: [images, *shape], of its type.
            progress: called with the number of images that are done.

        Returns:
            Outputs by name: [images, *shape].

        Raises:
            CovenantError: RUN0001 to RUN0004, the inputs are not those of the model.
        """
        _check(self.inputs, inputs)
        names = [one["name"] for one in self._plan.outputs]
        parts = [self._end_of(made, known) for made, known in self._chunks(inputs, {}, names, progress)]
        return {name: np.concatenate([part[name] for part in parts]) for name in self.outputs}

    def tensors(
        self, inputs: Stacks, names: Sequence[str] | None = None, *, given: Stacks | None = None,
        progress: Progress | None = None,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """Tensors that nodes make, as they are stored.

        Args:
            inputs: as for `run`.
            names: of those in `self.made`; None: all of them.
            given: tensors by name that nodes read instead of the computed ones, so that errors do not accumulate:
                [images, *shape], of the stored type.
            progress: told how many images are done.

        Raises:
            CovenantError: as `run`.
        """
        _check(self.inputs, inputs)
        wanted = [one.name for one in self.made] if names is None else list(names)
        chunks = [made for made, _ in self._chunks(inputs, given or {}, wanted, progress)]
        return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in wanted}

    def _chunks(
        self, inputs: Stacks, given: Stacks, names: list[str], progress: Progress | None
    ) -> Iterator[tuple[dict[str, np.ndarray], Stacks]]:
        """Chunks of images of half a second each, so that the call can be interrupted and reports its progress."""
        total = len(next(iter(inputs.values())))
        bytes_of_image = sum(array.nbytes for array in (*inputs.values(), *given.values())) // max(1, total) + 1
        most = max(self._threads, _CHUNK_BYTES // bytes_of_image)
        count, first = self._threads, 0
        if progress:
            progress("values", 0, total)
        while first < total:
            start = time.perf_counter()
            last = min(total, first + min(count, most))
            part = {name: np.ascontiguousarray(array[first:last]) for name, array in inputs.items()}
            known = self._started(part)
            taken = {one["name"]: known[one["name"]] for one in self._plan.inputs}
            taken |= {name: np.ascontiguousarray(array[first:last]) for name, array in given.items()}
            yield self._plan.run(last - first, taken, names, self._threads), known
            seconds = max(1e-6, time.perf_counter() - start)
            count = max(self._threads, int((last - first) * min(16.0, _CHUNK_SECONDS / seconds)))
            first = last
            if progress:
                progress("values", first, total)

    def _started(self, inputs: Stacks) -> Stacks:
        """Inputs with the results of the host's start for each image."""
        if not self._parts.start:
            return inputs
        return stacked([started(self._parts.start, feed).arrays for feed in images_of(inputs)])

    def _end_of(self, made: Stacks, known: Stacks) -> Stacks:
        """Outputs of the host's end for each image."""
        if self._end is None:
            return made
        pairs = zip(images_of(made), images_of(known), strict=True)
        return stacked([finished(self._parts.end, *pair).arrays for pair in pairs])


def images_of(stacks: Stacks) -> Iterator[Feed]:
    """The arrays of each image."""
    for index in range(len(next(iter(stacks.values())))):
        yield {name: array[index] for name, array in stacks.items()}


def stacked(feeds: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The arrays of all images: [images, *shape]."""
    return {name: np.stack([feed[name] for feed in feeds]) for name in feeds[0]}


def _inputs(plan: _core.ValuesPlan, start: HostPart | None) -> tuple[Tensor, ...]:
    """Inputs of one image; for a model with a start for the host, the inputs of that."""
    if start:
        return tuple(start.inputs.values())
    return tuple(real_tensor(one["name"], tuple(one["shape"]), np.dtype(one["dtype"])) for one in plan.inputs)


def _made(one: dict[str, Any]) -> MadeValue:
    return MadeValue(
        one["name"], one["node"], one["operation"], np.dtype(one["dtype"]), tuple(one["shape"]), one.get("scale"),
        one.get("zero_point", 0),
    )  # fmt: skip


def _check(inputs: Sequence[Tensor], given: Stacks) -> None:
    """Raises RUN0001 to RUN0004 unless these are stacks of inputs of the model."""
    for name in given:
        if name not in [one.name for one in inputs]:
            raise _refused("RUN0002", "the model has no such input", name, name, inputs)
    counts = {len(array) for array in given.values()}
    for tensor in inputs:
        if tensor.name not in given:
            raise _refused("RUN0001", "an input is missing", tensor.name, "nothing", inputs)
        array = given[tensor.name]
        if array.shape[1:] != tensor.shape or not len(array) or len(counts) > 1:
            raise _refused("RUN0003", "an input has the wrong shape", tensor.name, str(list(array.shape)), inputs)
        if array.dtype != tensor.dtype:
            raise _refused("RUN0004", "an input has the wrong element type", tensor.name, str(array.dtype), inputs)


def _refused(code: str, message: str, name: str, offending: str, inputs: Sequence[Tensor]) -> CovenantError:
    allowed = tuple(f"{one.name} {one.dtype}[images, {', '.join(map(str, one.shape))}]" for one in inputs)
    fix = "give an array of all images for each input, as many images of each"
    return CovenantError(Diagnostic(code, message, subject=name, offending=offending, allowed=allowed, fix=fix))

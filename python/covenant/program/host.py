"""The host's part of a program: the two ends of its model (`covenant.model.ends`), in ONNX Runtime."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.model.ends import names_in
from covenant.onnx_runtime.sessions import OracleError, Style, outputs_of, session
from covenant.program.tensor import Tensor, real_tensor

__all__ = ["HostPart", "Made", "check_ends", "finished", "host_part", "started"]

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Made:
    """Arrays that the host knows after a part of its work."""

    arrays: dict[str, np.ndarray]
    """Arrays by name."""
    seconds: float
    """Seconds that the work took."""


class HostPart:
    """One end of a program's model, in ONNX Runtime as it is written: nothing is fused, or quantised once more.

    Args:
        content: a part that `split_ends` has made.

    Attributes:
        operators: types of its nodes, in their order.
        names: all inputs of the whole model, of its start; all outputs, of its end: in its order.
        inputs: its inputs, as the caller sees them.
        outputs: its outputs.
    """

    def __init__(self, content: bytes) -> None:
        from onnx import load_from_string  # noqa: PLC0415

        model = load_from_string(content)
        self.operators = tuple(node.op_type for node in model.graph.node)
        self.names = tuple(names_in(model))
        self.inputs = {entry.name: _tensor(entry) for entry in model.graph.input}
        self.outputs = {entry.name: _tensor(entry) for entry in model.graph.output}
        self._content = content

    @cached_property
    def _session(self) -> Any:
        try:
            return session(self._content, Style.UNFUSED)
        except OracleError as error:
            raise _not_computed(error) from error

    def run(self, arrays: Arrays) -> Made:
        """Results of the part, with all arrays that were there before.

        Raises:
            CovenantError: RUN0014, ONNX Runtime is missing, of another version, or refuses it.
        """
        start = time.perf_counter()
        known = dict(arrays)
        if self.outputs:
            try:
                known |= outputs_of(self._session, arrays)
            except OracleError as error:
                raise _not_computed(error) from error
        return Made(known, time.perf_counter() - start)

    def check(self, arrays: Arrays) -> None:
        """Raises RUN0001 to RUN0004 unless these are the inputs of the whole model."""
        names = tuple(self.inputs)
        for name in arrays.keys() - self.inputs.keys():
            raise _refused("RUN0002", "the program has no such input", name, (name, names))
        for name, tensor in self.inputs.items():
            if name not in arrays:
                raise _refused("RUN0001", "an input is missing", name, (name, names))
            shapes = [str(list(one.shape)) for one in (arrays[name], tensor)]
            if shapes[0] != shapes[1]:
                raise _refused("RUN0003", "an input has the wrong shape", name, (shapes[0], (shapes[1],)))
            if arrays[name].dtype != tensor.dtype:
                types = (str(arrays[name].dtype), (str(tensor.dtype),))
                raise _refused("RUN0004", "an input has the wrong element type", name, types)


def _not_computed(error: OracleError) -> CovenantError:
    return CovenantError(
        Diagnostic(
            "RUN0014", f"ONNX Runtime has to compute an end of this model on the host: {error}",
            fix="install what is named, or leave the float operators at the ends of the model out",
        )
    )  # fmt: skip


def _refused(code: str, message: str, name: str, values: tuple[str, tuple[str, ...]]) -> CovenantError:
    offending, allowed = values
    fix = "give arrays of these names, shapes and types: `Program.inputs` lists them"
    return CovenantError(Diagnostic(code, message, subject=name, offending=offending, allowed=allowed, fix=fix))


def _tensor(entry: Any) -> Tensor:
    """Tensor that an `onnx.ValueInfoProto` declares."""
    from onnx import helper  # noqa: PLC0415

    declared = entry.type.tensor_type
    shape = tuple(one.dim_value for one in declared.shape.dim)
    return real_tensor(entry.name, shape, helper.tensor_dtype_to_np_dtype(declared.elem_type))


def check_ends(
    path: str | os.PathLike[str], start: bytes, end: bytes, taken: Iterable[str], made: Iterable[str]
) -> None:
    """Checks the host's parts of a program file, which are bytes to its reader.

    Args:
        path: of the file.
        start: what the host computes first; empty: nothing.
        end: what it computes last.
        taken: names of the machine's inputs.
        made: names of its outputs.

    Raises:
        CovenantError: PRG0009, one is no model of this form, or has not all that it takes, or does not make all that is
            taken of it.
    """
    try:
        missing = sorted(_missing(start, end, set(taken), set(made)))
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise _damaged(path, "a model that the host computes cannot be read", reason) from error
    if missing:
        raise _damaged(path, "the models that the host computes do not fit the machine's", ", ".join(missing))


def _missing(start: bytes, end: bytes, taken: set[str], made: set[str]) -> set[str]:
    """Names of tensors that are needed before anything makes them."""
    missing: set[str] = set()
    known = taken
    if start:
        first = host_part(start)
        known = first.inputs.keys() | first.outputs.keys()
        missing = taken - known
    if end:
        last = host_part(end)
        known = known | made
        missing |= last.inputs.keys() - known
        missing |= set(last.names) - known - last.outputs.keys()
    return missing


def _damaged(path: str | os.PathLike[str], message: str, offending: str) -> CovenantError:
    fix = "copy the file again, or compile the model again"
    return CovenantError(Diagnostic("PRG0009", message, os.fspath(path), offending=offending[:200], fix=fix))


@lru_cache(maxsize=16)
def host_part(content: bytes) -> HostPart:
    """The same one for the same content."""
    return HostPart(content)


def started(content: bytes, inputs: dict[str, np.ndarray]) -> Made:
    """Results of a model's start with its inputs; the inputs alone if `content` is empty.

    Raises:
        CovenantError: RUN0001 to RUN0004, the inputs are not those of the model; RUN0014, ONNX Runtime is missing, of
            another version, or refuses it.
    """
    if not content:
        return Made(inputs, 0.0)
    start = host_part(content)
    start.check(inputs)
    return start.run(inputs)


def finished(content: bytes, made: dict[str, np.ndarray], known: dict[str, np.ndarray]) -> Made:
    """A model's outputs from those of the machine and arrays known before; the machine's if `content` is empty.

    Raises:
        CovenantError: RUN0014, as `started`.
    """
    if not content:
        return Made(made, 0.0)
    end = host_part(content)
    done = end.run({**known, **made})
    return Made({name: done.arrays[name] for name in end.names}, done.seconds)

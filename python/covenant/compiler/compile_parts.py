"""Compiles a model in parts, each for a machine of its own (docs/reference/parts.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from covenant import _core
from covenant.compiler.model_parts import ModelParts, with_parts
from covenant.compiler.optimisations import ALL, Optimisations
from covenant.machine import Machine, as_machine
from covenant.program.parts import ProgramParts


def compile_parts(
    model: str | os.PathLike[str],
    machine: Machine | str,
    parts: Mapping[str, Machine | str],
    library: str | os.PathLike[str] | None = None,
    *,
    fusion: bool = True,
    optimisations: Optimisations = ALL,
    threads: int | None = None,
    state: Mapping[str, str] | None = None,
) -> ProgramParts:
    """Compiles a quantised ONNX model in parts that run one after the other.

    Example:
        >>> compile_parts("digits_qdq.onnx", "genesys", {"pool": "hvx"}).save("digits.cprog")  # doctest: +SKIP

    Args:
        model: path of an ONNX file, as for `compile`.
        machine: of the first part.
        parts: by a tensor, or the layer that makes it, the machine of all that comes after it, in the order of
            computation.
        library: as for `compile`.
        fusion: as for `compile`.
        optimisations: as for `compile`.
        threads: as for `compile`.
        state: outputs of a run that are inputs of the next one, of any part.

    Raises:
        CovenantError: there is no such layer or tensor (GEN0080), what parts would hand on is not quantised (GEN0081),
            or a part would have no layers (GEN0082); and as `compile`.
    """
    target = as_machine(machine)
    after = [(name, as_machine(one)._core) for name, one in parts.items()]
    folder = "" if library is None else os.fspath(library)

    def made(ends: ModelParts) -> ProgramParts:
        core, results = _core.compile_parts(
            os.fspath(model), target._core, after, library=folder, without=optimisations.left_out(), fusion=fusion,
            content=ends.content, threads=threads or 0, state=list((state or {}).items()),
        )  # fmt: skip
        return ProgramParts(core, results).with_host(ends.start, ends.end)

    return with_parts(model, made)

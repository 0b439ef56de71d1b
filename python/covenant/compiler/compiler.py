"""The compiler: from a model to a program, or to its form after one of the passes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from covenant import _core
from covenant.compiler.model_parts import ModelParts, with_parts
from covenant.compiler.optimisations import ALL, Optimisations
from covenant.compiler.schedule_file import schedule_text
from covenant.machine import Machine, as_machine
from covenant.program import Program


def compile(  # noqa: A001 (the verb of the field)
    model: str | os.PathLike[str],
    machine: Machine | str,
    library: str | os.PathLike[str] | None = None,
    schedule: str | os.PathLike[str] | None = None,
    *,
    fusion: bool = True,
    optimisations: Optimisations = ALL,
    threads: int | None = None,
    state: Mapping[str, str] | None = None,
) -> Program:
    """Compiles a quantised ONNX model for a machine.

    Args:
        model: path of an ONNX file, int8, in QOperator or QDQ style.
        machine: a Machine, or the spec of one ("genesys:8x8").
        library: a folder of codelets for operators beside the compiler's own (docs/guide/add-an-operator.md).
        schedule: a schedule file; the compiler searches what it leaves open (docs/reference/schedules.md).
        fusion: fuse a layer with the only reader of its result where that is predicted to be faster.
        optimisations: of code generation; those that are false are left out.
        threads: that search for schedules, at least 1; None: one for each core. The program is the same.
        state: outputs of a run that are inputs of the next one, by the names of the outputs (docs/reference/state.md).

    Raises:
        CovenantError: the file is missing or damaged, the model is not quantised, an operator is not supported (names
            it and its layer), a tile does not fit the machine (codes ONXnnnn, CDLnnnn, GENnnnn), or the schedule does
            not suit the model (CLI0009, SCHnnnn); what would be state is not there, or differs (GEN0070 to GEN0073).
    """
    options = _options(library, schedule, optimisations, fusion=fusion) | {
        "threads": threads or 0,
        "state": list((state or {}).items()),
    }
    target = as_machine(machine)
    core = target._core

    def made(parts: ModelParts) -> Program:
        program, chosen, results = _core.compile(os.fspath(model), core, content=parts.content, **options)
        return Program(program, chosen, results).with_host(parts.start, parts.end)

    return with_parts(model, made, target)


def emit(
    model: str | os.PathLike[str],
    machine: Machine | str,
    after: str,
    library: str | os.PathLike[str] | None = None,
    schedule: str | os.PathLike[str] | None = None,
    *,
    fusion: bool = True,
    optimisations: Optimisations = ALL,
    layer: str | None = None,
) -> str:
    """The compiler's intermediate form after a pass, as text.

    Args:
        model: path of an ONNX file.
        machine: a Machine, or the spec of one.
        after: one of `passes()`, or the verb of one: `tile` for `tiled`, `asm` for `assembly`.
        library: as for `compile`.
        schedule: as for `compile`.
        fusion: as for `compile`.
        optimisations: as for `compile`.
        layer: limit the text to this layer: the name of a node of the model, or of several that are fused, with `+`
            between; None for all.

    Raises:
        CovenantError: as `compile`; or there is no such pass, or no such layer after it (lists them).
    """
    options = _options(library, schedule, optimisations, fusion=fusion) | {"layer": layer or ""}
    target = as_machine(machine)

    def made(parts: ModelParts) -> str:
        return _core.emit(os.fspath(model), target._core, after, content=parts.content, **options)

    return with_parts(model, made, target)


def passes() -> tuple[str, ...]:
    """Names of the compiler's passes, in their order."""
    return tuple(_core.stage_names())


def _options(
    library: str | os.PathLike[str] | None,
    schedule: str | os.PathLike[str] | None,
    optimisations: Optimisations,
    *,
    fusion: bool,
) -> dict[str, Any]:
    """The options in the form that the core takes."""
    folder = "" if library is None else os.fspath(library)
    without = optimisations.left_out()
    return {"library": folder, "fusion": fusion, "without": without, **schedule_text(schedule)}

"""Expected outputs of a model, from ONNX Runtime or from the exact reference operators, with their source."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from covenant import _core, oracle
from covenant.choices import Source
from covenant.compiler.model_parts import ModelParts, parts_of, with_parts
from covenant.machine import WORD_BITS, Machine, Requant
from covenant.oracle.probe import ProbeResult, probe
from covenant.program import Program
from covenant.program.host import finished, started
from covenant.runtime.session import Session
from covenant.verify.unmoved import Unmoved

Tensors = Mapping[str, np.ndarray]
Path = str | os.PathLike[str]
_SCALING: dict[Requant, str] = {
    "fp32": "",
    "fixed": ", scaling in fixed point",
    "fixed_tflite": ", scaling in fixed point as TensorFlow Lite does",
}
_SHARED = (
    "the compiler's front end reads the model for them, too: what it misreads is wrong in both, and "
    "--compare onnxruntime shows it"
)
"""Parts that the reference operators share with the compiler."""


@dataclass(frozen=True)
class ExpectedOutputs:
    """Expected outputs of a model, with their source."""

    outputs: tuple[dict[str, np.ndarray], ...]
    """One dictionary per image."""
    description: dict[str, Any]
    """`describe` of their source."""


def expected_outputs(
    model: Path, feeds: Sequence[Tensors], source: Source, *, requant: Requant = "fp32",
    accumulators: Machine | Program | None = None,
) -> ExpectedOutputs:  # fmt: skip
    """Runs a model on the source of its expected outputs.

    Args:
        model: path of an .onnx model.
        feeds: the inputs of each image, by name.
        source: source of the expected outputs; `source_here` returns the best one on this processor.
        requant: of REFERENCE: how sums are scaled, as `Machine.requant` says.
        accumulators: of REFERENCE: the machine whose systolic arrays make the sums, or the program for it; None: in 32
            bits.

    Raises:
        OracleError: of ONNXRUNTIME: it is missing, of another version, would not run the model in integers, or has
            kernels for this model that are not exact on this processor.
        CovenantError: of REFERENCE: the reference operators do not know the model (codes ONXnnnn); sums saturate, and
            no program says their order (NET0032).
    """
    description = describe(model, source, requant=requant, accumulators=accumulators)
    if source is Source.ONNXRUNTIME:
        return ExpectedOutputs(tuple(dict(oracle.run(model, feed)) for feed in feeds), description)
    if codelets := _codelets_of(accumulators):
        return ExpectedOutputs(tuple(codelets.run(feed).outputs for feed in feeds), description)
    numerics: dict[str, Any] = {"requant": requant, "accumulators": _machine_of(accumulators)}
    outputs = tuple(dict(reference(model, feed, **numerics)) for feed in feeds)
    return ExpectedOutputs(outputs, description)


def expected_tensors(
    model: Path, feeds: Sequence[Tensors], source: Source, *, requant: Requant = "fp32",
    accumulators: Machine | Program | None = None,
) -> Iterator[dict[str, np.ndarray]]:  # fmt: skip
    """The same for all tensors that the source knows, image by image: what its operators make, by name.

    ONNX Runtime gives the tensors of its optimised graph, without those that it has fused away. Where a model is
    compiled with other movements, tensors are also known before these (`covenant.verify.unmoved`).

    Raises:
        OracleError, CovenantError: as `expected_outputs`.
    """
    codelets = _codelets_of(accumulators)
    for feed in feeds:
        if source is Source.ONNXRUNTIME:
            yield _unmoved(model).with_sources(oracle.oracle_of(model).tensors(feed))
        elif codelets:
            yield {one.name: one.array for one in codelets.layer_tensors(feed)}
        else:
            machine = _machine_of(accumulators)
            yield _reference_tensors(model, feed, requant=requant, accumulators=machine)


def _machine_of(accumulators: Machine | Program | None) -> Machine | None:
    return accumulators.machine if isinstance(accumulators, Program) else accumulators


def _codelets_of(accumulators: Machine | Program | None) -> Session | None:
    """Session that computes saturating sums in the order of the program; None: sums wrap, and need none."""
    if not isinstance(accumulators, Program) or not accumulators.machine.saturates:
        return None
    return Session(accumulators, "interpret")


def inexact_tensors(model: Path, source: Source) -> dict[str, str]:
    """Tensors of a source that may be one step from exact ones, and by which operator.

    Raises:
        OracleError: as `expected_outputs`.
    """
    return _unmoved(model).with_names(oracle.oracle_of(model).inexact) if source is Source.ONNXRUNTIME else {}


def _unmoved(model: Path) -> Unmoved:
    return _unmoved_of(parts_of(pathlib.Path(model)).content)


@lru_cache(maxsize=4)
def _unmoved_of(content: bytes) -> Unmoved:
    """Once for all images: reading a model and inferring its shapes takes longer than comparing a layer."""
    return Unmoved(content)


def source_here(model: Path) -> Source:
    """ONNXRUNTIME where its kernels for this model are exact on this processor, else REFERENCE.

    Operators that round in an order of their own do not count: `describe` names them.

    Raises:
        OracleError: ONNX Runtime is missing, of another version, or would not run the model in integers.
    """
    return Source.ONNXRUNTIME if _kernels(model).exact else Source.REFERENCE


def describe(
    model: Path, source: Source, *, requant: Requant = "fp32", accumulators: Machine | Program | None = None
) -> dict[str, Any]:
    """Description of the source of a model's expected outputs, for reports.

    Returns:
        `source`: its name. `settings`: its description. For ONNXRUNTIME also its `version`, the `style` of the
        model and the `probe` of the kernels, in words; for REFERENCE these are None. `inexact`: operators that round in
        an order of their own, which makes values one step from exact ones. `exact`: there are none. `shares`: the
        parts that the source has in common with the compiler; None: none.

    Raises:
        OracleError: see `expected_outputs`.
    """
    if source is Source.REFERENCE:
        settings = _reference_settings(_machine_of(accumulators), requant)
        return {
            "version": None, "style": None, "settings": settings, "probe": None, "inexact": [], "exact": True,
            "source": source.value, "shares": _SHARED,
        }  # fmt: skip
    found = _kernels(model)
    if not found.exact:
        # As it is written, a QDQ model needs none of these kernels; the others compute in them either way.
        is_fused = oracle.oracle_of(model).style is oracle.Style.QDQ
        raise (oracle.NotExactError if is_fused else oracle.OracleError)(found.text)
    known = oracle.oracle_of(model)
    style, inexact = known.style, sorted(set(known.inexact.values()))
    return {
        "version": found.version,
        "style": style.value,
        "settings": f"ONNX Runtime {found.version}, {style.value} model, {style.settings}",
        "probe": found.text,
        "inexact": inexact,
        "exact": not inexact,
        "source": source.value,
        "shares": None,
    }


def describe_unfused(why: oracle.NotExactError) -> dict[str, Any]:
    """The same of ONNX Runtime on a model as it is written: in float between stored tensors.

    Args:
        why: ONNX Runtime is no oracle of the model's bytes.
    """
    version = oracle.check_version()
    style = oracle.Style.UNFUSED
    return {
        "version": version,
        "style": style.value,
        "settings": f"ONNX Runtime {version} on the model as it is written, {style.settings}: {why}",
        "probe": None,
        "inexact": ["float operators between stored tensors"],
        "exact": False,
        "source": Source.ONNXRUNTIME.value,
        "shares": None,
    }


def _reference_settings(machine: Machine | None, requant: Requant) -> str:
    in_order = machine is not None and machine.saturates
    said = "the program's codelets, interpreted" if in_order else "the exact reference operators"
    said += _SCALING[requant]
    if machine is None or not (in_order or machine.accumulator_bits < WORD_BITS):
        return said
    return f"{said}, sums that {'saturate' if in_order else 'wrap'} at {machine.accumulator_bits} bits"


def _kernels(model: Path) -> ProbeResult:
    """Results of the probe for the kernels that the model needs."""
    needed = oracle.oracle_of(model).kernels
    return probe().of(needed)


def reference(
    model: Path, inputs: Tensors, *, requant: Requant = "fp32", accumulators: Machine | None = None
) -> dict[str, np.ndarray]:
    """The model's outputs by the SDK's exact reference operators (`compiler/reference`).

    Raises:
        CovenantError: the model or an input is not one that they know (codes ONXnnnn).
    """

    def outputs(parts: ModelParts) -> dict[str, np.ndarray]:
        known = started(parts.start, _contiguous(inputs)).arrays
        made = _evaluated(model, known, parts, requant=requant, accumulators=accumulators)
        return finished(parts.end, made, known).arrays

    return with_parts(model, outputs)


def fixed_point_steps(model: Path, feeds: Sequence[Tensors], requant: Requant = "fixed") -> int:
    """Largest distance of fixed point from single precision, which is ONNX Runtime's, in any tensor of any image.

    Steps of the tensor; each layer is given the same tensors either way.

    Raises:
        CovenantError: as `reference`.
    """

    def apart(parts: ModelParts) -> int:
        largest = 0
        for feed in feeds:
            known = started(parts.start, _contiguous(feed)).arrays
            single = _evaluated(model, known, parts, everything=True, requant="fp32")
            fixed = _evaluated(model, known, parts, everything=True, requant=requant, alone=True)
            stored = [name for name, array in single.items() if array.dtype.kind in "iu" and array.size]
            steps = (np.abs(single[name].astype(np.int64) - fixed[name]).max() for name in stored)
            largest = max(largest, *(int(step) for step in steps))
        return largest

    return with_parts(model, apart)


def _reference_tensors(
    model: Path, inputs: Tensors, *, requant: Requant, accumulators: Machine | None
) -> dict[str, np.ndarray]:
    """Every value that a node of the normalised graph makes."""

    def made(parts: ModelParts) -> dict[str, np.ndarray]:
        known = started(parts.start, _contiguous(inputs)).arrays
        return _evaluated(model, known, parts, everything=True, requant=requant, accumulators=accumulators)

    return with_parts(model, made)


def _evaluated(
    model: Path, known: dict[str, np.ndarray], parts: ModelParts, *, everything: bool = False, requant: Requant,
    alone: bool = False, accumulators: Machine | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    given = {name: known[name] for name in parts.takes} if parts.start else known
    return _core.evaluate_reference(
        os.fspath(model), given, parts.content, all=everything, requant=requant, alone=alone,
        accumulators=accumulators._core if accumulators else None,
    )  # fmt: skip


def _contiguous(inputs: Tensors) -> dict[str, np.ndarray]:
    return {name: np.ascontiguousarray(one).reshape(np.shape(one)) for name, one in inputs.items()}

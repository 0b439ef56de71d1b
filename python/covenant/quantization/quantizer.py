"""Quantises a float model statically by ONNX Runtime's quantiser, in the form that the compiler takes best."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from covenant.choices import SIGNS
from covenant.errors import CovenantError, Diagnostic
from covenant.files import write_whole
from covenant.machine import Machine
from covenant.model.editable_model import EditableModel
from covenant.model.float_subgraphs import find_float_subgraphs
from covenant.onnx_runtime.sessions import OracleError, Style, check_version, session
from covenant.oracle import Oracle
from covenant.progress import Progress
from covenant.quantization.acceptance import refusal_of
from covenant.quantization.bias_correction import corrected, with_biases
from covenant.quantization.bits import BYTE, Bits, activation_bits, weight_bits
from covenant.quantization.calibration import Range, Samples, calibrated
from covenant.quantization.chains import chain_nodes, closing_nodes
from covenant.quantization.clamps import with_clamps
from covenant.quantization.elements import Choices, with_elements
from covenant.quantization.equalization import equalized
from covenant.quantization.layer_errors import LayerError, layer_errors
from covenant.quantization.masks import with_masks_held
from covenant.quantization.numerics import Numerics
from covenant.quantization.paddings import with_lowest_pads_held
from covenant.quantization.prepared import prepared
from covenant.quantization.ranges import (
    SwallowedTensor,
    beside_zeros,
    check_ranges,
    check_samples,
    check_scales,
    swallowed_tensors,
)
from covenant.quantization.reading import refused
from covenant.quantization.report import QuantizationReport, Rewrite, compared
from covenant.quantization.rewrites import REWRITES
from covenant.quantization.samples import Arrays, samples_of
from covenant.quantization.slopes import slopes_without_tables
from covenant.quantization.static_quantizer import OPERATORS, activation_steps, quantized, weight_steps
from covenant.quantization.sums import most_bits

__all__ = ["quantize"]


def quantize(
    model: str | os.PathLike[str],
    output: str | os.PathLike[str],
    calibrate: str | os.PathLike[str] | Arrays,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    activations: str = "i8",
    per_channel: bool = True,
    method: str = "minmax",
    weight_bits: Bits | None = None,
    activation_bits: Bits | None = None,
    bias_correction: bool = False,
    equalize: bool = False,
    elements: int | None = None,
    keep_float: Sequence[str] = (),
    layers: bool = False,
    machine: Machine | str | None = None,
    progress: Progress | None = None,
) -> QuantizationReport:
    """Quantises a float ONNX model to integers, in QDQ style with chains of elementwise operators left whole.

    Shapes are fixed, constants folded, and operators rewritten (`rewrites`); then ONNX Runtime's static quantiser runs.
    Elementwise operators of one tensor stay in float between a DequantizeLinear and a QuantizeLinear, where each chain
    becomes one table of all values of an element. A closing Softmax or the like stays in float for the host.

    Elements are bytes unless more bits are asked for, or narrower ones. Fewer bits than an element has lie in it:
    weights of b bits in [-(2^(b-1) - 1), 2^(b-1) - 1], activations on its 2^b lowest levels, where a Clip keeps them.
    So every machine of that width or a wider one computes them, and of bytes so does ONNX Runtime.

    Sums have 32 bits. With elements of 16, steps of weights are as large as it takes for sums to have room for all that
    stored numbers can make, or for 8 times what calibration has seen; operands that both vary have at most 15 bits
    where they are multiplied element by element, and fewer where many products are added up.

    Args:
        model: path of the float model.
        output: path of the quantised model.
        calibrate: an .npz file, or arrays by input name, with one sample or several along the first axis. Ranges come
            from them: they should look like what the model will see.
        shapes: of inputs without a fixed shape.
        activations: i8 for signed elements, u8 for unsigned ones, of any width.
        per_channel: one scale for each output channel of weights, else one a tensor.
        method: how ranges are taken, one of METHODS; mse also chooses the scales of weights.
        weight_bits: of the weights of each Conv, Gemm and MatMul, 2 to 16: one number, or `{"conv1": 8, "*": 4}`, or
            `"conv1=8,*=4"`, patterns of names of nodes, of which the first that matches counts; where none does, as
            many as an element has.
        activation_bits: the same of the tensors that layers take. One that several layers take has the most that they
            want; a model's outputs have as many as an element.
        bias_correction: shifts of the means of output channels are taken off the biases of Conv and Gemm.
        equalize: channels between two layers are scaled so that the weights of both use their range.
        elements: bits of a stored element, 4, 8 or 16, which a machine must have (`bits` of GeneSys): 8 if no bits are
            more, else 16. Bits that are not said are as many.
        keep_float: names of nodes that stay in float, `*` standing for any characters. The host computes those at the
            model's start and end; in its middle the compiler refuses them.
        layers: report how far each layer is from float by itself.
        machine: that has to take the quantised model (`QuantizationReport.refusal`); None: what every machine asks for.
        progress: told how far it has come.

    Returns:
        What was rewritten, what stayed in float, and how far it is from float on the calibration data.

    Raises:
        CovenantError: QNT0001 to QNT0015 (docs/reference/diagnostics/QNT.md); CLI0002, the file cannot be read;
            CLI0006, the output cannot be written.
    """
    numerics = Numerics(
        weight_bits, activation_bits, per_channel, method, bias_correction, equalize, activations, elements
    )
    _check_onnx_runtime()
    tell = progress or (lambda _step, _done, _total: None)
    tell("preparing", 0, 1)
    float_model = EditableModel(prepared(model, shapes or {}))
    samples = samples_of(float_model.model, calibrate)
    check_samples(samples, "" if isinstance(calibrate, Mapping) else os.fspath(calibrate))
    whole = float_model.model.SerializeToString()
    run = _Run(model, float_model, numerics, samples, tell)
    closing = run.close(keep_float)
    try:
        quantized_model = run.quantized()
        in_float = session(whole, Style.QOPERATOR)  # optimised already: again, some models are refused
        oracle = Oracle(quantized_model, strict=False)
        # ONNX Runtime has kernels of integers for bytes alone: what stays in float is seen in these.
        in_bytes = oracle if numerics.width == BYTE else Oracle(run.in_bytes, strict=False)
        errors, varying = compared(in_float, oracle, samples, lambda done: tell("comparing", done, len(samples)))
        swallowed = run.swallowed(quantized_model)
        found = run.layers(quantized_model) if layers else ()
    except OracleError as error:
        raise refused(model, error) from error
    write_whole(output, quantized_model.SerializeToString())
    tell("compiling", 0, 1)
    return QuantizationReport(
        output=Path(output),
        rewrites=run.rewrites,
        operators=dict(sorted(Counter(oracle.operators).items())),
        tables=len(find_float_subgraphs(run.in_bytes)),
        float_operators=in_bytes.float_operators,
        closing=tuple(closing),
        samples=len(samples),
        errors=errors,
        elements=numerics.width,
        weight_bits=run.weight_bits,
        activation_bits=run.activation_bits,
        equalized=run.equalized,
        bias_corrections=run.bias_corrections,
        layers=found,
        varying=varying,
        swallowed=swallowed,
        refusal=refusal_of(output, machine),
    )


class _Run:
    """The steps of quantising one model, and what they have found."""

    def __init__(
        self, path: str | os.PathLike[str], model: EditableModel, numerics: Numerics, samples: Samples, tell: Progress
    ) -> None:
        self._path, self._model, self._numerics, self._samples, self._tell = path, model, numerics, samples, tell
        self._alike = slopes_without_tables(model) if numerics.width > BYTE else {}
        self.rewrites = tuple(Rewrite(what, count) for what, rewrite in REWRITES.items() if (count := rewrite(model)))
        with_lowest_pads_held(model, samples)
        self._masks = with_masks_held(model, samples)
        if count := self._masks.count:
            self.rewrites += (Rewrite("masks before a Softmax -> held where it is 0", count),)
        if self._alike:
            self.rewrites += (Rewrite("LeakyRelu, PRelu -> Relu, Clip, Mul, Add", len(self._alike) // 2),)
        self.equalized = equalized(model) if numerics.equalize else 0
        if numerics.bias_correction:
            with_biases(model)
        self.bias_corrections: dict[str, float] | None = None
        self.activation_bits: dict[str, int] = {}
        self.in_bytes: Any = None

    def close(self, keep_float: Sequence[str]) -> list[str]:
        """Decides what stays in float and how many bits the rest has; names of the nodes at the end, in their order."""
        closing, kept = closing_nodes(self._model), _kept(self._model, keep_float)
        self._chains = chain_nodes(self._model)
        self._ends = [*closing, *kept, *self._masks.on_host]
        weights, activations = self._numerics.rules("weight_bits"), self._numerics.rules("activation_bits")
        self.weight_bits = weight_bits(self._model, weights, self._ends)
        names = [node.name for node in self._model.nodes]
        weights.check(names if weights == activations else self.weight_bits, "weight_bits")
        activations.check(names, "activation_bits")
        elsewhere = [*self._chains, *self._ends]
        most = most_bits(self._model, self.weight_bits, elsewhere) if self._numerics.width > BYTE else {}
        self._wanted = activation_bits(self._model, activations, self._chains, self._ends, most)
        return list(reversed(closing))

    def quantized(self) -> Any:
        """The `onnx.ModelProto` in QDQ style."""
        numerics, model, tell = self._numerics, self._model, self._tell
        steps = weight_steps(
            model, self.weight_bits, width=numerics.width, per_channel=numerics.per_channel,
            least_error=numerics.method == "mse",
        )  # fmt: skip
        count = len(self._samples)
        told: Callable[[int], None] = lambda done: tell("calibrating", done, count)  # noqa: E731
        content = model.model.SerializeToString()
        ranges = calibrated(
            self._path,
            content,
            self._samples,
            operators=OPERATORS,
            method=numerics.method,
            bits=self._wanted,
            told=told,
            check=self._check,
        )
        ranges |= {part: ranges[whole] for part, whole in self._alike.items() if whole in ranges}
        ranges |= {
            name: (np.float32(least), ranges[name][1]) for name, least in self._masks.least.items() if name in ranges
        }
        ranges = {name: both for name, both in ranges.items() if np.isfinite(both).all()}  # others are the host's
        ranges |= beside_zeros(model, ranges)
        steps |= activation_steps(ranges, self._wanted, numerics.activations)
        self.in_bytes = quantized(
            self._path, model.model, [*self._chains, *self._ends], ranges, steps,
            activations=numerics.activations, per_channel=numerics.per_channel,
        )  # fmt: skip
        made = EditableModel(self.in_bytes) if numerics.width == BYTE else self._with_elements(ranges)
        self.activation_bits = with_clamps(made, self._wanted, self._chains)
        check_scales(made, self._path)
        if numerics.bias_correction:
            self.bias_corrections = corrected(
                model.model, made, self._samples, lambda done, of: tell("correcting biases", done, of)
            )
        return made.model

    def _check(self, ends: Mapping[str, Range]) -> None:
        """The ranges of tensors that a node reads or makes which is not left in float."""
        left = {*self._chains, *self._ends}
        nodes = [node for node in self._model.nodes if node.name not in left]
        stored = {value for node in nodes for value in (*node.input, *node.output)}
        check_ranges({name: both for name, both in ends.items() if name in stored}, self._path)

    def _with_elements(self, ranges: Mapping[str, Range]) -> EditableModel:
        """The model of bytes with elements of another width."""
        numerics = self._numerics
        choices = Choices(
            width=numerics.width,
            is_signed=SIGNS[numerics.activations],
            per_channel=numerics.per_channel,
            least_error=numerics.method == "mse",
            ranges=ranges,
            bits=self._wanted,
            weight_bits=self.weight_bits,
        )
        return with_elements(self._path, self.in_bytes, self._model, choices)

    def swallowed(self, quantized_model: Any) -> tuple[SwallowedTensor, ...]:
        """Tensors whose step is too large for most of their values."""
        return swallowed_tensors(self._model.model, EditableModel(quantized_model), self.activation_bits, self._samples)

    def layers(self, quantized_model: Any) -> tuple[LayerError, ...]:
        """Errors of each layer by itself."""
        self._tell("looking at layers", 0, 1)
        return layer_errors(
            self._model.model, quantized_model, self.weight_bits, self.activation_bits, self._samples
        )  # fmt: skip


def _kept(model: EditableModel, patterns: Iterable[str]) -> list[str]:
    """Names of the nodes that the patterns mean."""
    names = [node.name for node in model.nodes]
    kept = {pattern: [name for name in names if fnmatchcase(name, pattern)] for pattern in patterns}
    for pattern, found in kept.items():
        if not found:
            raise CovenantError(
                Diagnostic("QNT0007", "the model has no such node to keep in float", offending=pattern,
                           allowed=tuple(names), fix="name some of these; * stands for any characters")
            )  # fmt: skip
    return [name for found in kept.values() for name in found]


def _check_onnx_runtime() -> None:
    try:
        check_version()
    except OracleError as error:
        raise CovenantError(
            Diagnostic("QNT0006", f"quantising needs ONNX Runtime: {error}", fix="install it")
        ) from error

"""Quantising a float model, statically, by ONNX Runtime's quantiser, in the form that the compiler takes best."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from covenant.editable_model import EditableModel
from covenant.errors import CovenantError, Diagnostic
from covenant.files import write_whole
from covenant.islands import find_islands
from covenant.oracle import Oracle, OracleError, Style, check_version, session
from covenant.progress import Progress
from covenant.quantization.bias_correction import corrected, with_biases
from covenant.quantization.bits import BitRules, Bits, activation_bits, weight_bits
from covenant.quantization.calibration import METHODS, Samples, calibrated
from covenant.quantization.chains import chain_nodes, closing_nodes
from covenant.quantization.clamps import with_clamps
from covenant.quantization.equalization import equalized
from covenant.quantization.layer_errors import LayerError, layer_errors
from covenant.quantization.prepared import prepared, refused
from covenant.quantization.report import QuantizationReport, Rewrite, compared
from covenant.quantization.rewrites import REWRITES
from covenant.quantization.samples import Arrays, samples_of
from covenant.quantization.static_quantizer import OPERATORS, TYPES, activation_steps, quantized, weight_steps

__all__ = ["Numerics", "quantize"]


@dataclass(frozen=True)
class Numerics:
    """How a float model is quantised.

    Raises:
        CovenantError: QNT0005, there is no such type or method; QNT0008, these are no bits.
    """

    weight_bits: Bits = 8
    """Of the weights of layers: 2 to 8, one number or by patterns of names of nodes; the first match counts."""
    activation_bits: Bits = 8
    """The same of the tensors that layers take."""
    per_channel: bool = True
    """One scale for each output channel of weights, else one a tensor."""
    method: str = "minmax"
    """How ranges are taken, one of METHODS. Of mse: those of weights, too."""
    bias_correction: bool = False
    """What quantising moves the means of channels by is taken off the biases."""
    equalize: bool = False
    """Channels between layers are scaled so that weights use their range."""
    activations: str = "i8"
    """Stored type of activations, one of TYPES."""

    def __post_init__(self) -> None:
        for name, given, allowed in (("activations", self.activations, TYPES), ("method", self.method, METHODS)):
            if given not in allowed:
                raise CovenantError(
                    Diagnostic("QNT0005", f"no such value of {name}", offending=given, allowed=allowed, fix="name one")
                )
        for subject in ("weight_bits", "activation_bits"):
            BitRules.of(getattr(self, subject), subject)


def quantize(
    model: str | os.PathLike[str],
    output: str | os.PathLike[str],
    calibrate: str | os.PathLike[str] | Arrays,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    activations: str = "i8",
    per_channel: bool = True,
    method: str = "minmax",
    weight_bits: Bits = 8,
    activation_bits: Bits = 8,
    bias_correction: bool = False,
    equalize: bool = False,
    keep_float: Sequence[str] = (),
    layers: bool = False,
    progress: Progress | None = None,
) -> QuantizationReport:
    """Quantises a float ONNX model to int8, in QDQ style with chains of elementwise operators left whole.

    Shapes are fixed, constants folded, and operators rewritten (`rewrites`); then ONNX Runtime's static quantiser runs.
    Elementwise operators of one tensor stay in float between a DequantizeLinear and a QuantizeLinear, where each chain
    becomes one table of 256 bytes. A closing Softmax or the like stays in float for the host.

    Fewer bits than 8 lie in bytes: weights of b bits in [-(2^(b-1) - 1), 2^(b-1) - 1], activations on the 2^b lowest
    levels of the byte, where a Clip keeps them. So every machine computes them, and so does ONNX Runtime.

    Args:
        model: path of the float model.
        output: path of the int8 model.
        calibrate: an .npz file, or arrays by input name, with one sample or several along the first axis. Ranges come
            from them: they should look like what the model will see.
        shapes: of inputs without a fixed shape.
        activations: one of TYPES.
        per_channel: one scale for each output channel of weights, else one a tensor.
        method: how ranges are taken, one of METHODS; mse also chooses the scales of weights.
        weight_bits: of the weights of each Conv, Gemm and MatMul, 2 to 8: one number, or `{"conv1": 8, "*": 4}`, or
            `"conv1=8,*=4"`, patterns of names of nodes, of which the first that matches counts; 8 where none does.
        activation_bits: the same of the tensors that layers take. One that several layers take has the most that they
            want; a model's outputs have 8.
        bias_correction: shifts of the means of output channels are taken off the biases of Conv and Gemm.
        equalize: channels between two layers are scaled so that the weights of both use their range.
        keep_float: names of nodes that stay in float, `*` standing for any characters. The host computes those at the
            model's start and end; in its middle the compiler refuses them.
        layers: report how far each layer is from float by itself.
        progress: told how far it has come.

    Returns:
        What was rewritten, what stayed in float, and how far int8 is from float on the calibration data.

    Raises:
        CovenantError: QNT0001 to QNT0009 (docs/reference/diagnostics/QNT.md); CLI0002, the file cannot be read;
            CLI0006, the output cannot be written.
    """
    numerics = Numerics(weight_bits, activation_bits, per_channel, method, bias_correction, equalize, activations)
    _check_onnx_runtime()
    tell = progress or (lambda _step, _done, _total: None)
    tell("preparing", 0, 1)
    float_model = EditableModel(prepared(model, shapes or {}))
    samples = samples_of(float_model.model, calibrate)
    whole = float_model.model.SerializeToString()
    run = _Run(model, float_model, numerics, samples, tell)
    closing = run.close(keep_float)
    try:
        quantized_model = run.quantized()
        in_float = session(whole, Style.QOPERATOR)  # optimised already: again, some models are refused
        oracle = Oracle(quantized_model, strict=False)
        errors = compared(in_float, oracle, samples, lambda done: tell("comparing", done, len(samples)))
        found = run.layers(quantized_model) if layers else ()
    except OracleError as error:
        raise refused(model, error) from error
    write_whole(output, quantized_model.SerializeToString())
    return QuantizationReport(
        output=Path(output),
        rewrites=run.rewrites,
        operators=dict(sorted(Counter(oracle.operators).items())),
        tables=len(find_islands(quantized_model)),
        float_operators=oracle.float_operators,
        closing=tuple(closing),
        samples=len(samples),
        errors=errors,
        weight_bits=run.weight_bits,
        activation_bits=run.activation_bits,
        equalized=run.equalized,
        bias_corrections=run.bias_corrections,
        layers=found,
    )


class _Run:
    """The steps of quantising one model, and what they have found."""

    def __init__(
        self, path: str | os.PathLike[str], model: EditableModel, numerics: Numerics, samples: Samples, tell: Progress
    ) -> None:
        self._path, self._model, self._numerics, self._samples, self._tell = path, model, numerics, samples, tell
        self.rewrites = tuple(Rewrite(what, count) for what, rewrite in REWRITES.items() if (count := rewrite(model)))
        self.equalized = equalized(model) if numerics.equalize else 0
        if numerics.bias_correction:
            with_biases(model)
        self.bias_corrections: dict[str, float] | None = None
        self.activation_bits: dict[str, int] = {}

    def close(self, keep_float: Sequence[str]) -> list[str]:
        """Decides what stays in float and how many bits the rest has; names of the nodes at the end, in their order."""
        closing, kept = closing_nodes(self._model), _kept(self._model, keep_float)
        self._chains = chain_nodes(self._model)
        self._ends = [*closing, *kept]
        weights = BitRules.of(self._numerics.weight_bits, "weight_bits")
        activations = BitRules.of(self._numerics.activation_bits, "activation_bits")
        self.weight_bits = weight_bits(self._model, weights, self._ends)
        names = [node.name for node in self._model.nodes]
        weights.check(names if weights == activations else self.weight_bits, "weight_bits")
        activations.check(names, "activation_bits")
        self._wanted = activation_bits(self._model, activations, self._chains, self._ends)
        return list(reversed(closing))

    def quantized(self) -> Any:
        """The `onnx.ModelProto` in QDQ style."""
        numerics, model, tell = self._numerics, self._model, self._tell
        steps = weight_steps(
            model, self.weight_bits, per_channel=numerics.per_channel, least_error=numerics.method == "mse"
        )
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
        )
        steps |= activation_steps(ranges, self._wanted, numerics.activations)
        made = EditableModel(
            quantized(
                self._path, model.model, [*self._chains, *self._ends], ranges, steps,
                activations=numerics.activations, per_channel=numerics.per_channel,
            )
        )  # fmt: skip
        self.activation_bits = with_clamps(made, self._wanted, self._chains)
        if numerics.bias_correction:
            self.bias_corrections = corrected(
                model.model, made, self._samples, lambda done, of: tell("correcting biases", done, of)
            )
        return made.model

    def layers(self, quantized_model: Any) -> tuple[LayerError, ...]:
        """How far each is from float by itself."""
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

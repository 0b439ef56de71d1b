"""Quantising a float model, statically, by ONNX Runtime's quantiser, in the form that the compiler takes best."""

from __future__ import annotations

import logging
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from covenant.editable_model import EditableModel
from covenant.errors import CovenantError, Diagnostic
from covenant.files import write_whole
from covenant.inputs import read_arrays
from covenant.islands import find_islands
from covenant.oracle import Oracle, OracleError, Style, check_version, session
from covenant.progress import Progress
from covenant.quantization.chains import chain_nodes, closing_nodes
from covenant.quantization.prepared import prepared, refused
from covenant.quantization.rewrites import REWRITES

__all__ = ["METHODS", "TYPES", "OutputError", "QuantizationReport", "Rewrite", "quantize"]

METHODS = ("minmax", "entropy", "percentile")
"""How ranges are taken from what calibration sees."""
TYPES = ("i8", "u8")
"""Of activations. i8 gives the same bytes on every x86-64 processor; u8 does not without VNNI."""

_QUANTIZED = [
    "Add", "AveragePool", "Clip", "Concat", "Conv", "Div", "Expand", "Flatten", "Gather", "Gemm", "GlobalAveragePool",
    "GlobalMaxPool", "LayerNormalization", "MatMul", "Max", "MaxPool", "Min", "Mul", "Pad", "ReduceMax", "ReduceMean",
    "ReduceSum", "Relu", "Reshape", "Resize", "Slice", "Softmax", "Split", "Squeeze", "Sub", "Tile", "Transpose",
    "Unsqueeze", "Where",
]  # fmt: skip
Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Rewrite:
    """A float rewrite that was done."""

    what: str
    """For people: "ReduceMean over pixels -> GlobalAveragePool"."""
    count: int


@dataclass(frozen=True)
class OutputError:
    """One output of the int8 model beside the float model's, over all calibration data."""

    name: str
    largest: float
    """Largest absolute difference."""
    mean: float
    """Mean absolute difference."""
    noise_decibel: float
    """Signal to noise ratio; infinite if nothing differs."""
    same_largest: float | None
    """Share of rows in which the same element is the largest; None of outputs that are no rows of scores."""


@dataclass(frozen=True)
class QuantizationReport:
    """What `quantize` has done."""

    output: Path
    rewrites: tuple[Rewrite, ...]
    operators: dict[str, int]
    """Operators that ONNX Runtime runs in the int8 model, and how often."""
    tables: int
    """Chains of float operators that become one table each."""
    float_operators: tuple[str, ...]
    """Operators that compute in float in the middle of the model: no table stands for them."""
    closing: tuple[str, ...]
    """Nodes at the end that stay in float."""
    samples: int
    """Of the calibration data."""
    errors: tuple[OutputError, ...]


def quantize(
    model: str | os.PathLike[str],
    output: str | os.PathLike[str],
    calibrate: str | os.PathLike[str] | Arrays,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    activations: str = "i8",
    per_channel: bool = True,
    method: str = "minmax",
    keep_float: Sequence[str] = (),
    progress: Progress | None = None,
) -> QuantizationReport:
    """Quantises a float ONNX model to int8, in QDQ style with chains of elementwise operators left whole.

    Shapes are fixed, constants folded, and operators rewritten (`rewrites`); then ONNX Runtime's static quantiser runs.
    Elementwise operators of one tensor stay in float between a DequantizeLinear and a QuantizeLinear, where each chain
    becomes one table of 256 bytes. A closing Softmax or the like stays in float for the host.

    Args:
        model: path of the float model.
        output: path of the int8 model.
        calibrate: an .npz file, or arrays by input name, with one sample or several along the first axis. Ranges come
            from them: they should look like what the model will see.
        shapes: of inputs without a fixed shape.
        activations: one of TYPES.
        per_channel: one scale for each output channel of weights, else one a tensor.
        method: one of METHODS.
        keep_float: names of nodes that stay in float, `*` standing for any characters. The host computes those at the
            model's start and end; in its middle the compiler refuses them.
        progress: told how far it has come.

    Returns:
        What was rewritten, what stayed in float, and how far int8 is from float on the calibration data.

    Raises:
        CovenantError: QNT0001 to QNT0007 (docs/reference/diagnostics/QNT.md); CLI0002, the file cannot be read;
            CLI0006, the output cannot be written.
    """
    _check_choice("activations", activations, TYPES)
    _check_choice("method", method, METHODS)
    _check_onnx_runtime()
    tell = progress or (lambda _step, _done, _total: None)
    tell("preparing", 0, 1)
    float_model = EditableModel(prepared(model, shapes or {}))
    samples = _samples(float_model.model, calibrate)
    whole = float_model.model.SerializeToString()
    rewrites = tuple(Rewrite(what, count) for what, rewrite in REWRITES.items() if (count := rewrite(float_model)))
    closing = closing_nodes(float_model)
    excluded = [*chain_nodes(float_model), *closing, *_kept(float_model, keep_float)]
    reader = _Reader(samples, lambda done: tell("calibrating", done, len(samples)))
    options = {"activation_type": activations, "calibrate_method": method, "per_channel": per_channel}
    content = _quantized(model, float_model.model, reader, excluded, options)
    quantized = _parsed(content)
    try:
        in_float = session(whole, Style.QOPERATOR)  # optimised already: again, some models are refused
        oracle = Oracle(quantized, strict=False)
        errors = _compared(in_float, oracle, samples, lambda done: tell("comparing", done, len(samples)))
    except OracleError as error:
        raise refused(model, error) from error
    write_whole(output, content)
    return QuantizationReport(
        output=Path(output),
        rewrites=rewrites,
        operators=dict(sorted(Counter(oracle.operators).items())),
        tables=len(find_islands(quantized)),
        float_operators=oracle.float_operators,
        closing=tuple(reversed(closing)),
        samples=len(samples),
        errors=errors,
    )


def _check_choice(name: str, given: str, allowed: Sequence[str]) -> None:
    if given not in allowed:
        raise CovenantError(
            Diagnostic("QNT0005", f"no such value of {name}", offending=given, allowed=tuple(allowed), fix="name one")
        )


def _kept(model: EditableModel, patterns: Sequence[str]) -> list[str]:
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


def _parsed(content: bytes) -> Any:
    from onnx import load_from_string  # noqa: PLC0415

    return load_from_string(content)


def _samples(model: Any, calibrate: str | os.PathLike[str] | Arrays) -> list[dict[str, np.ndarray]]:
    """One dictionary for each run of the model."""
    from onnx import helper  # noqa: PLC0415

    where = "" if isinstance(calibrate, Mapping) else os.fspath(calibrate)
    arrays = calibrate if isinstance(calibrate, Mapping) else read_arrays(calibrate)
    split = {}
    for entry in model.graph.input:
        kind = entry.type.tensor_type
        shape = tuple(one.dim_value for one in kind.shape.dim)
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        only = len(model.graph.input) == len(arrays) == 1
        array = next(iter(arrays.values())) if only else arrays.get(entry.name)
        fits = array is not None and array.ndim == len(shape) and array.shape[1:] == shape[1:]
        if not fits or array.shape[0] == 0 or array.shape[0] % shape[0] != 0:
            described = "nothing" if array is None else f"{array.dtype}{list(array.shape)}"
            raise CovenantError(
                Diagnostic(
                    "QNT0003", "the calibration data have no array for this input", where, subject=entry.name,
                    offending=described, allowed=(f"{dtype}{list(shape)}, the first axis any multiple",),
                    fix="save one array for each input, named like it: numpy.savez(path, x=images)",
                )
            )  # fmt: skip
        split[entry.name] = np.split(np.ascontiguousarray(array.astype(dtype)), array.shape[0] // shape[0])
    count = min(len(parts) for parts in split.values())
    return [{name: parts[sample] for name, parts in split.items()} for sample in range(count)]


class _Reader:
    """As ONNX Runtime's quantiser reads calibration data, which may ask for it several times."""

    def __init__(self, samples: list[dict[str, np.ndarray]], told: Any) -> None:
        self._samples, self._told = samples, told
        self.rewind()

    def rewind(self) -> None:
        """From the beginning."""
        self._done = 0

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next sample, None after the last."""
        self._told(self._done)
        if self._done == len(self._samples):
            return None
        self._done += 1
        return self._samples[self._done - 1]

    def __len__(self) -> int:
        return len(self._samples)


@contextmanager
def _quiet() -> Iterator[None]:
    """The quantiser logs advice that does not apply to what it is given."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _quantized(
    path: str | os.PathLike[str], model: Any, reader: _Reader, excluded: list[str], options: dict[str, Any]
) -> bytes:
    """By ONNX Runtime's quantiser. `options`: its own, types and methods by our names for them."""
    from onnxruntime import quantization as theirs  # noqa: PLC0415

    methods = {
        "minmax": theirs.CalibrationMethod.MinMax,
        "entropy": theirs.CalibrationMethod.Entropy,
        "percentile": theirs.CalibrationMethod.Percentile,
    }
    types = {"i8": theirs.QuantType.QInt8, "u8": theirs.QuantType.QUInt8}
    options = options | {
        "activation_type": types[options["activation_type"]],
        "calibrate_method": methods[options["calibrate_method"]],
    }
    with tempfile.TemporaryDirectory() as folder, _quiet():
        given, made = Path(folder) / "float.onnx", Path(folder) / "int8.onnx"
        given.write_bytes(model.SerializeToString())
        try:
            theirs.quantize_static(
                str(given), str(made), reader, quant_format=theirs.QuantFormat.QDQ, weight_type=theirs.QuantType.QInt8,
                op_types_to_quantize=_QUANTIZED, nodes_to_exclude=excluded,
                extra_options={"ForceQuantizeNoInputCheck": True}, **options,
            )  # fmt: skip
        except Exception as error:  # theirs have no base of their own
            raise refused(path, error) from error
        return made.read_bytes()


def _compared(
    in_float: Any, in_bytes: Oracle, samples: list[dict[str, np.ndarray]], told: Any
) -> tuple[OutputError, ...]:
    pairs: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for done, sample in enumerate(samples):
        told(done)
        expected, got = in_float.run(None, sample), in_bytes.run(sample)
        for name, array in zip(got, expected, strict=True):
            pairs.setdefault(name, []).append((np.float64(array), np.float64(got[name])))
    return tuple(_error(name, *map(np.stack, zip(*both, strict=True))) for name, both in pairs.items())


def _error(name: str, expected: np.ndarray, got: np.ndarray) -> OutputError:
    difference = np.abs(expected - got)
    noise, signal = float(np.square(difference).sum()), float(np.square(expected).sum())
    is_rows = expected.ndim == 3 and expected.shape[-1] > 1  # [samples, batch, scores]
    same = float((expected.argmax(-1) == got.argmax(-1)).mean()) if is_rows else None
    ratio = float("inf") if noise == 0 else 10 * float(np.log10(max(signal, 1e-300) / noise))
    return OutputError(name, float(difference.max()), float(difference.mean()), ratio, same)

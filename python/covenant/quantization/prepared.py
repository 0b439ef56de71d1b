"""A float model made ready for quantising: shapes fixed, constants folded, a recent operator set, distinct names."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from covenant.errors import CovenantError, Diagnostic

__all__ = ["prepared"]

_OPSET = 17
"""At least: per-channel DequantizeLinear and LayerNormalization are there."""
_QUANTIZED = ("QuantizeLinear", "DequantizeLinear")


def prepared(path: str | os.PathLike[str], shapes: Mapping[str, Sequence[int]]) -> Any:
    """The `onnx.ModelProto` of a float model after ONNX Runtime's basic optimisations.

    They fold constants, BatchNormalization into Conv, and Identity.

    Args:
        path: of the model.
        shapes: of inputs, by name; they overrule what the model says.

    Raises:
        CovenantError: QNT0001, no readable float model; QNT0002, an input without a fixed shape, or none of that name;
            QNT0004, ONNX Runtime refuses it.
    """
    model = _read(path)
    _fix_shapes(model, shapes, path)
    from onnx import version_converter  # noqa: PLC0415
    from onnxruntime.quantization.shape_inference import quant_pre_process  # noqa: PLC0415

    try:
        if next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), _OPSET) < _OPSET:
            model = version_converter.convert_version(model, _OPSET)
        with tempfile.TemporaryDirectory() as folder:
            given, made = Path(folder) / "given.onnx", Path(folder) / "made.onnx"
            given.write_bytes(model.SerializeToString())
            quant_pre_process(str(given), str(made), skip_symbolic_shape=True)
            model = _read(made)
    except CovenantError:
        raise
    except Exception as error:  # theirs have no base of their own
        raise refused(path, error) from error
    _give_names(model)
    return model


def refused(path: str | os.PathLike[str], error: Exception) -> CovenantError:
    """QNT0004: ONNX, or ONNX Runtime, does not take the model."""
    return CovenantError(
        Diagnostic(
            "QNT0004", "ONNX Runtime does not take this model", os.fspath(path), offending=str(error).strip(),
            fix="check it with onnx.checker.check_model(path, full_check=True); export it again",
        )
    )  # fmt: skip


def _read(path: str | os.PathLike[str]) -> Any:
    import onnx  # noqa: PLC0415

    try:
        model = onnx.load(os.fspath(path))
    except Exception as error:  # parsers raise what they like
        raise CovenantError(
            Diagnostic(
                "QNT0001", "no ONNX model can be read here", os.fspath(path), offending=str(error).strip(),
                fix="name a float model in ONNX's format",
            )
        ) from error  # fmt: skip
    found = sorted({node.op_type for node in model.graph.node} & set(_QUANTIZED))
    found += sorted({node.op_type for node in model.graph.node if node.op_type.startswith("QLinear")})
    if found:
        raise CovenantError(
            Diagnostic(
                "QNT0001", "the model is quantised already", os.fspath(path), offending=", ".join(found),
                fix="compile it as it is",
            )
        )  # fmt: skip
    return model


def _fix_shapes(model: Any, shapes: Mapping[str, Sequence[int]], path: str | os.PathLike[str]) -> None:
    graph = model.graph
    constants = {tensor.name for tensor in graph.initializer}
    inputs = [entry for entry in graph.input if entry.name not in constants]  # IR 3 lists constants among them
    del graph.input[:]
    graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 8)
    names = [entry.name for entry in inputs]
    unknown = sorted(set(shapes) - set(names))
    if unknown:
        raise _no_shape(path, f"the model has no input {unknown[0]}", unknown[0], names)
    for entry in graph.input:
        dimensions = entry.type.tensor_type.shape.dim
        wanted = shapes.get(entry.name) or [one.dim_value for one in dimensions]
        if not wanted or min(wanted) < 1:
            said = ",".join(str(one.dim_value or one.dim_param or "?") for one in dimensions)
            raise _no_shape(path, f"the input {entry.name} has no fixed shape", f"[{said}]", [])
        del dimensions[:]
        for size in wanted:
            dimensions.add().dim_value = size
    del graph.value_info[:]
    for entry in graph.output:
        entry.type.tensor_type.ClearField("shape")


def _no_shape(path: str | os.PathLike[str], message: str, offending: str, allowed: Sequence[str]) -> CovenantError:
    fix = "give the shape of every input: --shape x=1,3,224,224, or shapes={'x': (1, 3, 224, 224)}"
    return CovenantError(
        Diagnostic("QNT0002", message, os.fspath(path), offending=offending, allowed=tuple(allowed), fix=fix)
    )


def _give_names(model: Any) -> None:
    """The quantiser leaves nodes out by their names."""
    taken: set[str] = set()
    for place, node in enumerate(model.graph.node):
        if not node.name or node.name in taken:
            node.name = f"{node.op_type}_{place}"
        taken.add(node.name)

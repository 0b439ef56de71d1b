"""Prepares a float model for quantising: fixes shapes, folds constants, updates the opset, makes names distinct."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.model.function_bodies import with_bodies
from covenant.model.kinds import nodes_with_graphs
from covenant.onnx_runtime.sessions import Style, session
from covenant.quantization.reading import check_graphs, float_model, opset_of, refused
from covenant.quantization.single_precision import in_single_precision

__all__ = ["prepared"]

_OPSET = 17
"""At least: per-channel DequantizeLinear and LayerNormalization are there."""
_WARNINGS, _ERRORS = 2, 3
"""Severities of ONNX Runtime's logger; the first is its default."""


def prepared(path: str | os.PathLike[str], shapes: Mapping[str, Sequence[int]]) -> Any:
    """The `onnx.ModelProto` of a float model after ONNX Runtime's basic optimisations.

    They fold constants, BatchNormalization into Conv, and Identity. Before them functions, and operators that ONNX
    defines by others, are put in their places (`covenant.model.function_bodies`), and other precisions become f32.

    Args:
        path: of the model.
        shapes: of inputs, by name; they overrule what the model says.

    Raises:
        CovenantError: QNT0001, no readable float model; QNT0002, an input without a fixed shape, or none of that name;
            QNT0004, ONNX Runtime refuses it; QNT0013, an operator holds a graph; QNT0014, it is too new.
    """
    model = float_model(path)
    _fix_shapes(model, shapes, path)
    from onnx import version_converter  # noqa: PLC0415

    try:
        model = with_bodies(model)
        if nodes_with_graphs(model):  # by a constant condition: folded
            model = _optimised(model)
            check_graphs(model, path)
        in_single_precision(model)
        if opset_of(model) < _OPSET:
            model = version_converter.convert_version(model, _OPSET)
        model = _optimised(model)
        session(model.SerializeToString(), Style.QOPERATOR)  # the tool before only logs what ONNX Runtime refuses
    except CovenantError:
        raise
    except Exception as error:  # theirs have no base of their own
        raise refused(path, error) from error
    _give_names(model)
    return model


def _optimised(model: Any) -> Any:
    import onnx  # noqa: PLC0415
    import onnxruntime  # noqa: PLC0415
    from onnxruntime.quantization.shape_inference import quant_pre_process  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "given.onnx", Path(folder) / "made.onnx"
        given.write_bytes(model.SerializeToString())
        onnxruntime.set_default_logger_severity(_ERRORS)  # it warns of constants that bodies leave unread
        try:
            quant_pre_process(str(given), str(made), skip_symbolic_shape=True)
        finally:
            onnxruntime.set_default_logger_severity(_WARNINGS)
        return onnx.load(str(made))


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
    """The quantiser leaves nodes out by their names, so that each has one of its own."""
    given = Counter(node.name for node in model.graph.node)
    taken: set[str] = set()
    for place, node in enumerate(model.graph.node):
        if not node.name or node.name in taken:
            wanted = f"{node.op_type}_{place}"
            while wanted in given or wanted in taken:
                wanted += "_"
            node.name = wanted
        taken.add(node.name)

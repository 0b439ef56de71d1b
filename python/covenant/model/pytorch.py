"""Exports PyTorch modules as float ONNX models, the input of `quantize` and `compile`, by PyTorch's own exporter."""

from __future__ import annotations

import ast
import inspect
import io
import logging
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.files import check_writable, write_whole

__all__ = ["TorchExport", "from_torch"]

_TOLERANCE = 1e-4
"""Tolerance for outputs, relative to the largest of them: other orders of summation differ by less."""
_SCOPES = "pkg.torch.onnx.name_scopes"


@dataclass(frozen=True)
class TorchExport:
    """Result of `from_torch`."""

    output: Path
    """The float ONNX model."""
    inputs: dict[str, tuple[int, ...]]
    """Shapes by name."""
    outputs: dict[str, tuple[int, ...]]
    operators: dict[str, int]
    """Number of nodes by operator."""
    largest_difference: float
    """Largest difference of outputs, between ONNX Runtime and the module on the example."""


def from_torch(
    module: Any, example_inputs: Any, output: str | os.PathLike[str] | None = None, *, opset: int = 20
) -> TorchExport:
    """Writes a module as a float ONNX model of fixed shapes, in evaluation mode, and compares the two on the example.

    Nodes are named after the submodules that they come from. Equal modules give equal bytes. The module is left as it
    was. What it computes in float becomes a model for machines by `quantize`.

    Args:
        module: a `torch.nn.Module` of float32.
        example_inputs: what `forward` takes: a tensor, several in a tuple or list, or by name in a dictionary. Their
            shapes are those of the model: give one image, as machines run one at a time.
        output: path of the model; None: that of the module's class, here, with the ending .onnx.
        opset: version of ONNX's operators.

    Raises:
        CovenantError: TCH0001, PyTorch or its exporter is not installed; TCH0002, not a module of float32 or no
            tensors; TCH0003, the module fails on the example; TCH0004, it cannot be exported; TCH0005, ONNX Runtime
            gives something else; CLI0006, the model cannot be written.
    """
    torch = _torch()
    positional, named = _arguments(torch, module, example_inputs)
    path = Path(output) if output is not None else Path(f"{type(module).__name__}.onnx")
    check_writable(path)
    with _still(torch, module):
        expected = _outputs(torch, module, positional, named)
        proto = _exported(torch, module, positional, named, opset)
    _name_nodes(proto)
    content = proto.SerializeToString(deterministic=True)
    largest = _difference(content, _feed(module, positional, named, proto), expected)
    write_whole(path, content)
    return TorchExport(
        output=path,
        inputs=_shapes(proto.graph.input),
        outputs=_shapes(proto.graph.output),
        operators=dict(sorted(Counter(node.op_type for node in proto.graph.node).items())),
        largest_difference=largest,
    )


def _torch() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own affairs
            import onnxscript  # noqa: F401, PLC0415 (optional; the exporter needs it)
            import torch  # noqa: PLC0415 (optional, and large)
    except ImportError as error:
        raise _mistake("TCH0001", "a Python package that this needs cannot be loaded", "", offending=error,
                       fix="pip install covenant[torch], or export the module elsewhere") from error  # fmt: skip
    return torch


def _arguments(torch: Any, module: Any, given: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of the call of forward."""
    if not isinstance(module, torch.nn.Module):
        raise _mistake("TCH0002", "this is no PyTorch module", "module", offending=type(module).__name__,
                       allowed=("torch.nn.Module",), fix="give the module itself")  # fmt: skip
    named = dict(given) if isinstance(given, Mapping) else {}
    order = _parameters(module)
    named = dict(sorted(named.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))
    positional = () if named else tuple(given) if isinstance(given, tuple | list) else (given,)
    tensors = {**{str(place): one for place, one in enumerate(positional)}, **named}
    for name, one in tensors.items():
        if not isinstance(one, torch.Tensor):
            raise _mistake("TCH0002", "an example input is no tensor", f"example_inputs[{name}]",
                           offending=type(one).__name__, allowed=("torch.Tensor",),
                           fix="convert arrays with torch.from_numpy")  # fmt: skip
    for name, one in (tensors | dict(module.named_parameters()) | dict(module.named_buffers())).items():
        if one.is_floating_point() and one.dtype != torch.float32:
            raise _mistake("TCH0002", "a tensor of another precision", name, offending=str(one.dtype),
                           allowed=("torch.float32",), fix="convert module and example with .float()")  # fmt: skip
    return positional, named


@contextmanager
def _still(torch: Any, module: Any) -> Iterator[None]:
    """Sets evaluation mode, without gradients, warnings and logs; restores all modes at the end."""
    modes = {one: one.training for one in module.modules()}
    silent = logging.root.manager.disable
    module.eval()
    logging.disable(logging.CRITICAL)  # what fails is told by a diagnostic
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(silent)
        for one, mode in modes.items():
            one.training = mode


def _outputs(torch: Any, module: Any, positional: Sequence[Any], named: Mapping[str, Any]) -> list[np.ndarray]:
    try:
        result = module(*positional, **named)
    except Exception as error:  # a module raises what it likes
        raise _mistake("TCH0003", "the module fails on the example", type(module).__name__, offending=_line(error),
                       fix="give example_inputs that forward takes") from error  # fmt: skip
    leaves = torch.utils._pytree.tree_leaves(result)
    return [one.detach().cpu().numpy().copy() for one in leaves if isinstance(one, torch.Tensor)]


def _exported(torch: Any, module: Any, positional: Sequence[Any], named: Mapping[str, Any], opset: int) -> Any:
    printed = io.StringIO()  # graphs, of each way that fails
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            program = torch.onnx.export(
                module, tuple(positional), kwargs=dict(named), dynamo=True, opset_version=opset, verbose=False,
                external_data=False, optimize=True,
            )  # fmt: skip
            return program.model_proto
    except Exception as error:  # the exporter raises what it likes, most of all wrapped in its own
        raise _mistake("TCH0004", "PyTorch cannot export this module", type(module).__name__, offending=_reason(error),
                       fix="branch on shapes, not on values, and use operators that ONNX has; or export the parts that "
                           "are to run on a machine") from error  # fmt: skip


def _reason(error: BaseException) -> str:
    """Text of the first error, which the exporter wraps."""
    while error.__cause__ is not None:
        error = error.__cause__
    return _line(error)


def _line(error: BaseException) -> str:
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {text}"


def _name_nodes(proto: Any) -> None:
    """After the submodules that they come from; takes out what says where the source lies."""
    scopes = [_scope(node) for node in proto.graph.node]
    alone = Counter(scope for scope, _ in scopes)
    weighted = {name.rpartition(".")[0] for name in (one.name for one in proto.graph.initializer)}
    taken: Counter[str] = Counter()
    for node, (scope, operator) in zip(proto.graph.node, scopes, strict=True):
        owners = [name.rpartition(".")[0] for name in node.input if name.endswith(".weight")]
        owner = owners[0] if owners and owners[0] in weighted else scope if alone[scope] == 1 else ""
        name = owner or f"{scope}.{operator}".strip(".")
        node.name = f"{name}_{taken[name]}" if taken[name] else name
        taken[name] += 1
    for part in (proto, proto.graph, *proto.graph.node, *proto.graph.value_info, *proto.graph.initializer,
                 *proto.graph.input, *proto.graph.output):  # fmt: skip
        del part.metadata_props[:]
        part.ClearField("doc_string")


def _scope(node: Any) -> tuple[str, str]:
    """The submodule that a node is of, and its operator."""
    told = next((entry.value for entry in node.metadata_props if entry.key == _SCOPES), "['']")
    names = [name for name in ast.literal_eval(told) if name]
    return (names[-2] if len(names) > 1 else ""), re.sub(r"(?<!^)(?=[A-Z][a-z])", "_", node.op_type).lower()


def _feed(module: Any, positional: Sequence[Any], named: Mapping[str, Any], proto: Any) -> dict[str, np.ndarray]:
    """The example by the names of the model's inputs: those of forward's parameters, else they stand in their order."""
    inputs = [entry.name for entry in proto.graph.input]
    tensors = dict(zip(_parameters(module), positional, strict=False)) | dict(named)
    if not set(inputs) <= tensors.keys():
        tensors = dict(zip(inputs, [*positional, *named.values()], strict=True))
    return {name: tensors[name].detach().cpu().numpy() for name in inputs}


def _parameters(module: Any) -> list[str]:
    return list(inspect.signature(module.forward).parameters)


def _difference(content: bytes, feed: Mapping[str, np.ndarray], expected: Sequence[np.ndarray]) -> float:
    import onnxruntime  # noqa: PLC0415 (import costs; other calls do not pay)

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    found = session.run(None, dict(feed))
    largest = 0.0
    for name, one, other in zip((entry.name for entry in session.get_outputs()), found, expected, strict=True):
        apart = float(np.max(np.abs(one.astype(np.float64) - other), initial=0.0))
        limit = _TOLERANCE * max(1.0, float(np.max(np.abs(other), initial=0.0)))
        if one.shape != other.shape or not apart <= limit:
            raise _mistake("TCH0005", "ONNX Runtime does not give what the module gives", name,
                           offending=f"{list(one.shape)}, by up to {apart:g}",
                           allowed=(f"{list(other.shape)}, by up to {limit:g}",),
                           fix="take out what is random, or depends on what ran before")  # fmt: skip
        largest = max(largest, apart)
    return largest


def _shapes(entries: Sequence[Any]) -> dict[str, tuple[int, ...]]:
    return {entry.name: tuple(one.dim_value for one in entry.type.tensor_type.shape.dim) for entry in entries}


def _mistake(
    code: str, message: str, subject: str, *, offending: object, allowed: tuple[str, ...] = (), fix: str
) -> CovenantError:
    return CovenantError(Diagnostic(code, message, subject=subject, offending=str(offending), allowed=allowed, fix=fix))

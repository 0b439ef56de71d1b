"""ONNX Runtime as the oracle: settings under which the bytes of a quantised model are well defined.

ONNX Runtime differs from itself, between optimisation levels and between processors, so its version is pinned and
its settings are fixed here:

- **QOperator** models (QLinearConv and the like) run with all graph optimisations off.
- **QDQ** models run with the optimisations that fuse them into integer kernels (`ORT_ENABLE_EXTENDED`), and with
  `session.qdqisint8allowed`, without which i8 models are half rewritten to u8 and layers around a residual stay float.
  What was fused is checked in the optimised model: no float operator may be left.
- On processors whose kernels saturate products of u8 and i8 (no VNNI) its option `session.x64quantprecision` stores i8
  weights of QDQ models as u8, which is exact.
- Of layers that read one type of bytes and make the other one it has no integer kernels: it is given them as layers of
  one type with conversions around them (`covenant.onnx_runtime.alike_types`), which are the same numbers.
- Of elements of 4 and 16 bits it has no integer kernels: it computes such models in float, between QuantizeLinear and
  DequantizeLinear, and is no oracle of their bytes. They run, where that is asked for, with optimisations off.
- Both use one thread and the CPU provider.
- The host's ends of a model (`covenant.model.ends`) run with optimisations off on both sides: fusions of float
  operators round in an order of their own, and some quantise activations once more.

Whether the kernels that then run are exact on this processor, `covenant.oracle.probe` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from covenant.model.constant_nodes import with_initializers
from covenant.model.ends import Ends, split_ends, with_shapes
from covenant.model.folding import folded
from covenant.onnx_runtime.fused_model import FusedModel, style_of
from covenant.onnx_runtime.sessions import NotExactError, Style, check_version, model_of
from covenant.program.host import finished, started

__all__ = ["Oracle", "oracle_of", "run"]


class Oracle:
    """A model in ONNX Runtime, set up as this module says.

    The ends of a strict oracle's model are the host's, as in a program: computed as they are written, between them what
    ONNX Runtime fuses.

    Args:
        model: path of the ONNX file, or an `onnx.ModelProto`.
        strict: refuse a QDQ model of which a float operator is left after fusion.
        any_width: take a model with elements of 4 or 16 bits all the same, which is computed in float.

    Attributes:
        style: `Style` of the model.
        optimized: what ONNX Runtime runs of it, an `onnx.ModelProto`: all but the host's ends.
        operators: operator types that ONNX Runtime runs, in its order, after its optimisations.
        kernels: those that compute, with their element types.
        inexact: values that may be one step from exact ones, and by which operator.
        float_operators: those of a quantised model that compute in float, where no table stands for them.

    Raises:
        OracleError: another version of ONNX Runtime, a model that it refuses, or a quantised one that would not run in
            integers.
    """

    def __init__(self, model: str | Path | Any, *, strict: bool = True, any_width: bool = False) -> None:
        check_version()
        proto = model_of(model) if isinstance(model, str | Path) else model
        self.style = style_of(proto)
        if strict and not any_width and self.style is Style.IN_FLOAT:
            message = (
                "it has integer kernels for bytes alone: elements of 4 and 16 bits it computes in float, and its "
                "outputs may be a step beside the exact ones"
            )
            raise NotExactError(message)
        self.input_names = tuple(entry.name for entry in proto.graph.input)
        self._ends = _ends_of(proto) if strict and self.style is not Style.FLOAT else Ends(proto)
        self._core = FusedModel(self._ends.core, self.style)
        self.optimized = self._core.optimized
        self.operators = self._core.operators
        self.kernels = self._core.kernels
        self.inexact = self._core.inexact
        self.float_operators = self._core.float_operators
        if strict and self.float_operators and self.style is not Style.IN_FLOAT:
            left = ", ".join(self.float_operators)
            message = f"ONNX Runtime would run float operators in the middle of the model: {left}"
            raise NotExactError(message)

    def run(self, inputs: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, np.ndarray]:
        """One run.

        Args:
            inputs: one array per graph input, or the array of the only one.

        Returns:
            One array per graph output.

        Raises:
            OracleError: ONNX Runtime refuses them.
        """
        if isinstance(inputs, np.ndarray):
            inputs = {self.input_names[0]: inputs}
        known = self._started(inputs)
        return self._finished(self._core.run(known), known)

    def tensors(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Every tensor that a node of the optimised graph makes, by name; the graph itself runs as in `run`.

        Raises:
            OracleError: as `run`; or its outputs are other ones where its tensors are asked for, too.
        """
        known = self._started(inputs)
        tensors = self._core.tensors(known)
        return tensors | self._finished(tensors, known)

    def _started(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The inputs, and what the host makes of them."""
        return started(self._ends.start, dict(inputs)).arrays

    def _finished(self, made: dict[str, np.ndarray], known: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """All outputs of the model."""
        return finished(self._ends.end, made, known).arrays


def _ends_of(model: Any) -> Ends:
    """The model in parts; whole where it has no ends for the host."""
    ends = split_ends(folded(with_initializers(model)))
    if ends.end:
        ends = replace(ends, end=_with_exact_products(ends.core, ends.end))
    return ends if ends.start or ends.end else Ends(model)


def _with_exact_products(core: Any, end: bytes) -> bytes:
    """An end whose products of what the core has stored are of integers, as those of a program are."""
    from onnx import load_from_string  # noqa: PLC0415

    from covenant.model.editable_model import EditableModel  # noqa: PLC0415  (a model without ends does not pay)
    from covenant.model.stored_values import meaning_of  # noqa: PLC0415
    from covenant.rewrite.contractions.closing_products import exact_products  # noqa: PLC0415

    known = EditableModel(core)
    makers = {entry.name: known.maker(entry.name) for entry in core.graph.output}
    stored = {name: one for name, one in makers.items() if one is not None and one.op_type == "DequantizeLinear"}
    meanings = {name: meaning for name, one in stored.items() if (meaning := meaning_of(known, one)) is not None}
    shapes = {name: shape for name in stored if (shape := known.shape(name)) is not None}
    editable = EditableModel(load_from_string(with_shapes(end, shapes)))
    editable.replace(exact_products(editable, meanings))
    return editable.model.SerializeToString()


def run(
    model_path: str | Path, inputs: Mapping[str, np.ndarray] | np.ndarray, *, any_width: bool = False
) -> dict[str, np.ndarray]:
    """Runs a model once, as `Oracle` does; float models run with ONNX Runtime's defaults.

    Runs of the same unchanged file share one session.

    Raises:
        OracleError: see `Oracle`.
    """
    return oracle_of(model_path, any_width=any_width).run(inputs)


def oracle_of(model_path: str | Path, *, any_width: bool = False) -> Oracle:
    """The oracle of a file; the same one for as long as the file is unchanged.

    Raises:
        OracleError: see `Oracle`.
    """
    path = Path(model_path)
    state = path.stat()
    return _oracle_of(path, state.st_mtime_ns, state.st_size, any_width=any_width)


@lru_cache(maxsize=8)
def _oracle_of(path: Path, _modified_ns: int, _size_bytes: int, *, any_width: bool) -> Oracle:
    """The oracle of a file in one state."""
    return Oracle(path, any_width=any_width)

"""A witness beside the oracle: ONNX Runtime on the model as it is written, optimisations off, layer by layer.

The oracle (`covenant.oracle.oracle`) lets ONNX Runtime fuse a model into integer kernels; the reference operators read
it through the compiler's front end. A mistake in either is not noticed there. The witness shares nothing with both:
ONNX Runtime alone reads the file, and computes every layer in float, between DequantizeLinear and QuantizeLinear.

Integer kernels and float operators round at different places, so whole networks drift apart. Layers do not. The model
is cut at its stored tensors, and each layer gets the stored tensors that a run has written before it: its result is
within one step of the written one. If that holds for every layer, all differences of the outputs are explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from covenant.onnx_runtime.sessions import Style, model_of, outputs_of, session

__all__ = ["MOST_STEPS", "HeldTensor", "Testimony", "Witness", "witness_of"]

MOST_STEPS = 1
"""Largest distance of kernels that round at different places, in steps of the result's scale."""
_CLOSE = 1e-4
"""Largest distance of floats of the host, relative to the largest of their tensor: sums have another order."""
_GIVEN = "/given"


@dataclass(frozen=True)
class HeldTensor:
    """A tensor compared with the witness's result from the stored tensors before it; all images together."""

    name: str
    steps: float
    """Largest difference: of stored elements, or, of real ones, in multiples of what floats may be apart."""
    sources: tuple[str, ...]
    """Stored tensors before it that are unknown: each may add a step of its own."""

    @property
    def is_explained(self) -> bool:
        """Whether the difference of kernels explains the whole difference."""
        return self.steps <= MOST_STEPS * (1 + len(self.sources))

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in the JSON of the command line, which has no infinity."""
        steps = self.steps if np.isfinite(self.steps) else None
        return {"tensor": self.name, "steps": steps, "explained": self.is_explained, "not_given": list(self.sources)}


@dataclass(frozen=True)
class Testimony:
    """Result of the witness for a model's run."""

    held: tuple[HeldTensor, ...]
    """Tensors in the order of the model."""
    largest_steps: dict[str, float]
    """By output: how far the whole network, computed in float, is from what was made; in steps where the output is
    stored or dequantised under one scale, else as a difference."""

    @property
    def first(self) -> HeldTensor | None:
        """The first tensor whose difference is not explained; None: all are."""
        return next((one for one in self.held if not one.is_explained), None)

    @property
    def agrees(self) -> bool:
        """Whether every difference is explained."""
        return self.first is None

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in the JSON of the command line."""
        largest = {name: one if np.isfinite(one) else None for name, one in self.largest_steps.items()}
        return {
            "agrees": self.agrees,
            "held": len(self.held),
            "beside": sum(one.steps > 0 for one in self.held),
            "largest_steps": largest,
            "first": self.first.to_dict() if self.first else None,
        }


class Witness:
    """A quantised model as it is written.

    Args:
        model: path of the ONNX file.

    Raises:
        OracleError: ONNX Runtime is missing, of another version, or refuses the model.
    """

    def __init__(self, model: str | Path) -> None:
        self._model = model_of(model)
        self._nodes = list(self._model.graph.node)
        self._outputs = [entry.name for entry in self._model.graph.output]
        self._stored = [value for node in self._nodes if _stores(node) for value in node.output[:1]]
        self._scales = _scales(self._model)
        self._whole = session(self._model.SerializeToString(), Style.UNFUSED)

    def whole(self, feed: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The model's outputs, computed from its inputs alone."""
        return outputs_of(self._whole, feed)

    def testify(
        self,
        feeds: Sequence[Mapping[str, np.ndarray]],
        outputs: Sequence[Mapping[str, np.ndarray]],
        tensors: Iterable[Mapping[str, np.ndarray]],
    ) -> Testimony:
        """Compares the tensors of each image with the model as it is written.

        Args:
            feeds: inputs by name, one dictionary an image.
            outputs: outputs by name, one dictionary an image.
            tensors: the stored tensors of each image that the run has written, by the model's names; those of another
                shape or type than the model has, or of other names, are left out.
        """
        held: dict[str, HeldTensor] = {}
        largest: dict[str, float] = dict.fromkeys(self._outputs, 0.0)
        for feed, made, known in zip(feeds, outputs, tensors, strict=True):
            for one in self._image(feed, {**known, **made}):
                before = held.get(one.name)
                held[one.name] = one if before is None or one.steps > before.steps else before
            for name, array in self.whole(feed).items():
                apart = _distance(made[name], array) / self._scales.get(name, 1.0)
                largest[name] = max(largest[name], apart)
        return Testimony(tuple(held.values()), largest)

    def _image(self, feed: Mapping[str, np.ndarray], known: Mapping[str, np.ndarray]) -> Iterator[HeldTensor]:
        given = tuple(name for name in self._stored if name in known and known[name].dtype.kind in "iu")
        runnable, types, sources = self._cut(given)
        fitting = {name: _fitted(known[name], *types[name]) for name in given}
        lost = tuple(name for name in given if fitting[name] is None)
        if lost:  # of another shape or type: the compiler represents the tensor in another way
            yield from self._image(feed, {name: one for name, one in known.items() if name not in lost})
            return
        made = outputs_of(runnable, {**feed, **{f"{name}{_GIVEN}": array for name, array in fitting.items()}})
        for name in dict.fromkeys([*given, *self._outputs]):
            mine = fitting.get(name, known.get(name))
            if mine is not None:
                yield HeldTensor(name, _steps(mine, made[name], self._scales.get(name)), sources[name])

    @lru_cache(maxsize=4)  # noqa: B019  (a witness lives as long as what it keeps)
    def _cut(
        self, given: tuple[str, ...]
    ) -> tuple[Any, dict[str, tuple[np.dtype[Any], tuple[int, ...]]], dict[str, tuple[str, ...]]]:
        """The model with these tensors as inputs for all that read them; their types and shapes; what is not given."""
        from onnx import ModelProto, helper  # noqa: PLC0415

        wanted = set(given)
        cut = ModelProto()
        cut.CopyFrom(self._model)
        for node in cut.graph.node:
            for place, value in enumerate(node.input):
                if value in wanted:
                    node.input[place] = f"{value}{_GIVEN}"
        types = self._types()
        for name in given:
            element = helper.np_dtype_to_tensor_dtype(types[name][0])
            cut.graph.input.append(helper.make_tensor_value_info(f"{name}{_GIVEN}", element, None))
        missing = [name for name in given if name not in self._outputs]
        cut.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in missing)
        return session(cut.SerializeToString(), Style.UNFUSED), types, self._not_given(wanted)

    def _not_given(self, given: set[str]) -> dict[str, tuple[str, ...]]:
        """Stored tensors between each value and those that are given or constant."""
        constants = {tensor.name for tensor in self._model.graph.initializer}
        behind: dict[str, tuple[str, ...]] = {}
        for node in self._nodes:
            read = [value for value in node.input if value and value not in given]
            found = dict.fromkeys(name for value in read for name in behind.get(value, ()))
            if constants.issuperset(filter(None, node.input)):
                constants |= set(node.output)
            for value in node.output:
                behind[value] = tuple(found)
            if _stores(node) and node.output[0] not in constants | given:
                # Its readers see its step, and those before it.
                behind[node.output[0]] = (*found, node.output[0])
        stored = {one.output[0]: one for one in self._nodes if _stores(one)}
        return {
            value: tuple(name for name in names if name != value) if value in stored else names
            for value, names in behind.items()
        }

    @lru_cache(maxsize=1)  # noqa: B019
    def _types(self) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
        """Element types and shapes of stored tensors, as ONNX Runtime infers them."""
        from onnx import ModelProto, helper  # noqa: PLC0415

        shown = ModelProto()
        shown.CopyFrom(self._model)
        missing = [name for name in self._stored if name not in self._outputs]
        shown.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in missing)
        entries = session(shown.SerializeToString(), Style.UNFUSED).get_outputs()
        return {one.name: (_DTYPES.get(one.type, np.dtype(object)), tuple(one.shape)) for one in entries}


_DTYPES = {f"tensor({name})": np.dtype(name) for name in ("int8", "uint8", "int16", "uint16", "int32")}


_MOVING = frozenset({"Flatten", "Identity", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"})


def _scales(model: Any) -> dict[str, float]:
    """Scales of outputs that are dequantised under one constant scale, and at most moved."""
    from onnx import helper, numpy_helper  # noqa: PLC0415  (import costs; a program that never compares does not pay)

    makers = {value: node for node in model.graph.node for value in node.output}
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    scales = {}
    for output in model.graph.output:
        node = makers.get(output.name)
        while node is not None and node.op_type in _MOVING:
            node = makers.get(node.input[0])
        if node is None or node.op_type != "DequantizeLinear":
            continue
        said = makers.get(node.input[1])
        if said is not None and said.op_type == "Constant":
            held = {entry.name: helper.get_attribute_value(entry) for entry in said.attribute}
            scale = numpy_helper.to_array(held["value"]) if "value" in held else np.asarray(held.get("value_float", ()))
        else:
            scale = numpy_helper.to_array(constants[node.input[1]]) if node.input[1] in constants else np.zeros(0)
        if scale.size == 1:
            scales[output.name] = float(scale.reshape(-1)[0])
    return scales


def _stores(node: Any) -> bool:
    """Whether a node makes a stored tensor."""
    return node.op_type in ("QuantizeLinear", "QGemm") or node.op_type.startswith("QLinear")


def _fitted(array: np.ndarray, dtype: np.dtype[Any], shape: Sequence[int | str | None]) -> np.ndarray | None:
    """The tensor as the model has it; dimensions of one index come and go in a compiler."""
    sizes = [size for size in shape if isinstance(size, int)]
    if array.dtype != dtype or len(sizes) != len(shape):
        return None
    if [size for size in array.shape if size != 1] != [size for size in sizes if size != 1]:
        return None
    return np.ascontiguousarray(array.reshape(sizes))


def _distance(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of two arrays; infinite where they cannot be compared."""
    if one.shape != other.shape:
        return float("inf")
    if one.size == 0:
        return 0.0
    a, b = one.astype(np.float64), other.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        differences = np.where(same, 0.0, np.abs(a - b))
    return float(np.where(np.isnan(differences), np.inf, differences).max())


def _steps(mine: np.ndarray, theirs: np.ndarray, scale: float | None) -> float:
    """Distance in steps for stored and dequantised elements; else in multiples of the tolerance of floats."""
    distance = _distance(mine, theirs)
    if mine.dtype.kind != "f" or not np.isfinite(distance):
        return distance
    if scale is not None:
        return float(np.rint(distance / scale))
    finite = np.abs(theirs[np.isfinite(theirs)])
    return distance / (_CLOSE * max(float(finite.max(initial=0.0)), float(np.finfo(np.float32).tiny)))


@lru_cache(maxsize=4)
def _witness_of(path: Path, _modified_ns: int, _size_bytes: int) -> Witness:
    return Witness(path)


def witness_of(model: str | Path) -> Witness:
    """The witness of a file; the same one for as long as the file is unchanged."""
    path = Path(model)
    state = path.stat()
    return _witness_of(path, state.st_mtime_ns, state.st_size)

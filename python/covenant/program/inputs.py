"""Inputs of a run: from files, or random from a seed; one dictionary of arrays per image."""

from __future__ import annotations

import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.program.boundary import Boundary
from covenant.program.tensor import Tensor

Feed = dict[str, np.ndarray]
"""Inputs of one run: arrays by input name."""


ELEMENT_TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "int64", "bool")
"""Element types that tensors may have, the last two of those that only the host reads, as are inputs in f16 and f64;
which one an input wants, its program says."""


def random_feeds(program: Boundary, images: int, seed: int) -> list[Feed]:
    """`images` feeds that are uniform over every value the stored type can hold; equal seeds give equal feeds.

    For inputs that only the host reads, reals are drawn from a normal distribution, and possible indices are 0 or 1.
    Inputs that are state are left out.
    """
    generator = np.random.default_rng(seed)
    return [{tensor.name: _random(tensor, generator) for tensor in given_inputs(program)} for _ in range(images)]


def given_inputs(program: Boundary) -> tuple[Tensor, ...]:
    """The inputs that a run has to be given: all that are not state."""
    state = program.state.values()
    return tuple(tensor for tensor in program.inputs if tensor.name not in state)


def file_feeds(program: Boundary, path: str | os.PathLike[str], images: int | None) -> list[Feed]:
    """Feeds from an `.npy` file (programs with one input) or an `.npz` file (arrays named like the inputs).

    An array may hold many images: its first axis is then a multiple of the input's. If a program has one input, the one
    array of an `.npz` file that fits is taken, whatever its name. Inputs that are state are left out.

    Args:
        program: says which inputs there are.
        path: the file.
        images: how many to take from the start; None for all.

    Raises:
        CovenantError: CLI0002, no readable file; CLI0003, it has not the arrays that the program wants.
    """
    return feeds_from(given_inputs(program), read_arrays(path), path, images)


def feeds_from(
    tensors: Sequence[Tensor], arrays: Mapping[str, np.ndarray], path: str | os.PathLike[str], images: int | None
) -> list[Feed]:
    """The same of arrays that are read already from `path`, for inputs of these names, shapes and types.

    Raises:
        CovenantError: CLI0003, as `file_feeds`.
    """
    stacks = chosen_arrays(tensors, arrays, path, images)
    count = min(len(stack) for stack in stacks.values())
    # One number is an array, too.
    return [{name: np.asarray(stack[image]) for name, stack in stacks.items()} for image in range(count)]


def chosen_arrays(
    tensors: Sequence[Tensor], arrays: Mapping[str, np.ndarray], path: str | os.PathLike[str], images: int | None
) -> dict[str, np.ndarray]:
    """The same as one array for each input: [images, *shape].

    Raises:
        CovenantError: CLI0003, as `file_feeds`.
    """
    return first_images(all_arrays(tensors, arrays, path), path, images)


def all_arrays(
    tensors: Sequence[Tensor], arrays: Mapping[str, np.ndarray], path: str | os.PathLike[str]
) -> dict[str, np.ndarray]:
    """Arrays of all images, chosen as by `chosen_arrays`; an array may have more images than another one.

    Raises:
        CovenantError: CLI0003, as `file_feeds`.
    """
    chosen = {tensor.name: _choose(tensor, arrays, path, only=len(tensors) == 1) for tensor in tensors}
    return {tensor.name: _stack(tensor, chosen[tensor.name], path) for tensor in tensors}


def first_images(
    stacks: Mapping[str, np.ndarray], path: str | os.PathLike[str], images: int | None
) -> dict[str, np.ndarray]:
    """The first images of each array; None: as many as all of them have.

    Raises:
        CovenantError: CLI0003, there are fewer.
    """
    count = min(len(stack) for stack in stacks.values())
    wanted = count if images is None else images
    if wanted > count:
        raise CovenantError(
            Diagnostic(
                "CLI0003", "the file has fewer images than asked for", os.fspath(path), offending=str(wanted),
                allowed=(f"1..{count}",), fix="ask for fewer with --images",
            )
        )  # fmt: skip
    return {name: stack[:wanted] for name, stack in stacks.items()}


def _random(tensor: Tensor, generator: np.random.Generator) -> np.ndarray:
    if tensor.stored_dtype.kind == "f":  # for the host
        return np.asarray(generator.normal(size=tensor.shape), tensor.dtype)
    if tensor.stored_dtype.kind == "b" or tensor.stored_dtype.itemsize == 8:  # perhaps an index: any table has these
        return generator.integers(0, 1, endpoint=True, size=tensor.shape).astype(tensor.dtype)
    limits = np.iinfo(tensor.stored_dtype)
    stored = generator.integers(limits.min, limits.max, endpoint=True, size=tensor.shape, dtype=tensor.stored_dtype)
    if tensor.dtype == tensor.stored_dtype:
        return stored
    return ((stored.astype(np.int64) - tensor.zero_point) * np.float32(tensor.scale)).astype(tensor.dtype)


# What NumPy raises at damaged files besides: headers that are no Python, sizes that no memory has, archives of another
# kind.
_DAMAGED = (
    OSError, ValueError, EOFError, MemoryError, OverflowError, SyntaxError, TypeError, KeyError, RuntimeError,
    tokenize.TokenError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def read_arrays(path: str | os.PathLike[str]) -> Mapping[str, np.ndarray]:
    """The arrays of an `.npz` file by name, or that of an `.npy` file under an empty name.

    Raises:
        CovenantError: CLI0002, no readable file.
    """
    try:
        with Path(path).open("rb") as file:
            content = np.load(file, allow_pickle=False)
            if isinstance(content, np.ndarray):
                return {"": content}
            return {name: _member(content, name) for name in content.files}
    except _DAMAGED as error:
        raise CovenantError(
            Diagnostic(
                "CLI0002", "cannot read this file of inputs", os.fspath(path), offending=str(error),
                allowed=(".npy", ".npz"), fix="save the arrays with numpy.save or numpy.savez",
            )
        ) from error  # fmt: skip


def _member(archive: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """An array of an `.npz` file; NumPy gives other members as they are."""
    member = archive[name]
    if not isinstance(member, np.ndarray):
        message = f"{name} is no array"
        raise ValueError(message)
    return member


def _fits(tensor: Tensor, array: np.ndarray) -> bool:
    if not tensor.shape:  # one number for each image
        return array.dtype == tensor.dtype and array.ndim <= 1 and array.size > 0
    return (
        array.dtype == tensor.dtype
        and array.ndim == len(tensor.shape)
        and array.shape[1:] == tensor.shape[1:]
        and array.shape[0] > 0
        and array.shape[0] % tensor.shape[0] == 0
    )


def _choose(
    tensor: Tensor, arrays: Mapping[str, np.ndarray], path: str | os.PathLike[str], *, only: bool
) -> np.ndarray:
    if tensor.name in arrays:
        return arrays[tensor.name]
    fitting = [array for array in arrays.values() if _fits(tensor, array)]
    if only and len(arrays) == 1:
        return next(iter(arrays.values()))  # `_split` says what does not fit
    if only and len(fitting) == 1:
        return fitting[0]
    described = ", ".join(f"{name or 'array'} {array.dtype}{list(array.shape)}" for name, array in arrays.items())
    raise CovenantError(
        Diagnostic(
            "CLI0003", "the file has no array for this input", Path(path).name, subject=tensor.name,
            offending=described, allowed=(f"{tensor.name} {tensor.dtype}{list(tensor.shape)}",),
            fix="name the array like the input of the model",
        )
    )  # fmt: skip


def _stack(tensor: Tensor, array: np.ndarray, path: str | os.PathLike[str]) -> np.ndarray:
    """[images, *shape of the input]."""
    if not _fits(tensor, array):
        raise CovenantError(
            Diagnostic(
                "CLI0003", "the array has another shape or type than the input", Path(path).name, subject=tensor.name,
                offending=f"{array.dtype}{list(array.shape)}", allowed=(f"{tensor.dtype}{list(tensor.shape)}",),
                fix="convert the array; its first axis may be a multiple, for many images",
            )
        )  # fmt: skip
    return array.reshape(-1, *tensor.shape)


def arrays_by_name(program: Boundary, inputs: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, np.ndarray]:
    """Inputs as contiguous arrays by name. Whether they fit the program is for the runtime to check."""
    if not isinstance(inputs, Mapping):
        names = tuple(tensor.name for tensor in given_inputs(program))
        if len(names) != 1:
            raise CovenantError(
                Diagnostic(
                    "CLI0005",
                    "one array was given to a program with several inputs",
                    offending="an array",
                    allowed=names,
                    fix="give a dictionary with these names",
                )
            )
        inputs = {names[0]: inputs}
    wanted = {tensor.name: tensor.dtype for tensor in program.inputs}
    return {name: _plain(name, array, wanted.get(name)) for name, array in inputs.items()}


def checked_state(name: str, array: np.ndarray, state: Mapping[str, np.ndarray]) -> np.ndarray:
    """The array, if it can be the state called `name`.

    Raises:
        CovenantError: RUN0002 to RUN0004, there is no such state, or it has another shape or type.
    """

    def refused(code: str, message: str, offending: str, allowed: tuple[str, ...]) -> CovenantError:
        fix = "`Session.state` shows the arrays that it has"
        return CovenantError(Diagnostic(code, message, subject=name, offending=offending, allowed=allowed, fix=fix))

    if name not in state:
        raise refused("RUN0002", "the program has no such state", name, tuple(state))
    known = state[name]
    if array.shape != known.shape:
        raise refused("RUN0003", "state has the wrong shape", str(list(array.shape)), (str(list(known.shape)),))
    if array.dtype != known.dtype:
        raise refused("RUN0004", "state has the wrong element type", str(array.dtype), (str(known.dtype),))
    return np.ascontiguousarray(array).reshape(array.shape)


def _plain(name: str, array: np.ndarray, wanted: np.dtype | None) -> np.ndarray:
    plain = np.ascontiguousarray(array).reshape(np.shape(array))
    is_known = plain.dtype.name in ELEMENT_TYPES or plain.dtype == wanted
    if not is_known or not plain.dtype.isnative:
        raise CovenantError(
            Diagnostic(
                "CLI0010",
                "no tensor of a program has this element type",
                subject=name,
                offending=str(plain.dtype),
                allowed=ELEMENT_TYPES,
                fix="convert the array with astype",
            )
        )
    return plain

"""Hardware files of the simulator SimDIT, as parameters of the machine `genesys`.

SimDIT calls the rows of the array ARRAY_N and its columns ARRAY_M. Capacities are bits of both buffers of a memory
together; that of VMEM holds for each of the two.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covenant.documents import DocumentError, from_json
from covenant.errors import CovenantError, Diagnostic
from covenant.files import read_whole
from covenant.machine.machine import Machine

_SIZES = ("ARRAY_N", "ARRAY_M")
_WIDTHS = ("WGT_DATA_WIDTH", "ACT_DATA_WIDTH", "BIAS_WIDTH", "ACC_WIDTH")
_PORTS = {
    "axi_input": "IBUF_AXI_DATA_WIDTH",
    "axi_weight": "PARAMBUF_AXI_DATA_WIDTH",
    "axi_bias": "PARAMBUF_AXI_DATA_WIDTH",
    "axi_output": "OBUF_AXI_DATA_WIDTH",
    "axi_vector": "SIMD_AXI_DATA_WIDTH",
    "axi_instruction": "INST_MEM_AXI_DATA_WIDTH",
}
_CAPACITIES = {
    "input_depth": "IBUF_CAPACITY_BITS",
    "weight_depth": "WBUF_CAPACITY_BITS",
    "bias_depth": "BBUF_CAPACITY_BITS",
    "output_depth": "OBUF_CAPACITY_BITS",
    "vector_depth": "SIMD_VMEM_CAPACITY_BITS",
}
_LEFT_OUT = ("INST_MEM_CAPACITY_BITS", "SIMD_INST_MEM_ADDR_WIDTH")
"""Room for the words of an instruction set that is not ours (docs/reference/genesys-isa.md)."""
KEYS = (*_SIZES, *_WIDTHS, *dict.fromkeys(_PORTS.values()), *_CAPACITIES.values(), *_LEFT_OUT)
"""All that such a file has."""
_WORD_BITS = 32  # of biases, sums and lanes
_BUFFERS = 2


@dataclass(frozen=True)
class Imported:
    """A parameter of `genesys`, and where its value is from."""

    parameter: str
    value: int
    keys: tuple[str, ...]
    """Keys of the file that the value comes from, in order."""


@dataclass(frozen=True)
class SimditHardware:
    """Content of a file."""

    file: str
    parameters: tuple[Imported, ...]
    left_out: dict[str, int]
    """Keys that say nothing about this machine, with their values."""

    @property
    def settings(self) -> dict[str, int]:
        """Settings for `Machine("genesys", **settings)`."""
        return {entry.parameter: entry.value for entry in self.parameters}

    def machine(self) -> Machine:
        """The machine.

        Raises:
            CovenantError: it does not hold together (codes ACGnnnn).
        """
        return Machine("genesys", **self.settings)

    def acg(self) -> str:
        """The machine as text, headed by where each parameter is from."""
        lines = [f"# genesys with the parameters of {Path(self.file).name}, a hardware file of SimDIT:"]
        lines += [f"# {entry.parameter} = {entry.value}: {', '.join(entry.keys)}" for entry in self.parameters]
        lines += [
            f"# left out: {key} = {value}, room for other instruction words" for key, value in self.left_out.items()
        ]
        return "\n".join([*lines, str(self.machine())])


def read_simdit(path: str | os.PathLike[str]) -> SimditHardware:
    """Reads a hardware file.

    Raises:
        CovenantError: CLI0009, it cannot be read; CLI0017, it is no such file, lacks keys or has others; CLI0018, a
            value that this machine cannot have.
    """
    file = os.fspath(path)
    values = _checked(file, read_whole(path))
    _check_widths(file, values)
    rows, columns, bits = values["ARRAY_N"], values["ARRAY_M"], values["ACT_DATA_WIDTH"]
    vectors = {
        "input_depth": rows * bits,
        "weight_depth": rows * columns * bits,
        "bias_depth": columns * _WORD_BITS,
        "output_depth": columns * _WORD_BITS,
        "vector_depth": columns * _WORD_BITS,
    }
    parameters = [
        Imported("M", rows, ("ARRAY_N",)),
        Imported("N", columns, ("ARRAY_M",)),
        Imported("bits", bits, ("ACT_DATA_WIDTH", "WGT_DATA_WIDTH")),
        *(Imported(parameter, values[key], (key,)) for parameter, key in _PORTS.items()),
        *(
            Imported(parameter, _depth(file, key, values[key], vectors[parameter]), (key,))
            for parameter, key in _CAPACITIES.items()
        ),
    ]
    return SimditHardware(file, tuple(parameters), {key: values[key] for key in _LEFT_OUT})


def _checked(file: str, content: bytes) -> dict[str, int]:
    """Every key there is, each a number above 0."""
    try:
        values: Any = from_json(content)
    except DocumentError as error:
        raise _no_such_file(file, str(error), ()) from error
    if not isinstance(values, dict):
        raise _no_such_file(file, type(values).__name__, ())
    unknown, missing = [key for key in values if key not in KEYS], [key for key in KEYS if key not in values]
    if unknown:
        raise _no_such_file(file, f"the key {unknown[0]}", KEYS)
    if missing:
        raise _no_such_file(file, f"no {missing[0]}", KEYS)
    for key, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise _impossible(file, f"{key} = {json.dumps(value)}", "a whole number from 1 on")
    return values


def _check_widths(file: str, values: dict[str, int]) -> None:
    if values["WGT_DATA_WIDTH"] != values["ACT_DATA_WIDTH"]:
        given = f"WGT_DATA_WIDTH = {values['WGT_DATA_WIDTH']}, ACT_DATA_WIDTH = {values['ACT_DATA_WIDTH']}"
        raise _impossible(file, given, "one width of inputs and weights")
    for key in ("BIAS_WIDTH", "ACC_WIDTH"):
        if values[key] != _WORD_BITS:
            raise _impossible(file, f"{key} = {values[key]}", f"{_WORD_BITS}")


def _depth(file: str, key: str, capacity: int, vector: int) -> int:
    """Vectors of one buffer."""
    depth, rest = divmod(capacity, vector * _BUFFERS)
    if rest or not depth:
        raise _impossible(
            file, f"{key} = {capacity}", f"a multiple of {vector * _BUFFERS}: {_BUFFERS} buffers of vectors"
        )
    return depth


def _no_such_file(file: str, offending: str, allowed: tuple[str, ...]) -> CovenantError:
    return CovenantError(
        Diagnostic("CLI0017", "this is not a hardware file of SimDIT", file, offending=offending, allowed=allowed,
                   fix="name a JSON object with exactly these keys, as in its folders Hardware_Json_*")
    )  # fmt: skip


def _impossible(file: str, offending: str, allowed: str) -> CovenantError:
    return CovenantError(
        Diagnostic("CLI0018", "no machine of the family genesys has this value", file, offending=offending,
                   allowed=(allowed,), fix="change it in a copy of the file, or describe the machine in an .acg file")
    )  # fmt: skip

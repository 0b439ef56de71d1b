"""Lock step on a random machine and its random layers."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from covenant import _core
from covenant.errors import CovenantError
from covenant.files import write_whole
from covenant.machine.memory_models import FIXED_MEMORY
from covenant.program import Program
from covenant.runtime.build import Build
from covenant.runtime.difference import Difference
from covenant.verify.lockstep import CosimResult, cosim
from covenant.verify.random_features import features_of

LAYERS_APART = 1_000_000
"""Layers of one machine are drawn from indices after this multiple of the machine's."""
DRAWS_A_LAYER = 20
"""Draws for each layer that is wanted, at most: the compiler does not take all."""


@dataclass(frozen=True)
class Failure:
    """A layer on which the two models of a machine differ, or that one of them would not run."""

    seed: int
    machine: int
    layer: int
    name: str
    memory: str
    """Model of off-chip memory."""
    text: str
    """Difference or message, for people."""
    difference: Difference | None
    files: tuple[str, ...] = ()
    """Files that reproduce it: machine (.acg), program (.cprog), input (.npz)."""


@dataclass(frozen=True)
class MachineResult:
    """All layers on one random machine."""

    machine: int
    name: str
    """Rows, columns, lanes and the like of the machine, for people."""
    features: tuple[str, ...]
    """Features that set it apart from an ordinary machine (`random_features`)."""
    pair: tuple[str, ...]
    """The two arrays of one unit that the machine has; empty if it has one of each."""
    layers: int
    """Compared, with all memories."""
    on_both: int
    """Layers among them that used both arrays of the pair."""
    refused: int
    """Layers that the compiler refused: they do not fit, or there is no capability. Others were drawn for them."""
    refusals: dict[str, int]
    """Number of refusals by their code."""
    instructions: int
    """Commands of all runs; cycles and seconds are of all runs, too."""
    cycles: int
    build_seconds: float
    systemc_seconds: float
    rtl_seconds: float
    failures: tuple[Failure, ...]


def run_machine(
    seed: int, index: int, layers: int, build: Build, folder: str, *, memories: Sequence[str] = (FIXED_MEMORY,)
) -> MachineResult:
    """Machine `index` of `seed` with its layers, each with each of `memories`, up to the first that differs.

    `folder` gets the files about that.
    """
    core = _core.random_machine(seed, index)[1]
    sizes = ", ".join(f"{name}={value}" for name, value in sorted(core.parameters.items()))
    features = features_of(json.loads(core.to_json()))
    done = MachineResult(index, sizes, features, _pair(core), 0, 0, 0, {}, 0, 0, 0.0, 0.0, 0.0, ())
    for layer in range(layers * DRAWS_A_LAYER):
        if done.layers == layers:
            break
        try:
            name, program_core, inputs = _core.random_program(core, seed, index * LAYERS_APART + layer)
        except CovenantError as error:
            refusals = done.refusals | {error.code: done.refusals.get(error.code, 0) + 1}
            done = replace(done, refused=done.refused + 1, refusals=refusals)
            continue
        program = Program(program_core)
        place = Path(folder) / f"random_{seed}_{index}_{layer}"
        for memory in memories:
            try:
                result = cosim(program, inputs, build=build, memory=memory)
            except CovenantError as error:
                failure = Failure(seed, index, layer, name, memory, str(error), None)
                return _failed(done, failure, place, program, inputs)
            done = _with(done, result)
            if result.first is not None:
                failure = Failure(seed, index, layer, name, memory, result.first.text, result.first)
                return _failed(done, failure, place, program, inputs)
        done = replace(done, layers=done.layers + 1, on_both=done.on_both + _uses_all(result, done.pair))
    return done


def _with(done: MachineResult, result: CosimResult) -> MachineResult:
    """One run more."""
    return replace(
        done,
        instructions=done.instructions + result.instructions,
        cycles=done.cycles + result.cycles,
        build_seconds=max(done.build_seconds, result.build_seconds),
        systemc_seconds=done.systemc_seconds + result.systemc_seconds,
        rtl_seconds=done.rtl_seconds + result.rtl_seconds,
    )


def _pair(core: _core.Machine) -> tuple[str, ...]:
    units: dict[str, list[str]] = {}
    for compute in json.loads(core.to_json())["computes"]:
        units.setdefault(compute["unit"], []).append(compute["name"])
    return next((tuple(names) for names in units.values() if len(names) > 1), ())


def _uses_all(result: CosimResult, nodes: tuple[str, ...]) -> bool:
    """Whether each of some nodes did a step or an iteration; False without nodes."""
    busy = {engine["engine"] for engine in result.stats["engines"] if engine["busy"] > 0}
    return bool(nodes) and busy.issuperset(nodes)


def _failed(
    done: MachineResult, failure: Failure, place: Path, program: Program, inputs: dict[str, np.ndarray]
) -> MachineResult:
    """The result with the files that reproduce it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(f"{place}.acg", _core.random_machine(failure.seed, failure.machine)[0])
    program.save(f"{place}.cprog")
    arrays = io.BytesIO()
    with zipfile.ZipFile(arrays, "w") as archive:  # what numpy.savez writes, for any name of an input
        for name, array in inputs.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as member:
                np.lib.format.write_array(member, array)
    write_whole(f"{place}.npz", arrays.getvalue())
    files = tuple(f"{place}{suffix}" for suffix in (".acg", ".cprog", ".npz"))
    return replace(done, failures=(replace(failure, files=files),))

"""Verilated models of machines: built or found in the cache, and loaded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from covenant import _core
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine, as_machine
from covenant.program import Program
from covenant.progress import Progress
from covenant.runtime.build import Build


class VerilatedModel:
    """The Verilated model of a machine, for any number of runs. Building takes minutes, loading a tenth of a second.

    Args:
        machine: a Machine, or the spec of one ("genesys:8x8").
        build: how it is built, and where it is kept.
        waves: able to write waveforms; runs slower.
        progress: told how far building has come.

    Attributes:
        machine: as given.
        waves: as given.
        build_seconds: wall-clock time of building; 0 if it was in the cache.
        folder: in which it is kept.

    Raises:
        CovenantError: the machine has no RTL, or its model cannot be built (codes RTLnnnn).
    """

    __slots__ = ("_core", "build_seconds", "folder", "machine", "waves")

    def __init__(
        self,
        machine: Machine | str,
        build: Build | None = None,
        *,
        waves: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.machine = as_machine(machine)
        self.waves = waves
        self._core = _core.RtlModel(self.machine._core, (build or Build()).to_core(wave=waves, progress=progress))
        self.build_seconds = self._core.build_seconds
        self.folder = self._core.folder


def loading_options(
    backend: str, machines: Iterable[Machine], build: Build | None, *, waves: bool, progress: Progress | None
) -> tuple[dict[str, Any], float]:
    """Options by which the core finds a session's Verilated models in the cache, and the seconds that building took.

    Empty, and 0, for other backends than rtl. Raises as VerilatedModel.
    """
    if backend != "rtl":
        return {}, 0.0
    build = build or Build()
    made = [VerilatedModel(machine, build, waves=waves, progress=progress) for machine in machines]
    return build.to_core(wave=waves, progress=None), sum((one.build_seconds for one in made), 0.0)


def model_for(
    program: Program, build: Build | VerilatedModel | None, *, waves: bool, progress: Progress | None
) -> VerilatedModel:
    """The model that a run of the program needs: the one given, or else built as `build` says.

    Raises:
        CovenantError: CLI0014, the model given is of another machine, or cannot write waveforms; and as VerilatedModel.
    """
    if not isinstance(build, VerilatedModel):
        return VerilatedModel(program.machine, build, waves=waves, progress=progress)
    if build.machine != program.machine:
        raise CovenantError(
            Diagnostic("CLI0014", "the Verilated model is of another machine than the program",
                       offending=repr(build.machine), allowed=(repr(program.machine),),
                       fix="make a VerilatedModel of program.machine")
        )  # fmt: skip
    if waves and not build.waves:
        raise CovenantError(
            Diagnostic("CLI0014", "the Verilated model was built without waveforms", offending=build.folder,
                       fix="make the VerilatedModel with waves=True")
        )  # fmt: skip
    return build

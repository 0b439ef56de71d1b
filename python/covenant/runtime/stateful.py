"""State of a session: what the next run begins with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from covenant.program.boundary import Boundary
from covenant.program.inputs import arrays_by_name, checked_state

_Program = TypeVar("_Program", bound=Boundary)


class Stateful(Generic[_Program]):
    """Hands outputs of a run to the next one, where the program says so (docs/reference/state.md)."""

    __slots__ = ("_core", "_state", "program")

    def __init__(self, core: Any, program: _Program) -> None:
        self._core = core
        self.program = program
        self._state: dict[str, np.ndarray] = core.initial_state()

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State that the next run begins with, by the names of inputs; empty for a program without state."""
        return {name: array.copy() for name, array in self._state.items()}

    def reset_state(self, values: Mapping[str, np.ndarray] | None = None) -> None:
        """Lets the next run begin anew: with these values of inputs that are state, and real 0 of all others.

        Raises:
            CovenantError: RUN0002 to RUN0004, the program has no such state, or one of another shape or type.
        """
        initial = self._core.initial_state()
        for name, array in (values or {}).items():
            initial[name] = checked_state(name, np.asarray(array), initial)
        self._state = initial

    def _with_state(self, inputs: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, np.ndarray]:
        """Inputs of a run by name, with the state where they are not given."""
        return self._state | arrays_by_name(self.program, inputs)

    def _keep_state(self, outputs: Mapping[str, np.ndarray]) -> None:
        """Lets the next run begin with what this one has made."""
        self._state = {read: outputs[made].copy() for made, read in self.program.state.items()}

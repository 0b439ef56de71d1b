"""The boundary of a program, of one part or several: inputs, outputs, state, and the host's work at its ends."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np

from covenant.program.host import HostPart, Made, check_ends, finished, host_part, started
from covenant.program.tensor import Tensor, tensor_of


class Boundary:
    """Inputs, outputs and state of a program, whatever it is made of."""

    _core: Any
    """Program of the core, or its program of several parts."""

    @property
    def start(self) -> HostPart | None:
        """Part that the host computes before the machine, in ONNX Runtime; None: nothing."""
        content = self._core.host_start
        return host_part(content) if content else None

    @property
    def end(self) -> HostPart | None:
        """Part that the host computes after the machine, in ONNX Runtime; None: nothing."""
        content = self._core.host_end
        return host_part(content) if content else None

    def checked(self, path: str | os.PathLike[str]) -> Self:
        """The same, as it was read from a file; raises PRG0009 if the host's parts are damaged or do not fit."""
        core = self._core
        taken, made = ([binding["name"] for binding in bindings] for bindings in (core.inputs, core.outputs))
        check_ends(path, core.host_start, core.host_end, taken, made)
        return self

    def started(self, inputs: dict[str, np.ndarray]) -> Made:
        """Arrays that the host computes from the model's inputs before the machine, and the inputs.

        Raises:
            CovenantError: RUN0001 to RUN0004, the inputs are not the model's; RUN0014, ONNX Runtime is missing, of
                another version, or refuses it.
        """
        return started(self._core.host_start, inputs)

    def for_machine(self, known: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The arrays that the machine takes, among those that the host knows before it runs."""
        if not self._core.host_start:
            return known
        return {binding["name"]: known[binding["name"]] for binding in self._core.inputs}

    def finished(self, made: dict[str, np.ndarray], known: dict[str, np.ndarray]) -> Made:
        """The model's outputs from those of the machine and the arrays that the host knew before.

        Raises:
            CovenantError: RUN0014, as `started`.
        """
        return finished(self._core.host_end, made, known)

    @property
    def model(self) -> str:
        """File name of the model, without its folder."""
        return self._core.model

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """Inputs of a run: each once, also where machines store it under several quantisations."""
        bindings = reversed(self._core.inputs)  # the first one describes an input
        taken = {binding["name"]: tensor_of(binding) for binding in bindings}
        taken = {name: taken[name] for name in dict.fromkeys(binding["name"] for binding in self._core.inputs)}
        start = self.start
        return tuple(taken.values() if start is None else (taken.get(name, one) for name, one in start.inputs.items()))

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """Outputs of a run."""
        made = {binding["name"]: tensor_of(binding) for binding in self._core.outputs}
        end = self.end
        return tuple(made.values() if end is None else (made.get(name, end.outputs.get(name)) for name in end.names))

    @property
    def state(self) -> dict[str, str]:
        """Outputs of a run that are inputs of the next one: by the name of the output, that of the input.

        A run need not be given these inputs (`covenant.Session`).
        """
        return dict(self._core.state)

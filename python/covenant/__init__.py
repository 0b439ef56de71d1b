"""Covenant: compilers and cycle-accurate models of deep-learning accelerators, from one description of the machine.

Example:
    >>> import covenant
    >>> machine = covenant.Machine("genesys", preset="8x8")
    >>> machine.parameters["M"]
    8
"""

from covenant._core import version as __version__
from covenant.errors import CovenantError, Diagnostic, InternalError
from covenant.machine import Machine, machines
from covenant.program import Block, Program, Tensor, compile, emit, passes  # noqa: A004 (the verb of the field)
from covenant.result import Layer, Result
from covenant.simulate import BACKENDS, run

__all__ = [
    "BACKENDS",
    "Block",
    "CovenantError",
    "Diagnostic",
    "InternalError",
    "Layer",
    "Machine",
    "Program",
    "Result",
    "Tensor",
    "__version__",
    "compile",
    "emit",
    "machines",
    "passes",
    "run",
]

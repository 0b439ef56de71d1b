"""Whether the compiler takes a quantised model: the same front end as `covenant run`, before success is said."""

from __future__ import annotations

import os

from covenant.errors import CovenantError
from covenant.machine import Machine
from covenant.quantization.report import Refusal

__all__ = ["refusal_of"]


def refusal_of(model: str | os.PathLike[str], machine: Machine | str | None) -> Refusal | None:
    """What keeps a quantised model from running; None: nothing does.

    Args:
        model: path of the quantised model.
        machine: one that it is compiled for; None: what every machine asks for, the normalised graph.
    """
    from covenant.compiler import compile as compiled  # noqa: PLC0415  (imports the core)
    from covenant.values import Values  # noqa: PLC0415

    try:
        if machine is None:
            Values(model)
        else:
            compiled(model, machine)
    except CovenantError as error:
        one = error.diagnostic
        return Refusal(one.code, one.subject, one.message, one.offending, one.fix)
    return None

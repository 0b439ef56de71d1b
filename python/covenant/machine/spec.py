"""Names of machines as users write them."""

from __future__ import annotations

from covenant import _core
from covenant.errors import CovenantError, Diagnostic


def with_preset(spec: str, preset: str | None) -> str:
    """`spec` with a preset that is given apart from it.

    Raises:
        CovenantError: CLI0008, `spec` names a preset already.
    """
    if not preset:
        return spec
    base, colon, _ = spec.partition(":")
    is_builtin = base in (*_core.builtin_machines(), *_core.builtin_command_machines())
    if colon and (is_builtin or spec.rpartition(":")[0].endswith(".acg")):
        raise CovenantError(
            Diagnostic("CLI0008", "the preset is given twice", "command line", offending=f"{spec} and {preset}",
                       fix="leave out one of them")
        )  # fmt: skip
    return f"{spec}:{preset}"

"""Errors: a user's mistake (CovenantError, with its Diagnostic) and a bug of ours (InternalError)."""

from __future__ import annotations

from dataclasses import dataclass

_MOST_SHOWN = 1000
"""Characters of a value that a text shows: some are whole files."""


@dataclass(frozen=True)
class Diagnostic:
    """A mistake: what is wrong, where, what would have been right, and one way to fix it.

    Example:
        >>> print(Diagnostic("CLI0001", "no such thing", offending="x", allowed=("y",), fix="write y"))
        error[CLI0001] no such thing
          got: x
          allowed: y
          fix: write y
    """

    code: str
    """Stable, listed in docs/reference/diagnostics."""
    message: str
    file: str = ""
    """A path, or "<set>" for command line settings; empty if `subject` says it all."""
    line: int = 0
    """Counts from 1; 0 where the place has no lines (a layer of a model, a whole file)."""
    column: int = 0
    subject: str = ""
    """Layer, operator or node that it is about."""
    offending: str = ""
    allowed: tuple[str, ...] = ()
    fix: str = ""

    @property
    def where(self) -> str:
        """`file:line:column`, as far as it is known."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def to_dict(self) -> dict[str, object]:
        """The object that `--json` prints."""
        return {
            "code": self.code,
            "message": self.message,
            "where": self.where,
            "subject": self.subject,
            "offending": self.offending,
            "allowed": list(self.allowed),
            "fix": self.fix,
        }

    def __str__(self) -> str:
        place = f"{_shown(self.where)}: " if self.where else ""
        subject = f"{_shown(self.subject)}: " if self.subject else ""
        lines = [f"{place}error[{self.code}] {subject}{_shown(self.message)}"]
        if self.offending:
            lines.append(f"  got: {_shown(self.offending)}")
        if self.allowed:
            lines.append(f"  allowed: {', '.join(map(_shown, self.allowed))}")
        if self.fix:
            lines.append(f"  fix: {_shown(self.fix)}")
        return "\n".join(lines)


def _shown(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}... ({len(text):,} characters)"


class CovenantError(Exception):
    """The user asked for something that cannot be; `diagnostic` says what and how to fix it.

    Example:
        >>> import covenant
        >>> try:
        ...     covenant.Machine("no such machine")
        ... except covenant.CovenantError as error:
        ...     print(error.code[:3])
        ACG
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic

    @property
    def code(self) -> str:
        """Stable code, for example "ACG0012"."""
        return self.diagnostic.code

    @property
    def where(self) -> str:
        """`file:line:column`, as far as it is known."""
        return self.diagnostic.where

    @property
    def message(self) -> str:
        """One sentence that states the mistake."""
        return self.diagnostic.message

    @property
    def allowed(self) -> tuple[str, ...]:
        """Values that would have been right."""
        return self.diagnostic.allowed

    @property
    def fix(self) -> str:
        """One way to fix it."""
        return self.diagnostic.fix

    def __reduce__(self) -> tuple[type[CovenantError], tuple[Diagnostic]]:
        return (type(self), (self.diagnostic,))


class InternalError(RuntimeError):
    """A broken invariant inside Covenant: never the user's mistake; please report it."""

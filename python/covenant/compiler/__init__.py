"""The compiler: from a model to a program, and explanations of refusals."""

from covenant.compiler.compiler import compile, emit, passes  # noqa: A004  (the verb of the field)

__all__ = ["compile", "emit", "passes"]

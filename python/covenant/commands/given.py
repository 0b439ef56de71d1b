"""Checks of what callers of this package give: numbers, bytes, names, and values as texts of messages."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from covenant.errors import CovenantError, Diagnostic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Octets: TypeAlias = "bytes | bytearray | memoryview | NDArray[np.uint8]"
"""Bytes, in whatever holds them."""
_MOST_SHOWN = 80
"""Characters of a value that a message shows."""


def refuse(what: str, value: object, allowed: tuple[str, ...], subject: str = "") -> NoReturn:
    """Raises BEH0046: the argument `what` is not of the kind that is asked for."""
    raise CovenantError(
        Diagnostic("BEH0046", f"{what} of another kind than asked for", subject=subject, offending=shown(value),
                   allowed=allowed, fix=f"give {allowed[0]}")
    )  # fmt: skip


def shown(value: object) -> str:
    """A value as text: long ones are cut, numbers of many digits are hexadecimal."""
    try:
        text = hex(value) if isinstance(value, int) and value.bit_length() > 64 else repr(value)
    except Exception:  # noqa: BLE001 (the value's own text fails: ints of many digits in a list do)
        text = type(value).__name__
    return _cut(text)


def shown_name(value: object) -> str:
    """A name as it is given; what is no name as `shown`."""
    return _cut(value) if isinstance(value, str) and value else shown(value)


def shown_hex(number: int) -> str:
    """A number in hexadecimal, cut if it is long."""
    return _cut(hex(number))


def whole(what: str, value: object, subject: str = "", most: int | None = None) -> int:
    """A number from 0 on, at most `most`, from whatever Python takes as an index. Raises BEH0046."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # whether it can is what is asked
    except TypeError:
        number = -1
    if number < 0 or (most is not None and number > most):
        refuse(
            what, value, ("a whole number from 0 on" if most is None else f"a whole number from 0 to {most}",), subject
        )
    return number


def octets(what: str, value: object, subject: str = "") -> bytes:
    """Bytes of what holds bytes: bytes, bytearray, memoryview, an array of numpy of bytes. Raises BEH0046."""
    try:
        view = memoryview(value)  # type: ignore[arg-type]  # whether it can is what is asked
    except (TypeError, ValueError, BufferError):
        view = None
    if view is None or view.itemsize != 1:
        refuse(what, value, ("bytes", "bytearray", "memoryview", "an array of numpy of bytes"), subject)
    return view.tobytes()


def text(what: str, value: object, subject: str = "") -> str:
    """A text that UTF-8 can hold. Raises BEH0046."""
    if not isinstance(value, str) or not _is_text(value):
        refuse(what, value, ("a text",), subject)
    return value


def path_text(what: str, value: object) -> str:
    """A path as text. Raises BEH0046."""
    if not isinstance(value, str | bytes | os.PathLike):
        refuse(what, value, ("a path as text", "pathlib.Path"))
    return os.fsdecode(value)


def settings_text(settings: object, subject: str) -> dict[str, str]:
    """Settings of a machine as texts, by their names. Raises BEH0046."""
    if not isinstance(settings, Mapping):
        refuse("settings", settings, ("a dict of values by names",), subject)
    return {text("the name of a setting", name, subject): _setting(name, settings[name], subject) for name in settings}


def _setting(name: str, value: object, subject: str) -> str:
    try:
        return text(f"the setting {name}", str(value), subject)
    except ValueError:  # a number of more digits than Python writes
        refuse(f"the setting {name}", value, ("a number or a name",), subject)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _is_text(value: str) -> bool:
    return not any(0xD800 <= ord(character) < 0xE000 for character in value)

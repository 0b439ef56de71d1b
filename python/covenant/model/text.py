"""Names in an ONNX model are text: protobuf gives bytes where they are not, and does not say so."""

from __future__ import annotations

from typing import Any

__all__ = ["check_text"]


def check_text(message: Any) -> None:
    """Raises ValueError if a string of a protobuf message, at any depth, is not text in UTF-8."""
    for field, value in message.ListFields():
        if field.type not in (field.TYPE_STRING, field.TYPE_MESSAGE):
            continue
        is_message = field.type == field.TYPE_MESSAGE
        single = hasattr(value, "ListFields") if is_message else isinstance(value, str | bytes)
        for one in (value,) if single else value:
            if is_message:
                check_text(one)
            elif isinstance(one, bytes):
                reason = f"{field.full_name} {one[:80]!r} is not text in UTF-8"
                raise ValueError(reason)

"""Protobuf messages as fields, without their schema, and steps that break one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import mutations

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTHS = {_FIXED64: 8, _FIXED32: 4}
_MOST_DEEP = 8  # of messages that are looked into
VALUES = (0, 1, 2, 7, 2**7, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 2)


@dataclass
class Field:
    """One field of a message."""

    number: int
    wire: int
    value: int
    """Of a varint."""
    content: bytes
    """Of the others."""
    fields: list[Field] = field(default_factory=list)
    """Fields of `content` where it is a message."""


def changed(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The message after one step; ValueError if it is none."""
    fields = parsed(data)
    if not fields:
        message = "no message"
        raise ValueError(message)
    lists = _lists(fields)
    chosen = random.choice(lists)
    at = random.randrange(len(chosen))
    one = chosen[at]
    match random.randrange(8):
        case 0:
            del chosen[at]
        case 1:
            chosen[at:at] = [one] * random.choice([1, 1, 2, 500])
        case 2:
            chosen.insert(random.randint(0, len(chosen)), chosen.pop(at))
        case 3:
            one.number = random.choice([1, 2, 3, 5, 7, 8, 9, 20, 2**29 - 1])
        case 4:
            chosen.insert(at, _copy(random.choice(random.choice(lists))))
        case 5 if others and (found := parsed(random.choice(others))):
            chosen.insert(at, random.choice(random.choice(_lists(found))))
        case 6 if one.wire == _BYTES:
            _wrap(random, one)
        case _:
            _change(random, one)
    return written(fields)[: mutations.MOST_BYTES]


def _copy(one: Field) -> Field:
    """The same field with no part in common, so that no message holds itself."""
    return Field(one.number, one.wire, one.value, written(one.fields) if one.fields else one.content)


def _change(random: Random, one: Field) -> None:
    if one.wire == _VARINT:
        one.value = random.choice([*VALUES, one.value + 1, max(0, one.value - 1)])
    elif one.wire in _WIDTHS:
        one.content = random.choice([b"\0", b"\xff", b"\x7f"]) * _WIDTHS[one.wire]
    elif not one.fields or random.random() < 0.2:
        strings = [text.encode() for text in mutations.STRINGS] + list(mutations.NOT_TEXT)
        step = random.choice(mutations.BYTES)
        broken = step(random, one.content, []) if one.content else b""
        one.content, one.fields = random.choice([*strings, broken, broken, broken]), []
    else:
        one.fields = [inner for inner in one.fields if random.random() < 0.5]
        one.content = b""


def _wrap(random: Random, one: Field) -> None:
    """Puts the content into messages of the same field, one in another."""
    content = written([one])
    for _ in range(random.choice([1, 10, 99, 101, 300])):
        content = written([Field(one.number, _BYTES, 0, content)])
    one.content, one.fields = content, []


def _lists(fields: list[Field]) -> list[list[Field]]:
    """The message and all that are in it; none is empty."""
    found = [fields]
    for one in fields:
        if one.fields:
            found += _lists(one.fields)
    return found


def parsed(data: bytes, depth: int = 0) -> list[Field]:
    """The fields of a message; none of what is no message."""
    fields: list[Field] = []
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        number, wire = key >> 3, key & 7
        if at < 0 or not 0 < number < 2**16 or wire not in (_VARINT, _FIXED64, _BYTES, _FIXED32):
            return []
        size, value = _WIDTHS.get(wire, 0), 0
        if wire not in _WIDTHS:
            value, at = _number(data, at)
            size = value if wire == _BYTES else 0
        if at < 0 or at + size > len(data):
            return []
        content = data[at : at + size]
        inner = parsed(content, depth + 1) if wire == _BYTES and depth < _MOST_DEEP else []
        fields.append(Field(number, wire, value, content, inner))
        at += size
    return fields


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A varint and the place after it; −1: it has no end."""
    value = 0
    for shift in range(0, 70, 7):
        if not 0 <= at < len(data):
            break
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
    return 0, -1


def written(fields: Sequence[Field]) -> bytes:
    """The bytes of a message."""
    made = bytearray()
    for one in fields:
        made += _varint(one.number << 3 | one.wire)
        if one.wire == _VARINT:
            made += _varint(one.value)
            continue
        content = written(one.fields) if one.fields else one.content
        made += (_varint(len(content)) if one.wire == _BYTES else b"") + content
    return bytes(made)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value >= 128:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return bytes(made)

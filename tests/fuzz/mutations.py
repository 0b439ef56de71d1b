"""Steps that break bytes and text. A step is given what it breaks and other good files of the same reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

Step = Callable[[Random, bytes, Sequence[bytes]], bytes]

NUMBERS = (
    "0", "-1", "1", "2", "3", "255", "256", "65535", "65536", "2147483647", "2147483648", "-2147483649", "4294967296",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
    "18446744073709551616", "1" + "0" * 40, "9" * 5000, "1e308", "-1e308", "1e-320", "1e999", "nan", "inf", "0x7f",
    "1.5", "-0.0", "1_000", "００", "",
)  # fmt: skip
STRINGS = (
    "", " ", "\0", "a\0b", "a" * 300, "a" * 70_000, "é", "日本語", "\u202e", "\x1b[31m", "a\nb", "a\tb", '"', "\\", "'",
    "../..", "/", ".", "-", "--", "%s%n", "{}", "$(id)", "null", "true", "DRAM", "__class__",
)  # fmt: skip
NOT_TEXT = (b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\x80")
WORDS = (
    b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\x01\0\0\0", b"\xff" * 8, b"\0" * 8,
    b"\xff" * 7 + b"\x7f", b"\xff\xff", b"\0\0", b"\xff\x7f",
)  # fmt: skip
MOST_BYTES = 2**22
"""No step makes more of a file."""


def flip_bit(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def set_byte(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def put_word(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A word of the largest or smallest numbers, in half of the cases where a file's head is."""
    word = random.choice(WORDS)
    end = min(len(data), 256) if random.random() < 0.5 else len(data)
    at = random.randrange(end) // len(word) * len(word)
    return data[:at] + word + data[at + len(word) :]


def drop_block(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at, size = _block(random, data)
    return data[:at] + data[at + size :]


def repeat_block(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at, size = _block(random, data)
    times = random.choice([1, 1, 2, 10, 1000])
    return data[:at] + data[at : at + size] * min(times, MOST_BYTES // size) + data[at:]


def move_block(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at, size = _block(random, data)
    rest = data[:at] + data[at + size :]
    to = random.randint(0, len(rest))
    return rest[:to] + data[at : at + size] + rest[to:]


def splice(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A block of another file in the place of one, or its end after a beginning."""
    other = random.choice(others) if others else data
    if not other:
        return data
    start, size = _block(random, other)
    at = random.randrange(len(data))
    if random.random() < 0.3:
        return data[:at] + other[start:]
    return data[:at] + other[start : start + size] + data[at + size :]


def insert_bytes(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = random.randint(0, len(data))
    return data[:at] + random.randbytes(random.choice([1, 2, 8, 100])) + data[at:]


def cut(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: random.randrange(len(data))]


def _block(random: Random, data: bytes) -> tuple[int, int]:
    """Place and size of some bytes; small blocks are more frequent."""
    at = random.randrange(len(data))
    return at, random.randint(1, max(1, min(len(data) - at, 2 ** random.randrange(1, 14))))


BYTES: tuple[Step, ...] = (
    flip_bit, set_byte, put_word, drop_block, repeat_block, move_block, splice, insert_bytes, cut,
)  # fmt: skip

_NUMBER = re.compile(rb"(?<![\w.])-?\d[\w.]*")
_WORD = re.compile(rb"[A-Za-z_][\w.]*")


def change_number(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _replace(random, data, _NUMBER, random.choice(NUMBERS).encode())


def change_word(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Another word of the text, or a string."""
    words = _WORD.findall(data)
    word = random.choice(words) if words and random.random() < 0.7 else random.choice(STRINGS).encode()
    return _replace(random, data, _WORD, word)


def insert_string(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = random.randint(0, len(data))
    return data[:at] + random.choice([*(text.encode() for text in STRINGS), *NOT_TEXT]) + data[at:]


def change_lines(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A line that is gone, there again, elsewhere, or of another file."""
    lines = data.splitlines(keepends=True)
    at, to = random.randrange(len(lines)), random.randint(0, len(lines))
    match random.randrange(5):
        case 0:
            del lines[at : at + random.choice([1, 1, 2, 5])]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            lines.insert(to, lines.pop(at))
        case 3:
            lines[at:at] = lines[at : at + 1] * random.choice([2, 100, 5000])
        case _:
            other = (random.choice(others) if others else data).splitlines(keepends=True)
            lines.insert(to, random.choice(other) if other else b"\n")
    return b"".join(lines)[:MOST_BYTES]


def nest(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Brackets within brackets: closed, or not."""
    opened, closed = random.choice(
        [(b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"-", b""), (b"!", b""), (b'{"a":', b"}")]
    )
    times = random.choice([2, 50, 199, 202, 1000, 100_000])
    found = _NUMBER.search(data, random.randrange(len(data)))
    at, end = found.span() if found else (random.randrange(len(data)),) * 2
    inside = opened * times + data[at:end] + closed * (times if random.random() < 0.7 else 0)
    return data[:at] + inside + data[end:]


_TOKEN = re.compile(rb"[\w.]+|[^\w\s]")
_CLOSED = {b"(": b")", b"[": b"]", b"{": b"}"}


def chain(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Some tokens again and again, mostly with all the brackets that they open: `a + a + a + `, `[0][0][0]`."""
    tokens = list(_TOKEN.finditer(data))
    if not tokens:
        return data
    first = random.randrange(len(tokens))
    last = min(first + random.choice([0, 1, 1, 2, 3, 5, 8, 16]), len(tokens) - 1)
    if random.random() < 0.8:
        last = _balanced(tokens, first, last)
    begin, end = tokens[first].start(), tokens[last + 1].start() if last + 1 < len(tokens) else len(data)
    times = random.choice([2, 10, 201, 1001, 5000, 50_000])
    return data[:begin] + data[begin:end] * min(times, MOST_BYTES // (end - begin)) + data[begin:]


def _balanced(tokens: Sequence[re.Match[bytes]], first: int, last: int) -> int:
    """The last token with which all brackets are closed; that of the text if some are not."""
    waiting: list[bytes] = []
    for at in range(first, len(tokens)):
        token = tokens[at][0]
        if token in _CLOSED:
            waiting.append(_CLOSED[token])
        elif waiting and token == waiting[-1]:
            waiting.pop()
        if at >= last and not waiting:
            return at
    return last


def _replace(random: Random, data: bytes, pattern: re.Pattern[bytes], by: bytes) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return by
    one = random.choice(found)
    return data[: one.start()] + by + data[one.end() :]


TEXT: tuple[Step, ...] = (
    change_number, change_number, change_number, change_word, change_word, insert_string, change_lines, change_lines,
    nest, chain,
)  # fmt: skip

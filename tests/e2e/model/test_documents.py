"""Texts that parsers end badly on are refused in one line, by their kind."""

from __future__ import annotations

import pytest

from covenant.documents import MOST_DEEP, DocumentError, from_json, from_toml, from_yaml

DEEP = MOST_DEEP + 2
LAUGH = "\n".join(
    [
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
        *(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 9)),
    ]
)


@pytest.mark.parametrize(
    ("parse", "text", "reason"),
    [
        (from_json, b"[" * 100_000, "nested deeper"),
        (from_json, b"[" * DEEP + b"]" * DEEP, "nested deeper"),
        (from_json, b"9" * 5000, "digits"),
        (from_json, b"\xff", "byte 0 is not text in UTF-8"),
        (from_json, b"", "not JSON"),
        (from_json, b"[-Infinity]", "-Infinity is no number of JSON"),
        (from_toml, b"a=" + b"[" * 100_000, "nested deeper"),
        (from_toml, b"a = " + b"9" * 5000, "digits"),
        (from_toml, b"a = ", "not TOML"),
        (from_toml, b"\xa0", "byte 0 is not text in UTF-8"),
        (from_yaml, b"[" * 5000, "nested deeper"),
        (from_yaml, b"a: &x [*x]", "an alias names what contains it"),
        (from_yaml, LAUGH.encode(), "more than 1,000,000 values"),
        (from_yaml, b"a: 2026-13-01", "month"),
        (from_yaml, b"{[1]: 2}", "unhashable"),
        (from_yaml, b"a: !!python/object:os.system 1", "tag"),
        (from_yaml, b"a: !!timestamp 1.5", "not YAML"),
        (from_yaml, b"a: 1\n---\nb: 2", "single document|another document"),
        (from_yaml, b"\xff\xfe\xff", "UTF-8"),
    ],
)  # fmt: skip
def test_what_is_refused(parse, text, reason):
    with pytest.raises(DocumentError, match=reason) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("parse", "text", "place"),
    [(from_json, b'{\n"a": x}', (2, 6)), (from_toml, b"a = 1\nb = @", (2, 5)), (from_yaml, b"a: 1\nb: [1, }", (2, 8))],
)
def test_where_it_is_wrong(parse, text, place):
    with pytest.raises(DocumentError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (from_json, b"[" * MOST_DEEP + b"]" * MOST_DEEP, None),
        (from_json, b'{"a": [1, 2.5, null, "b"]}', {"a": [1, 2.5, None, "b"]}),
        (from_toml, b"a = [1]\n[b]\nc = 'd'", {"a": [1], "b": {"c": "d"}}),
        (from_yaml, b"a: &x {e: 1.5}\nb: *x\nc: [*x, *x]", {"a": {"e": 1.5}, "b": {"e": 1.5}, "c": [{"e": 1.5}] * 2}),
        (from_yaml, b"", None),
    ],
)
def test_what_is_read(parse, text, value):
    assert value is None or parse(text) == value

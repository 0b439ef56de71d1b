"""The operators by which mistakes are drawn, and the mistakes that each makes at a place in a source.

`edge`: `<` for `<=` and the other way round, so `>` and `>=`. `equality`: `==` for `!=` and the other way round.
`logic`: `||` for `&&` and the other way round. `off-by-one`: a whole number one more. `swap`: the operands of `-`, `/`
or `%`. `reset`: an assignment of nothing, or a call that empties, is left out. `cast`: a cast keeps fewer or more bits.

A C++ mistake with two operands is an object between them (drawn.h): `a < b` becomes `a < Less{7} > b`, which compares
as before unless mutant 7 is active. So its operands need not be found. All others stand beside the original in a
choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scan import Source, Token

OPERATORS = ("edge", "equality", "logic", "off-by-one", "swap", "reset", "cast")
_FLIPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
_BETWEEN = {"<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual", "==": "Equal", "!=": "NotEqual"}


@dataclass(frozen=True)
class Site:
    """A mistake that could be made: `text[start:end]` is `original`, and would be `mutated`."""

    operator: str
    start: int
    end: int
    original: str
    mutated: str
    write: Callable[[str], str]  # of the mutant's number: what stands in the source, with both

    @property
    def what(self) -> str:
        """Description of the mistake, for people."""
        return f"{_short(self.original)} -> {_short(self.mutated)}"


def _short(text: str) -> str:
    return " ".join(text.split()) or "nothing"


def sites(source: Source) -> Iterator[Site]:
    """All of them, in their order."""
    for index, token in enumerate(source.tokens):
        if source.is_barred[index]:
            continue
        if source.is_verilog:
            yield from _verilog_site(source, index, token)
        else:
            yield from _cpp_site(source, index, token)


# ---- C++


def _cpp_site(source: Source, index: int, token: Token) -> Iterator[Site]:
    if token.kind == "op" and token.is_spaced:
        if token.text in _BETWEEN:
            yield _between(token)
        elif token.text in ("&&", "||"):
            yield from _logic(source, index, _cpp_choice)
        elif token.text in ("-", "/", "%") and _ends_operand(source.tokens[index - 1]):
            name = {"-": "Minus", "/": "Divide", "%": "Modulo"}[token.text]
            yield Site(
                "swap", token.start, token.end, token.text, f"operands of {token.text} swapped",
                lambda number, text=token.text: f"{text} covenant::mutation::{name}{{{number}}} {text}",
            )  # fmt: skip
    elif token.kind == "number":
        yield from _cpp_number(source, index, token)
    elif token.text == "static_cast":
        yield from _cpp_cast(source, index)
    elif token.kind == "word":
        yield from _cpp_reset(source, index)


def _between(token: Token) -> Site:
    # The object stands between two operators of the same rank.
    second = {"<": ">", "<=": ">", ">": "<", ">=": "<"}.get(token.text, "==")
    operator = "equality" if token.text in ("==", "!=") else "edge"
    return Site(
        operator, token.start, token.end, token.text, _FLIPPED[token.text],
        lambda number: f"{token.text} covenant::mutation::{_BETWEEN[token.text]}{{{number}}} {second}",
    )  # fmt: skip


def _cpp_choice(mutated: str, original: str) -> Callable[[str], str]:
    return lambda number: f"(covenant::mutation::active() == {number} ? ({mutated}) : ({original}))"


def _ends_operand(token: Token) -> bool:
    return (token.kind in ("word", "number") and token.text != "return") or token.text in (")", "]")


def _cpp_number(source: Source, index: int, token: Token) -> Iterator[Site]:
    found = re.fullmatch(r"(\d[\d']*)([uUlL]*)", token.text)
    before, after = source.tokens[index - 1], source.tokens[index + 1]
    opens = before.text == "<" and not before.is_spaced  # a template's argument, as what closes
    closes = after.text in (">", ">>") and not after.is_spaced
    if found is None or opens or closes or (found[1].startswith("0") and len(found[1]) > 1):
        return
    mutated = f"{int(found[1].replace(chr(39), '')) + 1}{found[2]}"
    yield Site("off-by-one", token.start, token.end, token.text, mutated, _cpp_choice(mutated, token.text))


# To a cut of 16 bits, which what a program counts comes to; of 16 bits and less, to the width of an int.
_OTHER_WIDTH = {
    "int64_t": "int16_t", "uint64_t": "uint16_t", "size_t": "uint16_t", "int32_t": "int16_t", "uint32_t": "uint16_t",
    "int": "int16_t", "int16_t": "int32_t", "uint16_t": "uint32_t", "int8_t": "int32_t", "uint8_t": "uint32_t",
    "double": "float",
}  # fmt: skip


def _cpp_cast(source: Source, index: int) -> Iterator[Site]:
    tokens = source.tokens
    if tokens[index + 1].text != "<" or tokens[index + 3].text != ">" or tokens[index + 4].text != "(":
        return
    wanted = tokens[index + 2].text
    other = _OTHER_WIDTH.get(wanted)
    close = source.partner.get(index + 4)
    if other is None or close is None:
        return
    inner = source.text[tokens[index + 4].end : tokens[close].start]
    original = source.text[tokens[index].start : tokens[close].end]
    if wanted in ("int8_t", "uint8_t", "int16_t", "uint16_t"):
        mutated = f"static_cast<{other}>({inner})"  # as wide as what asks for it takes
    else:
        mutated = f"static_cast<{wanted}>(static_cast<{other}>({inner}))"
    yield Site("cast", tokens[index].start, tokens[close].end, original, mutated, _cpp_choice(mutated, original))


_NOTHING = ("0", "0U", "0.0", "false", "nullptr", "''")


def _cpp_reset(source: Source, index: int) -> Iterator[Site]:
    """`name = 0;`, `name = {};`, `name.clear();` as a whole statement."""
    tokens = source.tokens
    if index == 0 or tokens[index - 1].text not in (";", "{", "}", ")"):
        return
    end = next((i for i in range(index, min(index + 40, len(tokens))) if tokens[i].text in (";", "{", "}")), index)
    if tokens[end].text == "{" and tokens[end + 1].text == "}" and tokens[end + 2].text == ";":
        end += 2
    if tokens[end].text != ";":
        return
    texts = [token.text for token in tokens[index:end]]
    if texts[0] in ("return", "if", "for", "while", "const", "auto", "else", "break", "continue", "throw", "using"):
        return
    empties = (
        len(texts) > 4 and texts[-3] in ("clear", "reset") and texts[-2:] == ["(", ")"] and texts[-4] in (".", "->")
    )
    value = texts[texts.index("=") + 1 :] if "=" in texts else ["x"]
    target = texts[: texts.index("=")] if "=" in texts else []
    is_declared = any(
        one.kind == two.kind == "word"
        for one, two in zip(tokens[index:], tokens[index + 1 : index + len(target)], strict=False)
    ) or (len(target) > 1 and target[1] in ("<", "::", "&", "*"))
    assigns = value in (*([text] for text in _NOTHING), ["{", "}"], ["std", "::", "nullopt"]) and not is_declared
    if not empties and not assigns:
        return
    original = source.text[tokens[index].start : tokens[end].end]
    yield Site(
        "reset", tokens[index].start, tokens[end].end, original, "",
        lambda number: f"if (covenant::mutation::active() != {number}) {{ {original} }}",
    )  # fmt: skip


# ---- Operands, by the brackets and the operators of lower rank around them

_LOWEST = (
    ";",
    ",",
    "(",
    "[",
    "{",
    "'{",
    ")",
    "]",
    "}",
    "?",
    ":",
    "=",
    "+=",
    "-=",
    "|=",
    "&=",
    "*=",
    "return",
    "begin",
    "else",
)
_RANKS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"))


def _extent(source: Source, index: int, step: int, stops: tuple[str, ...]) -> int:
    """The last token of an operand, from the operator at `index` to the left (-1) or right (1)."""
    at = index + step
    while 0 <= at < len(source.tokens):
        token = source.tokens[at]
        opens = token.text in (("(", "[", "{", "'{") if step > 0 else (")", "]", "}"))
        if opens and at in source.partner:
            at = source.partner[at] + step
            continue
        if token.text in stops and (token.kind == "op" or token.text in ("return", "begin", "else")):
            break
        at += step
    return at - step


def _operands(source: Source, index: int, rank: int, own: tuple[str, ...]) -> tuple[int, int]:
    """First and last token of both operands; those of lower rank, and on the right those of `own` rank, end them."""
    lower = (*_LOWEST, *(text for texts in _RANKS[:rank] for text in texts))
    return _extent(source, index, -1, lower + own), _extent(source, index, 1, (*lower, *_RANKS[rank]))


def _pieces(source: Source, index: int, rank: int, own: tuple[str, ...] = ()) -> tuple[int, int, str, str]:
    first, last = _operands(source, index, rank, own)
    token = source.tokens[index]
    start, end = source.tokens[first].start, source.tokens[last].end
    return start, end, source.text[start : token.start], source.text[token.end : end]


def _logic(source: Source, index: int, choice: Callable[[str, str], Callable[[str], str]]) -> Iterator[Site]:
    token = source.tokens[index]
    rank = 0 if token.text == "||" else 1
    start, end, left, right = _pieces(source, index, rank, _RANKS[rank])
    original = source.text[start:end]
    if "//" in original or not left.strip() or not right.strip():
        return
    mutated = f"({left.strip()}) {_FLIPPED[token.text]} ({right.strip()})"
    yield Site("logic", start, end, original, mutated, choice(mutated, original))


# ---- SystemVerilog


def _sv_choice(mutated: str, original: str) -> Callable[[str], str]:
    return lambda number: f"((covenant_mutation_pkg::active == {number}) ? ({mutated}) : ({original}))"


def _verilog_site(source: Source, index: int, token: Token) -> Iterator[Site]:
    if token.kind == "op" and token.is_spaced:
        if token.text in ("&&", "||"):
            yield from _logic(source, index, _sv_choice)
        elif token.text in ("==", "!="):
            yield from _verilog_pair(source, index, "equality", 5, _FLIPPED[token.text])
        elif token.text in ("<", ">", ">=") or (token.text == "<=" and not _assigns(source, index)):
            yield from _verilog_pair(source, index, "edge", 6, _FLIPPED[token.text])
        elif token.text == "-" and _ends_operand(source.tokens[index - 1]):
            yield from _verilog_pair(source, index, "swap", 8, "-")
        elif token.text == "<=":
            yield from _verilog_reset(source, index)
    elif token.kind == "number":
        yield from _verilog_number(source, index, token)


def _assigns(source: Source, index: int) -> bool:
    """`<=` of a statement: nothing before it but its target."""
    at = index - 1
    while source.tokens[at].text in ("]", ")", "}") and at in source.partner:
        at = source.partner[at] - 1
    return source.tokens[at - 1].text in (";", "begin", "else", ")", ":", "end")


def _verilog_pair(source: Source, index: int, operator: str, rank: int, other: str) -> Iterator[Site]:
    start, end, left, right = _pieces(source, index, rank)
    original = source.text[start:end]
    if "//" in original or not left.strip() or not right.strip():
        return
    left, right = left.strip(), right.strip()
    mutated = f"({right}) - ({left})" if operator == "swap" else f"({left}) {other} ({right})"
    yield Site(operator, start, end, original, mutated, _sv_choice(mutated, original))


def _verilog_reset(source: Source, index: int) -> Iterator[Site]:
    """`name <= '0;` where reset clears."""
    tokens = source.tokens
    end = next(i for i in range(index, len(tokens)) if tokens[i].text == ";")
    value = source.text[tokens[index].end : tokens[end].start].strip()
    if not re.fullmatch(r"'0|\d+'[bdh]0+|'\{default:\s*'0\}", value):
        return
    first = index - 1
    while tokens[first].text == "]" and first in source.partner:
        first = source.partner[first] - 1
    original = source.text[tokens[first].start : tokens[end].end]
    yield Site(
        "reset", tokens[first].start, tokens[end].end, original, "",
        lambda number: f"if (covenant_mutation_pkg::active != {number}) begin {original} end",
    )  # fmt: skip


def _verilog_number(source: Source, index: int, token: Token) -> Iterator[Site]:
    tokens = source.tokens
    after = tokens[index + 1]
    if cast := re.fullmatch(r"(\d+)'", token.text):
        width, close = int(cast[1]), source.partner.get(index + 1)
        if after.text != "(" or close is None or width < 2:
            return
        original = source.text[token.start : tokens[close].end]
        kept = max(1, (width - 1) // 2)
        mutated = f"{width}'({kept}'({source.text[after.end : tokens[close].start]}))"
        yield Site("cast", token.start, tokens[close].end, original, mutated, _sv_choice(mutated, original))
    elif (number := re.fullmatch(r"(\d+)'d(\d+)", token.text)) and after.text != ":":
        width, value = int(number[1]), int(number[2])
        more = value + 1 if value + 1 < 1 << width else value - 1
        mutated = f"{width}'d{more}"
        yield Site("off-by-one", token.start, token.end, token.text, mutated, _sv_choice(mutated, token.text))

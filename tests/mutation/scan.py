"""Finds where mistakes may go in a source: its tokens, less those that no mistake may touch.

A token is a text, a name, a number, or one operator of the language; comments and preprocessor lines are none. Spaces
tell an operator of two operands from a bracket of a template or a reference: sources are formatted by clang-format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SKIPPED = r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*"
_LITERALS = r"R\"(?P<raw>\w*)\(.*?\)(?P=raw)\"|u?8?\"(?:\\.|[^\"\\\n])*\"|(?<![\w'])'(?:\\.|[^'\\\n])+'(?![\w{(])"
_VERILOG_SKIPPED = r"//[^\n]*|/\*.*?\*/|`\w+"
_OPERATORS = (
    r"<<=|>>=|<=>|->\*|\.\.\.|<->|->|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^<>=!~?:;,.(){}\[\]@#$]"
)
_CPP = re.compile(
    rf"(?P<skip>{_SKIPPED})|(?P<literal>{_LITERALS})|(?P<word>[A-Za-z_]\w*)|(?P<number>\d[\w.']*)|(?P<op>{_OPERATORS})",
    re.M | re.S,
)
_SV = re.compile(
    rf"(?P<skip>{_VERILOG_SKIPPED})|(?P<literal>\"(?:\\\\.|[^\"\\\\\n])*\")|(?P<word>[A-Za-z_$]\w*)|(?P<number>\d*'[sS]?[bodhBODH][\w]+|'[01xz](?!\w)|\d[\d_]*'?)"
    rf"|(?P<op>'\{{|{_OPERATORS}|')",
    re.S,
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "'{": "}"}


@dataclass(frozen=True)
class Token:
    """A piece of a source."""

    kind: str  # literal (text), word, number, op
    text: str
    start: int  # offsets in the source
    end: int
    is_spaced: bool  # by a space or a line end on both sides


@dataclass(frozen=True)
class Source:
    """The tokens of a source, and for each bracket its partner."""

    name: str
    text: str
    tokens: tuple[Token, ...]
    partner: dict[int, int]
    is_barred: tuple[bool, ...]  # for each token: no mistake may touch it

    @property
    def is_verilog(self) -> bool:
        """Whether it is SystemVerilog, not C++."""
        return self.name.endswith(".sv")

    def line_of(self, offset: int) -> int:
        """Counted from 1."""
        return self.text.count("\n", 0, offset) + 1


def scan(name: str, text: str) -> Source:
    """The source `name`, whose text is given."""
    pattern = _SV if name.endswith(".sv") else _CPP
    tokens: list[Token] = []
    for match in pattern.finditer(text):
        if match["skip"] is not None:
            continue
        kind = next(kind for kind in ("literal", "word", "number", "op") if match[kind])
        start, end = match.span()
        is_spaced = text[start - 1 : start].isspace() and text[end : end + 1].isspace()
        tokens.append(Token(kind, match[0], start, end, is_spaced))
    partner: dict[int, int] = {}
    waiting: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind == "op" and token.text in _CLOSING:
            waiting.append(index)
        elif token.kind == "op" and token.text in ")]}" and waiting:
            other = waiting.pop()
            partner[other], partner[index] = index, other
    barred = _barred_verilog(tokens, partner, text) if name.endswith(".sv") else _barred_cpp(tokens, partner)
    return Source(name, text, tuple(tokens), partner, tuple(barred))


def _bar(barred: list[bool], first: int, last: int) -> None:
    for index in range(first, min(last + 1, len(barred))):
        barred[index] = True


def _statement_end(tokens: list[Token], partner: dict[int, int], first: int) -> int:
    """The `;` that ends what begins at `first`, or the `}` of a block that does."""
    index = first
    while index < len(tokens):
        text = tokens[index].text
        if text == ";":
            return index
        if text in ("(", "[", "{", "'{") and index in partner:
            is_body = text == "{" and tokens[index - 1].text in (")", "const", "noexcept")
            index = partner[index]
            if is_body:
                return index
        index += 1
    return len(tokens) - 1


# Calls whose arguments are invariants of ours or text of messages: none of them decides what a program does.
_INVARIANTS = ("check", "fail", "static_assert", "alignas", "sizeof", "decltype", "noexcept", "requires", "assert")


def _barred_cpp(tokens: list[Token], partner: dict[int, int]) -> list[bool]:
    barred = [False] * len(tokens)
    for index in range(len(tokens)):
        last = _barred_up_to(tokens, partner, index)
        if last is not None:
            _bar(barred, index, last)
    return barred


def _barred_up_to(tokens: list[Token], partner: dict[int, int], index: int) -> int | None:
    """The last token of what begins at `index`, if no mistake may touch it."""
    text = tokens[index].text
    following = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if text in ("case", "operator"):
        ends = ":" if text == "case" else "("
        return next((i for i in range(index, len(tokens)) if tokens[i].text == ends), index)
    if (text in _INVARIANTS and following == "(") or (text == "constexpr" and tokens[index - 1].text == "if"):
        return partner.get(index + 1, index)
    if text in ("constexpr", "constinit", "consteval", "using", "typedef", "enum"):
        return _statement_end(tokens, partner, index)
    if text == "template" and following == "<":
        return _template_end(tokens, index)
    return partner.get(index, index) if text == following == "[" else None


def _template_end(tokens: list[Token], index: int) -> int:
    depth = 0
    for last in range(index + 1, len(tokens)):
        depth += {"<": 1, ">": -1, ">>": -2}.get(tokens[last].text, 0)
        if depth <= 0:
            return last
    return index


_DECLARING = (
    "localparam", "parameter", "typedef", "import", "genvar", "assert", "cover", "assume", "initial", "module",
    "function",
)  # fmt: skip


def _barred_verilog(tokens: list[Token], partner: dict[int, int], text: str) -> list[bool]:
    barred = [False] * len(tokens)
    for index, token in enumerate(tokens):
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if token.text in _DECLARING:
            _bar(barred, index, _statement_end(tokens, partner, index))
        elif token.text in ("input", "output", "inout"):
            end = next((i for i in range(index, len(tokens)) if tokens[i].text in (",", ")", ";")), index)
            _bar(barred, index, end)
        elif token.text == "[":
            _bar(barred, index, partner.get(index, index))
        elif token.text in ("for", "#") and following == "(":  # known when the model is built
            _bar(barred, index, partner.get(index + 1, index))
        line = text[text.rfind("\n", 0, token.start) + 1 : text.find("\n", token.start)]
        if any(word in line for word in (": gen_", "genvar", "$error", "$fatal", "assert")):
            barred[index] = True
    return barred

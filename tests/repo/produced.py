"""Finds the diagnostic codes that tests produce: those asserted of an error that happened, not only named."""

from __future__ import annotations

import ast
import re

from sources import CODE

STRING = r'R"(?:\w*)\((?:.|\n)*?\)\w*"|"(?:\\.|[^"\\\n])*"'
COMMENT = r"//[^\n]*|/\*(?:.|\n)*?\*/"
QUOTED = re.compile(rf'"({CODE.pattern})"')
ASSERTED = re.compile(r"\b(?:EXPECT|ASSERT)_EQ\s*\([^;]*\bcode\b")
COMPARED = re.compile(r"\b(?:EXPECT|ASSERT)_EQ\s*\(.*\bcode\b", re.DOTALL)
# A function of a test file, at the left margin or in a fixture.
FUNCTION = re.compile(r"^(?: {2})?(?:inline |static )*[\w:<>&*]+ (\w+)\([^;]*?\)(?: const)? \{$", re.MULTILINE)
TABLE_ROW = re.compile(r"\b(?:Case|Row)\s*\{")


def without_comments(text: str) -> str:
    return re.sub(f"({STRING})|{COMMENT}", lambda match: match[1] or " ", text)


def statements(text: str) -> list[str]:
    """C++ without comments, cut at the semicolons that are in no string and in no call."""
    pieces, start, depth = [], 0, 0
    for match in re.finditer(f"{STRING}|[();]", text):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == ";" and depth == 0:
            pieces.append(text[start : match.start()])
            start = match.end()
    return [*pieces, text[start:]]


def helpers_in(text: str) -> set[str]:
    """Functions of a C++ test that assert the code of an error."""
    text = without_comments(text)
    names = [(match.start(), match[1]) for match in FUNCTION.finditer(text)]
    tests = [match.start() for match in re.finditer(r"^TEST(?:_[FP])?\(", text, re.MULTILINE)]
    found = set()
    for match in ASSERTED.finditer(text):
        before = [(at, name) for at, name in [*names, *((at, "") for at in tests)] if at < match.start()]
        found.add(max(before)[1] if before else "")
    return found - {""}


def produced_in_cpp(text: str, helpers: set[str]) -> set[str]:
    """Codes in an assertion on `.code`, in a call of a helper that has one, or in a row of a table compared with it."""
    text = without_comments(text)
    call = re.compile(rf"\b(?:{'|'.join(sorted(helpers))})\s*\(") if helpers else None
    has_table = re.search(r"_EQ\([^;]*\bcode\b[^;]*GetParam\(\)\.code|_EQ\([^;]*\.code, \w+\.code", text) is not None
    found: set[str] = set()
    for statement in statements(text):
        rows = has_table and TABLE_ROW.search(statement)
        if COMPARED.search(statement) or (call and call.search(statement)) or rows:
            found.update(QUOTED.findall(statement))
    return found


def names_code(node: ast.AST) -> bool:
    """`error.code`, `code` or `error["code"]`; also as one of a tuple."""
    if isinstance(node, ast.Tuple):
        return any(names_code(element) for element in node.elts)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "code"
    return getattr(node, "attr", getattr(node, "id", None)) == "code"


def is_refusal(call: ast.Call) -> bool:
    """`refused(done, CODE)` of the command line's tests, or `pytest.raises(..., match=CODE)`."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return name == "refused" or (name == "raises" and any(keyword.arg == "match" for keyword in call.keywords))


def rows_of(function: ast.FunctionDef) -> set[str]:
    """Codes in the table of a parametrized test that asserts `error.code == code`, the table's own column."""
    names = {argument.arg for argument in function.args.args}
    for node in ast.walk(function):
        equal = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) and names_code(node.left)
        if equal and getattr(node.comparators[0], "id", "") in names:
            return {code for table in function.decorator_list for code in CODE.findall(ast.unparse(table))}
    return set()


def produced_in_python(text: str) -> set[str]:
    """Codes in `assert error.code == CODE`, in the table of such a test, or of a refusal."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        equal = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) and names_code(node.left)
        if equal or (isinstance(node, ast.Call) and is_refusal(node)):
            found.update(CODE.findall(ast.unparse(node)))
        if isinstance(node, ast.FunctionDef):
            found |= rows_of(node)
    return found

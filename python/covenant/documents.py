"""Reads JSON, TOML and YAML that people wrote: within limits, and as a ValueError that says where it is wrong.

The parsers of Python end in other ways on hostile text: recursion without a bottom, numbers of more digits than Python
converts, aliases that stand for more values than a memory holds.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yaml import Node

__all__ = ["MOST_DEEP", "MOST_VALUES", "DocumentError", "from_json", "from_toml", "from_yaml"]

MOST_DEEP = 200
"""Lists and tables within one another."""
MOST_VALUES = 1_000_000
"""Values of a YAML document, each as often as aliases name it."""
_TOO_DEEP = f"not read: nested deeper than {MOST_DEEP} lists and tables"
_PLACE = re.compile(r"^(?P<reason>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)$")  # of tomllib's messages


class DocumentError(ValueError):
    """The text is not of this format, or goes beyond a limit; the message is one line."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.line = line
        """Counts from 1; 0: not known."""
        self.column = column


def from_json(content: bytes) -> Any:
    """The value that a JSON text (RFC 8259) stands for.

    Raises:
        DocumentError: it is not JSON in UTF-8, or is nested deeper than MOST_DEEP.

    Example:
        >>> from_json(b'{"a": [1, 2]}')
        {'a': [1, 2]}
    """
    return _parsed("JSON", content, lambda text: json.loads(text, parse_constant=_no_number))


def from_toml(content: bytes) -> dict[str, Any]:
    """The table that a TOML text (TOML 1.0) stands for.

    Raises:
        DocumentError: it is not TOML in UTF-8, or is nested deeper than MOST_DEEP.
    """
    return _parsed("TOML", content, tomllib.loads)


def from_yaml(content: bytes) -> Any:
    """The value that a YAML text stands for, built of plain values alone.

    Raises:
        DocumentError: it is not YAML in UTF-8, is nested deeper than MOST_DEEP, or has more than MOST_VALUES values.
        ImportError: PyYAML is not there.
    """
    import yaml  # noqa: PLC0415 (optional, and costs)

    def loaded(text: str) -> Any:
        loader = yaml.SafeLoader(text)
        try:
            root = loader.get_single_node()
            if root is None:
                return None
            _check_size(root)
            return loader.construct_document(root)
        finally:
            loader.dispose()

    return _parsed("YAML", content, loaded)


def _no_number(word: str) -> None:
    """Refuses NaN and Infinity, which JSON does not have."""
    message = f"{word} is no number of JSON"
    raise ValueError(message)


def _parsed(form: str, content: bytes, parse: Callable[[str], Any]) -> Any:
    try:
        value = parse(content.decode())
    except DocumentError:
        raise
    except UnicodeDecodeError as error:
        message = f"not {form}: byte {error.start} is not text in UTF-8"
        raise DocumentError(message) from error
    except (RecursionError, MemoryError) as error:
        raise DocumentError(_TOO_DEEP) from error
    except Exception as error:
        # Besides errors of syntax: numbers of too many digits, dates that no calendar has, keys that are lists.
        reason, line, column = _told(error)
        raise DocumentError(f"not {form}: {reason}", line, column) from error
    _check_depth(value)
    return value


def _told(error: Exception) -> tuple[str, int, int]:
    """The reason that a parser gives, in one line, and its line and column."""
    reason = " ".join(str(getattr(error, "problem", None) or error).split()) or type(error).__name__
    if isinstance(error, json.JSONDecodeError):
        return error.msg, error.lineno, error.colno
    if mark := getattr(error, "problem_mark", None):
        return reason, mark.line + 1, mark.column + 1
    if place := _PLACE.match(reason):
        return place["reason"], int(place["line"]), int(place["column"])
    return reason, 0, 0


def _check_depth(value: Any) -> None:
    """Checks level by level, because a check that calls itself would have the parsers' own limit."""
    level = [value]
    for _ in range(MOST_DEEP + 1):
        nested: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                nested.extend(one.values())
            elif isinstance(one, list):
                nested.extend(one)
        if not nested:
            return
        level = nested
    raise DocumentError(_TOO_DEEP)


def _check_size(root: Node) -> None:
    """Counts the values below each node once, whatever aliases name it; refuses nodes that contain themselves."""
    counts: dict[int, int] = {}
    open_nodes: set[int] = set()
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, is_left = waiting.pop()
        below = _below(node)
        if is_left:
            open_nodes.discard(id(node))
            counts[id(node)] = 1 + sum(counts[id(one)] for one in below)
            if counts[id(node)] > MOST_VALUES:
                message = f"not read: more than {MOST_VALUES:,} values, each as often as aliases name it"
                raise _at(node, message)
            continue
        if id(node) in counts:
            continue
        if id(node) in open_nodes:
            raise _at(node, "not read: an alias names what contains it")
        open_nodes.add(id(node))
        waiting.append((node, True))
        waiting.extend((one, False) for one in below)


def _below(node: Node) -> list[Node]:
    """The nodes that a list or a table holds, keys among them."""
    if not isinstance(node.value, list):
        return []
    return [one for entry in node.value for one in (entry if isinstance(entry, tuple) else (entry,))]


def _at(node: Node, reason: str) -> DocumentError:
    return DocumentError(reason, node.start_mark.line + 1, node.start_mark.column + 1)

"""Runs egglog's e-graph on terms and rules in our form.

Its package is found, not imported: of all that its modules import only the extension is needed.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from pathlib import Path


def bindings():
    """The extension of egglog's package."""
    package = importlib.util.find_spec("egglog")
    [extension] = Path(package.submodule_search_locations[0]).glob("bindings*.so")
    spec = importlib.util.spec_from_file_location("egglog.bindings", extension)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_parentheses(term: str) -> str:
    """A term in which operations without operands are written as calls, and variables without their mark."""
    return re.sub(r"(?<![(\w?])\w+", r"(\g<0>)", term).replace("?", "")


class Graph:
    """An e-graph that holds one term.

    `operations` are names and numbers of operands, `rules` pairs of sides.
    """

    def __init__(self, module, term: str, rules: list[tuple[str, str]], operations: dict[str, int]):
        self._graph = module.EGraph()
        lines = ["(sort T)"]
        lines += [f"(constructor {name} ({' '.join(['T'] * arity)}) T)" for name, arity in operations.items()]
        lines += [f"(rewrite {in_parentheses(left)} {in_parentheses(right)})" for left, right in rules]
        self._run("\n".join([*lines, f"(let $root {in_parentheses(term)})"]))

    def _run(self, text: str):
        return self._graph.run_program(*self._graph.parse_program(text))

    def iterate(self) -> None:
        """Applies all rules wherever they are found."""
        self._run("(run 1)")

    def counts(self) -> dict:
        """Nodes and classes, classes by the number of their nodes, nodes by operation, cost of the least tree."""
        nodes = json.loads(self._graph.serialize([]).to_json())["nodes"].values()
        classes = Counter(node["eclass"] for node in nodes)
        [best] = self._run("(extract $root)")
        return {
            "nodes": len(nodes),
            "classes": len(classes),
            "sizes": sorted(classes.values()),
            "operations": dict(Counter(node["op"] for node in nodes)),
            "cost": best.cost,
        }

"""Saturation gives the graph that egglog gives, iteration by iteration.

Rules and terms are drawn: nodes, by operation too, classes, their sizes and the cost of the least tree are compared
after each iteration. COVENANT_SEED chooses them; COVENANT_FULL=1 draws more.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("egglog") is None:
    pytest.skip("egglog is not installed (tests/property/match/requirements.txt)", allow_module_level=True)

from egglog_graph import Graph, bindings

PROGRAM = Path(__file__).parents[3] / "build/release/tests/property/match/match_iterations"
SEED = int(os.environ.get("COVENANT_SEED", "1"))
DRAWN = 2000 if "COVENANT_FULL" in os.environ else 200


@dataclass
class Case:
    """A term and rules over some operations."""

    term: str
    rules: list[tuple[str, str]]
    operations: dict[str, int]
    iterations: int = 6
    nodes: int = 400

    def text(self) -> str:
        """The input of our program."""
        rules = [f"rule r{i}: exact {left} => {right};" for i, (left, right) in enumerate(self.rules)]
        return "\n".join([f"{self.iterations} {self.nodes}", self.term, *rules])


class Draw:
    """Terms and rules over operations that are drawn first."""

    def __init__(self, seed: int):
        self._random = random.Random(seed)  # noqa: S311 - no secret
        arities = [0, 0, 2, *(self._random.choice((0, 1, 1, 2, 3)) for _ in range(self._random.randint(0, 3)))]
        self.operations = {f"o{i}n{arity}": arity for i, arity in enumerate(arities)}
        self._leaves = [name for name, arity in self.operations.items() if arity == 0]
        self._inner = [name for name, arity in self.operations.items() if arity > 0]

    def term(self, depth: int, variables: list[str]) -> str:
        """A term of at most this depth; without variables, a ground one."""
        if depth == 0 or self._random.random() < 0.15:
            return self._random.choice(variables if variables and self._random.random() < 0.8 else self._leaves)
        name = self._random.choice(self._inner)
        operands = [self.term(depth - 1, variables) for _ in range(self.operations[name])]
        return f"({name} {' '.join(operands)})"

    def rule(self) -> tuple[str, str]:
        """A rule, the right side of which has variables of the left one, or is one of them."""
        left = "?"
        while left.startswith("?"):
            left = self.term(self._random.choice((0, 1, 1, 2, 2, 3)), ["?x", "?y", "?z"][: self._random.randint(0, 3)])
        used = [name for name in ("?x", "?y", "?z") if name in left]
        return left, self.term(self._random.choice((0, 1, 1, 2, 2, 3)), used)

    def case(self) -> Case:
        """A term and one to six rules."""
        rules = dict.fromkeys(self.rule() for _ in range(self._random.randint(1, 6)))  # egglog takes each once
        return Case(self.term(self._random.randint(2, 6), []), list(rules), self.operations)


def ours(case: Case) -> dict:
    done = subprocess.run([PROGRAM], input=case.text(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_graphs_are_those_of_egglog():
    """Each iteration of each case, until a graph is saturated or large; of cases that are so at once, one in four."""
    module = bindings()
    cases = compared = saturated = largest = 0
    for seed in itertools.count(1_000_000 * SEED):
        case = Draw(seed).case()
        result = ours(case)
        if len(result["iterations"]) < 4 and seed % 4 != 0:
            continue
        cases += 1
        theirs = Graph(module, case.term, case.rules, case.operations)
        for number, counts in enumerate(result["iterations"]):
            assert counts == theirs.counts(), f"seed {seed}, iteration {number}:\n{case.text()}"
            compared += 1
            largest = max(largest, counts["nodes"])
            theirs.iterate()
        saturated += result["is_saturated"]
        if cases == DRAWN:
            break
    print(f"seeds {1_000_000 * SEED} to {seed}: {cases} cases, {saturated} of them saturated")
    print(f"{compared} graphs are equal; the largest has {largest} nodes")
    assert compared > 3 * DRAWN
    assert saturated < DRAWN
    assert largest > 100


def test_all_sums_of_eight():
    """A class for each set of them that is not empty, a node for each way to halve it: 3^8 - 2^9 + 1, and 8 numbers."""
    term = "n8"
    for number in range(7, 0, -1):
        term = f"(sum n{number} {term})"
    rules = [("(sum ?a ?b)", "(sum ?b ?a)"), ("(sum ?a (sum ?b ?c))", "(sum (sum ?a ?b) ?c)")]
    case = Case(term, rules, {"sum": 2, **{f"n{number}": 0 for number in range(1, 9)}}, 20, 100_000)
    result = ours(case)
    theirs = Graph(bindings(), case.term, case.rules, case.operations)
    for counts in result["iterations"]:
        assert counts == theirs.counts()
        theirs.iterate()
    assert result["is_saturated"]
    assert (counts["nodes"], counts["classes"]) == (6058, 255)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_bytes_on_every_run(seed):
    """On one core and on two, twice."""
    case = Draw(seed).case()
    cores = sorted(os.sched_getaffinity(0))
    texts = set()
    for allowed in ([cores[0]], cores, cores):
        run = subprocess.run(
            [PROGRAM],
            input=case.text().encode(),
            capture_output=True,
            check=True,
            preexec_fn=lambda allowed=allowed: os.sched_setaffinity(0, allowed),
        )
        texts.add(run.stdout)
    assert len(texts) == 1

"""Operators of networks that machines take, matched as they are written and up to equality."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import onnx

from covenant import _core
from covenant.bench.matching.terms import NetworkTerms, terms_of
from covenant.commands import CommandDevice
from covenant.errors import CovenantError, Diagnostic, InternalError

__all__ = ["PUBLISHED", "Matching", "intrinsics_of", "match", "match_terms", "measured"]

MOST_ITERATIONS = 200
MOST_NODES = 100_000
MOST_STEPS = 10_000
_DEFINITIONS = "lstm.rules"
"""Rules that say what an operation of intrinsics is; exact matching knows these."""
_INTRINSIC, _TRANSFER, _OTHER = 1, 3, 1000
_MOVEMENTS = {"reshape": 2, "transpose": 2, "pad": 2, "zeros": 2, "part": 2, "join": 2, "stack": 2, "windows": 20,
              "cons": 0, "nil": 0}  # fmt: skip
"""Costs of what moves elements alone; an intrinsic costs 1, a transfer 3, all else 1000: as much as possible is
offloaded."""
_OF_RULES = ("dot", "tail", "count", "without", "shape", "ahead", "flat", "outer", "second_last", "lstm_gates",
             "lstm_cell", "lstm_hidden", "lstm_steps", "lstm_weights", "parts", "lstm")  # fmt: skip
"""What stands in rules alone: no host computes it."""

PUBLISHED: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "efficientnet": {"flexasr": (0, 35), "hlscnn": (35, 35), "vta": (0, 35)},
    "lstm_language_model": {"flexasr": (1, 2), "hlscnn": (0, 0), "vta": (36, 36)},
    "mobilenet_v2": {"flexasr": (0, 41), "hlscnn": (40, 40), "vta": (1, 41)},
    "resmlp": {"flexasr": (0, 38), "hlscnn": (0, 0), "vta": (38, 38)},
    "resnet_20": {"flexasr": (1, 22), "hlscnn": (21, 21), "vta": (2, 22)},
    "transformer": {"flexasr": (0, 66), "hlscnn": (0, 0), "vta": (66, 66)},
}
"""Invocations by exact and by flexible matching: Huang, Lyubomirsky et al., Table 1.

Two numbers are other than theirs, as all rules are applied to all networks and an invocation is counted once: flexible
matching finds the LSTM of the language model and its linear layer (the paper, with the rule of the LSTM alone: 1), and
the one linear layer of ResNet-20 is one invocation (the paper counts its two operators).
"""


@dataclass(frozen=True)
class Matching:
    """Invocations that a machine takes of a network.

    Attributes:
        intrinsics: invocations by the names of the machine's intrinsics.
        stores: tensors that the host gives the machine: weights, and what another invocation has not left there.
        loads: tensors that the host takes from it.
        moved: elements of both.
        stop: "saturated", or the limit at which the search ended: "iterations", "nodes".
        iterations: of the search.
        nodes: of the e-graph at its end.
        cost: of the term that is best.
        at_least: cost that no term is below.
        seconds: of search and choice.
    """

    intrinsics: Mapping[str, int]
    stores: int
    loads: int
    moved: int
    stop: str
    iterations: int
    nodes: int
    cost: int
    at_least: int
    seconds: float


_Text = tuple[str, str, int, int]
"""A rule's text, its file, line and column."""


def intrinsics_of(device: CommandDevice) -> dict[str, _Text]:
    """Rules for the intrinsics of a machine that a host drives, by the names of intrinsics.

    Args:
        device: the machine.

    Raises:
        CovenantError: MAT0010, it has no intrinsics.
    """
    rules = {}
    for one in device.describe()["intrinsics"]:
        words = one["computes"].replace("(", " ").replace(")", " ").split()
        variables = dict.fromkeys(word for word in words if word.startswith("?"))
        where = f" where {one['where']}" if one["where"] else ""
        operands = " ".join(f"({device.name}.store {variable})" for variable in variables)
        rules[one["name"]] = (
            f"rule {device.name}_{one['name']} : {'exact' if one['is_exact'] else 'real'} {one['computes']} => "
            f"({device.name}.load ({device.name}.{one['name']} {operands})){where};",
            one["file"], one["line"], one["column"],
        )  # fmt: skip
    if not rules:
        raise CovenantError(
            Diagnostic("MAT0010", "the machine has no intrinsics", subject=device.name, offending=device.name,
                       fix='say what it computes: `intrinsic dense : exact { computes = "(dense ?x ?w)"; }`')
        )  # fmt: skip
    return rules


def match(model: onnx.ModelProto, machine: str, *, flexible: bool = True) -> Matching:
    """Matches a model with the intrinsics of a machine.

    Args:
        model: float, of static shapes.
        machine: name of a machine that a host drives, or path of its text.
        flexible: up to the equalities of all rules; else operators have to stand as the intrinsics have them.

    Raises:
        CovenantError: the machine cannot be read; MAT0010, it has no intrinsics.
    """
    return match_terms(terms_of(model), machine, flexible=flexible)


def match_terms(terms: NetworkTerms, machine: str, *, flexible: bool = True) -> Matching:
    """As `match`, of a model that is read already."""
    device = CommandDevice(machine, engine="evaluator")
    intrinsics = intrinsics_of(device)
    stays = f"rule stays : exact ({device.name}.store ({device.name}.load ?x)) => ?x;"
    rules = [(text, name, 0, 0) for name, text in _core.rule_texts().items() if flexible or name == _DEFINITIONS]
    begin = time.perf_counter()
    graph = _core.MatchGraph(terms.nodes, terms.shapes)
    found = graph.saturate([*rules, *intrinsics.values(), (stays, "transfers", 0, 0)], MOST_ITERATIONS, MOST_NODES)
    if found["fault"]:
        raise InternalError(f"rules of tensors: {found['fault']}")
    operations = {f"{device.name}.{one}": one for one in intrinsics}
    transfers = (f"{device.name}.store", f"{device.name}.load")
    costs = {
        **_MOVEMENTS, **dict.fromkeys(_OF_RULES, 2**64 - 1), **dict.fromkeys(operations, _INTRINSIC),
        **dict.fromkeys(transfers, _TRANSFER),
    }  # fmt: skip
    nodes, cost, at_least = graph.extract(terms.roots, costs, _OTHER, MOST_STEPS)
    counts = Counter(operation for _, operation, _, _ in nodes)
    return Matching(
        intrinsics={one: counts[operation] for operation, one in operations.items()},
        stores=counts[f"{device.name}.store"], loads=counts[f"{device.name}.load"],
        moved=sum(math.prod(shape or ()) for _, operation, _, shape in nodes if operation in transfers),
        stop=found["stop"], iterations=len(found["iterations"]),
        nodes=found["iterations"][-1][0] if found["iterations"] else len(terms.nodes), cost=cost, at_least=at_least,
        seconds=time.perf_counter() - begin,
    )  # fmt: skip


def measured(network: str, terms: NetworkTerms, machine: str) -> dict[str, Any]:
    """The row of a network and a machine: what `covenant bench matching --json` prints of them.

    Additions of biases are counted where operators stand as they are written, and not beside their products where all
    equal ways to write them are known: every product has a bias then, if of zeros.
    """
    exact = match_terms(terms, machine, flexible=False)
    flexible = match_terms(terms, machine)
    published = PUBLISHED.get(network, {}).get(machine)
    return {
        "network": network, "machine": machine, "exact": sum(exact.intrinsics.values()),
        "flexible": sum(count for name, count in flexible.intrinsics.items() if name != "bias_add"),
        "expected": None if published is None else list(published), "intrinsics": dict(flexible.intrinsics),
        "stores": flexible.stores, "loads": flexible.loads, "moved": flexible.moved,
        "seconds": round(exact.seconds + flexible.seconds, 3), "nodes": flexible.nodes,
        "iterations": flexible.iterations, "stop": flexible.stop, "cost": flexible.cost,
        "at_least": flexible.at_least,
    }  # fmt: skip

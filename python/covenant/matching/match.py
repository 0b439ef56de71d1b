"""Matching of models with the intrinsics of machines, as operators stand and up to equality."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import onnx

from covenant import _core
from covenant.commands import CommandDevice
from covenant.errors import CovenantError, Diagnostic, InternalError
from covenant.matching.terms import NetworkTerms, terms_of

__all__ = ["DEFINITIONS", "Matching", "intrinsics_of", "match", "match_terms"]

MOST_ITERATIONS = 2_000
MOST_NODES = 1_000_000
MOST_STEPS = 10_000
DEFINITIONS = "lstm.rules"
"""Rules that say what an operation of intrinsics is; exact matching knows these."""
_INTRINSIC, _TRANSFER, _OTHER = 1, 3, 1000
_MOVEMENTS = {"reshape": 2, "transpose": 2, "pad": 2, "zeros": 2, "part": 2, "join": 2, "stack": 2, "windows": 20,
              "cons": 0, "nil": 0}  # fmt: skip
"""Costs of what moves elements alone; an intrinsic costs 1, a transfer 3, all else 1000: as much as possible is
offloaded."""
_OF_RULES = ("dot", "tail", "count", "without", "shape", "ahead", "flat", "outer", "second_last", "lstm_gates",
             "lstm_cell", "lstm_hidden", "lstm_steps", "lstm_weights", "parts", "lstm")  # fmt: skip
"""What stands in rules alone: no host computes it."""


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
        host: operators that are left to the host, by name; movements are not counted.
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
    host: Mapping[str, int]


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
        operands = " ".join(f"(store@{device.name} {variable})" for variable in variables)
        rules[one["name"]] = (
            f"rule {device.name}_{one['name']} : {'exact' if one['is_exact'] else 'real'} {one['computes']} => "
            f"(load@{device.name} ({device.name}.{one['name']} {operands})){where};",
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


def match_terms(
    terms: NetworkTerms, machine: str | CommandDevice, *, flexible: bool = True, without: Collection[str] = ()
) -> Matching:
    """As `match`, of a model and a machine that may be read already, and without the rules of these names."""
    device = machine if isinstance(machine, CommandDevice) else CommandDevice(machine, engine="evaluator")
    intrinsics = intrinsics_of(device)
    stays = f"rule stays : exact (store@{device.name} (load@{device.name} ?x)) => ?x;"
    rules = [(text, name, 0, 0) for name, text in _core.rule_texts().items() if flexible or name == DEFINITIONS]
    begin = time.perf_counter()
    graph = _core.MatchGraph(terms.nodes, terms.shapes)
    if graph.fault:
        raise CovenantError(
            Diagnostic("MAT0011", "an operator of the model has operands that do not fit", offending=graph.fault,
                       fix="check the model with onnx.checker.check_model(model, full_check=True)")
        )  # fmt: skip
    found = graph.saturate(
        [*rules, *intrinsics.values(), (stays, "transfers", 0, 0)],
        set(without),
        MOST_ITERATIONS,
        MOST_NODES,
    )
    if found["fault"]:
        raise InternalError(f"rules of tensors: {found['fault']}")
    operations = {f"{device.name}.{one}": one for one in intrinsics}
    transfers = (f"store@{device.name}", f"load@{device.name}")
    costs = {
        **_MOVEMENTS, **dict.fromkeys(_OF_RULES, 2**64 - 1), **dict.fromkeys(operations, _INTRINSIC),
        **dict.fromkeys(transfers, _TRANSFER),
    }  # fmt: skip
    nodes, cost, at_least = graph.extract(terms.roots, costs, _OTHER, MOST_STEPS)
    counts = Counter(operation for _, operation, _, _ in nodes)
    return Matching(
        intrinsics={one: counts[operation] for operation, one in operations.items()},
        stores=counts[f"store@{device.name}"], loads=counts[f"load@{device.name}"],
        moved=sum(math.prod(shape or ()) for _, operation, _, shape in nodes if operation in transfers),
        stop=found["stop"], iterations=len(found["iterations"]),
        nodes=found["iterations"][-1][0] if found["iterations"] else len(terms.nodes), cost=cost, at_least=at_least,
        seconds=time.perf_counter() - begin, host=_left({operation for _, operation, _, _ in nodes}, counts, costs),
    )  # fmt: skip


def _left(operations: Collection[str], counts: Mapping[str, int], costs: Mapping[str, int]) -> dict[str, int]:
    """Operators without a cost of their own. One of several outputs is several operations, `Split#7.0` and so on."""
    found: Counter[str] = Counter()
    opaque = {operation.rpartition(".")[0] for operation in operations if "#" in operation}
    found.update(one.partition("#")[0] for one in opaque)
    for operation in operations:
        if operation not in costs and "#" not in operation and not operation.startswith(("%", "[")):
            found[operation] += counts[operation]
    return dict(sorted(found.items()))

"""Explanations of matching: what stays on the host, and which rules the invocations are owed to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from covenant import _core
from covenant.commands import CommandDevice
from covenant.matching.match import Matching, match_terms
from covenant.matching.terms import NetworkTerms
from covenant.progress import Progress, told

__all__ = ["Explanation", "explain"]

_RULE = re.compile(r"^rule (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Explanation:
    """Matching of a model with a machine.

    Attributes:
        exact: invocations where operators stand as intrinsics have them.
        flexible: invocations up to equality.
        needed: by rule, for each intrinsic how many invocations fewer there are without it; rules without which none
            is lost are not named.
    """

    exact: Matching
    flexible: Matching
    needed: Mapping[str, Mapping[str, int]]


def explain(terms: NetworkTerms, machine: str, progress: Progress | None = None) -> Explanation:
    """Matches a model, and again without each rule.

    Args:
        terms: the model.
        machine: name of a machine that a host drives, or path of its text.
        progress: told of each rule.

    Raises:
        CovenantError: the machine cannot be read; MAT0010, it has no intrinsics.
    """
    device = CommandDevice(machine, engine="evaluator")  # read once for all rules
    flexible = match_terms(terms, device)
    rules = [name for text in _core.rule_texts().values() for name in _RULE.findall(text)]
    needed = {}
    for rule in told(rules, "rules", progress):
        found = match_terms(terms, device, without=[rule]).intrinsics
        fewer = {name: count - found[name] for name, count in flexible.intrinsics.items() if count > found[name]}
        if fewer:
            needed[rule] = fewer
    return Explanation(match_terms(terms, device, flexible=False), flexible, needed)

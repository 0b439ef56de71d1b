"""Breaks machines on purpose, and checks that each of them is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from covenant import _core
from covenant.files import write_whole

REFUSED = ("read", "compiled")
"""Fates that a broken machine may have: refused when it is read, or when a small network is compiled for it."""


@dataclass(frozen=True)
class RuleResult:
    """All machines that one rule has broken."""

    rule: str
    """Rule that was broken."""
    fates: dict[str, int]
    """Machines refused when they were `read` or `compiled`; `accepted` and `internal` ought not to occur."""
    codes: dict[str, int]
    """Number of machines by diagnostic."""

    @property
    def machines(self) -> int:
        """Number of machines."""
        return sum(self.fates.values())


@dataclass(frozen=True)
class Escape:
    """A broken machine that is not refused with a diagnostic."""

    machine: int
    rule: str
    fate: str
    text: str
    """Message, for people."""
    file: str
    """The machine."""


@dataclass(frozen=True)
class BrokenResult:
    """All broken machines of a run."""

    rules: tuple[RuleResult, ...]
    """Results of the rules in the order in which they take turns; only of those that had one."""
    escapes: tuple[Escape, ...]


def run_broken(seed: int, indices: Iterable[int], folder: str, done: Callable[[int], None]) -> BrokenResult:
    """Reads broken machines `indices` of `seed` and compiles small networks for them; nothing is run.

    `folder` gets those that are not refused; `done` is told how many have had their turn.
    """
    fates: dict[str, Counter[str]] = {}
    codes: dict[str, Counter[str]] = {}
    escapes: list[Escape] = []
    for count, index in enumerate(indices, 1):
        rule, text = _core.broken_machine(seed, index)
        fate, code, message = _core.refusal_of(text)
        fates.setdefault(rule, Counter())[fate] += 1
        codes.setdefault(rule, Counter()).update([code] if code else [])
        if fate not in REFUSED:
            file = str(Path(folder) / f"broken_{seed}_{index}.{'json' if text.startswith(b'{') else 'acg'}")
            write_whole(file, text)
            escapes.append(Escape(index, rule, fate, message, file))
        done(count)
    rules = (
        RuleResult(rule, dict(sorted(fates[rule].items())), dict(sorted(codes[rule].items())))
        for rule in _core.breaking_rules()
        if rule in fates
    )
    return BrokenResult(tuple(rules), tuple(escapes))

"""Numbers of bits for the weights and the activations of each layer, by patterns of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from covenant.errors import CovenantError, Diagnostic
from covenant.model.editable_model import EditableModel

__all__ = [
    "BYTE", "LAYERS_WITH_WEIGHTS", "MOST_BITS", "PASSING", "BitRules", "Bits", "activation_bits", "weight_bits",
]  # fmt: skip

Bits = int | str | Mapping[str, int]
"""One number for all layers; or by patterns of names, as `{"conv1": 8, "*": 4}` or `"conv1=8,*=4"`."""

LEAST_BITS, MOST_BITS = 2, 16
BYTE = 8
"""Bits of the elements that models have where nothing else is asked for."""
LAYERS_WITH_WEIGHTS = ("Conv", "Gemm", "MatMul")
"""Layers whose second operand has the bits of weights, if it is constant."""
PASSING = frozenset(
    {
        "AveragePool", "Concat", "Expand", "Flatten", "Gather", "GatherElements", "GlobalMaxPool", "MaxPool", "Pad",
        "ReduceMax", "ReduceMin", "Reshape", "Resize", "ReverseSequence", "Slice", "Split", "Squeeze", "Tile",
        "Transpose", "Unsqueeze",
    }
)  # fmt: skip
"""Operators that hand stored values on: what they take has the bits that their readers want."""
_BOUNDS = frozenset({"Relu", "Clip"})
_OWN_SCALE = frozenset({"Concat", "Expand", "GlobalMaxPool", "ReduceMax", "ReduceMin", "ReverseSequence", "Tile"})
"""Operators of PASSING to whose results the quantiser gives a scale of their own."""


@dataclass(frozen=True)
class BitRules:
    """Patterns of names of nodes, and bits. The first pattern that matches a node counts; none: those of an element.

    Example:
        >>> rules = BitRules.of("conv1=8,conv*=4")
        >>> [rules.bits(name) for name in ("conv1", "conv2", "classifier")]
        [8, 4, 8]
    """

    rules: tuple[tuple[str, int], ...]
    otherwise: int = BYTE
    """Bits where no pattern matches: the width of an element."""

    @classmethod
    def of(cls, given: Bits, subject: str = "bits", width: int = BYTE) -> BitRules:
        """Rules from any of their forms.

        Args:
            given: see `Bits`.
            subject: what it is for, in diagnostics.
            width: of an element.

        Raises:
            CovenantError: QNT0008, not a whole number from 2 to 16, or no PATTERN=BITS.
        """
        if isinstance(given, str):
            given = _parsed(given, subject)
        pairs = given.items() if isinstance(given, Mapping) else [("*", given)]
        for _, bits in pairs:
            if isinstance(bits, bool) or not isinstance(bits, int) or not LEAST_BITS <= bits <= MOST_BITS:
                raise _no_bits(subject, bits)
        return cls(tuple(pairs), width)

    @property
    def most(self) -> int:
        """The most that a pattern says; 0 without any."""
        return max((bits for _, bits in self.rules), default=0)

    def bits(self, name: str) -> int:
        """Bits of the node of this name."""
        return next((bits for pattern, bits in self.rules if fnmatchcase(name, pattern)), self.otherwise)

    def check(self, names: Iterable[str], subject: str) -> None:
        """Every pattern decides about a node.

        Raises:
            CovenantError: QNT0009, one matches no node, or only those that patterns before it match.
        """
        left, every = set(names), tuple(names)
        for pattern, _ in self.rules:
            taken = {name for name in left if fnmatchcase(name, pattern)}
            if not taken and pattern != "*":
                is_late = any(fnmatchcase(name, pattern) for name in every)
                message = "patterns before this one match all of its nodes" if is_late else "no node has such a name"
                fix = (
                    "put it before them: the first match counts" if is_late else "name some of these; * stands for any"
                )
                raise CovenantError(
                    Diagnostic("QNT0009", message, subject=subject, offending=pattern, allowed=every, fix=fix)
                )
            left -= taken

    def __str__(self) -> str:
        """Text in the form of the command line: `conv1=8,*=4`; `8` if it is one number."""
        if len(self.rules) == 1 and self.rules[0][0] == "*":
            return str(self.rules[0][1])
        return ",".join(f"{pattern}={bits}" for pattern, bits in self.rules)


def _parsed(text: str, subject: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in text.split(","):
        pattern, _, number = part.strip().rpartition("=")
        if not number.isdecimal() or ("=" in part and not pattern):
            raise _no_bits(subject, part.strip())
        found.setdefault(pattern or "*", int(number))
    return found


def _no_bits(subject: str, offending: object) -> CovenantError:
    allowed = (f"{LEAST_BITS}..{MOST_BITS}", "PATTERN=BITS,PATTERN=BITS")
    return CovenantError(
        Diagnostic("QNT0008", "these are no bits", subject=subject, offending=str(offending), allowed=allowed,
                   fix="write 4 for all layers, or conv1=8,*=4")
    )  # fmt: skip


def weight_bits(model: EditableModel, rules: BitRules, in_float: Iterable[str]) -> dict[str, int]:
    """Bits of the weights of each layer with constant weights, by the name of its node.

    Args:
        model: in float.
        rules: those of weights.
        in_float: names of nodes that are not quantised.
    """
    kept = set(in_float)
    layers = [
        node.name for node in model.nodes
        if node.op_type in LAYERS_WITH_WEIGHTS and node.name not in kept and model.constant(node.input[1]) is not None
    ]  # fmt: skip
    return {name: rules.bits(name) for name in layers}


def activation_bits(
    model: EditableModel, rules: BitRules, chains: Iterable[str], ends: Iterable[str], most: Mapping[str, int]
) -> dict[str, int]:
    """Bits of each tensor, by its name: the most that a layer that reads it wants.

    What no layer reads, a model's outputs, has those of an element. Operators that hand values on (PASSING) want what
    their readers want, and so do a Relu and a Clip, which become part of the layer before.

    Args:
        model: in float.
        rules: those of activations.
        chains: names of nodes that become tables (`covenant.quantization.chains`).
        ends: names of nodes that the host computes in float.
        most: of some tensors, the most that they may have.
    """
    in_chains, on_host = set(chains), set(ends)
    outputs = {entry.name for entry in model.model.graph.output}
    wanted: dict[str, int] = dict.fromkeys(outputs, rules.otherwise)
    for node in reversed(model.nodes):
        passes = node.op_type in PASSING or (node.op_type in _BOUNDS and node.name not in in_chains)
        if node.name in on_host:
            bits = rules.otherwise
        elif passes:
            bits = max(wanted.get(value, LEAST_BITS) for value in node.output)
        else:
            bits = rules.bits(node.name)
        for value in node.input:
            if value:
                wanted[value] = max(wanted.get(value, 0), bits)
    handing_on = [node for node in model.nodes if node.op_type in PASSING - _OWN_SCALE and node.name not in on_host]
    allowed = dict(most)
    for node in reversed(handing_on):
        taken = node.input[0]
        allowed[taken] = min(allowed.get(value, MOST_BITS) for value in (taken, *node.output))
    wanted = {value: min(bits, allowed.get(value, bits)) for value, bits in wanted.items()}
    for node in handing_on:  # what is handed on has the bits that it has
        wanted |= dict.fromkeys(node.output, wanted[node.input[0]])
    return wanted

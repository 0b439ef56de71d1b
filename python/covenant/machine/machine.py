"""Machines: an Architecture Covenant Graph with its parameters resolved."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from typing import Any, Literal

from covenant import _core
from covenant.machine.spec import with_preset
from covenant.tables import html_table

Setting = int | str
Requant = Literal["fp32", "fixed", "fixed_tflite"]
"""Way in which sums are scaled: see `docs/reference/numerics.md`."""
WORD_BITS = 32
"""Bits of the word that a sum is stored in, whether the sum has as many or fewer."""


def machines() -> dict[str, tuple[str, ...]]:
    """Machines that come with the SDK, and the names of their presets.

    Example:
        >>> "genesys" in machines()
        True
    """
    return {name: tuple(_core.builtin_presets(name)) for name in _core.builtin_machines()}


class Machine:
    """One machine: what a program is compiled for and runs on. Immutable.

    Args:
        spec: name of a machine that comes with the SDK ("genesys"), the same with a preset ("genesys:8x8"), or the path
            of an `.acg` file.
        preset: name of a preset; the same as writing it after the colon.
        settings: parameters of the ACG to override, as numbers, as expressions over other parameters, or as names
            where a parameter has some (`requant="fixed"`).

    Raises:
        CovenantError: the machine, the preset or a parameter is unknown, the text is malformed, or the resolved graph
            does not hold together (codes ACGnnnn).

    Example:
        >>> machine = Machine("genesys", preset="8x8", N=12)
        >>> machine.name, machine.parameters["M"], machine.parameters["N"]
        ('genesys', 8, 12)
    """

    __slots__ = ("_core",)

    def __init__(self, spec: str, *, preset: str | None = None, **settings: Setting) -> None:
        self._core = _core.load_machine(
            with_preset(spec, preset), {name: str(value) for name, value in settings.items()}
        )

    @classmethod
    def _wrap(cls, core: _core.Machine) -> Machine:
        machine = cls.__new__(cls)
        machine._core = core
        return machine

    @classmethod
    def from_json(cls, text: str) -> Machine:
        """The machine that `to_json` wrote.

        Example:
            >>> Machine.from_json(Machine("genesys").to_json()) == Machine("genesys")
            True
        """
        return cls._wrap(_core.machine_from_json(text))

    @property
    def name(self) -> str:
        """Name of the graph, without preset and settings."""
        return self._core.name

    @property
    def preset(self) -> str:
        """Name of the preset taken, or empty."""
        return self._core.preset

    @property
    def parameters(self) -> dict[str, int]:
        """Resolved parameters, settings applied; those of names are none: the nodes show what they chose."""
        return self._core.parameters

    @property
    def requant(self) -> Requant:
        """Way in which sums are scaled: in single precision, or in one of two kinds of fixed point (REQUANT_FIXED)."""
        return self._core.requant

    @property
    def fixed_point(self) -> bool:
        """Whether sums are scaled in fixed point, of either kind, instead of single precision."""
        return self.requant != "fp32"

    @property
    def accumulator_bits(self) -> int:
        """Bits in which its systolic arrays make sums; 32 without one."""
        return self._core.accumulator_bits

    @property
    def saturates(self) -> bool:
        """Whether sums that leave these bits stay at the ends of their range; others wrap."""
        return self._core.saturates

    @property
    def overflow(self) -> Literal["wrap", "saturate"]:
        """`saturates`, by the name that the parameter of a machine has for it."""
        return "saturate" if self.saturates else "wrap"

    @property
    def issues_packets(self) -> bool:
        """Whether its instruction words are issued several at once, as a packet."""
        return self._core.issues_packets

    @property
    def clock_hertz(self) -> float:
        """Frequency of its clock."""
        return self._core.clock_hertz

    @property
    def engines(self) -> tuple[str, ...]:
        """Names of what executes words: compute nodes, then the DMA engines of off-chip edges."""
        return tuple(self._core.engines)

    def to_json(self) -> str:
        """The resolved graph as JSON text; lossless."""
        return self._core.to_json()

    def to_dict(self) -> dict[str, Any]:
        """`to_json`, parsed."""
        return json.loads(self.to_json())

    def isa_manual(self) -> str:
        """The manual of the instruction words, in Markdown: every mnemonic with its bits, fields and an example."""
        return self._core.isa_manual()

    def __str__(self) -> str:
        """The resolved graph in the ACG text format."""
        return self._core.print()

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"<Machine {self.name}: {values}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machine) and self._core == other._core

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Pickles as JSON."""
        return Machine.from_json, (self.to_json(),)

    def _repr_html_(self) -> str:
        numerics = {"requant": self.requant, "overflow": self.overflow, "accumulator_bits": self.accumulator_bits}
        title = f"{self.name}{self.preset and ':' + self.preset}, {self.clock_hertz / 1e9:g} GHz"
        note = f"engines: {', '.join(self.engines)}"
        return html_table(title, ("parameter", "value"), [*(self.parameters | numerics).items()], note)


def settings_of(spec: str) -> dict[str, int]:
    """The parameters of a machine that may be set, with their values.

    Those among them that a machine lists only where it has another value than their default (`option` in its text) are
    here, too.

    Raises:
        CovenantError: as `Machine`, but for a graph that does not hold together.

    Example:
        >>> settings_of("genesys")["accumulator"], "accumulator" in Machine("genesys").parameters
        (32, False)
    """
    return _core.machine_parameters(spec)


def scratchpad_bits(machine: Mapping[str, Any]) -> dict[str, int]:
    """Bits of each scratchpad, all of its buffers, by name; of a machine as `Machine.to_dict` gives it."""
    return _bits(machine, ("scratchpad",))


def buffer_bits(machine: Mapping[str, Any]) -> dict[str, int]:
    """Bits of each memory that holds data on the chip, by name: scratchpads, and the caches of a core."""
    return _bits(machine, ("scratchpad", "cache"))


def _bits(machine: Mapping[str, Any], kinds: Container[str]) -> dict[str, int]:
    return {
        one["name"]: one["data_width"] * one["banks"] * one["depth"] * one["buffers"]
        for one in machine["memories"] if one["kind"] in kinds
    }  # fmt: skip


def as_machine(machine: Machine | str) -> Machine:
    """A machine, of which only the spec may be given."""
    return machine if isinstance(machine, Machine) else Machine(machine)

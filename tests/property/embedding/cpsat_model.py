"""The fewest steps of an embedding, as a constraint model that OR-Tools CP-SAT solves and proves optimal.

Written from the documented definition alone (docs/decisions/2026-11-embeddings-by-axes.md, compiler/embedding/rules.h;
Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction Problem",
sections 4 to 6). Where the product's solver tries factors, this states for each axis of the operator a table of what it
can be used for, how many places it takes then and how often steps repeat it, and leaves the choice to CP-SAT.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import gcd, prod

from cpsat_operators import Instruction, Operator, Tensor
from ortools.sat.python import cp_model

GUARD = 120.0
"""Deterministic seconds after which a model counts as too hard; the hardest model of the tests takes five."""


@dataclass(frozen=True)
class Choice:
    """One thing that an axis can be used for: a row of its table."""

    role: str
    """loop: steps alone. place: lies along an axis of the instruction. one: is counted as one with others. band: its
    outputs are columns and their window is a sum. tap: the window of a banded axis goes through it.
    """
    places: tuple[tuple[str, int], ...] = ()
    """Places taken along axes of the instruction, more than one each."""
    repeats: int = 1
    """How often steps repeat it."""


@dataclass(frozen=True)
class Rows:
    """The tables of one operator and instruction under some relaxations, the operands in one order."""

    operator: Operator
    instruction: Instruction
    allowed: frozenset[str]
    is_exchanged: bool

    @cached_property
    def operands(self) -> tuple[tuple[Tensor, str], tuple[Tensor, str]]:
        """The operator's factors with the letters of the instruction's operands that they are."""
        letters = (self.instruction.first, self.instruction.second)
        one, other = reversed(letters) if self.is_exchanged else letters
        return ((self.operator.first, one), (self.operator.second, other))

    @cached_property
    def matrix(self) -> tuple[Tensor, str] | None:
        """The constant operand, whose zeros make idle places and overlaps of windows harmless."""
        return next((one for one in self.operands if one[0].is_constant), None)

    def neighbours(self, tensor: Tensor, axis: str) -> list[tuple[int, list[tuple[str, int]]]]:
        """For each dimension that the axis indexes: its coefficient, and the other axes that share the index."""
        found = []
        for dimension in tensor.dimensions:
            terms = [(name, by) for name, by in dimension if name in self.operator.extent]
            if axis in dict(terms):
                found.append((dict(terms)[axis], [term for term in terms if term[0] != axis]))
        return found

    def lies_along(self, axis: str, place: str) -> bool:
        """True if instances along the axis share elements as those along the axis of the instruction do.

        A constant may be repeated for them, and inputs that meet the same element twice may be copied: both `unroll`.
        Elements that are not side by side in a tensor are `strided`.
        """
        needs = set()
        result = self.neighbours(self.operator.result, axis)
        if bool(result) != (place in self.instruction.result) or any(others for _, others in result):
            return False
        for tensor, letters in self.operands:
            if self.neighbours(tensor, axis) and place not in letters:
                return False
            if not self.neighbours(tensor, axis) and place in letters:
                if not tensor.is_constant:
                    return False
                needs.add("unroll")
        for tensor in (self.operator.result, *(tensor for tensor, _ in self.operands)):
            indices = self.neighbours(tensor, axis)
            if len(indices) > 1:
                return False
            needs |= {"strided" for by, _ in indices if abs(by) != 1} | {"unroll" for _, others in indices if others}
        return needs <= self.allowed

    def may_idle(self, place: str) -> bool:
        """True if places along the axis may be left over: in a sum, a constant must have zeros there."""
        is_sum = place not in self.instruction.result
        return "pad" in self.allowed and (not is_sum or (self.matrix is not None and place in self.matrix[1]))

    def factors(self, extent: int, place: str) -> Iterator[tuple[int, int]]:
        """Counts that can lie along the axis of the instruction, each with the repeats that remain.

        Instances at equal distances (`strided`) are as many as a dividing count side by side, and repeat as often.
        """
        for count in range(1, min(extent, self.instruction.size[place]) + 1):
            if extent % count == 0 or self.may_idle(place):
                yield count, -(-extent // count)

    def tap_of(self, axis: str) -> tuple[str | None, int, int] | None:
        """The tap of an axis that can be banded, with the distances of outputs and taps in positions of the window."""
        results = self.neighbours(self.operator.result, axis)
        if self.matrix is None or len(results) != 1 or results[0][1]:
            return None
        seen = next(tensor for tensor, _ in self.operands if tensor is not self.matrix[0])
        indices = self.neighbours(seen, axis)
        if len(indices) != 1 or indices[0][0] < 1:
            return None
        across, others = indices[0]
        if not others:
            return None, 1, 1
        tap, along = others[0]
        is_tap = len(others) == 1 and along > 0 and not self.operator.result.mentions(tap)
        if not is_tap or not self.matrix[0].mentions(tap) or len(self.neighbours(seen, tap)) != 1:
            return None
        lattice = gcd(across, along)
        return tap, across // lattice, along // lattice

    @cached_property
    def band_places(self) -> tuple[str, str] | None:
        """The axes of the instruction that take banded outputs, and their windows."""
        if self.matrix is None:
            return None
        other = next(letters for tensor, letters in self.operands if tensor is not self.matrix[0])
        within = [place for place in self.matrix[1] if place in self.instruction.size]
        columns = [place for place in within if place not in other and place in self.instruction.result]
        sums = [place for place in within if place in other and place not in self.instruction.result]
        return (columns[0], sums[0]) if columns and sums else None

    @cached_property
    def bands(self) -> dict[str, tuple[str | None, int, int]]:
        """The axes that can be banded, each with its tap and distances."""
        if "band" not in self.allowed or self.band_places is None:
            return {}
        found = {axis: self.tap_of(axis) for axis in self.operator.extent}
        return {axis: one for axis, one in found.items() if one is not None and self.is_dense(axis)}

    def is_dense(self, axis: str) -> bool:
        """True if banded outputs and the positions that they see are side by side in their tensors, or need not be."""
        return "strided" in self.allowed or all(
            gcd(by, *(along for _, along in others)) == 1
            for tensor in (self.operator.result, self.operator.first, self.operator.second)
            for by, others in self.neighbours(tensor, axis)
        )

    def choices(self, axis: str) -> Iterator[Choice]:
        """All that an axis can be used for."""
        extent = self.operator.extent[axis]
        yield Choice("loop", (), extent)
        for place in self.instruction.size:
            if self.lies_along(axis, place):
                for count, repeats in self.factors(extent, place):
                    if count > 1:
                        yield Choice("place", ((place, count),), repeats)
        if any(axis in group for _, group in self.groups):
            yield Choice("one")
        if any(tap == axis for tap, _, _ in self.bands.values()):
            yield Choice("tap")
        if axis in self.bands:
            yield from self.banded(axis)

    def banded(self, axis: str) -> Iterator[Choice]:
        """Two outputs or more as columns, and positions of the window that they see as a sum."""
        tap, across, along = self.bands[axis]
        columns, sums = self.band_places or ("", "")
        taps = self.operator.extent[tap] if tap is not None else 1
        for outputs, repeats in self.factors(self.operator.extent[axis], columns):
            window = across * (outputs - 1) + along * (taps - 1) + 1
            for positions, passes in self.factors(window, sums):
                if outputs > 1:
                    taken = ((columns, outputs), (sums, positions)) if positions > 1 else ((columns, outputs),)
                    yield Choice("band", taken, repeats * passes)

    @cached_property
    def groups(self) -> list[tuple[str, tuple[str, ...]]]:
        """Two axes or more that could lie along an axis of the instruction alone, and may be counted as one there."""
        found = []
        for place in self.instruction.size if "fuse" in self.allowed else ():
            homes = [axis for axis in self.operator.extent if self.lies_along(axis, place)]
            sizes = range(2, len(homes) + 1)
            found += [(place, group) for size in sizes for group in combinations(homes, size)]
        return found


class Model:
    """One CP-SAT model: a literal for each role of an axis, a table for its factors, products for places and steps."""

    def __init__(self, rows: Rows):
        self.rows = rows
        self.model = cp_model.CpModel()
        self.roles: dict[tuple[str, str], cp_model.IntVar] = {}
        self.taken: dict[str, list[cp_model.IntVar]] = {place: [] for place in rows.instruction.size}
        self.repeats: list[cp_model.IntVar] = []
        self.most_steps = 1
        for axis in rows.operator.extent:
            self._add_axis(axis)
        self._add_groups()
        self._add_taps()
        self._add_places()
        self.model.minimize(self._product(self.repeats, self.most_steps))

    def solve(self) -> int | None:
        """The fewest steps; None if there is proved to be no embedding."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = GUARD
        status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            return None
        if status != cp_model.OPTIMAL:
            raise RuntimeError(f"CP-SAT has proved nothing of {self.rows}: {solver.status_name(status)}")
        return round(solver.objective_value)

    def _add_axis(self, axis: str) -> None:
        choices = list(self.rows.choices(axis))
        roles = sorted({choice.role for choice in choices})
        places = sorted({place for choice in choices for place, _ in choice.places})
        for role in roles:
            self.roles[axis, role] = self.model.new_bool_var(f"{axis} {role}")
        counts = [self._variable([dict(choice.places).get(place, 1) for choice in choices], axis) for place in places]
        repeats = self._variable([choice.repeats for choice in choices], axis)
        table = [
            (*(choice.role == role for role in roles), *(dict(choice.places).get(place, 1) for place in places),
             choice.repeats) for choice in choices
        ]  # fmt: skip
        columns = [*(self.roles[axis, role] for role in roles), *counts, repeats]
        self.model.add_allowed_assignments(columns, sorted({tuple(int(one) for one in row) for row in table}))
        self.repeats.append(repeats)
        self.most_steps *= max(choice.repeats for choice in choices)  # axes that are counted as one take no more
        for place, count in zip(places, counts, strict=True):
            self.taken[place].append(count)

    def _add_groups(self) -> None:
        """Axes are counted as one along one axis of the instruction at most."""
        chosen = {one: self.model.new_bool_var(f"{one}") for one in self.rows.groups}
        self.model.add_at_most_one(chosen.values())
        for (axis, role), literal in self.roles.items():
            if role == "one":
                self.model.add(literal == sum(chosen[one] for one in chosen if axis in one[1]))
        for (place, group), literal in chosen.items():
            extent = prod(self.rows.operator.extent[axis] for axis in group)
            factors = [row for row in self.rows.factors(extent, place) if row[0] > 1]
            if not factors:
                self.model.add(literal == 0)
                continue
            count = self._variable([1, *(count for count, _ in factors)], place)
            repeats = self._variable([1, *(repeats for _, repeats in factors)], place)
            self.model.add_allowed_assignments([literal, count, repeats], [(0, 1, 1), *((1, *row) for row in factors)])
            self.taken[place].append(count)
            self.repeats.append(repeats)

    def _add_taps(self) -> None:
        """An axis is gone through by a window if the axis that sees it is banded, and only then."""
        for (axis, role), literal in self.roles.items():
            if role == "tap":
                seen = [one for one, (tap, _, _) in self.rows.bands.items() if tap == axis]
                self.model.add(literal == sum(self.roles[one, "band"] for one in seen if (one, "band") in self.roles))

    def _add_places(self) -> None:
        for place, counts in self.taken.items():
            size = self.rows.instruction.size[place]
            total = self._product(counts, size)
            if not self.rows.may_idle(place):
                self.model.add(total == size)
            if "fuse" not in self.rows.allowed:
                lies = [self.model.new_bool_var(place) for _ in counts]
                for literal, count in zip(lies, counts, strict=True):
                    self.model.add(count == 1).only_enforce_if(~literal)
                self.model.add_at_most_one(lies)

    def _variable(self, values: Collection[int], name: str) -> cp_model.IntVar:
        return self.model.new_int_var_from_domain(cp_model.Domain.from_values(sorted(set(values))), name)

    def _product(self, factors: Sequence[cp_model.IntVar], most: int) -> cp_model.IntVar:
        total = self.model.new_int_var(1, 1, "1")
        for factor in factors:
            larger = self.model.new_int_var(1, most, "product")
            self.model.add_multiplication_equality(larger, [total, factor])
            total = larger
        return total


def fewest_steps(operator: Operator, instruction: Instruction, allowed: Collection[str]) -> int | None:
    """The fewest steps of any embedding under these relaxations, proved; None if there is proved to be none."""
    orders = (False, True) if "exchange" in allowed else (False,)
    found = [Model(Rows(operator, instruction, frozenset(allowed), order)).solve() for order in orders]
    return min((steps for steps in found if steps is not None), default=None)

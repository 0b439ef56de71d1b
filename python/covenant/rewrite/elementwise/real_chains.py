"""Chains of operations in f32 that a machine executes element by element, and functions built from them.

A machine adds, multiplies, divides and compares f32, and takes roots; other functions are quotients of polynomials,
fitted by least squares with weights (C. L. Lawson, Contributions to the theory of linear least maximum approximations)
until their error is that of f32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Chain", "Real"]

_TANH = (
    (1.0, 1.3379747e-1, 3.4940662e-3, 2.0583933e-5, 1.3319578e-8),
    (1.0, 4.671306e-1, 2.5871199e-2, 3.2831417e-4, 7.762252e-7),
)
"""tanh(x) / x by x * x, numerator and denominator, of |x| up to 9.02: 2e-8 beside it."""
_ERF = (
    (1.1283791, 1.9040054e-1, 5.2747738e-2, 3.7653008e-3, 2.848651e-4, 2.0499983e-6),
    (1.0, 5.0207084e-1, 1.1410648e-1, 1.4968601e-2, 1.1624388e-3, 3.8089864e-5),
)
"""erf(x) / x by x * x, of |x| up to 3.92: 2e-8 beside it."""
_EXP = (
    (1.0, 5.71561e-1, 1.4283301e-1, 1.8997895e-2, 1.1757005e-3),
    (1.0, -4.2843905e-1, 7.127224e-2, -4.7214483e-3),
)
"""exp(x) of |x| up to 1: 6e-9 beside it."""
_SOFTPLUS = (
    (6.931472e-1, -2.1624199e-1, 2.7972294e-2, -1.8846198e-3, 6.7420435e-5, -1.1230792e-6, 5.047494e-9),
    (1.0, 4.093748e-1, 1.5533623e-1, 3.5439704e-2, 5.305952e-3, 3.3472438e-4, 8.379542e-5),
)
"""log(1 + exp(-x)) of x from 0 to 17: 2e-8 beside it."""
_EXP_RANGE = 20.0
"""Distance below the largest exponent at which an exponential is negligible: exp(-20) = 2e-9."""


@dataclass(frozen=True)
class Real:
    """A step of a chain, or a number: `step` is None then. All its values lie from `least` to `most`."""

    step: int | None
    least: float
    most: float


class Chain:
    """Steps one after the other, as `compiler/srdfg/chain.h` has them; equal ones are one."""

    def __init__(self) -> None:
        self._steps: dict[str, Real] = {}

    def steps_to(self, result: Real) -> list[str]:
        """The steps that a result depends on, numbered anew; it is the last. Empty of a number."""
        steps = [step.split() for step in self._steps]
        wanted = set() if result.step is None else {result.step}
        for place in range(len(steps) - 1, -1, -1):
            if place in wanted:
                wanted |= {int(word[1:]) for word in steps[place] if word[0] == "%"}
        numbers = {f"%{place}": f"%{number}" for number, place in enumerate(sorted(wanted))}
        return [" ".join(numbers.get(word, word) for word in steps[place]) for place in sorted(wanted)]

    def load(self, place: int, least: float, most: float) -> Real:
        """The input at `place`, whose elements lie within two numbers."""
        return self._step(f"load {place}", least, most)

    def number(self, value: float) -> Real:
        """A number, rounded to f32."""
        rounded = float(np.float32(value))
        return Real(None, rounded, rounded)

    def add(self, a: Real, b: Real) -> Real:
        """Sum."""
        return self._pair("add", a, b, np.add)

    def sub(self, a: Real, b: Real) -> Real:
        """Difference."""
        return self._pair("sub", a, b, np.subtract)

    def mul(self, a: Real, b: Real) -> Real:
        """Product."""
        return self._pair("mul", a, b, np.multiply)

    def div(self, a: Real, b: Real) -> Real:
        """Quotient."""
        if b.least <= 0 <= b.most and b.step is not None:
            return self._step(f"div {_spelled(a)} {_spelled(b)}", -math.inf, math.inf)
        return self._pair("div", a, b, np.divide)

    def max(self, a: Real, b: Real) -> Real:
        """The larger one; `a` as it is if it never is less."""
        return a if a.least >= b.most else self._pair("max", a, b, np.maximum)

    def min(self, a: Real, b: Real) -> Real:
        """The smaller one; `a` as it is if it never is more."""
        return a if a.most <= b.least else self._pair("min", a, b, np.minimum)

    def sqrt(self, a: Real) -> Real:
        """Root."""
        ends = (math.sqrt(max(end, 0.0)) for end in (a.least, a.most))
        return self.number(next(ends)) if a.step is None else self._step(f"sqrt {_spelled(a)}", *ends)

    def clip(self, a: Real, least: float, most: float) -> Real:
        """No less and no more than two numbers."""
        return self.min(self.max(a, self.number(least)), self.number(most))

    def neg(self, a: Real) -> Real:
        """The opposite."""
        return self.mul(a, self.number(-1))

    def absolute(self, a: Real) -> Real:
        """Without its sign."""
        return self.max(a, self.neg(a))

    def sloped(self, a: Real, slope: Real) -> Real:
        """`a` above 0, `slope` times `a` below."""
        zero = self.number(0)
        return self.add(self.max(a, zero), self.mul(self.min(a, zero), slope))

    def tanh(self, a: Real) -> Real:
        """Hyperbolic tangent."""
        return self._odd(self.clip(a, -9.02, 9.02), _TANH)

    def erf(self, a: Real) -> Real:
        """Error function."""
        return self._odd(self.clip(a, -3.92, 3.92), _ERF)

    def sigmoid(self, a: Real) -> Real:
        """1 / (1 + exp(-a))."""
        half = self.number(0.5)
        return self.add(self.mul(self.tanh(self.mul(a, half)), half), half)

    def exp(self, a: Real) -> Real:
        """Exponential; what is far below the largest one that can be is as small as that."""
        most = min(a.most, 80.0)
        least = max(a.least, most - _EXP_RANGE)
        middle = (least + most) / 2
        halvings = max(0, math.ceil(math.log2(max((most - least) / 2, 1.0))))
        centred = self.sub(self.clip(a, least, most), self.number(middle)) if middle else self.clip(a, least, most)
        made = self._quotient(self.mul(centred, self.number(2.0**-halvings)), _EXP)
        for _ in range(halvings):
            made = self.mul(made, made)
        return self.within(self.mul(made, self.number(math.exp(middle))), math.exp(least), math.exp(most))

    def softplus(self, a: Real) -> Real:
        """log(1 + exp(a))."""
        tail = self._quotient(self.clip(self.absolute(a), 0, 17), _SOFTPLUS)
        return self.add(self.max(a, self.number(0)), self.within(tail, 0, 1))

    def mish(self, a: Real) -> Real:
        """Mish: a * tanh(log(1 + exp(a))) = a * n / (n + 2), n = e * (e + 2), e = exp(a)."""
        two = self.number(2)
        power = self.exp(self.clip(a, -math.inf, 20))
        whole = self.mul(power, self.add(power, two))
        return self.mul(a, self.div(whole, self.add(whole, two)))

    def elu(self, a: Real, alpha: float, divisor: float = 1.0, gain: float = 1.0) -> Real:
        """Elu, Celu and Selu: gain * a above 0, gain * alpha * (exp(a / divisor) - 1) below."""
        zero = self.number(0)
        power = self.exp(self.mul(self.min(a, zero), self.number(1 / divisor)))
        below = self.mul(self.sub(power, self.number(1)), self.number(gain * alpha))
        return self.add(self.mul(self.max(a, zero), self.number(gain)), below)

    def within(self, a: Real, least: float, most: float) -> Real:
        """The same, known to lie within two numbers."""
        return Real(a.step, least, most)

    def _odd(self, a: Real, quotient: Sequence[Sequence[float]]) -> Real:
        """An odd function of |a| below 1 everywhere."""
        made = self.mul(a, self._quotient(self.mul(a, a), quotient))
        return self.within(made, -1, 1)

    def _quotient(self, a: Real, quotient: Sequence[Sequence[float]]) -> Real:
        above, below = (self._polynomial(a, terms) for terms in quotient)
        return self.div(above, self.within(below, 1e-30, math.inf))

    def _polynomial(self, a: Real, terms: Sequence[float]) -> Real:
        made = self.number(terms[-1])
        for term in reversed(terms[:-1]):
            made = self.add(self.mul(a, made), self.number(term))
        return made

    def _pair(self, name: str, a: Real, b: Real, compute: Callable[[float, float], float]) -> Real:
        neutral = {"add": 0.0, "sub": 0.0, "mul": 1.0, "div": 1.0}.get(name)
        if b.step is None and neutral is not None and b.least == neutral:
            return a
        with np.errstate(all="ignore"):
            corners = [float(compute(x, y)) for x in (a.least, a.most) for y in (b.least, b.most)]
        if a.step is None and b.step is None:
            return self.number(corners[0])
        known = [corner for corner in corners if not math.isnan(corner)]
        ends = (min(known), max(known)) if len(known) == len(corners) else (-math.inf, math.inf)
        return self._step(f"{name} {_spelled(a)} {_spelled(b)}", *ends)

    def _step(self, text: str, least: float, most: float) -> Real:
        if text not in self._steps:
            self._steps[text] = Real(len(self._steps), least, most)
        return self._steps[text]


def _spelled(real: Real) -> str:
    return real.least.hex() if real.step is None else f"%{real.step}"

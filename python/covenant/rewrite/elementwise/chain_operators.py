"""ONNX's elementwise operators as steps of a chain, as their definitions compute them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np

from covenant.rewrite.elementwise.real_chains import Chain, Real

__all__ = ["MADE_OF", "SAME"]

SAME = frozenset({"Dropout", "Identity"})
"""Operators that do nothing."""
_Said = Mapping[str, Any]
_SELU = (1.67326319217681884765625, 1.05070102214813232421875)
"""Defaults of Selu, alpha and gamma."""


def _alpha(said: _Said, otherwise: float) -> float:
    return float(said.get("alpha", otherwise))


def _clip(chain: Chain, _: _Said, x: Real, least: Real | None = None, most: Real | None = None) -> Real:
    made = x if least is None else chain.max(x, least)
    return made if most is None else chain.min(made, most)


def _gelu(chain: Chain, said: _Said, x: Real) -> Real:
    if said.get("approximate", b"none") == b"tanh":
        cubed = chain.mul(chain.mul(chain.mul(x, x), x), chain.number(0.044715))
        inner = chain.tanh(chain.mul(chain.add(x, cubed), chain.number(np.sqrt(2 / np.pi))))
    else:
        inner = chain.erf(chain.mul(x, chain.number(np.sqrt(0.5))))
    return chain.mul(chain.mul(x, chain.number(0.5)), chain.add(inner, chain.number(1)))


def _hard_sigmoid(chain: Chain, x: Real, slope: float, offset: float) -> Real:
    return chain.clip(chain.add(chain.mul(x, chain.number(slope)), chain.number(offset)), 0, 1)


def _swish(chain: Chain, x: Real, alpha: float) -> Real:
    return chain.mul(x, chain.sigmoid(chain.mul(x, chain.number(alpha))))


def _power(chain: Chain, _: _Said, x: Real, exponent: Real) -> Real | None:
    known = {1: x, 2: chain.mul(x, x), 3: chain.mul(chain.mul(x, x), x), 0.5: chain.sqrt(x)}
    return known.get(exponent.least) if exponent.step is None else None


def _sum(chain: Chain, _: _Said, *operands: Real) -> Real | None:
    """A Sum of two is an Add, which a codelet of the user's own may be."""
    return reduce(chain.add, operands) if len(operands) > 2 else None


def _mean(chain: Chain, _: _Said, *operands: Real) -> Real:
    return chain.div(reduce(chain.add, operands), chain.number(len(operands)))


def _where(chain: Chain, _: _Said, is_first: Real, x: Real, z: Real) -> Real | None:
    """One times 1 and the other times 0: exact of what is finite."""
    if is_first.step is None:
        return x if is_first.least else z
    if not all(math.isfinite(end) for one in (x, z) for end in (one.least, one.most)):
        return None
    return chain.add(chain.mul(is_first, x), chain.mul(chain.sub(chain.number(1), is_first), z))


MADE_OF: Mapping[str, Callable[..., Real | None]] = {
    **dict.fromkeys(SAME, lambda _, __, x, *___: x),
    "Add": lambda chain, _, x, z: chain.add(x, z),
    "Sub": lambda chain, _, x, z: chain.sub(x, z),
    "Mul": lambda chain, _, x, z: chain.mul(x, z),
    "Div": lambda chain, _, x, z: chain.div(x, z),
    "Max": lambda chain, _, *operands: reduce(chain.max, operands),
    "Min": lambda chain, _, *operands: reduce(chain.min, operands),
    "Sum": _sum,
    "Mean": _mean,
    "Neg": lambda chain, _, x: chain.neg(x),
    "Abs": lambda chain, _, x: chain.absolute(x),
    "Sqrt": lambda chain, _, x: chain.sqrt(x),
    "Pow": _power,
    "Reciprocal": lambda chain, _, x: chain.div(chain.number(1), x),
    "Relu": lambda chain, _, x: chain.max(x, chain.number(0)),
    "Clip": _clip,
    "LeakyRelu": lambda chain, said, x: chain.sloped(x, chain.number(_alpha(said, 0.01))),
    "PRelu": lambda chain, _, x, slope: chain.sloped(x, slope),
    "HardSigmoid": lambda chain, said, x: _hard_sigmoid(chain, x, _alpha(said, 0.2), said.get("beta", 0.5)),
    "HardSwish": lambda chain, _, x: chain.mul(x, _hard_sigmoid(chain, x, 1 / 6, 0.5)),
    "Sigmoid": lambda chain, _, x: chain.sigmoid(x),
    "Tanh": lambda chain, _, x: chain.tanh(x),
    "Erf": lambda chain, _, x: chain.erf(x),
    "Exp": lambda chain, _, x: chain.exp(x),
    "Softplus": lambda chain, _, x: chain.softplus(x),
    "Mish": lambda chain, _, x: chain.mish(x),
    "Gelu": _gelu,
    "Swish": lambda chain, said, x: _swish(chain, x, _alpha(said, 1)),
    "QuickGelu": lambda chain, said, x: _swish(chain, x, _alpha(said, 1.702)),
    "Elu": lambda chain, said, x: chain.elu(x, _alpha(said, 1)),
    "Celu": lambda chain, said, x: chain.elu(x, _alpha(said, 1), _alpha(said, 1)),
    "Selu": lambda chain, said, x: chain.elu(x, _alpha(said, _SELU[0]), 1, said.get("gamma", _SELU[1])),
    "Where": _where,
    "Softsign": lambda chain, _, x: chain.div(x, chain.add(chain.number(1), chain.absolute(x))),
}
"""Builders of an operator's result from a chain, its attributes and its operands; None: no chain computes it."""

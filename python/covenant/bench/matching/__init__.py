"""Networks on which the flexible matching of accelerators' operators is measured.

Huang, Lyubomirsky et al., "Specialized Accelerators and Compiler Flows: Replacing Accelerator APIs with a Formal
Software/Hardware Interface", Table 1 and Appendix B. The builders make float ONNX models with random weights, whose
nodes stand for the operators that the networks have in Relay's text: `covenant.bench.matching.relay` says which.
"""

from covenant.bench.matching.networks import BUILDERS, NETWORKS, network
from covenant.bench.matching.relay import operator_counts, operators_of

__all__ = ["BUILDERS", "NETWORKS", "network", "operator_counts", "operators_of"]

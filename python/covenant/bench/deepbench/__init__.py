"""Inference layers of DeepBench: products and convolutions of recognisers, speech and translation networks.

Sizes: Narang and Diamos, "DeepBench", its suites `server` and `device`.
"""

from covenant.bench.deepbench.embeddings import EmbeddingFigures, EmbeddingSums, embed, sums_of
from covenant.bench.deepbench.figures import LayerFigures, measure
from covenant.bench.deepbench.layers import DeepBenchLayer, convolutions, layers

__all__ = [
    "DeepBenchLayer",
    "EmbeddingFigures",
    "EmbeddingSums",
    "LayerFigures",
    "convolutions",
    "embed",
    "layers",
    "measure",
    "sums_of",
]

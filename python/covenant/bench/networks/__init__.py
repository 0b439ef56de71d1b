"""Whole networks on machines: cycles beside the bound, values beside ONNX Runtime's, and the seconds it takes."""

from covenant.bench.networks.figures import NetworkFigures, NetworkLayer, measure

__all__ = ["NetworkFigures", "NetworkLayer", "measure"]

"""From a float model to an int8 model that the compiler takes and that ONNX Runtime computes in integers."""

from covenant.quantization.quantizer import QuantizationReport, Rewrite, quantize

__all__ = ["QuantizationReport", "Rewrite", "quantize"]

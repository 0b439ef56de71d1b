"""From a float model to a quantised model that the compiler takes; ONNX Runtime computes one of bytes in integers."""

from covenant.quantization.layer_errors import LayerError
from covenant.quantization.numerics import Numerics
from covenant.quantization.quantizer import quantize
from covenant.quantization.report import OutputError, QuantizationReport, Rewrite

__all__ = ["LayerError", "Numerics", "OutputError", "QuantizationReport", "Rewrite", "quantize"]

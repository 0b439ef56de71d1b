"""From a float model to an int8 model that the compiler takes and that ONNX Runtime computes in integers."""

from covenant.quantization.layer_errors import LayerError
from covenant.quantization.quantizer import Numerics, quantize
from covenant.quantization.report import OutputError, QuantizationReport, Rewrite

__all__ = ["LayerError", "Numerics", "OutputError", "QuantizationReport", "Rewrite", "quantize"]

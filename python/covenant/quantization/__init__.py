"""Quantises float models for the compiler, and reports how far they are from float."""

from covenant.quantization.layer_errors import LayerError
from covenant.quantization.numerics import Numerics
from covenant.quantization.quantizer import quantize
from covenant.quantization.report import OutputError, QuantizationReport, Rewrite

__all__ = ["LayerError", "Numerics", "OutputError", "QuantizationReport", "Rewrite", "quantize"]

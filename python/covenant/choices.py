"""Words that options and functions take, apart from what they stand for: `--help` lists them and imports no more."""

from __future__ import annotations

from enum import Enum
from typing import Literal

BACKENDS = ("systemc", "rtl", "interpret")
"""systemc: executes the encoded words; values and cycles. rtl: the same words on the Verilated RTL. interpret: executes
the codelets; values only."""


class Source(Enum):
    """Source of the outputs that a model should have."""

    ONNXRUNTIME = "onnxruntime"
    """ONNX Runtime, pinned and set up as `covenant.oracle` says, where its kernels are exact on this processor."""
    REFERENCE = "reference"
    """The SDK's exact reference operators (`compiler/reference`).

    For a program whose sums saturate, its own codelets run by the interpreter, because such sums depend on their order.
    """


AxiMasters = Literal["port", "bus", "one"]
"""Choice of the off-chip ports that share an AXI4 master."""

WIDTHS = (4, 8, 16)
"""Bits of an element: what machines store, and ONNX has types of."""
SIGNS = {"i8": True, "u8": False}
"""Whether activations are signed, by the names that they have for bytes. In ONNX Runtime i8 gives the same bytes on
every x86-64 processor; u8 does not without VNNI."""
METHODS = ("minmax", "entropy", "percentile", "mse")
"""Ways to take ranges from calibration data."""

LARGEST = {"top1": 1, "top5": 5}
"""Metrics of rows of scores: the label is to be among so many largest ones."""
METRICS = (*LARGEST, "sqnr")
"""top1, top5: the share of rows of which the label is among so many largest elements. sqnr: of the output beside the
float model's, the signal to quantisation noise ratio in decibel."""
COMPARED = ("float", "onnxruntime")
"""Models with which a machine's accuracy may be compared."""

BASELINES = {
    "onnxruntime": ("ONNX Runtime", "int8"),
    "onnxruntime-f32": ("ONNX Runtime", "float32"),
    "pytorch-f32": ("PyTorch", "float32"),
}
"""Libraries on the processor by name, with the type of inputs and weights. Sums of int8 are int32."""

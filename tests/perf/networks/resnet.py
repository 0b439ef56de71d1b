"""ResNet-18 and ResNet-50 with random weights, quantised by ONNX Runtime: models as users bring them.

python resnet.py FOLDER     # resnet18_seeded.onnx and resnet50_seeded.onnx
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from covenant import zoo

SEED = 1
SIZE = 224
NETWORKS = ("resnet18", "resnet50")


def image() -> np.ndarray:
    """One random image: f32[1, 3, 224, 224]."""
    return np.random.default_rng(SEED).normal(0.0, 1.0, (1, 3, SIZE, SIZE)).astype(np.float32)


class _Images(CalibrationDataReader):
    """One random image for the quantiser."""

    def __init__(self) -> None:
        self.rest = iter([{"image": image()}])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.rest, None)


def write(name: str, path: Path) -> None:
    """The network `name` of NETWORKS, QDQ of i8 activations and i8 weights with a scale for each channel."""
    with tempfile.TemporaryDirectory() as scratch:
        quantize_static(
            zoo.get_float(name, scratch),
            path,
            _Images(),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
        )


if __name__ == "__main__":
    for network in NETWORKS:
        write(network, Path(sys.argv[1]) / f"{network}_seeded.onnx")

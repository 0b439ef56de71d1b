"""Cuts the network of the first example in two, and writes digits for it to read.

./dev exec python examples/03_platform/prepare.py build/platform
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import onnx.utils

DIGITS = Path(__file__).resolve().parents[1] / "01_digits"
# The first part gives real numbers, the second one takes them: the host converts between the two. What one part made of
# 8 bits by scale and zero point, the other one makes 8 bits again by the same: no bit is lost.
MADE, TAKEN = "pool_out_DequantizeLinear_Output", "pool_out"
IMAGES = 8


def _part(network: onnx.ModelProto, taken: str, made: str) -> onnx.ModelProto:
    return onnx.utils.Extractor(network).extract_model([taken], [made])


def prepare(folder: Path) -> None:
    """Writes whole.onnx, first.onnx, second.onnx and images.f32."""
    folder.mkdir(parents=True, exist_ok=True)
    network = onnx.shape_inference.infer_shapes(onnx.load(DIGITS / "digits_qdq.onnx"))
    onnx.save(network, folder / "whole.onnx")
    onnx.save(_part(network, "image", MADE), folder / "first.onnx")
    onnx.save(_part(network, TAKEN, "logits"), folder / "second.onnx")
    with np.load(DIGITS / "digits_test.npz") as test:
        test["images"][:IMAGES].astype("<f4").tofile(folder / "images.f32")


def main() -> None:
    """Prepares the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    prepare(parser.parse_args().folder)


if __name__ == "__main__":
    main()

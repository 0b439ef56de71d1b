"""ConvTranspose in all its forms: of float models that are quantised here, and of models quantised elsewhere."""

from __future__ import annotations

import os

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from oracle_models import ModelBuilder

import covenant
from covenant import oracle
from covenant.model.editable_model import EditableModel
from covenant.quantization.interpolation import transposed_into_convolutions

FORMS = ("pads", "SAME_UPPER", "SAME_LOWER", "VALID", "output_shape")


class Form:
    """Attributes, shapes and weights of one ConvTranspose at random."""

    def __init__(self, seed: int) -> None:
        draw = self.draw = np.random.default_rng(seed)
        rank, form = int(draw.integers(1, 3)), draw.choice(FORMS)
        self.group, inner, outer = int(draw.choice([1, 1, 2, 4])), int(draw.integers(1, 4)), int(draw.integers(1, 4))
        kernel, strides = (draw.integers(1, 5, rank).tolist() for _ in range(2))
        size = draw.integers(2, 6, rank).tolist()
        self.shape = (1, inner * self.group, *size)
        self.outer, self.kernel = outer, kernel
        self.attributes = {"kernel_shape": kernel, "strides": strides, "group": self.group}
        if draw.random() < 0.4:
            self.attributes["dilations"] = draw.integers(1, 3, rank).tolist()
        if form == "pads":
            self.attributes["pads"] = draw.integers(0, 2, 2 * rank).tolist()
            self.attributes["output_padding"] = [int(draw.integers(0, one)) for one in strides]
        elif form == "output_shape":
            self.attributes["output_shape"] = [a * b for a, b in zip(size, strides, strict=True)]
        else:
            self.attributes["auto_pad"] = form
        self.has_bias = bool(draw.random() < 0.6)

    def weights(self) -> list[np.ndarray]:
        """Weights of the operator, in float, and its bias."""
        shape = (self.shape[1], self.outer, *self.kernel)
        made = [self.draw.normal(scale=0.3, size=shape).astype(np.float32)]
        if self.has_bias:
            made.append(self.draw.normal(size=self.outer * self.group).astype(np.float32))
        return made


def is_taken(model, feed):
    """Whether ONNX Runtime computes it: some attributes contradict one another."""
    try:
        (made,) = oracle.session(model.SerializeToString(), oracle.Style.QOPERATOR).run(None, feed)
    except Exception:  # noqa: BLE001  (its exceptions have no base of their own)
        return None
    return made if made.size else None


COUNT = 400 if os.environ.get("COVENANT_FULL") else 60


@pytest.mark.parametrize("start", range(0, COUNT, 20))
def test_the_function_stays(start):
    """The Conv and its blocks compute in float what ONNX Runtime's ConvTranspose does."""
    compared = 0
    for seed in range(start, start + 20):
        form = Form(seed)
        builder = ModelBuilder({"x": np.zeros(form.shape, np.float32)})
        model = builder.model({builder.add("ConvTranspose", "x", *form.weights(), **form.attributes): np.float32})
        feed = {"x": form.draw.normal(size=form.shape).astype(np.float32)}
        expected = is_taken(model, feed)
        if expected is None:
            continue
        rewritten = EditableModel(model)
        assert transposed_into_convolutions(rewritten) == 1
        (got,) = oracle.session(rewritten.model.SerializeToString(), oracle.Style.QOPERATOR).run(None, feed)
        np.testing.assert_allclose(got, expected, atol=1e-4, err_msg=str((seed, form.shape, form.attributes)))
        compared += 1
    assert compared > 10


def stored(form, dtype, per_channel):
    """A quantised model with the operator, as ONNX Runtime's quantiser writes it; its step of the result."""
    draw, signed = form.draw, dtype == np.int8
    zero = dtype(3 if signed else 131)
    builder = ModelBuilder({"x": np.zeros(form.shape, np.float32)})
    step, scale, made = np.float32(0.05), np.float32(0.01), np.float32(0.1)
    scales = np.float32(draw.uniform(0.005, 0.02, form.outer)) if per_channel else scale
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", step, zero), step, zero)
    integers = draw.integers(-127, 128, (form.shape[1], form.outer, *form.kernel)).astype(np.int8)
    operands = [builder.add("DequantizeLinear", integers, scales, np.zeros(np.shape(scales), np.int8), axis=1)]
    if form.has_bias:
        whole = np.tile(scales, form.group) * step if per_channel else step * scale
        bias = draw.integers(-2000, 2000, form.outer * form.group).astype(np.int32)
        operands.append(
            builder.add("DequantizeLinear", bias, np.float32(whole), np.zeros(np.shape(whole), np.int32), axis=0)
        )
    y = builder.add("ConvTranspose", x, *operands, **form.attributes)
    if draw.random() < 0.4:
        y = builder.add("Relu", y)
        zero = dtype(np.iinfo(dtype).min)
    y = builder.add("DequantizeLinear", builder.add("QuantizeLinear", y, made, zero), made, zero)
    return builder.model({y: np.float32}), float(made)


@pytest.mark.parametrize("seed", range(1000, 1000 + COUNT // 3))
def test_of_models_quantized_elsewhere(seed, tmp_path):
    """Stored weights are moved: a step from what ONNX Runtime adds up in float at most, and mostly the same."""
    form = Form(seed)
    dtype, per_channel = [(np.int8, False), (np.int8, True), (np.uint8, False), (np.uint8, True)][seed % 4]
    model, step = stored(form, dtype, per_channel)
    feed = {"x": form.draw.normal(scale=2, size=form.shape).astype(np.float32)}
    expected = is_taken(model, feed)
    if expected is None:
        pytest.skip("ONNX Runtime does not take these attributes together")
    onnx.save(model, tmp_path / "x.onnx")
    program = covenant.compile(tmp_path / "x.onnx", "genesys:8x8")
    (got,) = covenant.run(program, feed).outputs.values()
    assert got.shape == expected.shape
    assert np.abs(got - expected).max() <= step * 1.001
    assert (got != expected).sum() <= max(3, 0.02 * got.size)  # of few elements one or two are a large share


@pytest.mark.parametrize("rank", [1, 2])
def test_a_bias_in_float(rank, tmp_path):
    """A bias in float, as other tools leave it, is stored like that of any convolution."""
    form = Form(7)
    form.attributes, form.group = {"kernel_shape": [3] * rank, "strides": [2] * rank, "group": 2}, 2
    form.kernel, form.shape, form.outer, form.has_bias = [3] * rank, (1, 4, *[4] * rank), 3, True
    model, step = stored(form, np.int8, per_channel=True)
    (node,) = (node for node in model.graph.node if node.op_type == "ConvTranspose")
    maker = next(one for one in model.graph.node if node.input[2] in one.output)
    model.graph.node.remove(maker)
    bias = form.draw.normal(size=6).astype(np.float32)
    model.graph.initializer.append(numpy_helper.from_array(bias, node.input[2]))
    feed = {"x": form.draw.normal(scale=2, size=form.shape).astype(np.float32)}
    onnx.save(model, tmp_path / "x.onnx")
    (got,) = covenant.run(covenant.compile(tmp_path / "x.onnx", "genesys:8x8"), feed).outputs.values()
    assert np.abs(got - is_taken(model, feed)).max() <= step * 1.001


@pytest.mark.parametrize("axis", [0, 1])
def test_scales_along_another_dimension(axis, tmp_path):
    """Along the channels that are read they are no scales of a machine's sums: refused, with what to do."""
    form = Form(1)
    form.attributes, form.group, form.kernel, form.has_bias = {"kernel_shape": [2, 2]}, 1, [2, 2], False
    form.shape, form.outer = (1, 3, 4, 4), 3
    model, _ = stored(form, np.int8, per_channel=True)
    for node in model.graph.node:
        for entry in node.attribute:
            if entry.name == "axis":
                entry.i = axis
    onnx.save(model, tmp_path / "x.onnx")
    if axis == 1:
        assert covenant.compile(tmp_path / "x.onnx", "genesys:8x8") is not None
        return
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(tmp_path / "x.onnx", "genesys:8x8")
    assert error.value.code == "ONX0028"
    assert "(ConvTranspose)" in error.value.diagnostic.subject


def test_computed_weights_are_named(tmp_path):
    """No machine holds them."""
    step, zero = np.float32(0.05), np.int8(0)
    builder = ModelBuilder({"x": np.zeros((1, 2, 4, 4), np.float32), "w": np.zeros((2, 2, 2, 2), np.float32)})
    x, w = (builder.add("DequantizeLinear", builder.add("QuantizeLinear", one, step, zero), step, zero) for one in "xw")
    y = builder.add("QuantizeLinear", builder.add("ConvTranspose", x, w, kernel_shape=[2, 2]), step, zero)
    model = builder.model({builder.add("DequantizeLinear", y, step, zero): np.float32})
    onnx.save(model, tmp_path / "x.onnx")
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(tmp_path / "x.onnx", "genesys:8x8")
    assert error.value.code == "ONX0028"

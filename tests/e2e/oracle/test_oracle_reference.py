"""The C++ front end and reference operators equal ONNX Runtime bit for bit: digits, and models made at random."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from expectation import is_exact, products_of, skip_unless_exact
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from onnx import helper
from oracle_models import ROOT, ModelBuilder, element_type, reference

from covenant import oracle
from covenant.rewrite.elementwise.tables import replaced

DIGITS = ROOT / "examples" / "01_digits"
# Where a processor's products of u8 and i8 saturate at 16 bits, ONNX Runtime says nothing of them: those of i8 stay.
ACTIVATIONS = [np.uint8, np.int8] if is_exact(*products_of("uint8", "int8")) else [np.int8]


@pytest.mark.parametrize("style", ["qoperator", "qdq"])
def test_digits_every_tensor_of_every_image(style):
    if style == "qoperator":
        skip_unless_exact(*products_of("uint8", "int8"))
    with np.load(DIGITS / "digits_test.npz") as split:
        images = split["images"]
    model = onnx.load(str(DIGITS / f"digits_{style}.onnx"))
    ours = reference(model, {"image": images[:, None]})
    assert len(ours) == 11
    # Alone, and with every intermediate tensor as an output of the graph.
    plain = oracle.Oracle(model)
    for name, array in ours.items():
        if name != "logits":
            info = helper.make_tensor_value_info(name, element_type(array.dtype), array.shape[1:])
            model.graph.output.append(info)
    theirs = oracle.Oracle(model)
    for index, image in enumerate(images):
        assert (plain.run(image[None])["logits"] == ours["logits"][index]).all(), f"image {index}"
        for name, array in theirs.run(image[None]).items():
            assert (array == ours[name][index]).all(), f"image {index}, {name}"


@st.composite
def quantized_models(draw):
    """A chain of one to four quantised layers in one of the styles, its runs, and its last value's name and dtype."""
    dtype = draw(st.sampled_from(ACTIVATIONS))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    chain = Chain(dtype, generator, qdq=draw(st.booleans()))
    for _ in range(draw(st.integers(1, 4))):
        chain.append(draw(st.sampled_from(Chain.LAYERS)))
    return chain


class Chain:
    """Layers one after the other; draws shapes, weights, scales and zero points from `generator`."""

    LAYERS = (
        "conv", "conv", "add", "mul", "mul", "curve", "max_pool", "clip", "average", "flatten", "gemm", "matmul",
    )  # fmt: skip

    def __init__(self, dtype, generator, *, qdq):
        self.dtype, self.generator, self.qdq = dtype, generator, qdq
        self.limits = np.iinfo(dtype)
        self.shape = [1, *(int(value) for value in generator.integers(1, 10, 3))]
        self.scale, self.zero = self.quantization()
        self.builder = ModelBuilder({"x": np.zeros(self.shape, np.float32)})
        self.value = self.builder.add("QuantizeLinear", "x", self.scale, self.zero)
        self.input_scale, self.input_zero = self.scale, self.zero
        self.applied = []
        self.made = [(self.value, self.scale, self.zero, list(self.shape))]

    def quantization(self):
        """A random scale and zero point."""
        scale = np.float32(np.exp(self.generator.uniform(-5, -1)))
        zeros = [self.limits.min, self.limits.max, int(self.generator.integers(self.limits.min, self.limits.max + 1))]
        return scale, self.dtype(zeros[int(self.generator.integers(0, 3))])

    def weights(self, shape, axis):
        """i8 weights, at times u8 around 128 or with extremes only; scale(s), zero point(s) and an i32 bias."""
        values = self.generator.integers(-128, 128, shape)
        if self.generator.integers(0, 4) == 0:
            values = self.generator.choice([-128, 127], shape)
        outputs = shape[axis]
        channels = outputs if self.generator.integers(0, 2) else 1
        scales = np.exp(self.generator.uniform(-5, -1, channels)).astype(np.float32)
        unsigned = self.dtype is np.uint8 and self.generator.integers(0, 4) == 0
        stored = (values + 128).astype(np.uint8) if unsigned else values.astype(np.int8)
        zeros = np.full(channels, 128 if unsigned else 0, stored.dtype)
        bias = self.generator.integers(-20000, 20000, outputs).astype(np.int32)
        return stored, scales, zeros, bias

    def set(self, value, scale, zero, shape):
        """The value that the next layer reads."""
        self.value, self.scale, self.zero, self.shape = value, scale, zero, shape
        self.made.append((value, scale, zero, list(shape)))

    def real(self, value=None, scale=None, zero=None):
        """The dequantised value, for QDQ."""
        if value is None:
            value, scale, zero = self.value, self.scale, self.zero
        return self.builder.add("DequantizeLinear", value, scale, zero)

    def quantized(self, y, scale, zero):
        """The QuantizeLinear of a QDQ layer, at times after a Relu that it absorbs: zero is its lowest value."""
        if zero == self.limits.min and self.generator.integers(0, 2):
            y = self.builder.add("Relu", y)
        return self.builder.add("QuantizeLinear", y, scale, zero)

    def append(self, kind):
        """One layer of this kind, or the nearest that fits the shape."""
        if len(self.shape) != 4 and kind not in {"add", "mul", "curve", "clip", "gemm", "matmul"}:
            kind = "gemm"
        if len(self.shape) == 4 and kind in {"gemm", "matmul"}:
            self.append("flatten")
        self.applied.append((kind, list(self.shape)))
        getattr(self, kind)()

    def output_scale(self, inner, w_scale):
        """A scale at which the output neither vanishes nor always saturates."""
        return np.float32(self.scale * w_scale * 128 * np.sqrt(inner) * self.generator.uniform(0.3, 3))

    def conv(self):
        """A convolution, at times with auto_pad or, in QOperator style, without bias."""
        outputs = int(self.generator.integers(1, 9))
        pads = [int(value) for value in self.generator.integers(0, 3, 4)]
        strides = [int(value) for value in self.generator.integers(1, 4, 2)]
        room = [self.shape[2] + pads[0] + pads[2], self.shape[3] + pads[1] + pads[3]]
        kernel = [int(self.generator.integers(1, min(4, extent + 1))) for extent in room]
        w, w_scale, w_zero, bias = self.weights((outputs, self.shape[1], *kernel), 0)
        scale = self.output_scale(self.shape[1] * kernel[0] * kernel[1], w_scale.mean())
        _, zero = self.quantization()
        shape = [1, outputs, *((extent - k) // s + 1 for extent, k, s in zip(room, kernel, strides, strict=True))]
        window = {"kernel_shape": kernel, "pads": pads, "strides": strides}
        if self.generator.integers(0, 6) == 0:
            window = {"kernel_shape": kernel, "strides": strides, "auto_pad": "SAME_UPPER"}
            shape[2:] = [-(-extent // step) for extent, step in zip(self.shape[2:], strides, strict=True)]
        if self.qdq:
            real = self.real()
            weights = self.builder.add("DequantizeLinear", w, w_scale, w_zero, axis=0)
            bias_scale = (self.scale * w_scale).astype(np.float32)
            biases = self.builder.add("DequantizeLinear", bias, *self.pair(bias_scale, np.int32), axis=0)
            y = self.builder.add("Conv", real, weights, biases, **window)
            value = self.quantized(y, scale, zero)
        else:
            operands = [self.value, self.scale, self.zero, w, w_scale, w_zero, scale, zero]
            operands += [bias] if self.generator.integers(0, 3) else []
            value = self.builder.add("QLinearConv", *self.scalars(operands), **window)
        self.set(value, scale, zero, shape)

    @staticmethod
    def pair(scale, dtype):
        """Scale(s) and as many zeros."""
        return (scale[0], dtype(0)) if scale.size == 1 else (scale, np.zeros(scale.size, dtype))

    @staticmethod
    def scalars(operands):
        """Scales and zero points of one element as scalars, as the quantiser writes them."""
        flat = [
            isinstance(entry, np.ndarray) and entry.shape == (1,) and i in {4, 5} for i, entry in enumerate(operands)
        ]
        return [entry[0] if one else entry for entry, one in zip(operands, flat, strict=True)]

    def gemm(self):
        """A product with bias."""
        outputs = int(self.generator.integers(1, 40))
        turned = bool(self.generator.integers(0, 2))
        shape = (outputs, self.shape[1]) if turned else (self.shape[1], outputs)
        w, w_scale, w_zero, bias = self.weights(shape, 0 if turned else 1)
        scale = self.output_scale(self.shape[1], w_scale.mean())
        _, zero = self.quantization()
        if self.qdq:
            real = self.real()
            axis = 0 if turned else 1
            weights = self.builder.add("DequantizeLinear", w, w_scale, w_zero, axis=axis)
            if w_scale.size == 1:
                weights = self.builder.add("DequantizeLinear", w, w_scale[0], w_zero[0])
            bias_scale = (self.scale * w_scale).astype(np.float32)
            biases = self.builder.add("DequantizeLinear", bias, *self.pair(bias_scale, np.int32), axis=0)
            y = self.builder.add("Gemm", real, weights, biases, transB=int(turned))
            value = self.quantized(y, scale, zero)
        else:
            operands = self.scalars([self.value, self.scale, self.zero, w, w_scale, w_zero, bias, scale, zero])
            value = self.builder.add("QGemm", *operands, transB=int(turned))
        self.set(value, scale, zero, [1, outputs])

    def matmul(self):
        """A product without bias, one scale per tensor."""
        outputs = int(self.generator.integers(1, 40))
        w, w_scale, w_zero, _ = self.weights((self.shape[1], outputs), 1)
        w_scale, w_zero = w_scale[0], w_zero[0]
        scale = self.output_scale(self.shape[1], w_scale)
        _, zero = self.quantization()
        if self.qdq:
            weights = self.builder.add("DequantizeLinear", w, w_scale, w_zero)
            y = self.builder.add("MatMul", self.real(), weights)
            value = self.quantized(y, scale, zero)
        else:
            value = self.builder.add(
                "QLinearMatMul", self.value, self.scale, self.zero, w, w_scale, w_zero, scale, zero
            )
        self.set(value, scale, zero, [1, outputs])

    def add(self):
        """Adds an earlier value of the same shape, a residual, if there is one; else the value itself."""
        same = [made for made in self.made if made[3] == self.shape]
        other = same[int(self.generator.integers(0, len(same)))]
        scale = np.float32(max(self.scale, other[1]) * self.generator.uniform(0.5, 2.5))
        _, zero = self.quantization()
        if self.qdq:
            y = self.builder.add("Add", self.real(), self.real(*other[:3]))
            value = self.quantized(y, scale, zero)
        else:
            value = self.builder.add("QLinearAdd", self.value, self.scale, self.zero, *other[:3], scale, zero)
        self.set(value, scale, zero, list(self.shape))

    def mul(self):
        """Multiplies by an earlier value of the same shape or with one element for each channel, in either order."""
        shapes = (self.shape, [*self.shape[:2], 1, 1]) if len(self.shape) == 4 else (self.shape,)
        fitting = [made for made in self.made if made[3] in shapes]
        other = fitting[int(self.generator.integers(0, len(fitting)))]
        scale = np.float32(self.scale * other[1] * 100 * self.generator.uniform(0.1, 2))
        _, zero = self.quantization()
        factors = [(self.value, self.scale, self.zero), other[:3]]
        if self.generator.integers(0, 2):
            factors.reverse()
        if self.qdq:
            value = self.quantized(self.builder.add("Mul", *(self.real(*one) for one in factors)), scale, zero)
        else:
            value = self.builder.add("QLinearMul", *factors[0], *factors[1], scale, zero)
        self.set(value, scale, zero, list(self.shape))

    def curve(self):
        """A function of one byte."""
        scale = np.float32(self.generator.uniform(0.004, 0.02))
        _, zero = self.quantization()
        operands = [self.value, self.scale, self.zero, scale, zero]
        if not self.qdq:
            leaks = bool(self.generator.integers(0, 2))
            attributes = {"alpha": float(self.generator.uniform(0, 0.5))} if leaks else {}
            value = self.builder.add("QLinearLeakyRelu" if leaks else "QLinearSigmoid", *operands, **attributes)
            return self.set(value, scale, zero, list(self.shape))
        y = self.real()
        for _ in range(int(self.generator.integers(1, 4))):
            operator = str(self.generator.choice(["Sigmoid", "HardSigmoid", "Erf", "Tanh", "Mul", "Add", "gate"]))
            if operator == "gate":
                y = self.builder.add("Mul", self.builder.add("Sigmoid", y), self.real())
            elif operator in {"Mul", "Add"}:
                y = self.builder.add(operator, y, np.float32(self.generator.normal()))
            else:
                y = self.builder.add(operator, y)
        return self.set(self.builder.add("QuantizeLinear", y, scale, zero), scale, zero, list(self.shape))

    def average(self):
        """A global average pool."""
        scale = np.float32(self.scale * self.generator.uniform(0.3, 1.5))
        _, zero = self.quantization()
        if self.qdq:
            y = self.builder.add("GlobalAveragePool", self.real())
            value = self.quantized(y, scale, zero)
        else:
            operands = [self.value, self.scale, self.zero, scale, zero]
            value = self.builder.add("QLinearGlobalAveragePool", *operands, channels_last=0)
        self.set(value, scale, zero, [1, self.shape[1], 1, 1])

    def moved(self, operator, *constants, **attributes):
        """An operator that keeps the scale."""
        if self.qdq:
            y = self.builder.add(operator, self.real(), *constants, **attributes)
            return self.builder.add("QuantizeLinear", y, self.scale, self.zero)
        return self.builder.add(operator, self.value, *constants, **attributes)

    def max_pool(self):
        """A max pool."""
        kernel = [int(self.generator.integers(1, min(4, extent + 1))) for extent in self.shape[2:]]
        pads = [int(self.generator.integers(0, kernel[i % 2])) for i in range(4)]
        strides = [int(value) for value in self.generator.integers(1, 4, 2)]
        value = self.moved("MaxPool", kernel_shape=kernel, pads=pads, strides=strides)
        room = [self.shape[2] + pads[0] + pads[2], self.shape[3] + pads[1] + pads[3]]
        shape = [(extent - k) // s + 1 for extent, k, s in zip(room, kernel, strides, strict=True)]
        self.set(value, self.scale, self.zero, [*self.shape[:2], *shape])

    def clip(self):
        """A clip of stored values."""
        low, high = sorted(int(value) for value in self.generator.integers(self.limits.min, self.limits.max + 1, 2))
        value = self.builder.add("Clip", self.value, self.dtype(low), self.dtype(high))
        self.set(value, self.scale, self.zero, list(self.shape))

    def flatten(self):
        """A flatten or a reshape."""
        if self.generator.integers(0, 2):
            value = self.moved("Flatten", axis=1)
        else:
            value = self.moved("Reshape", np.array([0, -1], np.int64))
        self.set(value, self.scale, self.zero, [1, int(np.prod(self.shape[1:]))])


@settings(max_examples=250, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
@given(chain=quantized_models())
def test_random_models(chain):
    """Every output byte of random chains of layers: u8 and i8, per channel, strides, pads, odd shapes."""
    note(f"layers: {chain.applied}, {'QDQ' if chain.qdq else 'QOperator'}, {chain.dtype.__name__}")
    limits = chain.limits
    stored = chain.generator.integers(limits.min, limits.max + 1, (6, *chain.builder.inputs["x"].shape))
    stored[0], stored[1] = limits.min, limits.max
    x = ((stored - int(chain.input_zero)) * chain.input_scale).astype(np.float32)
    model = chain.builder.model({chain.value: chain.dtype})
    ours = reference(replaced(model), {"x": x})[chain.value]
    theirs = oracle.Oracle(model)
    for index, run in enumerate(x):
        assert (theirs.run(run)[chain.value] == ours[index]).all(), f"run {index}"

"""Models of layers with the nodes that exporters write around them: one for each slip that a reader may make."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import TensorProto
from stored_models import StoredModel

Case = Callable[[], StoredModel]
CASES: dict[str, Case] = {}
SCALES = np.array([0.004, 0.009, 0.013, 0.02, 0.006, 0.011], np.float32)


def case(make: Case) -> Case:
    """Enters a model under its name."""
    CASES[make.__name__] = make
    return make


# ---- Products


@case
def convolution_by_channel() -> StoredModel:
    m = StoredModel()
    x = m.image(1, 3, 7, 6)
    y = m.node(
        "Conv",
        [x, m.weights(6, 3, 3, 2, scales=SCALES, axis=0), m.bias(0.02 * SCALES, 6)],
        pads=[1, 0, 2, 1],
        strides=[2, 1],
    )
    return m.closed(m.node("Relu", [y]), 0.04, -7)


@case
def convolution_between_bounds() -> StoredModel:
    m = StoredModel(dtype="u8")
    x = m.image(1, 4, 5, 5, zero=131)
    y = m.node("Conv", [x, m.weights(5, 4, 2, 2)], auto_pad="SAME_LOWER")
    y = m.node("Clip", [y, m.constant(-0.4), m.constant(1.7)])
    return m.closed(y, 0.03, 90)


@case
def convolution_of_rows() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("Conv", [m.image(1, 4, 9), m.weights(6, 4, 3)], pads=[2, 1], dilations=[2], strides=[2]))


@case
def depthwise_convolution() -> StoredModel:
    m = StoredModel(dtype="u8")
    x = m.image(1, 6, 6, 5, zero=117)
    w = m.weights(6, 1, 3, 3, scales=SCALES, axis=0)
    return m.closed(m.node("Conv", [x, w, m.bias(0.02 * SCALES, 6)], group=6, pads=[1, 1, 1, 1]), 0.03, 140)


@case
def weights_with_zero_points() -> StoredModel:
    m = StoredModel()
    w = m.real(m.random.integers(-60, 61, (6, 3, 2, 2)), SCALES, np.array([4, -9, 20, 0, 33, -2]), axis=0)
    return m.closed(m.node("Conv", [m.image(1, 3, 5, 5), w]))


@case
def weights_without_a_sign() -> StoredModel:
    m = StoredModel(dtype="u8")
    w = m.real(m.random.integers(10, 240, (8, 5)), 0.01, 125, dtype="u8")
    return m.closed(m.node("MatMul", [m.image(3, 8, zero=77), w]), 0.05, 120)


@case
def product_turned() -> StoredModel:
    m = StoredModel()
    w = m.weights(6, 8, scales=SCALES, axis=0)
    return m.closed(m.node("Gemm", [m.image(2, 8), w, m.bias(0.02 * SCALES, 6)], transB=1))


@case
def product_by_columns() -> StoredModel:
    m = StoredModel()
    w = m.weights(6, 6, scales=SCALES, axis=1)
    return m.closed(m.node("Gemm", [m.image(2, 6), w, m.bias(0.02 * SCALES, 6)]))


@case
def product_along_the_last_axis() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("MatMul", [m.image(1, 4, 6), m.weights(6, 6, scales=SCALES, axis=-1)]))


@case
def product_with_scales_along_the_sum() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("MatMul", [m.image(1, 4, 6), m.weights(6, 6, scales=SCALES, axis=0)]))


@case
def product_of_two() -> StoredModel:
    m = StoredModel(dtype="u8")
    a, b = m.image(1, 3, 4, zero=100), m.image(1, 4, 5, scale=0.03, zero=150)
    return m.closed(m.node("MatMul", [a, b]), 0.04, 128)


@case
def bias_with_a_zero_point() -> StoredModel:
    m = StoredModel()
    w = m.weights(6, 8, scales=SCALES, axis=0)
    bias = m.bias(0.02 * SCALES, 6, zeros=np.array([0, 0, 700, 0, 0, -900]))
    return m.closed(m.node("Gemm", [m.image(2, 8), w, bias], transB=1))


@case
def bias_of_another_scale() -> StoredModel:
    m = StoredModel()
    w = m.weights(6, 8, scales=SCALES, axis=0)
    scales = 0.02 * SCALES
    scales[4] *= 1.5
    return m.closed(m.node("Gemm", [m.image(2, 8), w, m.bias(scales, 6)], transB=1))


# ---- Of two operands, and of one


@case
def sum_of_two() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("Add", [m.image(1, 4, 3, 3), m.image(1, 4, 3, 3, scale=0.05, zero=-20)]))


@case
def product_element_by_element() -> StoredModel:
    m = StoredModel(dtype="u8")
    y = m.node("Mul", [m.image(1, 4, 3, 3, zero=40), m.image(1, 4, 1, 1, scale=0.03, zero=200)])
    return m.closed(y, 0.04, 99)


@case
def difference() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("Sub", [m.image(1, 4, 6), m.image(1, 4, 6, scale=0.04, zero=9)]))


@case
def quotient() -> StoredModel:
    m = StoredModel()
    by = m.node("DequantizeLinear", [m.constant(m.random.integers(30, 90, (1, 4, 6)), np.int8), *m.steps(0.03, -4)])
    return m.closed(m.node("Div", [m.image(1, 4, 6), by]))


@case
def larger_of_two() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("Max", [m.image(1, 4, 6), m.image(1, 4, 6, scale=0.04, zero=9)]))


@case
def sum_broadcast() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("Add", [m.image(1, 4, 3, 2), m.image(1, 4, 1, 2, scale=0.05, zero=-20)]))


@case
def one_tensor_under_two_scales() -> StoredModel:
    m = StoredModel()
    stored = m.node("QuantizeLinear", [m.input(1, 4, 6), *m.steps(0.02, 5)])
    parts = [m.node("DequantizeLinear", [stored, *m.steps(scale, zero)]) for scale, zero in ((0.02, 5), (0.03, -7))]
    return m.closed(m.node("Exp", [m.node("Sub", parts)]))


@case
def sum_with_a_constant() -> StoredModel:
    m = StoredModel()
    one = m.real(m.random.integers(-100, 100, (4, 1)), 0.02, 7)
    return m.closed(m.node("Add", [one, m.image(1, 4, 6)]))


@case
def function_of_a_byte() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("Sigmoid", [m.image(1, 4, 6)]), 0.004, -128)


@case
def function_without_a_zero_point() -> StoredModel:
    m = StoredModel(opset=21)
    scale = m.constant(0.009)
    y = m.node("QuantizeLinear", [m.node("Tanh", [m.image(1, 4, 6)]), scale], output_dtype=TensorProto.INT8)
    m.output(m.node("DequantizeLinear", [y, scale]))
    return m


@case
def slope_by_channel() -> StoredModel:
    m = StoredModel()
    slopes = m.constant(np.array([0.1, 0.4, -0.3, 0.8]).reshape(4, 1, 1))
    return m.closed(m.node("PRelu", [m.image(1, 4, 3, 5), slopes]))


@case
def normalised_by_channel() -> StoredModel:
    m = StoredModel(dtype="u8")
    parts = [m.constant(m.random.uniform(0.5, 1.5, 4)) for _ in range(4)]
    return m.closed(m.node("BatchNormalization", [m.image(1, 4, 3, 3, zero=90), *parts]), 0.02, 150)


@case
def limits_alone() -> StoredModel:
    m = StoredModel()
    x = m.image(1, 4, 6, scale=0.02, zero=5)
    y = m.node("Clip", [x, m.constant(-0.31), m.constant(0.9)])
    return m.closed(y, 0.02, 5)


@case
def softmax_of_channels() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("Softmax", [m.image(1, 5, 6)], axis=1), 1 / 256, -128)


@case
def rows_normalised() -> StoredModel:
    m = StoredModel()
    gain, offset = m.constant(m.random.uniform(0.2, 2, 6)), m.constant(m.random.normal(0, 1, 6))
    return m.closed(m.node("LayerNormalization", [m.image(1, 4, 6), gain, offset], axis=-1, epsilon=0.4))


# ---- Pools and reductions


@case
def mean_of_windows() -> StoredModel:
    m = StoredModel()
    y = m.node("AveragePool", [m.image(1, 3, 6, 5)], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 0, 1])
    return m.closed(y, 0.02, -30)


@case
def mean_with_its_pads() -> StoredModel:
    m = StoredModel(dtype="u8")
    x = m.image(1, 3, 6, 5, zero=60)
    y = m.node("AveragePool", [x], kernel_shape=[2, 3], pads=[1, 1, 0, 1], count_include_pad=1)
    return m.closed(y, 0.02, 120)


@case
def largest_of_windows() -> StoredModel:
    m = StoredModel()
    y = m.node("MaxPool", [m.image(1, 3, 7, 6)], kernel_shape=[2, 3], strides=[2, 2], pads=[0, 1, 1, 0], ceil_mode=1)
    return m.closed(y, 0.02, 5)


@case
def mean_of_an_axis() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("ReduceMean", [m.image(1, 3, 4, 5)], axes=[1, -1], keepdims=0), 0.01, 2)


@case
def sum_of_an_axis() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("ReduceSum", [m.image(1, 3, 4, 5), m.integers(2)], keepdims=1), 0.05, 2)


@case
def largest_of_an_axis() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("ReduceMax", [m.image(1, 3, 4, 5)], axes=[2], keepdims=0), 0.02, 5)


# ---- Movements


@case
def turned() -> StoredModel:
    m = StoredModel()
    return m.moved(m.node("Transpose", [m.image(1, 3, 4, 5)], perm=[0, 2, 3, 1]))


@case
def turned_and_multiplied() -> StoredModel:
    m = StoredModel()
    y = m.pair(m.node("Transpose", [m.image(2, 3, 6)], perm=[1, 0, 2]), 0.02, 5)
    return m.closed(m.node("MatMul", [y, m.weights(6, 4)]))


@case
def part_of_a_tensor() -> StoredModel:
    m = StoredModel()
    ends = [m.integers(*values) for values in ((1, -4), (9, -1), (1, -1), (2, 1))]
    return m.moved(m.node("Slice", [m.image(1, 5, 4, 6), *ends]))


@case
def part_from_behind() -> StoredModel:
    m = StoredModel()
    ends = [m.integers(*values) for values in ((-1,), (-6,), (2,), (-2,))]
    return m.moved(m.node("Slice", [m.image(1, 3, 6), *ends]))


@case
def parts_turned_round() -> StoredModel:
    m = StoredModel()
    a, b, c = m.node("Split", [m.image(1, 6, 4), m.integers(1, 2, 3)], 3, axis=1)
    return m.moved(m.node("Concat", [c, a, b], axis=1))


@case
def elements_by_index() -> StoredModel:
    m = StoredModel()
    return m.moved(m.node("Gather", [m.image(1, 4, 5), m.integers(3, -1, 0, 1)], axis=2))


@case
def elements_by_places() -> StoredModel:
    m = StoredModel()
    places = m.constant([[0, 2], [0, -1], [0, 1]], np.int64)
    return m.moved(m.node("GatherND", [m.image(1, 4, 5), places]))


@case
def blocks_to_space() -> StoredModel:
    m = StoredModel()
    return m.moved(m.node("DepthToSpace", [m.image(1, 8, 2, 3)], blocksize=2, mode="CRD"))


@case
def columns_to_space() -> StoredModel:
    m = StoredModel()
    return m.moved(m.node("DepthToSpace", [m.image(1, 8, 2, 3)], blocksize=2, mode="DCR"))


@case
def space_to_blocks() -> StoredModel:
    m = StoredModel()
    return m.moved(m.node("SpaceToDepth", [m.image(1, 2, 4, 6)], blocksize=2))


@case
def padded_by_nothing_said() -> StoredModel:
    m = StoredModel()
    y = m.pair(m.node("Pad", [m.image(1, 2, 4, 3), m.integers(0, 0, 1, 0, 0, 0, 2, 1)]), 0.02, 5)
    return m.closed(m.node("Conv", [y, m.weights(3, 2, 2, 2)]))


@case
def padded_by_a_value() -> StoredModel:
    m = StoredModel()
    return m.moved(m.node("Pad", [m.image(1, 2, 3), m.integers(0, 0, 1, 0, 0, 2), m.constant(-1.5)]))


@case
def padded_by_mirroring() -> StoredModel:
    m = StoredModel()
    return m.moved(m.node("Pad", [m.image(1, 2, 4, 5), m.integers(0, 0, 1, 2, 0, 0, 0, 1)], mode="reflect"))


@case
def joined_under_scales() -> StoredModel:
    m = StoredModel()
    parts = [m.image(1, 3, 4), m.image(1, 2, 4, scale=0.05, zero=-11), m.image(1, 4, 4, scale=0.03, zero=40)]
    return m.closed(m.node("Concat", parts, axis=1))


@case
def moved_before_it_is_stored() -> StoredModel:
    m = StoredModel()
    y = m.node("Conv", [m.image(1, 3, 4, 5), m.weights(4, 3, 1, 1)])
    return m.closed(m.node("Transpose", [y], perm=[0, 3, 1, 2]), 0.04, -9)


@case
def joined_with_a_stored_constant() -> StoredModel:
    m = StoredModel()
    one = m.real(m.random.integers(-100, 100, (1, 2, 4)), 0.01, 33)
    return m.closed(m.node("Concat", [one, m.image(1, 3, 4)], axis=1), 0.03, 12)


@case
def joined_with_a_constant() -> StoredModel:
    m = StoredModel()
    one = m.constant(m.random.normal(0, 1, (1, 2, 4)))
    return m.closed(m.node("Concat", [m.image(1, 3, 4), one, m.image(1, 1, 4)], axis=1), 0.03, 12)


@case
def reshaped() -> StoredModel:
    m = StoredModel()
    y = m.pair(m.node("Reshape", [m.image(1, 3, 4), m.integers(0, 2, -1)]), 0.02, 5)
    return m.closed(m.node("MatMul", [y, m.weights(6, 4)]))


@case
def reshaped_by_a_shape() -> StoredModel:
    m = StoredModel()
    x = m.image(1, 3, 4, 2)
    shape = m.node("Concat", [m.integers(1, -1), m.node("Shape", [x], start=2)], axis=0)
    y = m.pair(m.node("Reshape", [m.node("Transpose", [x], perm=[0, 1, 3, 2]), shape]), 0.02, 5)
    return m.closed(m.node("Transpose", [y], perm=[0, 1, 3, 2]))


@case
def rescaled_while_moved() -> StoredModel:
    m = StoredModel()
    return m.closed(m.node("Transpose", [m.image(1, 3, 4, scale=0.03, zero=-8)], perm=[0, 2, 1]))


@case
def repeated() -> StoredModel:
    m = StoredModel()
    return m.moved(m.node("Tile", [m.image(1, 3, 4), m.integers(1, 2, 3)]))


@case
def grown_to_neighbours() -> StoredModel:
    m = StoredModel()
    scales = m.constant([1, 1, 2, 3])
    y = m.node(
        "Resize", [m.image(1, 2, 3, 2), "", scales], coordinate_transformation_mode="asymmetric", nearest_mode="floor"
    )
    return m.moved(y)


@case
def grown_between_pixels() -> StoredModel:
    m = StoredModel()
    y = m.node("Resize", [m.image(1, 2, 3, 4), "", m.constant([1, 1, 2, 2])], mode="linear")
    return m.moved(y)


@case
def grown_rank() -> StoredModel:
    m = StoredModel()
    return m.moved(m.node("Expand", [m.image(3, 1), m.integers(2, 3, 4)]))


@case
def chosen_by_a_constant() -> StoredModel:
    m = StoredModel()
    mask = m.constant(m.random.random((4, 5)) < 0.5, np.bool_)
    return m.closed(m.node("Where", [mask, m.image(1, 4, 5), m.image(1, 4, 5, scale=0.04, zero=-9)]))


@case
def chosen_by_a_table() -> StoredModel:
    m = StoredModel()
    x = m.image(1, 4, 5)
    mask = m.node("Greater", [x, m.constant(0.2)])
    return m.closed(m.node("Where", [mask, m.image(1, 4, 5, zero=-30), m.image(1, 4, 5, scale=0.04, zero=9)]))


# ---- Operators on stored tensors


def stored_layer(operation: str, *inputs: str, model: StoredModel, domain: str = "", **attributes: object) -> str:
    """A node on stored tensors, with a scale and a zero point for its output."""
    return model.node(operation, [*inputs, *model.steps(0.05, 4)], domain=domain, **attributes)


def stored_output(m: StoredModel, value: str) -> StoredModel:
    m.output(value, TensorProto.INT8)
    return m


@case
def stored_convolution() -> StoredModel:
    m = StoredModel()
    w = [m.constant(m.random.integers(-127, 128, (6, 3, 2, 2)), np.int8), m.constant(SCALES)]
    operands = [m.stored(1, 3, 5, 5), *m.steps(0.02, -6), *w, m.constant(np.zeros(6), np.int8), *m.steps(0.3, 11)]
    bias = m.constant(m.random.integers(-2000, 2000, 6), np.int32)
    return stored_output(m, m.node("QLinearConv", [*operands, bias], pads=[0, 1, 1, 0]))


@case
def stored_product() -> StoredModel:
    m = StoredModel()
    w = [m.constant(m.random.integers(-127, 128, (5, 6)), np.int8), *m.steps(0.01, 0)]
    bias = m.constant(m.random.integers(-2000, 2000, 5), np.int32)
    operands = [m.stored(2, 6), *m.steps(0.02, -6), *w, bias, *m.steps(0.2, 8)]
    return stored_output(m, m.node("QGemm", operands, domain="com.microsoft", transB=1, alpha=1.0))


@case
def stored_product_of_two() -> StoredModel:
    m = StoredModel()
    operands = [m.stored(1, 3, 4), *m.steps(0.02, -6), m.stored(1, 4, 5), *m.steps(0.03, 12)]
    return stored_output(m, m.node("QLinearMatMul", [*operands, *m.steps(0.2, 8)]))


@case
def stored_sum() -> StoredModel:
    m = StoredModel()
    operands = [m.stored(1, 4, 3), *m.steps(0.02, -6), m.stored(1, 4, 3), *m.steps(0.03, 12)]
    return stored_output(m, stored_layer("QLinearAdd", *operands, model=m, domain="com.microsoft"))


@case
def stored_parts() -> StoredModel:
    m = StoredModel()
    parts = [*m.quantized(1, 2, 3, scale=0.02, zero=-6), *m.quantized(1, 4, 3, scale=0.05, zero=4)]
    return stored_output(m, m.node("QLinearConcat", [*m.steps(0.05, 4), *parts], domain="com.microsoft", axis=1))


@case
def stored_limits() -> StoredModel:
    m = StoredModel(opset=12)
    x = m.quantized(1, 4, 3, scale=0.02, zero=-6)[0]
    return stored_output(m, m.node("Clip", [x, m.constant(-30, np.int8), m.constant(55, np.int8)]))


@case
def stored_function() -> StoredModel:
    m = StoredModel()
    operands = [m.stored(1, 4, 3), *m.steps(0.04, -6), *m.steps(1 / 256, -100)]
    return stored_output(m, m.node("QLinearSigmoid", operands, domain="com.microsoft"))


@case
def stored_choice() -> StoredModel:
    m = StoredModel()
    mask = m.constant(m.random.random((4, 3)) < 0.5, np.bool_)
    operands = [mask, *m.quantized(1, 4, 3, scale=0.02, zero=-6), *m.quantized(1, 4, 3, scale=0.05, zero=4)]
    return stored_output(m, stored_layer("QLinearWhere", *operands, model=m, domain="com.microsoft"))

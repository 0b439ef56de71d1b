"""Models with the nodes that exporters write at the ends of a model and around its layers."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from stored_cases import SCALES, case
from stored_models import StoredModel

# ---- Ends, inputs and outputs


@case
def input_quantized_twice() -> StoredModel:
    m = StoredModel()
    x = m.input(1, 4, 6)
    return m.closed(m.node("Add", [m.pair(x, 0.02, 5), m.pair(x, 0.05, -17)]))


@case
def host_before() -> StoredModel:
    m = StoredModel()
    x = m.node("Div", [m.node("Sub", [m.input(1, 4, 6), m.constant(0.3)]), m.constant(0.7)])
    return m.closed(m.node("MatMul", [m.pair(x, 0.02, 5), m.weights(6, 5)]))


@case
def host_behind() -> StoredModel:
    m = StoredModel()
    y = m.pair(m.node("MatMul", [m.image(1, 4, 6), m.weights(6, 5)]), 0.03, 4)
    m.output(m.node("Softmax", [y], axis=-1))
    m.output(y)
    return m


@case
def last_product_in_float() -> StoredModel:
    m = StoredModel()
    y = m.pair(m.node("Gemm", [m.image(2, 8), m.weights(8, 6)]), 0.05, 3)
    m.output(m.node("Gemm", [y, m.weights(6, 5, scales=0.02), m.bias(0.05 * 0.02, 5)]))
    return m


@case
def outputs_in_another_order() -> StoredModel:
    m = StoredModel()
    a = m.pair(m.node("MatMul", [m.image(1, 4, 6), m.weights(6, 5)]), 0.05, 3)
    b = m.pair(m.node("MatMul", [a, m.weights(5, 5)]), 0.04, -3)
    m.output(b)
    m.output(a)
    return m


@case
def weights_quantized_in_the_model() -> StoredModel:
    m = StoredModel()
    steps = [m.constant(SCALES), m.constant(np.zeros(6), np.int8)]
    w = m.node("QuantizeLinear", [m.constant(m.random.normal(0, 0.5, (6, 4, 2, 2))), *steps], axis=0)
    w = m.node("DequantizeLinear", [w, *steps], axis=0)
    return m.closed(m.node("Conv", [m.image(1, 4, 4, 4), w]))


# ---- What exporters leave around layers


@case
def weights_turned_after_dequantizing() -> StoredModel:
    m = StoredModel()
    w = m.node("Transpose", [m.weights(6, 8, scales=SCALES, axis=0, zeros=np.array([1, 0, -3, 0, 5, 0]), most=90)])
    return m.closed(m.node("MatMul", [m.image(1, 4, 8), w]))


@case
def weights_from_rows_and_columns_last() -> StoredModel:
    m = StoredModel()
    w = m.weights(2, 3, 4, 6, scales=SCALES, axis=-1)
    return m.closed(m.node("Conv", [m.image(1, 4, 5, 5), m.node("Transpose", [w], perm=[3, 2, 0, 1])]))


@case
def computed_and_turned_before_it_is_stored() -> StoredModel:
    m = StoredModel()
    y = m.node("Conv", [m.image(1, 3, 4, 5), m.weights(4, 3, 1, 1)])
    y = m.node("Relu", [m.node("MaxPool", [y], kernel_shape=[2, 2])])
    return m.closed(m.node("Reshape", [y, m.integers(1, 4, -1)]), 0.04, -9)


@case
def padded_between_bounds() -> StoredModel:
    m = StoredModel()
    y = m.node("Conv", [m.image(1, 3, 4, 5), m.weights(4, 3, 1, 1)])
    y = m.node("Pad", [y, m.integers(0, 0, 1, 0, 0, 0, 0, 2)])
    return m.closed(m.node("Clip", [y, m.constant(0.3), m.constant(1.2)]), 0.02, -50)


@case
def stored_twice_after_a_layer() -> StoredModel:
    m = StoredModel()
    y = m.node("Conv", [m.image(1, 3, 4, 5), m.weights(4, 3, 1, 1)])
    return m.closed(m.node("Add", [m.pair(y, 0.04, -9), m.pair(y, 0.09, 20)]))


@case
def stored_twice_under_zero_points() -> StoredModel:
    m = StoredModel()
    y = m.node("Conv", [m.image(1, 3, 4, 5), m.weights(4, 3, 1, 1)])
    return m.closed(m.node("Add", [m.pair(y, 0.04, -9), m.pair(y, 0.04, 90)]))


@case
def stored_twice_under_scales() -> StoredModel:
    m = StoredModel()
    y = m.node("Conv", [m.image(1, 3, 4, 5), m.weights(4, 3, 1, 1)])
    return m.closed(m.node("Add", [m.pair(y, 0.01, -9), m.pair(y, 0.09, -9)]))


@case
def stored_alike_twice() -> StoredModel:
    m = StoredModel()
    x = m.input(1, 4, 6)
    a, b, c = m.pair(x, 0.02, 5), m.pair(x, 0.02, 5), m.pair(x, 0.02, -20)
    return m.closed(m.node("Add", [m.pair(m.node("Add", [a, b]), 0.05, 1), c]))


@case
def casts_that_do_nothing() -> StoredModel:
    m = StoredModel()
    steps = m.steps(0.02, 5)
    x = m.node("Cast", [m.node("QuantizeLinear", [m.input(1, 4, 6), *steps])], to=TensorProto.INT8)
    y = m.node("Dropout", [m.node("DequantizeLinear", [x, *steps])])
    return m.closed(m.node("MatMul", [y, m.weights(6, 5)]))


@case
def cut_to_whole_numbers() -> StoredModel:
    m = StoredModel()
    y = m.node(
        "Cast",
        [
            m.image(1, 4, 6),
        ],
        to=TensorProto.INT32,
    )
    return m.closed(m.node("Cast", [y], to=TensorProto.FLOAT), 0.03, 2)


@case
def turned_within_its_shape() -> StoredModel:
    m = StoredModel()
    y = m.node("Transpose", [m.pair(m.node("Sigmoid", [m.image(1, 4, 4)]), 0.004, -128)], perm=[0, 2, 1])
    return m.moved(y, 0.004, -128)


@case
def turned_round_whole() -> StoredModel:
    m = StoredModel()
    ends = [m.integers(value) for value in (-1, -7, 2, -1)]
    return m.moved(m.node("Slice", [m.image(1, 3, 6), *ends]))


@case
def turned_over_one_index() -> StoredModel:
    m = StoredModel()
    y = m.node("Transpose", [m.image(1, 3, 4, 1)], perm=[0, 2, 1, 3])
    y = m.node("Transpose", [m.pair(y, 0.02, 5)], perm=[3, 0, 1, 2])
    return m.moved(y)


@case
def cut_by_a_pad() -> StoredModel:
    m = StoredModel()
    y = m.node("Pad", [m.image(1, 4, 6), m.integers(0, -1, 2, 0, 0, -3), m.constant(0.0)])
    return m.moved(y)


@case
def padded_by_a_stored_value() -> StoredModel:
    m = StoredModel()
    value = m.real(77, 0.02, 5)
    return m.moved(m.node("Pad", [m.image(1, 2, 3), m.integers(0, 0, 1, 0, 1, 2), value]))


@case
def padded_without_a_bound() -> StoredModel:
    m = StoredModel()
    y = m.node("Pad", [m.image(1, 2, 3), m.integers(0, 0, 1, 0, 0, 2), m.constant(-np.inf)])
    return m.moved(y)


@case
def transposed_convolution() -> StoredModel:
    m = StoredModel()
    w = m.real(m.random.integers(-100, 100, (3, 4, 3, 2)), 0.01, 9)
    y = m.node("ConvTranspose", [m.image(1, 3, 3, 4), w, m.bias(0.02 * 0.01, 4)], strides=[2, 1], pads=[1, 0, 0, 1])
    return m.closed(y)


@case
def constants_as_nodes() -> StoredModel:
    m = StoredModel()
    x = m.image(1, 4, 6)
    y = m.node("Mul", [x, m.node("Constant", [], value_float=1.5)])
    return m.closed(m.node("LeakyRelu", [y], alpha=0.3))


# ---- What quantisers leave in float between layers


@case
def several_operators_on_two_tensors() -> StoredModel:
    m = StoredModel()
    a, b = m.image(1, 4, 5, 5), m.image(1, 4, 1, 1, scale=0.03, zero=-9)
    y = m.node("Sqrt", [m.node("Add", [m.node("Mul", [a, a]), m.node("Abs", [b])])])
    return m.closed(m.node("Sub", [m.node("Sigmoid", [m.node("Sub", [a, b])]), y]), 0.02)


@case
def constants_in_float() -> StoredModel:
    m = StoredModel()
    c = m.constant(m.random.normal(0, 1, (1, 4, 5)))
    return m.closed(m.node("Sub", [c, m.image(2, 4, 5)]))


@case
def an_input_in_float_compared() -> StoredModel:
    m = StoredModel()
    y = m.pair(m.node("MatMul", [m.image(1, 4, 6), m.weights(6, 5)]), 0.05, 3)
    return m.closed(m.node("Max", [m.input(1, 4, 5), y]))
